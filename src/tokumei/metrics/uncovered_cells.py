"""Cells that do not hold the truth."""

from __future__ import annotations

from dataclasses import dataclass

from tokumei.cells import covers
from tokumei.contracts import Release, Score
from tokumei.errors import Unachievable
from tokumei.history import History
from tokumei.metrics.kept_rows import cells_that, kept_rows
from tokumei.parameters import Checked
from tokumei.registry import AS_IT_IS, metric
from tokumei.tables import totals


@metric("uncovered-cells", spark=AS_IT_IS)
@dataclass(frozen=True, kw_only=True)
class UncoveredCells(Checked):
    """Share of the cells of kept rows that do not hold the original's value.

    A generalized release promises that there are none: the true value lies in every interval and
    every set, and a suppressed cell may be anything. Customer and basket are not counted. Where
    there is no cell to compare, nothing is verified and the metric says so.

    Limits: a release that suppresses everything has none; read it with the information loss. Rows
    that the key calls invented are not compared; rows-added and rows-deleted count them.
    """

    def __call__(self, history: History, release: Release, /, *, seed: int) -> Score:
        names = [name for name in history.visible if name not in ("person", "basket")]
        names = [name for name in names if name in release.public.visible]
        history.require(*names, to="compare cells")
        pairs = kept_rows(history, release, names)
        found = totals(pairs, lambda rows: cells_that(covers, rows, names))
        cells = found["rows"] * len(names)
        if not cells:
            what = "column" if found["rows"] else "row"
            raise Unachievable(
                f"Nothing can be verified: by the key, no {what} of the original is in the release."
            )
        value = 1 - found["cells"] / cells
        return Score("uncovered-cells", value, "lower", (0.0, 1.0), cells)
