"""U3-RFM: customers by recency, frequency and spend."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from tokumei.contracts import Release, Score
from tokumei.history import History
from tokumei.parameters import Checked
from tokumei.registry import metric
from tokumei.rfm import analyze

BINS = 5


@metric("rfm-cell-shares", spark="rfm:rfm_cell_shares")
@dataclass(frozen=True, kw_only=True)
class RfmCellShares(Checked):
    """Mean absolute error of the shares of customers in the 125 classes of R, F and M.

    R, F and M are each cut at the quintiles of the original; the release is cut at the same
    places. After U3-RFM of PWSCUP 2016.

    Limits: customers who exchange their classes are not seen.
    """

    def __call__(self, history: History, release: Release, /, *, seed: int) -> Score:
        history.require("time", "price", "quantity", to="analyze recency, frequency and spend")
        last_day = float(history.frame()["time"].cast(pl.Date).to_physical().max())  # type: ignore[arg-type]
        before = analyze(history, last_day=last_day)
        after = analyze(release.public, last_day=last_day)
        edges = {
            name: np.quantile(before[name].to_numpy(), np.arange(1, BINS) / BINS) for name in "RFM"
        }
        shares = [_shares(table, edges) for table in (before, after)]
        error = float(np.abs(shares[0] - shares[1]).mean())
        return Score("U3-RFM", error, "lower", (0.0, 2 / BINS**3), len(before))


def _shares(
    table: pl.DataFrame, edges: dict[str, np.ndarray[tuple[int], np.dtype[np.float64]]]
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    cell = np.zeros(len(table), dtype=np.int64)
    for name, cuts in edges.items():
        cell = cell * BINS + np.searchsorted(cuts, table[name].to_numpy(), side="left")
    return np.bincount(cell, minlength=BINS**3) / len(table)
