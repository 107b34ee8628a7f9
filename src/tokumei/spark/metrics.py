"""Metrics of releases on Spark: counts are made on the cluster, few numbers leave it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import polars as pl
from pyspark.sql import DataFrame
from pyspark.sql import functions as sf
from pyspark.sql.types import ArrayType

from tokumei.cells import units
from tokumei.contracts import Release, Score
from tokumei.history import ROW, History
from tokumei.metrics.indistinguishable import ASSUMES, RULED_OUT, texts_of_rows
from tokumei.spark.frames import check_once, mapped, native, remembered, to_polars

NOTHING = "-"
"""Stands for what a customer does not have; the hash of what another has is never that."""

if TYPE_CHECKING:
    from tokumei.metrics.indistinguishable import Indistinguishable
    from tokumei.metrics.item_count_error import ItemCountError
    from tokumei.metrics.top_items import TopItemsList, TopItemsSimilarity


def deviation(history: History, name: str) -> float:
    """Return the standard deviation of a column in days, hundredths or pieces; items have none."""
    if name == "item":
        return 0.0
    whole = mapped(
        native(history.purchases).select(name), lambda block: block.select(units(block[name]))
    )
    # Sums of whole numbers: those of others depend on which machine was first.
    unit = sf.col(name).cast("decimal(19,0)")
    found = whole.agg(
        sf.count(name).alias("n"), sf.sum(unit).alias("sum"), sf.sum(unit * unit).alias("squares")
    ).first()
    if found is None or not found["n"]:
        return 0.0
    n, total, squares = (int(found[part]) for part in ("n", "sum", "squares"))
    return math.sqrt(n * squares - total**2) / n


def _bought(history: History) -> DataFrame:
    return native(history.purchases).select("person", "item").dropna().distinct()


def _most_bought(history: History, known: DataFrame, k: int) -> list[str]:
    """Return the k items with the most users; of equal ones those with the largest names."""
    users = _bought(history).groupBy("item").agg(sf.count("*").alias("users"))
    ranked = known.join(users, "item", "left").fillna(0, ["users"])
    best = ranked.orderBy(sf.desc("users"), sf.desc("item")).limit(k).collect()
    return [row["item"] for row in best]


def _items(history: History, release: Release) -> DataFrame:
    for part in (history, release.public):
        part.require("item", to="rank items by their customers")
    return native(history.purchases).select("item").dropna().distinct()


def top_items_list(method: TopItemsList, history: History, release: Release, *, seed: int) -> Score:
    """Compare the items with the most customers."""
    known = remembered(_items(history, release))
    before, after = (set(_most_bought(part, known, method.k)) for part in (history, release.public))
    return Score("E3.list", len(before - after) / len(before), "lower", (0.0, 1.0), len(before))


def top_items_similarity(
    method: TopItemsSimilarity, history: History, release: Release, *, seed: int
) -> Score:
    """Compare the similarities among the items with the most customers."""
    top = sorted(_most_bought(history, _items(history, release), method.k))
    before, after = (_cosines(_bought(part), top) for part in (history, release.public))
    both = before.join(after, on=["item", "other"], how="left", suffix="/after").fill_null(0.0)
    changed = float((both["cosine"] - both["cosine/after"]).abs().sum())
    value = min(1.0, changed / float(both["cosine"].sum())) if len(both) else 0.0
    return Score("E3.similarity", value, "lower", (0.0, 1.0), len(both))


def _cosines(bought: DataFrame, items: list[str]) -> pl.DataFrame:
    """Return item, other, cosine of pairs of few items; a customer has at most all of them."""
    few = remembered(bought.filter(sf.col("item").isin(items)))
    other = few.select("person", sf.col("item").alias("other"))
    counted = few.join(other, "person").filter("item <= other").groupBy("item", "other").count()
    pairs = to_polars(counted).sort("item", "other")
    own = pairs.filter(pl.col("item") == pl.col("other")).select("item", n="count")
    return (
        pairs.filter(pl.col("item") < pl.col("other"))
        .join(own, on="item")
        .join(own.select(other="item", m="n"), on="other")
        .select("item", "other", cosine=pl.col("count") / (pl.col("n") * pl.col("m")).sqrt())
    )


def item_count_error(
    method: ItemCountError, history: History, release: Release, *, seed: int
) -> Score:
    """Compare the number of rows of each item."""
    history.require("item", to="compare item counts")
    before = remembered(_counts(history).withColumnRenamed("count", "before"))
    after = _counts(release.public) if "item" in release.public.visible else before.limit(0)
    both = before.join(after.toDF("item", "after"), "item", "full").fillna(0.0)
    error = both.agg(sf.sum(sf.abs(sf.col("before") - sf.col("after")))).first()
    value = round(float(error[0] if error else 0.0) / history.rows, 12)
    return Score("item-count-error", value, "lower", (0.0, math.inf), before.count())


def _counts(history: History) -> DataFrame:
    rows = native(history.purchases).select("item", sf.lit(1.0).alias("count"))
    if isinstance(rows.schema["item"].dataType, ArrayType):
        rows = rows.select(sf.explode("item").alias("item"), (1.0 / sf.size("item")).alias("count"))
    return rows.filter("item is not null").groupBy("item").agg(sf.sum("count").alias("count"))


def kinds_of_customers(public: History, *, by: str) -> DataFrame:
    """Return person, kind: 128 bits that are equal for customers who cannot be told apart.

    A text of all that a customer has, as on one machine, would be as long as the history.
    """
    rows = native(public.purchases)
    if by == "items":
        public.require("item", to="compare item sets")
        kinds = _folded(_texts(rows.select("person", "item").distinct(), "person"), "person")
    elif "basket" in rows.columns:
        kinds = _folded(_texts(rows.drop(ROW), "person", "basket"), "person", "basket")
        kinds = _folded(_with_baskets(kinds), "person")
    else:
        kinds = _folded(_texts(rows.drop(ROW), "person"), "person")
    kinds = native(public.people()).join(kinds, "person", "left")
    if by == "items" or public.customers is None:
        return kinds.fillna(NOTHING, ["kind"])
    people = native(public.customers)
    check_once(people)
    described = _folded(_texts(people, "person"), "person").withColumnRenamed("kind", "attributes")
    parts = (sf.coalesce(name, sf.lit(NOTHING)) for name in ("kind", "attributes"))
    joined = kinds.join(described, "person", "left")
    return joined.select("person", sf.concat_ws(":", *parts).alias("kind"))


def _kinds_in_release(history: History, release: Release, *, by: str) -> DataFrame:
    """Tell apart, by rows, those who show purchases that they cannot have made."""
    kinds = kinds_of_customers(release.public, by=by)
    if by == "items":
        return kinds
    bought, shown = (native(part.purchases).select("person") for part in (history, release.public))
    silent = native(release.key.pseudonyms).join(bought, "person", "left_anti")
    silent = silent.select(sf.col("pseudonym").alias("person")).join(shown, "person", "left_semi")
    marked = silent.distinct().withColumn("ruled_out", sf.lit(RULED_OUT))
    kind = sf.concat(sf.coalesce("ruled_out", sf.lit("")), "kind")
    return kinds.join(marked, "person", "left").select("person", kind.alias("kind"))


def _texts(rows: DataFrame, *owner: str) -> DataFrame:
    """Write all cells of each row but its owner's as a text, as on one machine."""
    compared = [name for name in rows.columns if name not in owner]
    return mapped(rows, lambda block: block.select(*owner, texts_of_rows(block, compared)))


