"""Invented rows."""

from __future__ import annotations

import math
from dataclasses import dataclass

import narwhals as nw

from tokumei.contracts import Release, Score
from tokumei.history import History
from tokumei.metrics.kept_rows import origins
from tokumei.parameters import Checked
from tokumei.registry import AS_IT_IS, metric
from tokumei.tables import small


@metric("rows-added", spark=AS_IT_IS)
@dataclass(frozen=True, kw_only=True)
class RowsAdded(Checked):
    """Rows of the release that no row of the original stands behind, as a share of the original.

    Limits: what the rows say is not looked at.
    """

    def __call__(self, history: History, release: Release, /, *, seed: int) -> Score:
        added = small(
            origins(release).select(nw.col("origin").is_null().cast(nw.Int64).sum())
        ).item()
        return Score("rows-added", added / history.rows, "lower", (0.0, math.inf), history.rows)
