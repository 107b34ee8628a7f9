"""Comparing what was bought after throwing out rows that nobody can have bought."""

from __future__ import annotations

import math
from dataclasses import dataclass

import polars as pl

from tokumei.attacks.matching import ItemWeights, OneToOne, Top, distinct_items, match
from tokumei.attacks.naming import guess
from tokumei.contracts import Challenge, Guess
from tokumei.history import History
from tokumei.parameters import Checked
from tokumei.registry import attack

SLACK = 0.1
"""How far, relatively, a price may lie outside the known range of its item."""


@attack("strip-decoys")
@dataclass(frozen=True, kw_only=True)
class StripDecoys(Checked):
    """Throw out rows whose amounts give them away as invented, then compare sets of items.

    The release is read in several ways, each stricter than the one before: as it is; only rows
    whose price lies in the range of prices known for the item, give or take 10%; only rows whose
    price is known for the item; only rows whose price and quantity are known for it together. The
    attack believes the reading that agrees best with what it knows: the one under which the best
    similarities of all targets have the largest mean. So decoys with made-up amounts fall out,
    while a release whose amounts were all changed is read as it is. A target of which a reading
    leaves nothing is read in the strictest way that leaves something.

    Limits: decoys are told by price and quantity only. One that copies a real purchase of the item
    stays.
    """

    weights: ItemWeights = "none"
    one_to_one: OneToOne = False
    top: Top = 10

    def __call__(self, challenge: Challenge, /, *, seed: int) -> Guess:
        for history in (challenge.release, challenge.known):
            history.require("item", "price", to="tell decoys by their prices")
        known = distinct_items(challenge.known, to="compare item sets")
        idf = self.weights == "idf"
        best, chosen = -1.0, challenge.release
        for reading in readings(challenge.release, challenge.known):
            released = distinct_items(reading, to="compare item sets")
            first = match(challenge, released, known, top=1, idf=idf, seed=seed)
            agreement = math.fsum(first["weight"])
            if agreement > best:
                best, chosen = agreement, reading
        released = distinct_items(chosen, to="compare item sets")
        pairs = match(
            challenge, released, known, top=self.top, one_to_one=self.one_to_one, idf=idf, seed=seed
        )
        return guess(challenge, pairs)


def readings(release: History, known: History) -> list[History]:
    """Return the release as it is and as stricter and stricter readers see it."""
    rows = release.frame().with_columns(level=_levels(release, known))
    reached = pl.col("level").max().over("person")
    return [
        release.with_purchases(
            rows.filter(pl.col("level") >= pl.min_horizontal(reached, level)).drop("level")
        )
        for level in range(4)
    ]


def _levels(release: History, known: History) -> pl.Series:
    """Return how strict a reader believes each row; whose item or price is not known, every one."""
    rows, seen = release.frame(), known.frame().filter(pl.col("price").is_not_null())
    low, high = pl.col("price").min() * (1 - SLACK), pl.col("price").max() * (1 + SLACK)
    ranges = seen.group_by("item").agg(_low=low, _high=high)
    rows = rows.join(ranges, on="item", how="left", maintain_order="left")
    for name, columns in (("_price", ["price"]), ("_both", ["price", "quantity"])):
        points = ["item", *(column for column in columns if _exact(column, release, known))]
        marked = seen.select(points).unique().with_columns(pl.lit(value=True).alias(name))
        rows = rows.join(marked, on=points, how="left", maintain_order="left")
    untold = pl.col("_low").is_null() | pl.col("price").is_null()
    in_range = pl.col("price").is_between("_low", "_high")
    level = (
        pl.when(untold | pl.col("_both").is_not_null()).then(3)
        .when(pl.col("_price").is_not_null()).then(2)
        .when(in_range).then(1)
        .otherwise(0)
    )  # fmt: skip
    return rows.select(level=level).to_series()


def _exact(column: str, *histories: History) -> bool:
    schemas = [history.purchases.collect_schema() for history in histories]
    return all(column in schema and not schema[column].is_nested() for schema in schemas)
