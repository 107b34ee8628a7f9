"""E1 and E2: whether items are still recommended together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import polars as pl
from typing_extensions import Doc

from tokumei.contracts import Release, Score
from tokumei.history import History
from tokumei.metrics.co_purchases import distance, known_items, pairs
from tokumei.parameters import Checked
from tokumei.registry import metric

DOZEN, MOST_DOZENS = 12, 6
TITLES = {"wholesale": "E1", "retail": "E2"}


@metric("item-similarity")
@dataclass(frozen=True, kw_only=True)
class ItemSimilarity(Checked):
    r"""Distance of the item-item similarities, on which recommendations rest.

    Each customer scores an item by the quantity bought. Wholesale: the full dozens, at most 6;
    retail: the quantity where it is at most 11; a score of 0 is no score. With :math:`w` the cosine
    of two items' scores, over all pairs of items that share a customer in the original:
    :math:`\sum |w - w'| / \sum w`, at most 1. E1 (wholesale) and E2 (retail) of PWSCUP 2017.

    Limits: pairs of items that only the release brings together are not counted.
    """

    sales: Annotated[
        Literal["wholesale", "retail"], Doc("Whether dozens are scored, or single pieces.")
    ] = "wholesale"

    def __call__(self, history: History, release: Release, /, *, seed: int) -> Score:
        for part in (history, release.public):
            part.require("item", "quantity", to="compare the similarities of items")
        items = known_items(history)
        before, after = (self._scores(part, items) for part in (history, release.public))
        value, n = distance(before, after, items)
        return Score(TITLES[self.sales], value, "lower", (0.0, 1.0), n)

    def _scores(self, history: History, items: pl.Series) -> pl.DataFrame:
        rows = pl.DataFrame([pairs(history, items), history.frame()["quantity"]])
        bought = rows.drop_nulls("pair").group_by("pair").agg(score=pl.col("quantity").sum())
        score = pl.col("score")
        if self.sales == "wholesale":
            bought = bought.with_columns((score // DOZEN).clip(upper_bound=MOST_DOZENS))
        else:
            bought = bought.filter(score < DOZEN)
        return bought.filter(score > 0)
