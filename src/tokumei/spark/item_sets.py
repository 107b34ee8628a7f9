"""The most similar item sets, on Spark: blocks of targets meet blocks of customers.

Two blocks are compared by the kernel of one machine, which reads an inverted index of the items.
Sets lie in blocks in the order of their sizes. A target first meets the block of customers whose
sizes fit best; how similar the best of them is rules out most other blocks by their sizes, and most
sets of the others by the kernel's bounds. The best of all blocks are the best of all, ties and all:
the order of equally similar customers is a draw that depends on the two names alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as sf
from scipy import sparse

from tokumei.attacks.matching import ONE
from tokumei.contracts import Challenge
from tokumei.draws import Floats, derive, keys_of, pair_bits
from tokumei.history import History
from tokumei.itemsets import search
from tokumei.spark.frames import (
    cogrouped,
    mapped,
    native,
    numbered,
    remembered,
    spark_of,
    to_polars,
    to_spark,
)
from tokumei.tables import Table

BLOCK = 20_000
"""Sets of a block."""
SLACK = 1e-9
"""Bounds are loosened by this share, so that rounding never loses a match."""
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Sets:
    """Released and known sets: person, items (numbers in rising order), _size."""

    released: DataFrame
    known: DataFrame
    width: int
    """How many items there are."""
    weights: Ints | None = None
    """What each item weighs, in whole numbers; the size of a set is the sum."""


def indexed(challenge: Challenge, *, idf: bool) -> Sets:
    """Return released and known sets as sets of item numbers."""
    released = remembered(_pairs(challenge.release, challenge.targets, "target"))
    known = remembered(_pairs(challenge.known, challenge.candidates, "value"))
    items = released.select("item").union(known.select("item")).distinct()
    place = sf.row_number().over(Window.partitionBy(sf.lit(0)).orderBy("item")) - 1
    numbers = remembered(items.withColumn("_item", place))
    width = numbers.count()

    def sets(pairs: DataFrame) -> DataFrame:
        own = sf.sort_array(sf.collect_list("_item")).alias("items")
        return pairs.join(numbers, "item").groupBy("person").agg(own)

    parts = [remembered(sets(pairs)) for pairs in (released, known)]
    weights = _weights(parts[1], width) if idf else None

    def sized(block: pl.DataFrame) -> pl.DataFrame:
        totals = np.asarray(matrix(block["items"], width, weights).sum(axis=1), dtype=np.int64)
        return block.with_columns(_size=pl.Series(totals, dtype=pl.Int64))

    own, others = (remembered(mapped(part, sized)) for part in parts)
    return Sets(own, others, width, weights)


def _pairs(history: History, asked: Table, name: str) -> DataFrame:
    pairs = native(history.purchases).select("person", "item").dropna().distinct()
    names = native(asked).select(sf.col(name).alias("person"))
    return pairs.join(names, "person", "left_semi")


def _weights(known: DataFrame, width: int) -> Ints:
    """Return what each item weighs by how many customers have it."""
    buyers = to_polars(known.select(sf.explode("items").alias("item")).groupBy("item").count())
    counts = np.zeros(width, dtype=np.int64)
    counts[buyers["item"].to_numpy()] = buyers["count"].to_numpy()
    shares = known.count() / np.maximum(counts, 1)
    weights: Ints = np.rint((np.log(shares) + 1) * ONE).astype(np.int64)
    return weights


def matrix(items: pl.Series, width: int, weights: Ints | None) -> Any:
    """Return a sparse matrix with a row for each set of item numbers."""
    ends = np.concatenate([[0], np.cumsum(items.list.len().to_numpy(), dtype=np.int64)])
    columns = items.explode(empty_as_null=False).to_numpy().astype(np.int64)
    data = np.ones(len(columns), dtype=np.int64) if weights is None else weights[columns]
    return sparse.csr_array((data, columns, ends), shape=(len(items), width))


def in_blocks(sets: DataFrame, block: int, unit: int) -> tuple[DataFrame, pl.DataFrame]:
    """Return the sets with the number of their block, and the sizes from low to high of each.

    `unit` is the weight of one item, or about that.
    """
    if sets.count() <= block:
        placed = sets.withColumn("_block", sf.lit(0).cast("bigint"))
    else:
        coarse = sets.withColumn("_coarse", sf.floor(sf.col("_size") / unit))
        by_size = numbered(coarse, ["_coarse"], ["_size", "person"], "_place")
        number = sf.floor(sf.col("_place") / block)
        placed = remembered(by_size.withColumn("_block", number).drop("_place", "_coarse"))
    sizes = placed.groupBy("_block").agg(
        sf.min("_size").alias("low"), sf.max("_size").alias("high")
    )
    return placed, to_polars(sizes).sort("_block")


def homes(asked: pl.DataFrame, known: pl.DataFrame) -> list[int]:
    """Return the block of customers whose sizes fit best, for each block of targets."""
    if not known.height:
        return [0] * asked.height
    middle = (asked["low"] + asked["high"]).to_numpy() / 2
    fitting = np.searchsorted(known["high"].to_numpy(), middle)
    return [int(known["_block"][int(at)]) for at in np.minimum(fitting, known.height - 1)]


def most_similar(sets: Sets, *, top: int, seed: int, block: int = BLOCK) -> DataFrame:
    """Return pseudonym, person, weight: the `top` most similar customers of each released one."""
    unit = 1 if sets.weights is None else ONE
    queries, asked = in_blocks(sets.released, block, unit)
    base, known = in_blocks(sets.known, block, unit)
    # Bound here: what goes to other machines may hold no table.
    width, weights = sets.width, sets.weights

    def kernel(targets: pl.DataFrame, customers: pl.DataFrame) -> pl.DataFrame:
        return best_of(targets, customers, width, weights, top=top, seed=seed)

    home = asked.select("_block").with_columns(
        _other=pl.Series(homes(asked, known), dtype=pl.Int64)
    )
    at_home = queries.join(sf.broadcast(to_spark(home, spark_of(queries))), "_block").withColumn(
        "_floor", sf.lit(0.0)
    )
    found = remembered(_meet(at_home, base, home, kernel))
    if known.height > 1:
        away = remembered(_away(at_home, found, known, top))
        pairs = to_polars(away.select("_block", "_other").distinct())
        found = found.union(_meet(away, base, pairs, kernel))
    heaviest = Window.partitionBy("pseudonym").orderBy(sf.desc("weight"), sf.desc("_draw"))
    ranked = found.withColumn("_rank", sf.row_number().over(heaviest))
    return ranked.filter(sf.col("_rank") <= top).drop("_rank", "_draw")


def _meet(queries: DataFrame, base: DataFrame, pairs: pl.DataFrame, kernel: Any) -> DataFrame:
    """Compare queries with the block _other of the base, pair of blocks by pair of blocks."""
    met = pairs.with_columns(_pair=pl.int_range(pl.len(), dtype=pl.Int64))
    # Sent twice: of one table on both sides Spark could not tell the columns apart.
    told, again = (sf.broadcast(to_spark(met, spark_of(base))) for _ in range(2))
    left = queries.join(told, ["_block", "_other"]).select("_pair", "person", "items", "_floor")
    right = base.withColumnRenamed("_block", "_other").join(again.drop("_block"), "_other")
    return cogrouped(
        left, right.select("_pair", "person", "items"), "_pair", kernel, groups=max(1, met.height)
    )


def _away(at_home: DataFrame, found: DataFrame, known: pl.DataFrame, top: int) -> DataFrame:
    """Return the queries once for each block, but the home, that may have as similar customers.

    Two sets are at most as similar as their sizes.
    """
    worst = found.groupBy("pseudonym").agg(
        sf.when(sf.count("*") >= top, sf.min("weight")).alias("_worst")
    )
    asked = (
        at_home.drop("_floor")
        .withColumnRenamed("_other", "_home")
        .join(worst.withColumnRenamed("pseudonym", "person"), "person", "left")
        .withColumn("_floor", sf.coalesce("_worst", sf.lit(0.0)))
    )
    blocks = sf.broadcast(to_spark(known.rename({"_block": "_other"}), spark_of(found)))
    size, low, high = sf.col("_size"), sf.col("low"), sf.col("high")
    near = sf.least(size, high) >= sf.col("_floor") * sf.greatest(size, low) * (1 - SLACK)
    return asked.join(blocks, near & (sf.col("_other") != sf.col("_home"))).select(
        "person", "items", "_block", "_other", "_floor"
    )


def best_of(
    targets: pl.DataFrame,
    customers: pl.DataFrame,
    width: int,
    weights: Ints | None,
    *,
    top: int,
    seed: int,
) -> pl.DataFrame:
    """Return the most similar customers of each target, and the draws that order equal ones."""
    queries, base = (matrix(part["items"], width, weights) for part in (targets, customers))
    keys = keys_of(targets["person"]), keys_of(customers["person"])
    found = search.most_similar(
        queries,
        base,
        top=top,
        seed=seed,
        query_keys=keys[0],
        base_keys=keys[1],
        floors=targets["_floor"].to_numpy(),
    )
    rows, places = np.nonzero(found.base >= 0)
    return named(
        targets, customers, rows, found.base[rows, places], found.similarity[rows, places], seed
    )


def named(
    targets: pl.DataFrame,
    customers: pl.DataFrame,
    rows: Ints,
    columns: Ints,
    weight: Floats,
    seed: int,
) -> pl.DataFrame:
    """Return pseudonym, person, weight for rows of both tables, and the draws that break ties."""
    first, second = targets["person"].gather(rows), customers["person"].gather(columns)
    bits = pair_bits(derive(seed, "most similar"), keys_of(first), keys_of(second))
    return pl.DataFrame(
        {
            "pseudonym": first,
            "person": second,
            "weight": weight,
            # As signed numbers in the same order: Spark has no others.
            "_draw": (bits ^ np.uint64(1 << 63)).view(np.int64),
        }
    )
