"""Changed cells."""

from __future__ import annotations

from dataclasses import dataclass

from tokumei.cells import exactly
from tokumei.contracts import Release, Score
from tokumei.history import History
from tokumei.metrics.kept_rows import cells_that, kept_rows
from tokumei.parameters import Checked
from tokumei.registry import AS_IT_IS, metric
from tokumei.tables import totals


@metric("cells-changed", spark=AS_IT_IS)
@dataclass(frozen=True, kw_only=True)
class CellsChanged(Checked):
    """Share of the cells of kept rows that no longer say the original's value.

    Customer and basket are not counted, because publishing renames both. A generalized cell counts
    as changed unless the true value is all that it holds.

    Limits: a cent counts as much as another item; rows that were added or deleted do not count.
    """

    def __call__(self, history: History, release: Release, /, *, seed: int) -> Score:
        names = [name for name in history.visible if name not in ("person", "basket")]
        names = [name for name in names if name in release.public.visible]
        pairs = kept_rows(history, release, names)
        found = totals(pairs, lambda rows: cells_that(exactly, rows, names))
        cells = found["rows"] * len(names)
        value = 1 - found["cells"] / cells if cells else 0.0
        return Score("cells-changed", value, "lower", (0.0, 1.0), cells)
