"""Anonymizers that put customers into groups, on Spark: block by block, each as on one machine.

Customers are cut into blocks of some thousand. A block is anonymized by the method itself, with a
seed of its own that is made from the seed and the block's number: the release does not depend on
the number of machines, and of a history of one block it is the one that a single machine gives.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from tokumei.anonymizers.decoys import without_attributes
from tokumei.anonymizers.generalize import note_losses, schema_after
from tokumei.draws import derive, keys_of, uniform
from tokumei.errors import ParameterError, SchemaError, Unachievable
from tokumei.history import ROW, History
from tokumei.metrics.information_loss import deviation_of
from tokumei.spark.frames import (
    empty,
    in_drawn_order,
    mapped_groups,
    native,
    numbered,
    remembered,
    spark_of,
    to_polars,
    to_spark,
)
from tokumei.spark.partitions import parted
from tokumei.spark.statistics import mean_jaccard, sampled_sets
from tokumei.tables import frame, table
from tokumei.theory.decoys import DecoyTheory

if TYPE_CHECKING:
    from tokumei.anonymizers.decoys import Decoys
    from tokumei.anonymizers.generalize import Generalize

BLOCK = 2_000
"""So many customers are grouped at once: the last step of the search compares all with all."""
INVENTED = 1 << 40
"""The ids of invented rows of two blocks lie so far apart."""


@dataclass(frozen=True)
class Part:
    """A block of customers, from which place on, and into how many clusters it is cut."""

    first_person: int
    people: int
    clusters: int


def plan(parts: Sequence[int], clusters: int, min_size: int, block: int) -> list[Part]:
    """Cut customers, who stand part by part, into blocks, and share out the clusters.

    A part that is too large is cut, small ones are joined. Blocks end at multiples of `min_size`,
    so that no customer is left over where all clusters are as small as they may be.
    """
    people = sum(parts)
    if clusters * min_size > people:
        raise ParameterError(
            f"{clusters:,} clusters of at least {min_size} need {clusters * min_size:,} customers; "
            f"there are {people:,}."
        )
    if people <= block:
        return [Part(0, people, clusters)]
    # Every block has half a block of customers at least, and shall have a cluster.
    sizes = np.diff([0, *_ends(parts, min_size, max(block, -(-2 * people // clusters)))])
    shares = clusters * sizes / people
    given = np.maximum(1, np.floor(shares).astype(np.int64))
    for number in np.argsort(given - shares, kind="stable").tolist() * min_size:
        if given.sum() < clusters and (given[number] + 1) * min_size <= sizes[number]:
            given[number] += 1
    starts = np.cumsum(sizes) - sizes
    return [Part(*map(int, line)) for line in zip(starts, sizes, given, strict=True)]


def _ends(parts: Sequence[int], min_size: int, block: int) -> list[int]:
    ends: list[int] = []
    start = at = 0
    for size in parts:
        at += size
        if 2 * (at - start) >= block:
            pieces = max(1, round((at - start) / block))
            ends += [start + (at - start) * piece // pieces for piece in range(1, pieces + 1)]
            start = at
    snapped = sorted({end - end % min_size for end in ends} - {0})
    return [*snapped[:-1], sum(parts)]


def _in_blocks(history: History, customers: DataFrame, starts: list[int]) -> DataFrame:
    """Return the purchases with the block of their customer; customers have a place each."""
    blocks = pl.DataFrame(
        {"_first": starts, "_block": range(len(starts))}, schema_overrides={"_block": pl.Int64}
    ).with_columns(_last=pl.col("_first").shift(-1).fill_null(2**62) - 1)
    found = sf.broadcast(to_spark(blocks, spark_of(customers)))
    held = customers.join(found, sf.col("_place").between(sf.col("_first"), sf.col("_last")))
    return native(history.purchases).join(held.select("person", "_block"), "person")


def _seed(seed: int, block: int, blocks: int) -> int:
    return seed if blocks == 1 else derive(seed, f"block/{block}")


def _run(
    history: History,
    rows: DataFrame,
    kernel: Callable[[int, History], History],
    like: pl.Schema,
    blocks: int,
) -> DataFrame:
    """Anonymize every block."""
    names = native(history.purchases).columns
    source = history.source

    def run(block: int, held: pl.DataFrame) -> pl.DataFrame:
        # Sorted: Spark brings rows in any order.
        local = History(table(held.select(names).sort(ROW)), None, source)
        return frame(kernel(block, local).purchases).select(like.names())

    return mapped_groups(rows, "_block", run, like, groups=blocks)


def decoys(method: Decoys, history: History, *, seed: int) -> History:
    """Make customers of a cluster have bought the same."""
    history.require("item", to="add decoys")
    purchases = native(history.purchases)
    pairs = remembered(purchases.select("person", "item").distinct())
    counted = pairs.agg(
        sf.count_distinct("person").alias("n"), sf.count("*").alias("items")
    ).first()
    n, items = (counted["n"], counted["items"]) if counted else (0, 0)
    clusters = method.clusters
    if clusters is None:
        mean = mean_jaccard(sampled_sets(pairs, n, items), n)[0] if n > 1 else 0.0
        clusters = DecoyTheory(n=n, b=items / n, mu=mean).best_clusters
    if n <= BLOCK:
        people = pairs.select("person", sf.lit(0).cast("bigint").alias("_part")).distinct()
    else:
        people = remembered(parted(pairs, n, items, -(-n // BLOCK), seed=seed))
    counts = to_polars(people.groupBy("_part").count()).sort("_part")["count"]
    parts = plan(counts.to_list(), clusters, method.min_size, BLOCK)
    placed = numbered(people, ["_part"], ["person"], "_place")
    rows = _in_blocks(history, placed, [part.first_person for part in parts])
    lowest = purchases.agg(sf.least(sf.min(ROW), sf.lit(0))).first()
    below = int(lowest[0]) if lowest else 0

    def kernel(block: int, held: History) -> History:
        chosen = replace(method, clusters=parts[block].clusters)
        made = chosen(held, seed=_seed(seed, block, len(parts)))
        return _with_own_ids(held, made, below - INVENTED * block)

    made = _run(history, rows, kernel, empty(purchases).schema, len(parts))
    grouped = replace(history, purchases=table(remembered(made)))
    return without_attributes(grouped) if method.share == "rows" else grouped


def _with_own_ids(held: History, made: History, below: int) -> History:
    """Give the rows that a block invented ids that no other block uses."""
    lowest: int = held.frame().select(pl.min_horizontal(pl.col(ROW).min(), 0)).item()
    moved = pl.when(pl.col(ROW) < lowest).then(pl.col(ROW) - lowest + below).otherwise(ROW)
    return made.with_purchases(made.frame().with_columns(moved.alias(ROW)))


def generalize(method: Generalize, history: History, *, seed: int) -> History:
    """Release the same rows for all customers of a group.

    Blocks hold customers with about as many rows each. Where R, F and M count, they are drawn at
    random instead, so that the ranks of a block's customers are nearly their ranks among all.
    """
    purchases = native(history.purchases)
    names = method.columns(history)
    note_losses(history)
    if purchases.filter(" or ".join(f"{name} is null" for name in names)).take(1):
        raise SchemaError("To align rows, every cell must be exact; some are suppressed.")
    sizes = remembered(purchases.groupBy("person").agg(sf.count("*").alias("_size")))
    n = sizes.count()
    if n < method.k:
        raise Unachievable(f"Groups of {method.k} need as many customers; there are {n:,}.")
    blocks = max(1, n // max(BLOCK, 2 * method.k))
    if method.needs_rfm:
        placed = in_drawn_order(
            sizes.select("person"),
            lambda block: uniform(seed, "generalize/blocks", keys_of(block["person"])),
            ["person"],
            "_place",
        )
    else:
        placed = numbered(sizes, ["_size"], ["person"], "_place")
    rows = _in_blocks(history, placed, [n * block // blocks for block in range(blocks)])
    spreads = {name: deviation_of(history, name) for name in names}

    def kernel(block: int, held: History) -> History:
        return method.released(held, spreads=spreads, seed=_seed(seed, block, blocks))

    made = _run(history, rows, kernel, schema_after(names, empty(purchases).schema), blocks)
    return History(table(remembered(made)), source=history.source)
