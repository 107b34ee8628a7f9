"""U4-topitems: whether the best sellers stay."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import polars as pl
from annotated_types import Ge
from typing_extensions import Doc

from tokumei.contracts import Release, Score
from tokumei.history import History
from tokumei.parameters import Checked
from tokumei.registry import metric


@metric("top-items-missing")
@dataclass(frozen=True, kw_only=True)
class TopItemsMissing(Checked):
    """Share of the original's best-selling items that are not best sellers of the release.

    Items are ranked by the quantity sold, equal ones by name. After U4-topitems of PWSCUP 2016.

    Limits: the order among the best sellers does not count.
    """

    k: Annotated[int, Ge(1), Doc("How many items count as best sellers.")] = 100

    def __call__(self, history: History, release: Release, /, *, seed: int) -> Score:
        before, after = (self._best(part) for part in (history, release.public))
        missing = len(before - after) / len(before)
        return Score("U4-topitems", missing, "lower", (0.0, 1.0), len(before))

    def _best(self, history: History) -> set[str]:
        history.require("item", "quantity", to="rank items by what is sold")
        sold = history.frame().group_by("item").agg(pl.col("quantity").sum())
        ranked = sold.sort("quantity", "item", descending=[True, False])
        return set(ranked["item"].head(self.k))
