"""The table inside every value: a lazy narwhals frame.

On a laptop it is polars; the same expressions run on Spark. Steps over whole tables are narwhals
expressions, so no method knows its engine; kernels over blocks of rows take polars frames.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import narwhals as nw
import polars as pl

Table: TypeAlias = nw.LazyFrame[Any]


def table(frame: pl.DataFrame | pl.LazyFrame) -> Table:
    """Wrap a polars frame."""
    return nw.from_native(frame.lazy())


def frame(of: Table) -> pl.DataFrame:
    """Run the plan and return the rows as a polars frame."""
    native: pl.DataFrame = of.collect("polars").to_native()
    return native


def settle(of: Table) -> Table:
    """Run the plan once, so that later steps do not run it again."""
    return table(frame(of))


def columns(of: Table) -> list[str]:
    """Return the names of the columns."""
    return of.collect_schema().names()


def height(of: Table) -> int:
    """Return the number of rows."""
    return int(of.select(nw.len()).collect("polars").item())
