"""Names that people give themselves and their teams."""

from __future__ import annotations

import unicodedata

from tokumei.errors import ParameterError

LONGEST = 60


def clean_name(given: str, what: str) -> str:
    """Return a name in one spelling; what cannot be seen could make two names look alike.

    >>> clean_name("  Ice  &  Fire ", "team name")
    'Ice & Fire'
    """
    name = unicodedata.normalize("NFC", " ".join(given.split()))
    if not 1 <= len(name) <= LONGEST:
        raise ParameterError(f"A {what} has 1 to {LONGEST} characters, not {len(name):,}.")
    if any(unicodedata.category(letter).startswith("C") for letter in name):
        raise ParameterError(f"A {what} cannot have invisible characters.")
    return name


def key_of(name: str) -> str:
    """Return what two names share that people would take for the same.

    >>> key_of("ＩＣＥ") == key_of("ice")
    True
    """
    return unicodedata.normalize("NFKC", name).casefold()
