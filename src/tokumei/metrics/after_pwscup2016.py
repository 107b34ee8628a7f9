"""What the utility metrics after PWSCUP 2016 share.

The contest's own programs are lost; these follow the names and the descriptions in the papers, and
the docs call them "after PWSCUP 2016".
"""

from __future__ import annotations

import polars as pl

from tokumei.contracts import Release
from tokumei.errors import SchemaError
from tokumei.history import History
from tokumei.tables import Table, frame


def spend(history: History) -> pl.DataFrame:
    """Return person, spend: the sum of price times quantity."""
    history.require("price", "quantity", to="sum up what customers spend")
    amount = pl.col("price") * pl.col("quantity")
    return history.frame().group_by("person").agg(spend=amount.sum())


def attributes(customers: Table | None, names: tuple[str, ...]) -> pl.DataFrame:
    """Return the customers with these attributes; `decade` is that of the birth date."""
    people = frame(customers) if customers is not None else pl.DataFrame()
    if "decade" in names and "birth" in people.columns:
        year = people["birth"].cast(pl.String).str.slice(0, 3).alias("decade")
        people = people.with_columns(year)
    if missing := [name for name in names if name not in people.columns]:
        raise SchemaError(f"A customers table with the column '{missing[0]}' is needed.")
    return people.select("person", *names)


def segment_error(history: History, release: Release, by: tuple[str, ...]) -> tuple[float, int]:
    """Return the mean relative error of the mean spend over the segments, and their number."""

    def means(of: History) -> pl.DataFrame:
        joined = attributes(of.customers, by).join(spend(of), on="person", how="left")
        return joined.group_by(*by).agg(pl.col("spend").fill_null(0).mean())

    before, after = means(history), means(release.public)
    both = before.join(after, on=by, how="left", nulls_equal=True, suffix="_after").sort(by)
    both = both.filter(pl.col("spend") > 0)
    error = (both["spend"] - both["spend_after"].fill_null(0)).abs() / both["spend"]
    return round(float(error.sum()) / max(1, len(both)), 12), len(both)


def rfm(history: History, *, last_day: pl.Expr | None = None) -> pl.DataFrame:
    """Return person, R (days since the last purchase), F (purchase days), M (spend)."""
    history.require("time", to="analyze recency, frequency and spend")
    day = pl.col("time").cast(pl.Date)
    rows = history.frame()
    last = last_day if last_day is not None else pl.lit(rows["time"].cast(pl.Date).max())
    days = rows.group_by("person").agg(
        R=(last - day.max()).dt.total_days(), F=day.n_unique().cast(pl.Int64)
    )
    return days.join(spend(history).rename({"spend": "M"}), on="person").sort("person")
