"""The values that flow and the verbs that move them.

```
History ─Anonymizer→ History ─publish→ Release ─Threat→ Challenge ─Attack→ Guess ─Judge→ Score
                                          │        └──→ Answer (secret) ──────────────┘
History + Release ───────────Metric────────────────────────────────────────────────→ Score
```
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

import polars as pl

from tokumei.errors import SchemaError
from tokumei.history import History
from tokumei.tables import Table, columns, height, on_spark, table


@dataclass(frozen=True, eq=False, repr=False)
class Key:
    """The secret of a release: who is behind a pseudonym, and which row came from which."""

    pseudonyms: Table
    """pseudonym, person, and period where pseudonyms change over time."""
    rows: Table
    """row of the release, origin: the row of the original, null where it was invented."""
    secret: bytes | None = None
    """What pseudonyms, basket numbers and order were drawn with; None where it is not known."""

    @classmethod
    def unknown(cls) -> Key:
        """Return the key as an attacker has it: empty."""
        names = pl.DataFrame(schema={"pseudonym": pl.String, "person": pl.String})
        rows = pl.DataFrame(schema={"row": pl.Int64, "origin": pl.Int64})
        return cls(table(names), table(rows))

    def __repr__(self) -> str:
        return "Key(secret)"


@dataclass(frozen=True, eq=False)
class Release:
    """What is published, and the key that stays at home."""

    public: History
    key: Key

    def origins(self) -> Table:
        """Return row and origin of every released row; a key may have the pseudonyms alone."""
        if not height(self.key.rows) and self.public.rows:
            raise SchemaError("The key does not tell which row came from which.")
        return self.key.rows


@dataclass(frozen=True, eq=False)
class Challenge:
    """What an attacker holds and is asked; nothing in it is secret."""

    release: History
    known: History
    targets: Table
    """target: what is to be named."""
    candidates: Table
    """value: the names that a target can have."""
    assumes: str
    """What the attacker is assumed to know, in one sentence."""

    @property
    def on_spark(self) -> bool:
        """Whether the release is a Spark table."""
        return self.release.on_spark


def _tabled(given: Table | pl.DataFrame, needed: tuple[str, ...], what: str) -> Table:
    result = table(given) if isinstance(given, pl.DataFrame) else given
    missing = [name for name in needed if name not in columns(result)]
    if missing:
        raise SchemaError(f"{what} needs the columns {', '.join(needed)}; {missing[0]} is missing.")
    return result


@dataclass(frozen=True, eq=False, repr=False)
class Answer:
    """The secret truth to a challenge: a table target, value."""

    pairs: Table

    def __init__(self, pairs: Table | pl.DataFrame) -> None:
        object.__setattr__(self, "pairs", _tabled(pairs, ("target", "value"), "An answer"))

    def __repr__(self) -> str:
        return "Answer(secret)"


@dataclass(frozen=True, eq=False)
class Guess:
    """What an attacker says: a table target, value, weight; the heaviest value comes first."""

    pairs: Table

    def __init__(self, pairs: Table | pl.DataFrame) -> None:
        needed = ("target", "value", "weight")
        object.__setattr__(self, "pairs", _tabled(pairs, needed, "A guess"))

    @property
    def on_spark(self) -> bool:
        """Whether the guess is a Spark table."""
        return on_spark(self.pairs)

    @classmethod
    def of(cls, pairs: dict[str, str]) -> Guess:
        """Make a guess from target → value."""
        return cls(
            pl.DataFrame(
                {"target": list(pairs), "value": list(pairs.values())},
                schema={"target": pl.String, "value": pl.String},
            ).with_columns(weight=pl.lit(1.0))
        )


@dataclass(frozen=True)
class Score:
    """One number, with what is needed to read it. `better` takes the side of the data's owner."""

    name: str
    value: float
    better: Literal["higher", "lower"]
    range: tuple[float, float]
    n: int
    assumes: str = ""
    baseline: float | None = None
    interval: tuple[float, float] | None = None

    @property
    def best(self) -> float:
        """The end of the range that the data's owner wishes for."""
        return self.range[1] if self.better == "higher" else self.range[0]

    @property
    def worst(self) -> float:
        """The other end of the range."""
        return self.range[0] if self.better == "higher" else self.range[1]

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values; an infinite end of the range is null."""
        low, high = self.range
        return {
            "name": self.name,
            "value": self.value,
            "better": self.better,
            "range": [low if math.isfinite(low) else None, high if math.isfinite(high) else None],
            "n": self.n,
            "assumes": self.assumes or None,
            "baseline": self.baseline,
            "interval": list(self.interval) if self.interval else None,
        }


@dataclass(frozen=True)
class Scorecard:
    """Safety and utility of one release, side by side."""

    scores: tuple[Score, ...] = field(default=())

    def __iter__(self) -> Iterator[Score]:
        return iter(self.scores)

    def __getitem__(self, name: str) -> Score:
        for score in self.scores:
            if score.name == name:
                return score
        raise KeyError(name)

    def to_json(self) -> list[dict[str, Any]]:
        """Return plain JSON values."""
        return [score.to_json() for score in self.scores]


@runtime_checkable
class Anonymizer(Protocol):
    """A method that changes a history; a kept row keeps its row id."""

    def __call__(self, history: History, /, *, seed: int) -> History: ...


@runtime_checkable
class Threat(Protocol):
    """What an attacker knows and is asked."""

    def __call__(
        self, history: History, release: Release, /, *, seed: int
    ) -> tuple[Challenge, Answer]: ...


@runtime_checkable
class Attack(Protocol):
    """A way to name the people behind a release."""

    def __call__(self, challenge: Challenge, /, *, seed: int) -> Guess: ...


@runtime_checkable
class Judge(Protocol):
    """How a guess is marked."""

    def __call__(self, guess: Guess, answer: Answer, /) -> Score: ...


@runtime_checkable
class Metric(Protocol):
    """A utility or a guarantee, computed from the original and the release."""

    def __call__(self, history: History, release: Release, /, *, seed: int) -> Score: ...
