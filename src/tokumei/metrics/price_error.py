"""E5: changed prices."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from tokumei.contracts import Release, Score
from tokumei.history import History
from tokumei.metrics.kept_rows import TRUE, kept_rows
from tokumei.parameters import Checked
from tokumei.registry import AS_IT_IS, metric
from tokumei.tables import totals


@metric("price-error", spark=AS_IT_IS)
@dataclass(frozen=True, kw_only=True)
class PriceError(Checked):
    r"""Relative change of the prices of kept rows, for each row of the original.

    :math:`\sum (1 - \min(p, p') / \max(p, p')) / n` over the kept rows, with n the rows of the
    original. E5 of PWSCUP 2017.

    Limits: deleted rows count as not changed.
    """

    def __call__(self, history: History, release: Release, /, *, seed: int) -> Score:
        for part in (history, release.public):
            part.require("price", to="compare prices")
        pairs = kept_rows(history, release, ["price"])
        total = totals(pairs, _changes)["change"]
        return Score("E5", total / history.rows, "lower", (0.0, 1.0), history.rows)


def _changes(pairs: pl.DataFrame) -> pl.DataFrame:
    now, before = pl.col("price"), pl.col(TRUE.format("price"))
    least, most = pl.min_horizontal(now, before), pl.max_horizontal(now, before)
    return pairs.select(change=(1 - least / most).sum())
