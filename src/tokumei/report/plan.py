"""The trade-off of decoys for one data set, drawn and proposed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import altair as alt
import numpy as np
import polars as pl

from tokumei.anonymizers.decoys import theory_of
from tokumei.history import History
from tokumei.itemsets.matrix import item_sets
from tokumei.report.charts import DEEP_ICE, FIRE, ICE, styled
from tokumei.theory.decoys import DecoyTheory, added_rows_of_random_clusters

POINTS = 24


@dataclass(frozen=True, eq=False)
class Plan:
    """What to expect of decoys, and what to choose."""

    theory: DecoyTheory
    clusters: int
    min_size: int
    curve: pl.DataFrame
    """clusters, added (by the formula), added_at_random (exact for random clusters), risk."""

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        theory = self.theory
        return {
            "customers": theory.n,
            "b": theory.b,
            "mu": theory.mu,
            "h": theory.h,
            "domain": [theory.domain.start, theory.domain.stop - 1],
            "clusters": self.clusters,
            "min_size": self.min_size,
            "expected_added": theory.added_rows(self.clusters),
            "expected_risk": theory.reidentified(self.clusters),
            "clusters_by_closed_form": theory.best_clusters_approximately,
            "curve": self.curve.to_dicts(),
        }


def plan_decoys(history: History, *, risk: float | None = None) -> Plan:
    """Propose the number of clusters: the optimum of the theory, or the most that a risk allows."""
    sets = item_sets(history)
    theory = theory_of(sets)
    n = theory.n
    clusters = theory.best_clusters if risk is None else max(1, int(risk * n))
    buyers = np.bincount(sets.matrix.indices, minlength=len(sets.items))
    points = np.geomspace(theory.domain.start, n, POINTS).round().astype(np.int64)
    # Below its domain the formula says nothing.
    grid = np.unique([*points, max(clusters, theory.domain.start)])
    curve = pl.DataFrame(
        {
            "clusters": grid,
            "added": [theory.added_rows(c) for c in grid.tolist()],
            "added_at_random": [added_rows_of_random_clusters(buyers, n, c) for c in grid.tolist()],
            "risk": grid / n,
        }
    )
    return Plan(theory, clusters, max(1, n // clusters), curve)


def draw(plan: Plan, *, title: str, axes: tuple[str, str], labels: tuple[str, str]) -> Any:
    """Draw decoys against risk, the proposal marked."""
    formula, random = labels
    long = plan.curve.rename({"added": formula, "added_at_random": random}).unpivot(
        [formula, random], index=["clusters", "risk"], variable_name="by", value_name="decoys"
    )
    lines = (
        alt.Chart(long)
        .mark_line(point=True)
        .encode(
            x=alt.X("risk:Q", title=axes[0], axis=alt.Axis(format="%")),
            y=alt.Y("decoys:Q", title=axes[1], axis=alt.Axis(format=",d")),
            color=alt.Color(
                "by:N", title=None, scale=alt.Scale(domain=[formula, random], range=[ICE, DEEP_ICE])
            ),
            strokeDash=alt.StrokeDash("by:N", title=None, legend=None),
        )
    )
    chosen = pl.DataFrame({"risk": [plan.theory.reidentified(plan.clusters)]})
    mark = alt.Chart(chosen).mark_rule(color=FIRE, strokeWidth=2).encode(x="risk:Q")
    subtitle = f"n = {plan.theory.n:,}, b = {plan.theory.b:.1f}, µ = {plan.theory.mu:.4f}"
    return styled(lines + mark, title=title, subtitle=subtitle)
