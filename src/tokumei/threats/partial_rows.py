"""The attacker who has seen some of the purchases."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

import polars as pl
from annotated_types import Interval
from typing_extensions import Doc

from tokumei.contracts import Answer, Challenge, Release
from tokumei.draws import uniform
from tokumei.history import ROW, History
from tokumei.parameters import Checked
from tokumei.registry import threat
from tokumei.tables import table
from tokumei.threats.asking import who_is_who


@threat("partial-rows", spark="threats:partial_rows")
@dataclass(frozen=True, kw_only=True)
class PartialRows(Checked):
    """The attacker knows a random part of every customer's purchases.

    Of each customer's rows the given share is drawn, rounded up: at least one row is known. PWSCUP
    2017 gave its attackers 25, 50, 75 or 100% of the rows.

    Limits: the rows are drawn at random. An attacker who knows the rare purchases knows more than
    the share says.
    """

    share: Annotated[
        float, Interval(gt=0, le=1), Doc("Share of each customer's rows that is known.")
    ] = 0.25

    def __call__(
        self, history: History, release: Release, /, *, seed: int
    ) -> tuple[Challenge, Answer]:
        rows = history.frame()
        draw = pl.Series("_draw", uniform(seed, "partial-rows", rows[ROW].to_numpy()))
        seen = pl.struct("_draw", ROW).rank("ordinal").over("person") <= (
            (pl.len().over("person") * self.share).ceil()
        )
        part = rows.with_columns(draw).filter(seen).drop("_draw")
        known = replace(history, purchases=table(part), customers=None)
        assumes = f"The attacker knows {self.share:.0%} of the purchases of every customer."
        return who_is_who(history, release, known, assumes)
