"""What the utility metrics after PWSCUP 2016 share.

The contest's own programs are lost; these follow the names and the descriptions in the papers, and
the docs call them "after PWSCUP 2016".
"""

from __future__ import annotations

import polars as pl

from tokumei.contracts import Release
from tokumei.errors import SchemaError
from tokumei.history import History
from tokumei.rfm import spend
from tokumei.tables import Table, frame


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
    if both.is_empty():
        raise SchemaError("No group of customers spends anything in the original.")
    error = (both["spend"] - both["spend_after"].fill_null(0)).abs() / both["spend"]
    return round(float(error.sum()) / len(both), 12), len(both)
