"""Similar item sets by MinHash: only sets that agree in a few random items are compared."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
import polars as pl
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as sf

from tokumei.draws import bits, derive, keys_of, pair_bits, uniform
from tokumei.spark.frames import cogrouped, draws, mapped, remembered
from tokumei.spark.item_sets import Sets, most_similar, named

log = logging.getLogger(__name__)

BANDS, ROWS = 32, 2
"""Two sets of jaccard s are compared with probability 1 - (1 - s^ROWS)^BANDS: 0.95 at s = 0.3."""
CROWD = 200
"""Of customers that agree in a band, so many are compared, drawn at random: small sets of popular
items would otherwise meet everybody."""
KEYS_OF_A_BUCKET = 200_000
CHECKED = 200
"""So many targets are also searched exactly, to tell how often the best was found."""


def approximately(sets: Sets, *, top: int, seed: int) -> DataFrame:
    """Return pseudonym, person, weight of similar sets, and log the recall that was measured."""
    buckets = max(1, sets.known.count() * BANDS // KEYS_OF_A_BUCKET)
    asked, known = (
        mapped(part.select("person", "items"), lambda block: keyed(block, buckets, seed))
        for part in (sets.released, sets.known)
    )

    def kernel(targets: pl.DataFrame, customers: pl.DataFrame) -> pl.DataFrame:
        return best_of(targets, customers, top=top, seed=seed)

    met = cogrouped(asked, known, "_bucket", kernel, groups=buckets)
    best = Window.partitionBy("pseudonym").orderBy(sf.desc("weight"), sf.desc("_draw"))
    ranked = met.dropDuplicates(["pseudonym", "person"]).withColumn(
        "_rank", sf.row_number().over(best)
    )
    found = remembered(ranked.filter(sf.col("_rank") <= top).drop("_rank", "_draw"))
    found_best, checked = recall(sets, found, seed=seed)
    log.warning(
        "MinHash found the most similar customer of %d of %d targets that were searched exactly.",
        found_best,
        checked,
    )
    return found


def keyed(block: pl.DataFrame, buckets: int, seed: int) -> pl.DataFrame:
    """Return every set once for each band, with a key that says band and least items."""
    counts = block["items"].list.len().to_numpy()
    items = block["items"].explode(empty_as_null=False).to_numpy().astype(np.int64)
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int64)
    sets = []
    for band in range(BANDS):
        key = np.full(len(block), band, dtype=np.uint64)
        for row in range(ROWS if len(block) else 0):
            hashed = bits(seed, f"minhash/{band}/{row}", items)
            key = pair_bits(band, key, np.minimum.reduceat(hashed, starts))
        bucket = (key % np.uint64(buckets)).astype(np.int64)
        sets.append(
            block.with_columns(
                _key=pl.Series(key.view(np.int64)), _bucket=pl.Series(bucket, dtype=pl.Int64)
            )
        )
    return pl.concat(sets)


def best_of(targets: pl.DataFrame, customers: pl.DataFrame, *, top: int, seed: int) -> pl.DataFrame:
    """Return the most similar of the customers that agree with a target in some band."""
    from tokumei.spark.meeting import meet

    # A lot for each key: who is unlucky in one band has other chances.
    keys = customers["_key"].to_numpy().view(np.uint64)
    lots = pair_bits(derive(seed, "crowd"), keys, keys_of(customers["person"]))
    ordered = customers.with_columns(_lot=pl.Series(lots)).sort("_key", "_lot")
    shape = len(targets), top
    similarities, draws = np.zeros(shape), np.zeros(shape, dtype=np.uint64)
    rows = np.full(shape, -1, dtype=np.int64)
    start = np.uint64(derive(seed, "most similar"))
    meet(_lent(targets), _lent(ordered), CROWD, start, similarities, draws, rows)
    asked, places = np.nonzero(rows >= 0)
    met = rows[asked, places]
    found = named(targets, ordered, asked, met, similarities[asked, places], seed)
    best = found.unique(["pseudonym", "person"]).sort("weight", "_draw", descending=True)
    return best.group_by("pseudonym", maintain_order=True).head(top).select(found.columns)


def _lent(sets: pl.DataFrame) -> tuple[Any, ...]:
    """Return keys, names' keys, items and where each set begins, for the compiled loop."""
    starts = np.concatenate([[0], np.cumsum(sets["items"].list.len().to_numpy())])
    items = sets["items"].explode(empty_as_null=False).to_numpy().astype(np.int32)
    return sets["_key"].to_numpy(), keys_of(sets["person"]), items, starts.astype(np.int64)


def recall(sets: Sets, found: DataFrame, *, seed: int) -> tuple[int, int]:
    """Return for how many of some targets the heaviest guess is as heavy as the exact one."""
    share = min(1.0, CHECKED / max(1, sets.released.count()))
    drawn = draws(
        sets.released, lambda block: uniform(seed, "recall", keys_of(block["person"])), "_draw"
    )
    sample = Sets(drawn.filter(sf.col("_draw") < share).drop("_draw"), sets.known, sets.width)
    true = most_similar(sample, top=1, seed=seed).withColumnRenamed("weight", "_true")
    heaviest = found.groupBy("pseudonym").agg(sf.max("weight").alias("weight"))
    both = true.join(heaviest, "pseudonym", "left")
    same = sf.col("weight") >= sf.col("_true") - 1e-12
    counted = both.agg(sf.count_if(same).alias("found"), sf.count("*").alias("asked")).first()
    return (counted["found"], counted["asked"]) if counted else (0, 0)
