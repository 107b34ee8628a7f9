"""R, F and M of every customer.

A generalized cell stands for the middle of its interval, which is the expectation of a value drawn
from it. Kobayashi drew 100 values and averaged them: the same but for noise.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl

from tokumei.cells import high, kind, low
from tokumei.draws import Floats, uniform
from tokumei.errors import SchemaError
from tokumei.history import ROW, History

TO = "analyze recency, frequency and spend"


def analyze(
    history: History, *, last_day: float | None = None, draws: int | None = None, seed: int = 0
) -> pl.DataFrame:
    """Return person, R, F, M, sorted by person.

    R is the number of days from the last purchase to `last_day` (days since 1970; the last day of
    the history unless given), F the number of purchase dates, M the sum of price times quantity.
    Equal intervals are one purchase date; a suppressed date is a date that tells nothing, a
    suppressed amount stands for the mean of the others. With `draws`, so many values are drawn from
    every interval and averaged.
    """
    rows = history.frame()
    for role in ("time", "price", "quantity"):
        if role not in rows.columns:
            history.require(role, to=TO)
    day = _value(_days(rows["time"]), rows, "time", draws, seed)
    end = last_day if last_day is not None else float(_highest(rows["time"]))
    analyzed = pl.DataFrame(
        {
            "person": rows["person"],
            "date": _date_cells(rows["time"]),
            "day": day,
            "amount": spent(rows, draws=draws, seed=seed),
        }
    )
    # Rounded: the order in which amounts are added must not show.
    found = analyzed.group_by("person").agg(
        R=end - pl.col("day").max(), F=pl.col("date").n_unique().cast(pl.Float64),
        M=pl.col("amount").sort().sum().round(6),
    )  # fmt: skip
    middle = (end - float(_lowest(rows["time"]))) / 2
    return found.with_columns(pl.col("R").fill_null(middle)).sort("person")


def cell_parts(rows: pl.DataFrame, *, draws: int | None, seed: int) -> pl.DataFrame:
    """Return what the analysis needs of each row, for tables that are analyzed in blocks.

    Those are person, date and day, the first and last day that the cell allows, and the price and
    quantity as they are expected, null where they are suppressed.
    """
    first, last = _days(rows["time"])
    price, quantity = (_amount(rows, name, draws, seed) for name in ("price", "quantity"))
    return pl.DataFrame(
        {
            "person": rows["person"],
            "date": _date_cells(rows["time"]),
            "day": _value((first, last), rows, "time", draws, seed),
            "first": first,
            "last": last,
            "price": price,
            "quantity": quantity,
        }
    )


def spend(history: History) -> pl.DataFrame:
    """Return person, spend: the sum of price times quantity."""
    history.require("price", "quantity", to="sum up what customers spend")
    rows = history.frame().select("person", spent=spent(history.frame()))
    return rows.group_by("person").agg(spend=pl.col("spent").sum())


def spent(rows: pl.DataFrame, *, draws: int | None = None, seed: int = 0) -> pl.Series:
    """Return price times quantity of every row, as they are expected."""
    price, quantity = (_amount(rows, name, draws, seed) for name in ("price", "quantity"))
    return price.fill_null(price.mean() or 0.0) * quantity.fill_null(quantity.mean() or 0.0)


def _amount(rows: pl.DataFrame, name: str, draws: int | None, seed: int) -> pl.Series:
    return _value((low(rows[name]), high(rows[name])), rows, name, draws, seed)


def cuts_of(values: Floats, bins: int) -> Floats:
    """Return the quantiles at which values are cut into ranks."""
    cuts: Floats = np.quantile(values, np.arange(1, bins) / bins)
    return cuts


def ranks(values: Floats, bins: int = 10) -> npt.NDArray[np.int64]:
    """Return 0 to bins - 1 for every value, cut at the quantiles of the values themselves."""
    # Rounded, so that sums in another order are not cut on the other side of a quantile.
    values = np.round(values, 6)
    return np.searchsorted(cuts_of(values, bins), values, side="left").astype(np.int64)


def _days(cells: pl.Series) -> tuple[pl.Series, pl.Series]:
    return tuple(part.cast(pl.Date).to_physical() for part in (low(cells), high(cells)))  # type: ignore[return-value]


def _date_cells(cells: pl.Series) -> pl.Series:
    lo, hi = _days(cells)
    return lo.cast(pl.String) + ";" + hi.cast(pl.String)


def _highest(times: pl.Series) -> int:
    return _end(_days(times)[1].max())


def _lowest(times: pl.Series) -> int:
    return _end(_days(times)[0].min())


def _end(day: object) -> int:
    if not isinstance(day, int):
        raise SchemaError(f"To {TO}, some dates must be told; all are suppressed.")
    return day


def _value(
    ends: tuple[pl.Series, pl.Series], rows: pl.DataFrame, name: str, draws: int | None, seed: int
) -> pl.Series:
    """Return the expected value of every cell, null where it is suppressed."""
    lo, hi = (end.cast(pl.Float64) for end in ends)
    if draws is None or kind(rows[name].dtype) == "exact":
        return (lo + hi) / 2
    keys = rows[ROW].to_numpy()
    mean: Floats = np.zeros(len(rows))
    for number in range(draws):
        mean += uniform(seed, f"rfm/{name}/{number}", keys) / draws
    return lo + (hi - lo) * pl.Series(mean)
