"""Comparing the days on which customers bought."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from typing import Annotated

import numpy as np
import polars as pl
from annotated_types import Interval
from typing_extensions import Doc

from tokumei.attacks.matching import OneToOne, Top
from tokumei.attacks.naming import guess, people, pseudonyms
from tokumei.attacks.nearest import Similarity, nearest, told_apart
from tokumei.cells import high, kind, low, units
from tokumei.contracts import Challenge, Guess
from tokumei.draws import Floats
from tokumei.errors import SchemaError
from tokumei.history import History
from tokumei.parameters import Checked
from tokumei.registry import attack

TO = "compare purchase days"


@attack("time-profile")
@dataclass(frozen=True, kw_only=True)
class TimeProfile(Checked):
    """Name the customer whose purchase days are most alike.

    The weight is the cosine of two calendars, in which a day on which d of n customers bought
    counts as ln(n / d) + 1. A generalized date is spread evenly over its interval; a suppressed
    one tells nothing. The calendars are read in three ways: as they are; each customer's days
    moved together to where they fit best; every day smeared over the days around it. The attack
    believes the reading that tells customers apart best: the one under which the most of them are
    the most alike, and alone, to some target. So it follows dates that were moved, by customer or
    by row.

    Limits: moves by more days than allowed are not followed, and customers who bought on the same
    days are alike.
    """

    days: Annotated[
        int, Interval(ge=0, le=31), Doc("Largest number of days by which dates may be moved.")
    ] = 7
    one_to_one: OneToOne = False
    top: Top = 10

    def __call__(self, challenge: Challenge, /, *, seed: int) -> Guess:
        released = _visits(challenge.release, pseudonyms(challenge))
        known = _visits(challenge.known, people(challenge))
        if released.is_empty() or known.is_empty():
            return Guess.of({})
        targets, persons = (visits["person"].unique().sort() for visits in (released, known))
        ends = pl.concat([released, known]).select(pl.col("low").min(), pl.col("high").max())
        # Room for days that are moved or smeared beyond either end.
        first, last = ends.item(0, "low") - self.days, ends.item(0, "high") + self.days
        both = _calendars(released, targets, first, last), _calendars(known, persons, first, last)
        readings = [_cosine(*both)]
        if self.days:
            readings.append(_cosine(*both, shifts=range(-self.days, self.days + 1)))
            readings.append(_cosine(*(_smeared(calendars, self.days) for calendars in both)))
        told = [told_apart(reading, len(targets)) for reading in readings]
        pairs = nearest(
            readings[told.index(max(told))],
            targets,
            persons,
            top=self.top,
            one_to_one=self.one_to_one,
            seed=seed,
        )
        return guess(challenge, pairs)


def _visits(history: History, asked: pl.Series) -> pl.DataFrame:
    """Return person, low, high: the distinct days, or intervals of days, of each customer."""
    rows = history.frame()
    if "time" not in rows.columns or kind(rows.schema["time"]) != "interval":
        history.require("time", to=TO)
    ends = {"low": units(low(rows["time"])), "high": units(high(rows["time"]))}
    visits = rows.select("person").with_columns(**ends).drop_nulls().unique()
    if visits.is_empty():
        raise SchemaError(f"To {TO}, some dates must be told; all are suppressed.")
    return visits.filter(pl.col("person").is_in(asked.implode())).sort(visits.columns)


def _calendars(visits: pl.DataFrame, names: pl.Series, first: int, last: int) -> Floats:
    """Return a line for each customer: 1 on the day of a visit, or spread over its interval."""
    who = visits["person"].cast(pl.Enum(names)).to_physical().to_numpy()
    begin, end = (visits[name].to_numpy() - first for name in ("low", "high"))
    share = 1.0 / (end - begin + 1)
    steps = np.zeros((len(names), last - first + 2))
    np.add.at(steps, (who, begin), share)
    np.add.at(steps, (who, end + 1), -share)
    calendars: Floats = steps.cumsum(axis=1)[:, :-1]
    return calendars


def _smeared(calendars: Floats, days: int) -> Floats:
    """Spread every day over the days around it, in a triangle."""
    result = np.zeros_like(calendars)
    for shift in range(-days, days + 1):
        result += np.roll(calendars, shift, axis=1) * (days + 1 - abs(shift)) / (days + 1) ** 2
    return result


def _cosine(released: Floats, known: Floats, shifts: Iterable[int] = (0,)) -> Similarity:
    """Compare calendars by their cosines; of several shifts, the one that fits best counts."""
    buyers = np.maximum(known.sum(axis=0), 1)
    # The product of two roots counts the day once.
    weights = np.sqrt(np.log(len(known) / buyers) + 1)
    ours = _unit(known * weights).T

    def similarity(block: slice) -> Floats:
        moved = (np.roll(released[block], shift, axis=1) for shift in shifts)
        best: Floats = reduce(np.maximum, (_unit(part * weights) @ ours for part in moved))
        return best

    return similarity


def _unit(lines: Floats) -> Floats:
    lengths = np.sqrt((lines * lines).sum(axis=1, keepdims=True))
    result: Floats = np.divide(lines, lengths, where=lengths > 0, out=np.zeros_like(lines))
    return result
