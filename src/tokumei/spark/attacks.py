"""Attacks on releases on Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from pyspark.sql import functions as sf

from tokumei.attacks.naming import guess
from tokumei.contracts import Challenge, Guess
from tokumei.draws import Floats, integers, keys_of, uniform
from tokumei.errors import SchemaError
from tokumei.spark.frames import in_drawn_order, mapped, native, remembered
from tokumei.spark.item_sets import indexed, most_similar
from tokumei.spark.minhash import approximately
from tokumei.tables import table

if TYPE_CHECKING:
    from tokumei.attacks.jaccard import Jaccard
    from tokumei.attacks.random import Random


def random_names(method: Random, challenge: Challenge, *, seed: int) -> Guess:
    """Name customers drawn at random for every target."""
    targets = native(challenge.targets).select("target")
    candidates = native(challenge.candidates).select("value")
    count = candidates.count()
    if method.names >= count:
        return Guess(table(targets.crossJoin(candidates).withColumn("weight", sf.lit(1.0))))

    def draw(block: pl.DataFrame) -> pl.DataFrame:
        keys = keys_of(block["target"])
        drawn = [
            integers(seed, f"random/{name}", keys, 0, count - 1) for name in range(method.names)
        ]
        numbers = np.concatenate(drawn).astype(np.int64)
        repeated = pl.concat([block["target"]] * method.names)
        return pl.DataFrame({"target": repeated, "_place": numbers}).unique()

    def place(block: pl.DataFrame) -> Floats:
        return uniform(seed, "random/candidates", keys_of(block["value"]))

    placed = in_drawn_order(candidates, place, ["value"], "_place")
    pairs = mapped(targets, draw).join(placed, "_place").drop("_place")
    return Guess(table(remembered(pairs.withColumn("weight", sf.lit(1.0)))))


def jaccard(method: Jaccard, challenge: Challenge, *, seed: int) -> Guess:
    """Name the customers whose sets of items are most similar to each released one."""
    if method.one_to_one:
        raise SchemaError("On Spark a customer may be named more than once; leave one_to_one out.")
    for part in (challenge.release, challenge.known):
        part.require("item", to="compare item sets")
    if method.search == "minhash" and method.weights == "idf":
        raise SchemaError("MinHash counts all items alike; leave weights idf out.")
    sets = indexed(challenge, idf=method.weights == "idf")
    search = approximately if method.search == "minhash" else most_similar
    found = search(sets, top=method.top, seed=seed)
    return guess(challenge, table(remembered(found)))
