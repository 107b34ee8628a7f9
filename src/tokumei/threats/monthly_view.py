"""The attacker of PWSCUP 2017: some rows, items cut, and a pseudonym for every month."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import polars as pl
from annotated_types import Ge, Interval
from typing_extensions import Doc

from tokumei.contracts import Answer, Challenge, Release
from tokumei.draws import uniform
from tokumei.history import ROW, History
from tokumei.parameters import Checked
from tokumei.registry import threat
from tokumei.threats.asking import whose_month


@threat("monthly-view")
@dataclass(frozen=True, kw_only=True)
class MonthlyView(Checked):
    """The attacker knows a random part of all rows, with items cut to their first characters.

    Asked is the pseudonym of every customer in every month. PWSCUP 2017 gave its attackers 25, 50,
    75 or 100% of the rows, with two characters of each item.

    Limits: rows are drawn at random over all customers, so of some customers nothing is known.
    """

    share: Annotated[float, Interval(gt=0, le=1), Doc("Share of all rows that is known.")] = 0.25
    item_characters: Annotated[
        int, Ge(1), Doc("How many characters of an item's name are known.")
    ] = 2

    def __call__(
        self, history: History, release: Release, /, *, seed: int
    ) -> tuple[Challenge, Answer]:
        assumes = (
            f"The attacker knows {self.share:.0%} of all rows, with items cut to "
            f"{self.item_characters} characters."
        )
        return whose_month(history, release, self.view(history, seed=seed), assumes)

    def view(self, history: History, /, *, seed: int) -> History:
        """Return the rows that the attacker knows."""
        history.require("item", "time", to="show rows of every month")
        rows = history.in_row_order()
        draw = uniform(seed, "monthly-view", rows[ROW].to_numpy())
        known = math.floor(len(rows) * self.share + 0.5)
        seen = rows.filter(draw < np.partition(np.append(draw, 1.0), known)[known])
        cut = pl.col("item").str.slice(0, self.item_characters)
        return history.with_purchases(seen.with_columns(cut))
