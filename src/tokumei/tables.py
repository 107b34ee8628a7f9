"""The table inside every value: a lazy narwhals frame.

On one machine it is polars, on a cluster a Spark table; the table decides, no call has an argument
for it. Steps over whole tables are narwhals expressions; kernels over blocks of rows take polars
frames. `frame` is for tables that fit into memory and refuses Spark tables; `small` is for results
of few rows, wherever they were computed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any, TypeAlias

import narwhals as nw
import polars as pl

from tokumei.errors import SchemaError

Table: TypeAlias = nw.LazyFrame[Any]
SMALL = 1_000_000
"""So many rows at most are brought from a cluster to the machine that asks."""


def table(native: Any) -> Table:
    """Wrap a polars frame or a Spark table."""
    if isinstance(native, pl.DataFrame):
        native = native.lazy()
    wrapped: Table = nw.from_native(native)
    return wrapped


def on_spark(of: Table) -> bool:
    """Tell whether the rows are on a Spark cluster."""
    return of.implementation.is_pyspark() or of.implementation.is_pyspark_connect()


def spark_form(place: str) -> Callable[..., Any]:
    """Return the function `module:name` of tokumei.spark, which is loaded only when it is used."""
    module, name = place.split(":")
    form: Callable[..., Any] = getattr(import_module(f"tokumei.spark.{module}"), name)
    return form


def frame(of: Table) -> pl.DataFrame:
    """Run the plan and return the rows as a polars frame."""
    if on_spark(of):
        raise SchemaError("This needs the whole table in memory, and has no form for Spark tables.")
    native: pl.DataFrame = of.collect("polars").to_native()
    return native


def small(of: Table) -> pl.DataFrame:
    """Run the plan and return its result, which has few rows, as a polars frame."""
    if not on_spark(of):
        return frame(of)
    found: pl.DataFrame = of.head(SMALL + 1).collect("polars").to_native()
    if len(found) > SMALL:
        raise SchemaError(f"A result of more than {SMALL:,} rows is not brought to one machine.")
    return found


def settle(of: Table) -> Table:
    """Run the plan once, so that later steps do not run it again."""
    if on_spark(of):
        return table(spark_form("frames:remembered")(of.to_native()))
    return table(frame(of))


def totals(of: Table, kernel: Callable[[pl.DataFrame], pl.DataFrame]) -> dict[str, Any]:
    """Add up what a kernel finds in each block of rows; it returns one row of numbers."""
    if on_spark(of):
        summed: dict[str, Any] = spark_form("frames:totals")(of, kernel)
        return summed
    return kernel(frame(of)).row(0, named=True)


def columns(of: Table) -> list[str]:
    """Return the names of the columns."""
    return of.collect_schema().names()


def height(of: Table) -> int:
    """Return the number of rows."""
    return int(of.select(nw.len()).collect("polars").item())


def joined_text(names: Iterable[str]) -> pl.Expr:
    """Join columns of texts into one; two rows have the same text only if they are equal.

    Every part has its length before it, because any separator may stand in a part; null is like
    an empty text.
    """
    parts = [pl.col(name).fill_null("") for name in names]
    return pl.concat_str(
        *(text for part in parts for text in (part.str.len_bytes(), pl.lit(":"), part))
    )
