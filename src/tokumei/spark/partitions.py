"""Customers with like items side by side: the parts in which groups are looked for.

The parts are learned from a sample, by TF-IDF and bisecting k-means as on one machine, and every
customer goes to the nearest center. So nothing depends on the order in which machines finish, as
the sums of a k-means over the whole cluster would.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl
from pyspark.sql import DataFrame
from pyspark.sql import functions as sf
from scipy import sparse

from tokumei.draws import Floats, derive
from tokumei.itemsets.matrix import ItemSets
from tokumei.spark.frames import mapped
from tokumei.spark.statistics import sampled_sets

SAMPLE = 8_000


@dataclass(frozen=True, eq=False)
class Centers:
    """Centers of parts over the items of a sample, and what an item weighs."""

    items: pl.Series
    weights: Floats
    centers: Floats

    def nearest(self, sets: pl.Series) -> npt.NDArray[np.int64]:
        """Return the nearest center of each set of items; unknown items say nothing."""
        pairs = pl.DataFrame({"row": pl.int_range(len(sets), eager=True), "item": sets})
        known = pl.DataFrame(
            {"item": self.items, "column": pl.int_range(len(self.items), eager=True)}
        )
        found = pairs.explode("item").join(known, on="item").sort("row", "column")
        rows, columns = found["row"].to_numpy(), found["column"].to_numpy()
        shape = (len(sets), len(self.items))
        matrix = sparse.csr_array((self.weights[columns], (rows, columns)), shape=shape)
        lengths = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1))).ravel()
        likeness = np.asarray(matrix @ self.centers.T) / np.maximum(lengths, 1e-300)[:, None]
        # Rounded, so that a tie is one on every machine.
        distances = ((self.centers**2).sum(axis=1) - 2 * likeness).round(9)
        nearest: npt.NDArray[np.int64] = distances.argmin(axis=1)
        return nearest


def learned(sets: ItemSets, parts: int, *, seed: int) -> Centers:
    """Learn the centers of so many parts."""
    from sklearn.cluster import BisectingKMeans
    from sklearn.feature_extraction.text import TfidfTransformer

    weigh = TfidfTransformer().fit(sets.matrix)
    found = BisectingKMeans(
        min(parts, len(sets.persons)),
        random_state=derive(seed, "partitions") % 2**31,
        bisecting_strategy="largest_cluster",
    ).fit(weigh.transform(sets.matrix))
    return Centers(sets.items, weigh.idf_, found.cluster_centers_)


def parted(pairs: DataFrame, customers: int, count: int, parts: int, *, seed: int) -> DataFrame:
    """Return person, _part for all customers of the `count` pairs person, item."""
    sample = sampled_sets(pairs, customers, count, seed=derive(seed, "sample"), most=SAMPLE)
    centers = learned(sample, parts, seed=seed)

    def kernel(block: pl.DataFrame) -> pl.DataFrame:
        nearest = centers.nearest(block["items"])
        return block.select("person").with_columns(_part=pl.Series(nearest, dtype=pl.Int64))

    sets = pairs.groupBy("person").agg(sf.collect_list("item").alias("items"))
    return mapped(sets, kernel)
