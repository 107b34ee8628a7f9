"""How far the cross tabulation of the release is from the original's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
import polars as pl
from typing_extensions import Doc

from tokumei.attributes import Columns, WhichTable, column_names, records
from tokumei.contracts import Release, Score
from tokumei.history import History
from tokumei.metrics.pk_anonymity import linked
from tokumei.parameters import Checked
from tokumei.pk import mechanism, reconstruct, tabulate
from tokumei.pk.files import Forbidden, parse_forbidden
from tokumei.pk.kernels import Floats
from tokumei.registry import metric


@metric("cross-tabulation", spark="columns:cross_tabulation")
@dataclass(frozen=True, kw_only=True)
class CrossTabulation(Checked):
    r"""L1 distance of the cross tabulations of original and release: sum of differences of shares.

    0 says that every combination of values is as frequent as before, 2 that no combination occurs
    in both. The release may be reconstructed first, as whoever gets perturbed records does; rho is
    found from the share of values that were kept.

    With :math:`p_x` and :math:`q_x` the shares of combination x before and after, it is
    :math:`\sum_x |p_x - q_x|`.

    Limits: columns that are not named are not looked at; in a table with more cells than records
    even two samples of the same people are far apart.

    References
    ----------
    [saito2014] Section 4.1.

    """

    columns: Columns
    table: WhichTable = "customers"
    reconstructed: Annotated[
        bool, Doc("Reconstruct the release, as perturbed by retain-replace, before comparing.")
    ] = False
    forbidden: Forbidden = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        column_names(self.columns)
        parse_forbidden(self.forbidden)

    def __call__(self, history: History, release: Release, /, *, seed: int) -> Score:
        names = column_names(self.columns)
        before, after = (
            records(part, self.table, names, to="cross-tabulate").select(names)
            for part in (history, release.public)
        )
        distance = _distance(before, after)
        if self.reconstructed:
            kept = linked(history, release, self.table, names, self.forbidden)
            if max(kept.estimate.rho) < 1:
                of = mechanism(kept.space, kept.estimate.rho)
                truth, seen = (tabulate(cells, of) for cells in (kept.before, kept.after))
                distance = l1(reconstruct(seen, of).counts, truth)
        # Rounding may carry sums of shares beyond their end.
        return Score("cross-tabulation", min(distance, 2.0), "lower", (0.0, 2.0), len(after))


def l1(estimate: Floats, truth: Floats) -> float:
    """Return the sum of the differences of shares of two cross tabulations over the same cells."""
    return float(np.abs(estimate / estimate.sum() - truth / truth.sum()).sum())


def _distance(before: pl.DataFrame, after: pl.DataFrame) -> float:
    names = before.columns
    counts = [rows.group_by(names).agg(pl.len().alias("n")) for rows in (before, after)]
    both = counts[0].join(counts[1], on=names, how="full", nulls_equal=True)
    # In the order of their size, so that the order of rows cannot change the sum.
    shares = both.select(
        (pl.col("n").fill_null(0) / len(before) - pl.col("n_right").fill_null(0) / len(after))
        .abs()
        .sort()
    )
    return float(shares.to_series().sum())