def _with_baskets(kinds: DataFrame) -> DataFrame:
    """Add the number of its basket to a kind where several customers have that basket."""
    owners = kinds.groupBy("basket").agg((sf.count("*") > 1).alias("shared"))
    number = sf.when(sf.col("basket").isNull(), NOTHING).when(
        sf.col("shared"), sf.concat(sf.lit("="), sf.col("basket"))
    )
    kind = sf.concat(sf.col("kind"), number.otherwise("+"))
    return kinds.join(owners, "basket", "left").select("person", kind.alias("kind"))


def _folded(rows: DataFrame, *owner: str) -> DataFrame:
    """Fold the kinds of an owner's rows, in any order, into one."""
    hashes = sf.sort_array(sf.collect_list(sf.md5(sf.col("kind").cast("string"))))
    return rows.groupBy(*owner).agg(sf.md5(sf.array_join(hashes, "")).alias("kind"))


def indistinguishable(
    method: Indistinguishable, history: History, release: Release, *, seed: int
) -> Score:
    """Count the different customers."""
    kinds = _kinds_in_release(history, release, by=method.by)
    found = kinds.agg(sf.count("*").alias("n"), sf.count_distinct("kind").alias("kinds")).first()
    n, different = (found["n"], found["kinds"]) if found else (0, 0)
    name = f"indistinguishable-{method.by}"
    return Score(name, different / n, "lower", (0.0, 1.0), n, assumes=ASSUMES[method.by])
