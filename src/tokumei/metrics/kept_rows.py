"""The rows that a release kept, beside what they were."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import narwhals as nw
import polars as pl

from tokumei.contracts import Release
from tokumei.errors import SchemaError
from tokumei.history import ROW, History
from tokumei.tables import Table, frame, on_spark, settle

TRUE = "{}/true"
"""The name of a column as it was in the original."""


def origins(release: Release) -> Table:
    """Return row and origin of every released row, as the key has them, if the key can be right.

    On Spark it is checked where a key is read.
    """
    given = release.origins()
    if on_spark(given):
        return given
    rows, public = frame(given), release.public.rows
    if len(rows) != public:
        raise SchemaError(f"The key is for {len(rows):,} rows, but {public:,} are public.")
    kept = rows["origin"].drop_nulls()
    if len(twice := kept.filter(kept.is_duplicated())):
        raise SchemaError(
            "A row of the original may be one row of the release; by the key, row "
            f"{twice[0] + 1:,} is {(twice == twice[0]).sum():,}."
        )
    return given


def kept_rows(history: History, release: Release, columns: Sequence[str]) -> Table:
    """Return the kept rows, in the order of the original, with these columns now and before.

    On Spark they come in any order.
    """
    truth = history.purchases.select(ROW, *columns).rename(
        {ROW: "origin"} | {name: TRUE.format(name) for name in columns}
    )
    pairs = (
        release.public.purchases.select(ROW, *columns)
        .join(origins(release).filter(~nw.col("origin").is_null()), on=ROW, how="inner")
        .join(truth, on="origin", how="inner")
    )
    return pairs if history.on_spark else settle(pairs.sort("origin"))


def cells_that(
    hold: Callable[[pl.Series, pl.Series], pl.Series], rows: pl.DataFrame, columns: Sequence[str]
) -> pl.DataFrame:
    """Count the rows, and their cells that hold true against what they were."""
    cells = (hold(rows[name], rows[TRUE.format(name)]).sum() for name in columns)
    return pl.DataFrame({"rows": [len(rows)], "cells": [sum(map(int, cells))]})
