"""The statistics of a history on Spark; the mean jaccard is that of some customers."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from tokumei.draws import keys_of, uniform
from tokumei.history import History
from tokumei.itemsets.matrix import ItemSets, item_sets
from tokumei.itemsets.statistics import Statistics
from tokumei.spark.frames import draws, native, to_polars
from tokumei.tables import SMALL, table

SAMPLE = 2_000
"""So many customers are compared; their item sets fit into memory, and all pairs into seconds."""
DEVIATIONS = 1.96


def statistics(history: History) -> Statistics:
    """Compute the statistics; the largest jaccard would need all pairs and is left out."""
    rows = native(history.purchases)
    present = [name for name in ("price", "quantity", "time") if name in rows.columns]
    history.require(*present, to="compute its range")
    ends = (
        end(name).alias(f"{name}/{end.__name__}") for name in present for end in (sf.min, sf.max)
    )
    distinct = (
        sf.count_distinct(name).alias(name)
        for name in ("person", "basket", "item")
        if name in rows.columns
    )
    first = rows.agg(sf.count("*").alias("rows"), *ends, *distinct).first()
    found: dict[str, Any] = first.asDict() if first else {}
    similar = _similarity(history, found["person"]) if "item" in rows.columns else {}
    times = found.get("time/min"), found.get("time/max")
    return Statistics(
        customers=found["person"],
        rows=found["rows"],
        baskets=found.get("basket"),
        items=found.get("item"),
        mean_items_per_customer=similar.get("items"),
        mean_jaccard=similar.get("mean"),
        max_jaccard=None,
        mean_shared_items=similar.get("shared"),
        price_min=found.get("price/min"),
        price_max=found.get("price/max"),
        quantity_min=found.get("quantity/min"),
        quantity_max=found.get("quantity/max"),
        period=(_day(times[0]), _day(times[1])) if times[0] else None,
        mean_jaccard_interval=similar.get("interval"),
    )


def _day(moment: Any) -> Any:
    return moment.date() if hasattr(moment, "date") else moment


def _similarity(history: History, customers: int) -> dict[str, Any]:
    history.require("item", to="compare item sets")
    pairs = native(history.purchases).select("person", "item").distinct()
    buyers = pairs.groupBy("item").count()
    counted = buyers.agg(
        sf.sum("count").alias("pairs"), sf.sum(sf.col("count") * (sf.col("count") - 1)).alias("two")
    ).first()
    assert counted is not None  # noqa: S101 - an aggregate has one row
    found: dict[str, Any] = {"items": counted["pairs"] / customers}
    if customers < 2:
        return found
    found["shared"] = counted["two"] / (customers * (customers - 1))
    sample = sampled_sets(pairs, customers, counted["pairs"])
    found["mean"], found["interval"] = mean_jaccard(sample, customers)
    return found


def sampled_sets(
    pairs: DataFrame, customers: int, count: int, *, seed: int = 0, most: int = SAMPLE
) -> ItemSets:
    """Bring the item sets of about `most` customers, drawn at random, to this machine.

    They are fewer where sets are large: `count` is the number of all pairs, and what comes here
    must be small.
    """
    share = min(1.0, most / customers, SMALL * 3 / 4 / count)

    def chosen(block: pl.DataFrame) -> pl.Series:
        names = block["person"].unique()
        drawn = uniform(seed, "statistics", keys_of(names)) < share
        return block["person"].is_in(names.filter(pl.Series(drawn)).implode())

    some = draws(pairs, chosen, "_chosen").filter("_chosen").drop("_chosen")
    local = to_polars(some).with_columns(row=pl.int_range(pl.len(), dtype=pl.Int64))
    return item_sets(History(table(local)))


def mean_jaccard(sets: ItemSets, customers: int) -> tuple[float, tuple[float, float] | None]:
    """Return the mean jaccard of all pairs of the sample, and its interval by the jackknife.

    Pairs that share a customer are not independent: a customer's mean over all others is what
    varies, and a pair has two. Where the sample is everybody, nothing is left to chance.
    """
    n = len(sets.persons)
    sizes = sets.sizes.astype(np.float64)
    both = (sets.matrix.astype(np.float64) @ sets.matrix.T).toarray()
    jaccard = both / (sizes[:, None] + sizes[None, :] - both)
    np.fill_diagonal(jaccard, 0.0)
    of_customers = jaccard.sum(axis=1) / (n - 1)
    mean = float(of_customers.mean())
    if n == customers:
        return mean, None
    error = 2 * float(of_customers.std(ddof=1)) / np.sqrt(n) * DEVIATIONS
    return mean, (max(0.0, mean - error), min(1.0, mean + error))
