"""The customer x item matrix."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from scipy import sparse

from tokumei.history import History


@dataclass(frozen=True, eq=False)
class ItemSets:
    """Which customer (row) bought which item (column): 1 or 0."""

    persons: pl.Series
    items: pl.Series
    matrix: sparse.csr_array

    @property
    def sizes(self) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """The number of distinct items of each customer."""
        return np.diff(self.matrix.indptr).astype(np.int64)


def item_sets(history: History) -> ItemSets:
    """Collect the distinct items of each customer; customers and items are sorted by name.

    A suppressed item is none; who has only such is a customer with an empty set.
    """
    history.require("item", to="compare item sets")
    pairs = history.frame().select("person", "item").unique()
    persons = pairs["person"].unique().sort()
    pairs = pairs.drop_nulls("item")
    items = pairs["item"].unique().sort()
    rows = pairs["person"].cast(pl.Enum(persons)).to_physical().to_numpy()
    columns = pairs["item"].cast(pl.Enum(items)).to_physical().to_numpy()
    ones = np.ones(len(pairs), dtype=np.int32)
    matrix = sparse.csr_array((ones, (rows, columns)), shape=(len(persons), len(items)))
    matrix.sort_indices()
    return ItemSets(persons, items, matrix)


def rows_per_item(history: History, sets: ItemSets) -> sparse.csr_array:
    """Return how many rows each customer has of each item, in the places of `sets.matrix`."""
    counts = history.frame().drop_nulls("item").group_by("person", "item").len()
    rows = counts["person"].cast(pl.Enum(sets.persons)).to_physical().to_numpy()
    columns = counts["item"].cast(pl.Enum(sets.items)).to_physical().to_numpy()
    values = counts["len"].cast(pl.Int32).to_numpy()
    matrix = sparse.csr_array((values, (rows, columns)), shape=sets.matrix.shape)
    matrix.sort_indices()
    return matrix
