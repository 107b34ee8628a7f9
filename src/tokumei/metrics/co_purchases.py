"""How alike items are by who bought them: what item-based recommendation runs on."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl

from tokumei.history import History

Ints = npt.NDArray[np.int64]


def pairs(history: History, items: pl.Series) -> pl.Series:
    """Return customer and item of each purchase as one number; null where it is no such item.

    Numbers are sorted and counted faster than texts. Those of customers rise with their names, so
    that the order of rows does not change in which order cosines are added.
    """
    rows = history.frame()
    person = rows["person"].cast(pl.Enum(rows["person"].unique().sort())).to_physical()
    item = rows["item"].cast(pl.Enum(items), strict=False).to_physical()
    return (person.cast(pl.Int64) * len(items) + item.cast(pl.Int64)).alias("pair")


def distance(before: pl.DataFrame, after: pl.DataFrame, items: pl.Series) -> tuple[float, int]:
    """Compare the cosines of items by two tables of pair, score, and count pairs of items.

    Scores are whole numbers above zero. The distance is the sum of differences over all pairs of
    items that share a person in `before`, as a share of the sum of their cosines there. A pair
    counts once here and twice in the contest (in both orders), which no ratio can tell.
    """
    from tokumei.itemsets.cosines import compare

    count = len(items)
    changed, total, met = compare(_by_person(before, count), _by_person(after, count), count)
    return (min(1.0, changed / total) if met else 0.0), met


def _by_person(scores: pl.DataFrame, items: int) -> tuple[Ints, Ints, Ints]:
    """Return where each person's row starts, and the items by number, with their scores."""
    rows = scores.sort("pair")
    person, item = np.divmod(rows["pair"].to_numpy(), items)
    starts = np.flatnonzero(np.diff(person, prepend=-1, append=-1))
    return starts, item, rows["score"].cast(pl.Int64).to_numpy()


def most_bought(history: History, items: pl.Series, k: int) -> pl.Series:
    """Return the k items with the most users; of equal ones those with the largest names."""
    bought = pairs(history, items).drop_nulls().unique().to_numpy()
    users = np.bincount(bought % len(items), minlength=len(items))
    ranked = pl.DataFrame({"item": items, "users": users}).sort("users", "item", descending=True)
    return ranked["item"][:k]


def known_items(history: History) -> pl.Series:
    """Return the items of the original, in order; a suppressed item is none."""
    return history.frame()["item"].drop_nulls().unique().sort()
