"""The texts people read, in English and Japanese.

English stands in the code; `locale/ja.toml` holds the Japanese of every text, keyed by the English.
A test counts what is missing.
"""

from __future__ import annotations

import os
import re
import tomllib
from functools import cache
from importlib import resources
from typing import Literal, get_args

Language = Literal["en", "ja"]
LANGUAGES: tuple[Language, ...] = get_args(Language)


def preferred_language() -> Language:
    """Return the language of the user's environment."""
    for variable in ("TOKUMEI_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        if value := os.environ.get(variable):
            return "ja" if value.startswith("ja") else "en"
    return "en"


def percent(share: float | None, digits: int = 1) -> str:
    """Write a share for people, in both languages without a space before the sign.

    >>> percent(0.25), percent(0.25, 0), percent(None)
    ('25.0%', '25%', '–')
    """
    return "–" if share is None else f"{share:.{digits}%}"


@cache
def japanese() -> dict[str, str]:
    """Return the catalog: English text to Japanese text."""
    text = resources.files("tokumei").joinpath("locale/ja.toml").read_text(encoding="utf-8")
    sections: dict[str, dict[str, str]] = tomllib.loads(text)
    return {english: words for part in sections.values() for english, words in part.items()}


@cache
def _patterns() -> list[tuple[re.Pattern[str], str]]:
    """Texts with a value inside, such as `{share}`, match whatever the value is."""
    return [
        (re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>.+)", re.escape(english))), words)
        for english, words in japanese().items()
        if "{" in english
    ]


def translate(text: str, language: Language) -> str:
    """Return the text in that language; English where the catalog has nothing."""
    text = " ".join(text.split())
    if language == "en" or text in japanese():
        return japanese().get(text, text) if language == "ja" else text
    for pattern, words in _patterns():
        if found := pattern.fullmatch(text):
            return words.format(**found.groupdict())
    return text
