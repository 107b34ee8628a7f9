"""Noise that hides each cell and leaves a trace: what held-out testers would think of next.

All draw the other cells anew (`Shuffled`), so that the trace is all that is left.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from by_hand import Shuffled

from tokumei import History


@dataclass(frozen=True)
class Trick:
    """A change of cells after everything but `kept` was drawn anew."""

    kept: tuple[str, ...]
    width: float = 0.0

    def __call__(self, history: History, /, *, seed: int) -> History:
        shuffled = Shuffled(self.kept)(history, seed=seed)
        rng = np.random.default_rng(seed + 1)
        return history.with_purchases(self.change(shuffled.frame(), rng))

    def change(self, rows: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
        raise NotImplementedError


class WholeWeeks(Trick):
    """Dates move by whole weeks: the weekday and the time of day stay."""

    def change(self, rows: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
        moves = 7 * rng.integers(-int(self.width), int(self.width) + 1, len(rows))
        return rows.with_columns(pl.col("time") + pl.duration(days=pl.Series(moves)))


class JitteredTimes(Trick):
    """Any day of the year, and some minutes earlier or later."""

    def change(self, rows: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
        days = rng.integers(-180, 181, len(rows))
        minutes = rng.integers(-int(self.width), int(self.width) + 1, len(rows))
        move = pl.duration(days=pl.Series(days), minutes=pl.Series(minutes))
        return rows.with_columns(pl.col("time") + move)


class WholeUnits(Trick):
    """Prices change by whole units: the cents stay."""

    def change(self, rows: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
        units = rng.integers(0, int(self.width) + 1, len(rows)).astype(float)
        return rows.with_columns(price=(pl.col("price") % 1 + pl.Series(units) + 0.01).round(2))


class ScaledPrices(Trick):
    """All prices of a customer times one factor."""

    def change(self, rows: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
        people, codes = np.unique(rows["person"].to_numpy(), return_inverse=True)
        factors = np.exp(rng.uniform(-self.width, self.width, len(people)))[codes]
        scaled = (pl.col("price") * pl.Series(factors)).round(2).clip(lower_bound=0.01)
        return rows.with_columns(price=scaled)


class RenamedItems(Trick):
    """Each item has the name of another one: a cipher."""

    def change(self, rows: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
        items = rows["item"].unique().sort()
        other = items.gather(rng.permutation(len(items)))
        return rows.with_columns(rows["item"].replace_strict(items, other))


class NeighboringItems(Trick):
    """Each item becomes one near it in the catalog."""

    def change(self, rows: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
        items = rows["item"].unique().sort()
        places = np.searchsorted(items.to_numpy(), rows["item"].to_numpy())
        moves = rng.integers(-int(self.width), int(self.width) + 1, len(rows))
        near = items.gather(np.clip(places + moves, 0, len(items) - 1))
        return rows.with_columns(near.alias("item"))


class StrewnRows(Trick):
    """A share of the rows goes to other customers."""

    def change(self, rows: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
        people = rows["person"].unique().sort()
        others = people.gather(rng.integers(0, len(people), len(rows)))
        stay = pl.Series(rng.random(len(rows)) >= self.width)
        return rows.with_columns(rows["person"].zip_with(stay, others).alias("person"))


class OtherCurrency(Trick):
    """All prices by one rule: a rate, a fee, rounded."""

    def change(self, rows: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
        return rows.with_columns(price=(pl.col("price") * self.width + 0.5).round(2))


class OtherClock(Trick):
    """All times some hours and some hundred days later."""

    def change(self, rows: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
        days = rng.integers(300, 700, len(rows))
        later = pl.duration(days=pl.Series(days), hours=int(self.width))
        return rows.with_columns(pl.col("time") + later)


class OtherYear(Trick):
    """All dates moved by the same number of days."""

    def change(self, rows: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
        return rows.with_columns(pl.col("time") + pl.duration(days=int(self.width)))


ALL = ("item", "time", "price", "quantity")
TRICKS: dict[str, tuple[str, Any]] = {
    "weekdays and times kept": ("shop without baskets", WholeWeeks(("time",), 25)),
    "weekdays kept": ("shop by dates", WholeWeeks(("time",), 25)),
    "times jittered": ("shop without baskets", JitteredTimes(("time",), 12)),
    "cents kept": ("shop without baskets", WholeUnits(("price",), 9)),
    "prices scaled": ("shop without baskets", ScaledPrices(("price",), 0.7)),
    "another currency": ("shop without baskets", OtherCurrency(("price",), 147.3)),
    "another time zone": ("shop without baskets", OtherClock(("time",), 9)),
    "another year": ("shop by dates", OtherYear(("time",), 1000)),
    "items renamed": ("shop without baskets", RenamedItems(("item",))),
    "neighboring items": ("another shop", NeighboringItems(("item",), 6)),
    "rows strewn": ("shop without baskets", StrewnRows(ALL, 0.6)),
    "quantities only": ("shop without baskets", Shuffled(("quantity",))),
    "dates only": ("shop by dates", Shuffled(("time",))),
}
