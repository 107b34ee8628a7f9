"""Lost rows."""

from __future__ import annotations

from dataclasses import dataclass

import narwhals as nw

from tokumei.contracts import Release, Score
from tokumei.history import History
from tokumei.metrics.kept_rows import origins
from tokumei.parameters import Checked
from tokumei.registry import AS_IT_IS, metric
from tokumei.tables import small


@metric("rows-deleted", spark=AS_IT_IS)
@dataclass(frozen=True, kw_only=True)
class RowsDeleted(Checked):
    """Share of the original's rows that are missing from the release.

    Limits: all rows count alike, also the last one that a customer or an item had.
    """

    def __call__(self, history: History, release: Release, /, *, seed: int) -> Score:
        kept = small(origins(release).select(nw.col("origin").count())).item()
        return Score("rows-deleted", 1 - kept / history.rows, "lower", (0.0, 1.0), history.rows)
