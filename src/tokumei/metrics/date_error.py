"""E4: moved dates."""

from __future__ import annotations

import math
from dataclasses import dataclass

import polars as pl

from tokumei.contracts import Release, Score
from tokumei.history import History
from tokumei.metrics.kept_rows import TRUE, kept_rows
from tokumei.parameters import Checked
from tokumei.registry import AS_IT_IS, metric
from tokumei.tables import totals

DAYS_OF_A_MONTH = 31


@metric("date-error", spark=AS_IT_IS)
@dataclass(frozen=True, kw_only=True)
class DateError(Checked):
    r"""Days by which the kept rows moved, in months of 31 days for each row of the original.

    :math:`\sum |d - d'| / (31 n)` over the kept rows, with n the rows of the original. E4 of PWSCUP
    2017, where a date stays in its month.

    Limits: deleted rows count as not moved.
    """

    def __call__(self, history: History, release: Release, /, *, seed: int) -> Score:
        for part in (history, release.public):
            part.require("time", to="compare dates")
        pairs = kept_rows(history, release, ["time"])
        days = float(totals(pairs, _days_moved)["days"])
        value = days / (DAYS_OF_A_MONTH * history.rows)
        return Score("E4", value, "lower", (0.0, math.inf), history.rows)


def _days_moved(pairs: pl.DataFrame) -> pl.DataFrame:
    moved = pairs["time"].cast(pl.Date) - pairs[TRUE.format("time")].cast(pl.Date)
    return pl.DataFrame({"days": [moved.dt.total_days().abs().sum()]})
