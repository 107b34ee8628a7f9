"""Between polars and Spark: whole tables, kernels over blocks, and numbers for rows.

A kernel takes and returns polars frames, as on one machine; Spark hands it blocks as Arrow.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as sf
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

from tokumei.contracts import Key, Release
from tokumei.errors import SchemaError
from tokumei.history import History
from tokumei.tables import Table, frame, small, table

Kernel = Callable[[pl.DataFrame], pl.DataFrame]
ROWS_OF_A_BUCKET = 100_000
MOST_BUCKETS = 1 << 14
MOST_TASKS = 4_096
HELD = "_held_by_tokumei"
"""Marks a table that is kept already."""


def native(of: Table) -> DataFrame:
    """Return the Spark table inside."""
    rows: DataFrame = of.to_native()
    return rows


def spark_of(rows: DataFrame) -> SparkSession:
    """Return the session that a table belongs to."""
    return rows.sparkSession


def remembered(rows: DataFrame) -> DataFrame:
    """Keep the rows on the cluster, and forget the plan that made them.

    Plans of plans grow with every step, until Spark spends its time on reading them. What a lost
    machine held is still made again: only the plan becomes a leaf, the lineage below it stays.
    """
    if hasattr(rows, HELD):
        return rows
    held = rows.persist()
    session = getattr(spark_of(rows), "_jsparkSession", None)
    if session is None:  # a session over Spark Connect has no machinery of its own
        return held
    made = held._jdf.queryExecution().toRdd()
    leaf = session.internalCreateDataFrame(made, held._jdf.schema(), False)  # noqa: FBT003
    found = type(held)(leaf, spark_of(rows))
    setattr(found, HELD, True)
    return found


def address(path: Path) -> str:
    """Return where Spark finds a file or folder of this machine; Hadoop decodes no `%20`."""
    return f"file://{path.absolute()}"


def to_read(path: Path) -> str:
    """Return the address of a file that is there, for reading: Spark takes it as a pattern."""
    return re.sub(r"([\\[\]{}*?])", r"\\\1", address(path))


def to_spark(rows: pl.DataFrame, spark: SparkSession) -> DataFrame:
    """Send a polars frame to the cluster."""
    arrow = rows.to_arrow()
    return spark.createDataFrame(arrow, schema=from_arrow_schema(arrow.schema))


def to_polars(rows: DataFrame) -> pl.DataFrame:
    """Bring a result of few rows to this machine."""
    return small(table(rows))


def to_cluster(local: History, spark: SparkSession) -> History:
    """Return a history of this machine as one on Spark, with the same row ids."""

    def sent(of: Table) -> Table:
        return table(to_spark(frame(of), spark))

    people = local.customers
    return replace(
        local,
        purchases=sent(local.purchases),
        customers=None if people is None else sent(people),
    )


def from_cluster(distant: History | Release) -> Any:
    """Return a small history or release of Spark as one of this machine."""
    if isinstance(distant, Release):
        key = distant.key
        pseudonyms, rows = (table(small(part)) for part in (key.pseudonyms, key.rows))
        return Release(from_cluster(distant.public), Key(pseudonyms, rows, key.secret))
    customers = distant.customers
    return replace(
        distant,
        purchases=table(small(distant.purchases)),
        customers=None if customers is None else table(small(customers)),
    )


def check_once(people: DataFrame) -> None:
    """Raise a SchemaError unless every customer has a name, and one row in the customers table."""
    twice = people.groupBy("person").count().filter("count > 1 or person is null").first()
    if twice is None:
        return
    if twice["person"] is None:
        raise SchemaError("Every customer needs a name; one in the customers table has none.")
    raise SchemaError(
        f"A customer may have one row in the customers table; {twice['person']!r} has "
        f"{twice['count']:,}."
    )


def _arrow_schema(rows: DataFrame) -> pa.Schema:
    return to_arrow_schema(rows.schema, timezone="UTC")


def empty(rows: DataFrame) -> pl.DataFrame:
    """Return a polars frame with the columns of a Spark table and no rows."""
    return pl.DataFrame(pl.from_arrow(_arrow_schema(rows).empty_table()))


def _schema_after(rows: DataFrame, kernel: Kernel) -> pa.Schema:
    """Return the columns that a kernel makes, found by giving it no rows."""
    made = from_arrow_schema(kernel(empty(rows)).to_arrow().schema)
    return to_arrow_schema(made, timezone="UTC")


def _applied(kernel: Kernel, rows: Any, schema: pa.Schema) -> pa.Table:
    return kernel(pl.DataFrame(pl.from_arrow(rows))).to_arrow().cast(schema)


def mapped(rows: DataFrame, kernel: Kernel) -> DataFrame:
    """Run a kernel over blocks of rows; it may not depend on which other rows are there."""
    schema = _schema_after(rows, kernel)

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield from _applied(kernel, batch, schema).to_batches()

    return rows.mapInArrow(run, from_arrow_schema(schema))


def map_blocks(of: Table, kernel: Kernel) -> Table:
    """Do the same to the table inside a value."""
    return table(mapped(native(of), kernel))


def mapped_groups(
    rows: DataFrame,
    by: str,
    kernel: Callable[[int, pl.DataFrame], pl.DataFrame],
    like: pl.Schema,
    *,
    groups: int,
) -> DataFrame:
    """Run a kernel over groups of rows that belong together; it returns columns as in `like`."""
    schema = to_arrow_schema(from_arrow_schema(like.to_frame().to_arrow().schema), timezone="UTC")

    def run(key: tuple[Any, ...], group: pa.Table) -> pa.Table:
        return _applied(lambda block: kernel(int(key[0].as_py()), block), group, schema)

    apart = _apart(rows, by, groups)
    return apart.groupBy(by).applyInArrow(run, from_arrow_schema(schema))


def _apart(rows: DataFrame, by: str, groups: int) -> DataFrame:
    """Spread groups over tasks, whose number is fixed: Spark would join those with few bytes.

    A group has few bytes and much work.
    """
    return rows.repartition(min(groups, MOST_TASKS), by)


def totals(of: Table, kernel: Kernel) -> dict[str, Any]:
    """Add up what a kernel finds in each block; it returns one row of numbers."""
    found = mapped(native(of), kernel)
    summed = found.agg(*(sf.sum(name).alias(name) for name in found.columns)).first()
    return {name: (summed[name] or 0) if summed else 0 for name in found.columns}


def draws(rows: DataFrame, draw: Callable[[pl.DataFrame], Any], name: str) -> DataFrame:
    """Add a column of random numbers, drawn by a kernel from what is in each row."""
    return mapped(rows, lambda block: block.with_columns(pl.Series(name, draw(block))))


def numbered(
    rows: DataFrame,
    buckets: Sequence[str],
    order: Sequence[str | Column],
    name: str,
    *,
    whole: bool = False,
) -> DataFrame:
    """Give the rows the numbers 0, 1, … in the order of buckets, and in `order` within them.

    Spark sorts bucket by bucket, so no machine holds all rows; the counts of the buckets are the
    only thing that is brought together. The result does not depend on how rows are spread. With
    `whole`, there is one bucket only, and nothing is counted.
    """
    keys = list(buckets)
    place = sf.row_number().over(Window.partitionBy(*keys).orderBy(*order))
    if whole:
        return rows.withColumn(name, (place - 1).cast("bigint"))
    counts = to_polars(rows.groupBy(keys).count()).sort(keys)
    before = counts.with_columns(_before=pl.col("count").cum_sum() - pl.col("count")).drop("count")
    offsets = sf.broadcast(to_spark(before, spark_of(rows)))
    joined = rows.join(offsets, keys).withColumn(name, sf.col("_before") + place - 1)
    return joined.drop("_before")


def in_drawn_order(
    rows: DataFrame,
    draw: Callable[[pl.DataFrame], Any],
    ties: Sequence[str],
    name: str,
    *,
    count: int | None = None,
) -> DataFrame:
    """Give the rows numbers in the order of a draw between 0 and 1; `count` says how many."""
    count = rows.count() if count is None else count
    buckets = min(MOST_BUCKETS, max(1, count // ROWS_OF_A_BUCKET))
    drawn = draws(rows, draw, "_draw").withColumn(
        "_bucket", sf.floor(sf.col("_draw") * buckets).cast("int")
    )
    placed = numbered(drawn, ["_bucket"], ["_draw", *ties], name, whole=buckets == 1)
    return placed.drop("_draw", "_bucket")


def cogrouped(
    left: DataFrame,
    right: DataFrame,
    by: str,
    kernel: Callable[[pl.DataFrame, pl.DataFrame], pl.DataFrame],
    *,
    groups: int,
) -> DataFrame:
    """Run a kernel over the rows of both tables that have the same key."""
    made = from_arrow_schema(kernel(empty(left), empty(right)).to_arrow().schema)
    schema = to_arrow_schema(made, timezone="UTC")

    def run(first: pa.Table, second: pa.Table) -> pa.Table:
        frames = (pl.DataFrame(pl.from_arrow(part)) for part in (first, second))
        return kernel(*frames).to_arrow().cast(schema)

    one, other = (_apart(side, by, groups).groupBy(by) for side in (left, right))
    return one.cogroup(other).applyInArrow(run, made)
