"""E3: whether the favorite items stay, and stay together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import polars as pl
from annotated_types import Ge
from typing_extensions import Doc

from tokumei.contracts import Release, Score
from tokumei.history import History
from tokumei.metrics.co_purchases import distance, known_items, most_bought, pairs
from tokumei.parameters import Checked
from tokumei.registry import metric

TopK = Annotated[int, Ge(1), Doc("How many items count as favorites.")]


@metric("top-items-list", spark="metrics:top_items_list")
@dataclass(frozen=True, kw_only=True)
class TopItemsList(Checked):
    """Share of the items with the most customers that are no longer among them.

    Items are ranked by the number of distinct customers, equal ones by name; both descending.
    E3.list of PWSCUP 2017.

    Limits: the order within the list does not count, nor does any item beyond it.
    """

    k: TopK = 100

    def __call__(self, history: History, release: Release, /, *, seed: int) -> Score:
        items = _items(history, release)
        before, after = (
            set(most_bought(part, items, self.k)) for part in (history, release.public)
        )
        missing = len(before - after) / len(before)
        return Score("E3.list", missing, "lower", (0.0, 1.0), len(before))


@metric("top-items-similarity", spark="metrics:top_items_similarity")
@dataclass(frozen=True, kw_only=True)
class TopItemsSimilarity(Checked):
    r"""Distance of the similarities among the items with the most customers.

    As the item similarity, with score 1 for every item that a customer bought, over the original's
    top items: :math:`\sum |w - w'| / \sum w`, at most 1. E3.similarity of PWSCUP 2017.

    Limits: items beyond the top are not looked at.
    """

    k: TopK = 100

    def __call__(self, history: History, release: Release, /, *, seed: int) -> Score:
        top = most_bought(history, _items(history, release), self.k).sort()
        before, after = (_bought(part, top) for part in (history, release.public))
        value, n = distance(before, after, top)
        return Score("E3.similarity", value, "lower", (0.0, 1.0), n)


def _items(history: History, release: Release) -> pl.Series:
    for part in (history, release.public):
        part.require("item", to="rank items by their customers")
    return known_items(history)


def _bought(history: History, items: pl.Series) -> pl.DataFrame:
    return pairs(history, items).drop_nulls().unique().to_frame().with_columns(score=pl.lit(1))
