"""Whether names were made from other names: the same, parts of them, alike, or their hashes."""

from __future__ import annotations

import base64
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from tokumei.audit.hashes import hashed
from tokumei.audit.orders import LEVEL

MOST_PAIRS = 1_000
"""So many names at most are compared with all others."""
GRAMS = (2, 3, 4)
WIDE = 0.1
"""Where more than this share of the names is equally alike, likeness tells nothing."""

Kind = Literal["equal", "part", "alike", "hash"]
Matrix = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Likeness:
    """How many names are like the one that they stand for."""

    kind: Kind
    count: int
    n: int
    chance: float
    """How many would be, were the names dealt out anew."""
    hash: str = ""


def likeness(
    names: Sequence[str], others: Sequence[str], salts: Sequence[str] | None = None
) -> Likeness | None:
    """Return how names are like the others, pair by pair; None where chance would do as much.

    `salts`: what may have been hashed together with the other, such as the month.
    """
    if not names:
        return None
    chosen = _spread(len(names), MOST_PAIRS)
    ours, theirs = ([_plain(texts[at]) for at in chosen] for texts in (names, others))
    tests: dict[Kind, Callable[[], Matrix]] = {
        "equal": lambda: np.array(ours)[:, None] == np.array(theirs)[None, :],
        "part": lambda: _parts(ours, [_writings(others[at]) for at in chosen]),
        "alike": lambda: _most_alike(ours, theirs),
    }
    for kind, relate in tests.items():
        related = relate()
        short = [min(pair, key=len) for pair in zip(ours, theirs, strict=True)]
        long = [max(pair, key=len) for pair in zip(ours, theirs, strict=True)]
        if _beyond_chance(related) or (kind != "alike" and _telling(related, short, long, theirs)):
            own = int(np.trace(related))
            return Likeness(kind, own, len(ours), float(related.sum()) / len(ours))
    made = hashed(list(names), list(others), None if salts is None else list(salts))
    return Likeness("hash", made.count, len(names), made.chance, made.name) if made else None


def _spread(n: int, most: int) -> list[int]:
    """Return at most so many places, evenly spread."""
    return sorted(set(np.linspace(0, n - 1, min(n, most)).astype(int).tolist()))


def _plain(text: str) -> str:
    """Return a name without what is commonly added: spaces, leading zeros, capitals."""
    return text.strip().lower().lstrip("0") or "0"


def _writings(text: str) -> list[str]:
    """Return a name as it is, from right to left, and as bytes are commonly written."""
    bare, code = _plain(text), text.strip().encode("utf-8", "replace")
    coded = base64.b64encode(code).decode().rstrip("=").lower()
    return [bare, bare[::-1], code.hex(), coded]


def _parts(ours: list[str], theirs: list[list[str]]) -> Matrix:
    """Mark names that are in one another."""
    return np.array(
        [[any(one in way or way in one for way in ways) for ways in theirs] for one in ours], bool
    )


def _most_alike(ours: list[str], theirs: list[str]) -> Matrix:
    """Mark for each name those that share the most rare pieces of text with it."""
    places: dict[str, int] = {}
    one, other = (_pieces(texts, places) for texts in (ours, theirs))
    shape = (len(ours), len(places))
    one, other = (csr_array((np.ones(len(at[0])), at), shape=shape) for at in (one, other))
    rarity = np.log1p(len(ours) / np.asarray(1 + other.sum(axis=0)).ravel())
    weighted = other.multiply(rarity).tocsr()
    length = np.sqrt(np.asarray(weighted.multiply(weighted).sum(axis=1)).ravel())
    scores = (one.multiply(rarity).tocsr() @ weighted.T).toarray() / np.maximum(length, 1e-12)
    best = scores.max(axis=1, keepdims=True)
    marked: Matrix = (scores >= best - 1e-9) & (best > 0)
    marked[marked.sum(axis=1) > max(1, WIDE * len(ours))] = False
    return marked


def _pieces(texts: list[str], places: dict[str, int]) -> Any:
    found = [
        (row, places.setdefault(piece, len(places)))
        for row, text in enumerate(texts)
        for piece in {text[at : at + n] for n in GRAMS for at in range(len(text) - n + 1)}
    ]
    rows, columns = zip(*found, strict=True) if found else ((), ())
    return np.array(rows, int), np.array(columns, int)


def _beyond_chance(related: Matrix) -> bool:
    """Tell whether more names are related to their own than names dealt out at random.

    Of n names, let each be related to r others. The chance that t given ones all get a related one
    is at most the product of their r times (n - t)! / n!; summed over all choices of t names it is
    at most m^t / t!, where m is the mean of the relations that chance would give.
    """
    own, mean = int(np.trace(related)), float(related.sum()) / max(1, len(related))
    return own > 0 and own * math.log(mean) - math.lgamma(own + 1) <= math.log(LEVEL)


def _telling(related: Matrix, short: list[str], long: list[str], theirs: list[str]) -> bool:
    """Tell whether names have texts of their own others that no random text would have.

    Few names can be dealt out rightly by chance, but then others would be related as well.
    """
    same = np.array(theirs)[:, None] == np.array(theirs)[None, :]
    if (related & ~same).any():
        return False
    own = np.flatnonzero(np.diag(related))
    chances = [_log_chance(short[at], long[at], _alphabet(short[at])) for at in own]
    ways = math.lgamma(len(related) + 1) - math.lgamma(len(own) + 1)
    ways -= math.lgamma(len(related) - len(own) + 1)
    return len(own) > 0 and ways + sum(chances) <= math.log(LEVEL)


def _alphabet(text: str) -> int:
    return 10 if text.isdecimal() else 26


def _log_chance(short: str, long: str, alphabet: int) -> float:
    """Return the logarithm of the chance that a random text has another one in it."""
    return min(0.0, math.log(len(long) - len(short) + 1) - len(short) * math.log(alphabet))
