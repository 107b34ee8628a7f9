"""What attackers know of histories on Spark."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pyspark.sql import Window
from pyspark.sql import functions as sf

from tokumei.contracts import Answer, Challenge, Release
from tokumei.draws import uniform
from tokumei.history import ROW, History
from tokumei.spark.frames import draws, native
from tokumei.tables import table
from tokumei.threats.asking import who_is_who

if TYPE_CHECKING:
    from tokumei.threats.item_sets import ItemSets
    from tokumei.threats.partial_rows import PartialRows


def item_sets(
    method: ItemSets, history: History, release: Release, *, seed: int
) -> tuple[Challenge, Answer]:
    """Let the attacker know which items every customer bought."""
    history.require("item", to="know item sets")
    pairs = native(history.purchases).select("person", "item").dropna().distinct()
    # No attack looks at the ids of known rows; they need only differ.
    rows = pairs.withColumn(ROW, sf.monotonically_increasing_id())
    known = History(table(rows), None, history.source)
    return who_is_who(
        history, release, known, "The attacker knows which items every customer bought."
    )


def partial_rows(
    method: PartialRows, history: History, release: Release, *, seed: int
) -> tuple[Challenge, Answer]:
    """Let the attacker know a part of every customer's rows, drawn at random."""
    drawn = draws(
        native(history.purchases),
        lambda block: uniform(seed, "partial-rows", block[ROW].to_numpy()),
        "_draw",
    )
    own = Window.partitionBy("person")
    place = sf.row_number().over(own.orderBy("_draw", ROW))
    seen = drawn.withColumn("_place", place).withColumn("_count", sf.count("*").over(own))
    part = seen.filter(sf.col("_place") <= sf.ceil(sf.col("_count") * method.share))
    known = replace(
        history, purchases=table(part.drop("_draw", "_place", "_count")), customers=None
    )
    assumes = f"The attacker knows {method.share:.0%} of the purchases of every customer."
    return who_is_who(history, release, known, assumes)
