"""Comparing the times of day at which customers bought."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import time

import polars as pl

from tokumei.attacks.counting import purchases_of
from tokumei.attacks.gaining import gains
from tokumei.attacks.matching import OneToOne, Top
from tokumei.attacks.naming import guess
from tokumei.attacks.nearest import nearest
from tokumei.cells import high, kind, low
from tokumei.contracts import Challenge, Guess
from tokumei.draws import Floats
from tokumei.errors import SchemaError
from tokumei.history import History
from tokumei.parameters import Checked
from tokumei.registry import attack

TO = "compare times of day"
MIDNIGHT = (time(0), time(23, 59, 59, 999_999))
"""Where days begin and end: between the two lies any time of day."""
HABIT = 0.1
"""What an hour of the week counts beside a time of day: moved dates have another weekday."""


@attack("time-of-day")
@dataclass(frozen=True, kw_only=True)
class TimeOfDay(Checked):
    """Name the customer who bought at the same times of day, and in the same hours of the week.

    Dates that are moved by whole days keep their time of day, which is rare: of the 1,440 minutes a
    customer has a few. The weight is the logarithm of how much likelier the customer makes the
    pseudonym's times of day, to the second, if half of them are the customer's own and half are
    anybody's, averaged over them; plus the same with the two exchanged; plus a tenth of that for
    the hours of the week. Rare times count most. Of a generalized time both ends are read; a
    suppressed time, or whole days, tell nothing.

    Limits: where times were cut to days, there is nothing to compare.
    """

    one_to_one: OneToOne = False
    top: Top = 10

    def __call__(self, challenge: Challenge, /, *, seed: int) -> Guess:
        for history in (challenge.release, challenge.known):
            _check(history)
        released, known = (_moments(rows) for rows in purchases_of(challenge))
        if released.is_empty() or known.is_empty():
            return Guess.of({})
        targets, persons = (rows["person"].unique().sort() for rows in (released, known))
        clock, hour = (gains(released, known, name, targets, persons) for name in ("clock", "hour"))

        def similarity(block: slice) -> Floats:
            similar: Floats = clock(block) + HABIT * hour(block)
            return similar

        pairs = nearest(
            similarity, targets, persons, top=self.top, one_to_one=self.one_to_one, seed=seed
        )
        return guess(challenge, pairs)


def _check(history: History) -> None:
    """Raise a SchemaError unless some row has a time of day."""
    rows = history.frame()
    if "time" not in rows.columns or kind(rows.schema["time"]) != "interval":
        history.require("time", to=TO)
    if low(rows["time"]).dtype == pl.Date or _moments(rows)["clock"].n_unique() < 2:
        raise SchemaError(f"To {TO}, some rows must have one; all are cut to days or suppressed.")


def _moments(rows: pl.DataFrame) -> pl.DataFrame:
    """Return person, clock in seconds, hour of the week: a row for each end of each time."""
    ends = rows.select("person", low=low(rows["time"]), high=high(rows["time"])).drop_nulls()
    first, last = pl.col("low").dt.time(), pl.col("high").dt.time()
    told = ends.filter((first != MIDNIGHT[0]) | (last != MIDNIGHT[1]))
    both = pl.concat([told.select("person", moment=end) for end in ("low", "high")])
    moment = pl.col("moment").dt
    hour, minute, second, weekday = (
        part.cast(pl.Int32)
        for part in (moment.hour(), moment.minute(), moment.second(), moment.weekday())
    )
    return both.select("person", clock=(hour * 60 + minute) * 60 + second, hour=weekday * 24 + hour)
