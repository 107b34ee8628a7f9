"""The rows that decoys consist of."""

from __future__ import annotations

import polars as pl

from tokumei.draws import uniform
from tokumei.history import ROW, History
from tokumei.tables import joined_text

LOWEST, HIGHEST = 0.1, 0.9
"""The prices of the paper's decoys."""


def missing_items(
    history: History, members: pl.DataFrame, wanted: pl.DataFrame | None = None
) -> pl.DataFrame:
    """Return the pairs person, item that a cluster lacks, with a key for random draws.

    `members` has person and _cluster; `wanted`, if given, has the items (_cluster, item) that a
    cluster shall have, otherwise it is their union.
    """
    items = history.frame().select("person", "item").drop_nulls("item").unique()
    bought = items.join(members, on="person")
    if wanted is None:
        wanted = bought.select("_cluster", "item").unique()
    pairs = members.join(wanted, on="_cluster").select("person", "item")
    missing = pairs.join(bought, on=["person", "item"], how="anti").sort("person", "item")
    persons, kinds = (missing[name].rank("dense").cast(pl.Int64) for name in ("person", "item"))
    return missing.with_columns(_key=persons * (kinds.max() or 0) + kinds)


def _occasions(history: History) -> pl.DataFrame:
    """Return every customer's baskets with their times, numbered; or the times, without baskets."""
    rows = history.frame()
    if "basket" in rows.columns:
        times = [pl.col("time").min()] if "time" in rows.columns else []
        found = rows.group_by("person", "basket").agg(*times)
    else:
        found = rows.select("person", *(["time"] if "time" in rows.columns else [])).unique()
    order = [name for name in ("person", "time", "basket") if name in found.columns]
    numbered = found.sort(order)
    return numbered.with_columns(
        _number=pl.int_range(pl.len()).over("person"), _count=pl.len().over("person")
    )


def _draw(missing: pl.DataFrame, seed: int, what: str) -> pl.Series:
    return pl.Series("_draw", uniform(seed, f"decoys/{what}", missing["_key"].to_numpy()))


def _at_random_occasions(missing: pl.DataFrame, history: History, seed: int) -> pl.DataFrame:
    occasions = _occasions(history)
    counts = occasions.select("person", "_count").unique()
    chosen = missing.with_columns(_draw(missing, seed, "occasion")).join(counts, on="person")
    number = (pl.col("_draw") * pl.col("_count")).floor().cast(pl.Int64)
    return (
        chosen.with_columns(_number=number)
        .drop("_draw", "_count")
        .join(occasions.drop("_count"), on=["person", "_number"])
    )


def _as_rows(decoys: pl.DataFrame, history: History) -> pl.DataFrame:
    """Give decoys the columns of the history, null where nothing is known."""
    schema = {name: kind for name, kind in history.frame().schema.items() if name != ROW}
    lacking = [
        pl.lit(None, kind).alias(name) for name, kind in schema.items() if name not in decoys
    ]
    return decoys.with_columns(lacking).select(
        pl.col(name).cast(kind) for name, kind in schema.items()
    )


def like_the_paper(history: History, missing: pl.DataFrame, *, seed: int) -> pl.DataFrame:
    """Return decoys of price 0.1 to 0.9 and quantity 1 in random baskets of the customer."""
    decoys = _at_random_occasions(missing, history, seed)
    price = (LOWEST + (HIGHEST - LOWEST) * _draw(decoys, seed, "price")).round(2)
    return _as_rows(decoys.with_columns(price.alias("price"), quantity=pl.lit(1)), history)


def camouflaged(history: History, missing: pl.DataFrame, *, seed: int) -> pl.DataFrame:
    """Return decoys that copy a real purchase of the item, in the customer's nearest basket."""
    rows = history.frame()
    facts = [name for name in rows.columns if name not in ("person", "basket", "time", ROW)]
    dated = ["time"] if "time" in rows.columns else []
    donors = rows.sort("item", ROW).select(*facts, *dated)
    donors = donors.with_columns(
        _number=pl.int_range(pl.len()).over("item"), _count=pl.len().over("item")
    )
    counts = donors.select("item", "_count").unique()
    chosen = missing.with_columns(_draw(missing, seed, "donor")).join(counts, on="item")
    number = (pl.col("_draw") * pl.col("_count")).floor().cast(pl.Int64)
    decoys = chosen.with_columns(_number=number).join(donors, on=["item", "_number"])
    if not dated:
        hosts = _at_random_occasions(missing, history, seed).drop("_number", "_key")
        return _as_rows(decoys.join(hosts, on=["person", "item"]), history)
    occasions = _occasions(history).rename({"time": "_host"}).drop("_number", "_count")
    placed = decoys.sort("time").join_asof(
        occasions.sort("_host"),
        left_on="time",
        right_on="_host",
        by="person",
        strategy="nearest",
        check_sortedness=False,  # it cannot be checked by customer, and holds
    )
    return _as_rows(placed.with_columns(time="_host"), history)


def copies_of_all_rows(history: History, members: pl.DataFrame) -> pl.DataFrame:
    """Return what each customer of a cluster lacks of the others' rows, whole baskets at a time."""
    rows = history.frame().join(members, on="person")
    others = members.rename({"person": "_other"})
    copies = rows.join(others, on="_cluster").filter(pl.col("_other") != pl.col("person"))
    if "basket" in rows.columns:
        # A basket of its own for every copy, by a name that no real one has.
        name = joined_text(["person", "basket", "_other"])
        copy = pl.lit(_free_prefix(rows["basket"])) + name
        copies = copies.with_columns(basket=pl.when(pl.col("basket").is_not_null()).then(copy))
    return (
        copies.with_columns(person="_other")
        .sort("person", ROW)
        .select(name for name in history.frame().columns if name != ROW)
    )


def _free_prefix(baskets: pl.Series) -> str:
    """Return a prefix that no basket begins with."""
    prefix = "copy "
    while baskets.str.starts_with(prefix).any():
        prefix += "of copy "
    return prefix
