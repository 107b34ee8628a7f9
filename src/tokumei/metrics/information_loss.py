"""Information loss of generalized histories, as PWSCUP 2018 measured it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import polars as pl

from tokumei.cells import covers, deviation, high, kind, low, units
from tokumei.contracts import Release, Score
from tokumei.history import History
from tokumei.metrics.kept_rows import TRUE, kept_rows
from tokumei.parameters import Checked
from tokumei.registry import AS_IT_IS, metric
from tokumei.tables import spark_form, totals

CELLS = ("time", "item", "price", "quantity")
SUPPRESSED_ERROR = 1.0


@metric("information-loss", spark=AS_IT_IS)
@dataclass(frozen=True, kw_only=True)
class InformationLoss(Checked):
    r"""What generalized cells no longer tell: the mean error over date, item, price, quantity.

    An exact cell has the error 0, a suppressed one 1, a set of s items :math:`1 - 1/s`. An interval
    from a to b around the true x has :math:`((a-x)^2 + (b-x)^2 + (b-a)) / (2 sd (b-a+1))`, which is
    the expected distance of x from a whole number drawn from the interval, in standard deviations
    of the original's column (days, hundredths, pieces). A deleted row counts as suppressed. PWSCUP
    2018, where the true value lies in every cell; elsewhere a cell without it counts as far as it
    is away, a wrong item 1.

    Limits: every column counts by itself. What an analysis of several columns loses is not seen.
    """

    def __call__(self, history: History, release: Release, /, *, seed: int) -> Score:
        history.require(*CELLS, to="measure the information loss")
        names = [name for name in CELLS if name in release.public.visible]
        pairs = kept_rows(history, release, names)
        spreads = {name: deviation_of(history, name) for name in names}

        def errors(rows: pl.DataFrame) -> pl.DataFrame:
            found = {
                name: [float(cell_errors(rows[name], rows[TRUE.format(name)], sd).sum())]
                for name, sd in spreads.items()
            }
            return pl.DataFrame({"rows": [len(rows)], **found})

        found = totals(pairs, errors)
        n, kept = history.rows, found["rows"]
        total = 0.0
        for name in CELLS:
            lost = float(n - kept + (kept if name not in names else 0)) * SUPPRESSED_ERROR
            total += (lost + found.get(name, 0.0)) / n
        return Score("information-loss", total / len(CELLS), "lower", (0.0, math.inf), n)


def deviation_of(history: History, name: str) -> float:
    """Return the standard deviation of a column of the history."""
    if history.on_spark:
        return float(spark_form("metrics:deviation")(history, name))
    return deviation(history.frame()[name])


def cell_errors(cells: pl.Series, truth: pl.Series, sd: float) -> pl.Series:
    """Return the error of each cell; where the column has no spread, only `*` loses anything."""
    if truth.dtype == pl.String:
        size = cells.list.len() if kind(cells.dtype) == "set" else 1
        errors = (1 - covers(cells, truth).cast(pl.Float64) / size).set(cells.is_null(), None)
    else:
        # As floats: squares of hundredths of large prices leave 64 bits.
        a, b, x = (units(part).cast(pl.Float64) for part in (low(cells), high(cells), truth))
        inside = ((a - x) ** 2 + (b - x) ** 2 + (b - a)) / (2 * (b - a + 1))
        distance = inside.zip_with((a <= x) & (x <= b), (x - (a + b) / 2).abs())
        errors = distance / (sd or math.inf)
    return errors.fill_null(SUPPRESSED_ERROR)
