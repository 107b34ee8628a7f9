"""How alike items are by who bought them: what item-based recommendation runs on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy import sparse

from tokumei.history import History


@dataclass(frozen=True)
class Similarities:
    """The cosine of every pair of items that share a user; a pair is first · items + second."""

    pairs: npt.NDArray[np.int64]
    cosines: npt.NDArray[np.float64]


def similarities(scores: pl.DataFrame, items: pl.Series) -> Similarities:
    """Compare the items by person, item, score; scores are whole numbers above zero.

    A pair counts once here and twice in the contest (in both orders), which no ratio can tell.
    """
    persons = scores["person"].unique()
    rows = scores["person"].cast(pl.Enum(persons)).to_physical().to_numpy()
    columns = scores["item"].cast(pl.Enum(items)).to_physical().to_numpy()
    values = scores["score"].cast(pl.Int64).to_numpy()
    users = sparse.csr_array((values, (rows, columns)), shape=(len(persons), len(items)))
    products = (users.T @ users).tocsr()
    products.sort_indices()
    lengths = np.sqrt(products.diagonal())
    first = np.repeat(np.arange(len(items), dtype=np.int64), np.diff(products.indptr))
    second = products.indices.astype(np.int64)
    once = first < second
    first, second = first[once], second[once]
    cosines = products.data[once] / (lengths[first] * lengths[second])
    return Similarities(first * len(items) + second, cosines)


def distance(before: Similarities, after: Similarities) -> float:
    """Return the sum of differences over the pairs of `before`, as a share of its sum."""
    total = before.cosines.sum()
    if not total:
        return 0.0
    found = np.zeros(len(before.pairs))
    if len(after.pairs):
        places = np.searchsorted(after.pairs, before.pairs).clip(max=len(after.pairs) - 1)
        there = after.pairs[places] == before.pairs
        found[there] = after.cosines[places[there]]
    return min(1.0, float(np.abs(before.cosines - found).sum() / total))


def most_bought(history: History, items: pl.Series, k: int) -> pl.Series:
    """Return the k items with the most users; of equal ones those with the largest names."""
    users = history.frame().select("person", "item").unique().group_by("item").len("users")
    ranked = items.to_frame("item").join(users, on="item", how="left")
    return ranked.with_columns(pl.col("users").fill_null(0)).sort("users", "item", descending=True)[
        "item"
    ][:k]


def known_items(history: History) -> pl.Series:
    """Return the items of the original, in order; a suppressed item is none."""
    return history.frame()["item"].drop_nulls().unique().sort()
