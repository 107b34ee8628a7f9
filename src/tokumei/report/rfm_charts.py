"""Charts of RFM analysis: who brings the money, and who comes when."""

from __future__ import annotations

from typing import Any

import altair as alt
import numpy as np
import polars as pl

from tokumei.report.charts import DEEP_ICE, FIRE, ICE, SLATE, styled
from tokumei.rfm.analysis import cuts_of


def pareto(table: pl.DataFrame, top: int = 100) -> tuple[pl.DataFrame, Any]:
    """Return the spend of the best customers and its cumulative share, as data and chart."""
    ranked = table.select("person", spend="M").sort("spend", descending=True)
    data = ranked.with_columns(
        pl.int_range(1, pl.len() + 1).alias("place"),
        (pl.col("spend").cum_sum() / pl.col("spend").sum()).alias("share"),
    ).head(top)
    share = float(data["share"][-1])
    places = alt.Scale(domain=[0, len(data) + 1], nice=False)
    base = alt.Chart(data).encode(x=alt.X("place:Q", title="customer, by spend", scale=places))
    bars = base.mark_bar(color=ICE).encode(y=alt.Y("spend:Q", title="spend in a year"))
    line = base.mark_line(color=FIRE, strokeWidth=2).encode(
        y=alt.Y("share:Q", title="cumulative share", axis=alt.Axis(format="%"))
    )
    chart = styled(
        alt.layer(bars, line).resolve_scale(y="independent"),
        title=f"The {len(data)} best of {len(table):,} customers bring {share:.0%} of the sales",
        subtitle="Bars: spend; line: cumulative share of all sales",
    )
    return data, chart


def scatter(table: pl.DataFrame, bins: int = 10) -> tuple[pl.DataFrame, Any]:
    """Return R and F of every customer with the quantile lines of both, as data and chart."""
    data = table.select("person", "R", "F")
    lines = {name: np.unique(cuts_of(table[name].to_numpy(), bins)) for name in "RF"}
    # On a log scale a customer of the last day would have no place.
    points = (
        alt.Chart(data)
        .mark_circle(size=18, opacity=0.45, color=DEEP_ICE)
        .encode(
            x=alt.X("R:Q", title="R: days since the last purchase", scale=alt.Scale(nice=False)),
            y=alt.Y(
                "F:Q", title="F: purchase dates in a year", scale=alt.Scale(type="log", nice=False)
            ),
        )
    )
    across = alt.Chart(pl.DataFrame({"R": lines["R"]})).mark_rule(color=FIRE, opacity=0.5)
    up = alt.Chart(pl.DataFrame({"F": lines["F"]})).mark_rule(
        color=ICE, opacity=0.6, strokeDash=[4, 3]
    )
    chart = styled(
        points + across.encode(x="R:Q") + up.encode(y="F:Q"),
        title=f"Half of the customers bought in the last {np.median(data['R']):.0f} days",
        subtitle=f"n = {len(data):,}; lines: the {bins}-quantiles of R (solid) and F (dashed)",
    )
    return data, chart


def agreement(data: pl.DataFrame) -> Any:
    """Draw the joint agreement by k, one mark for each way to group."""
    share = alt.Axis(format="%")
    marks = (
        alt.Chart(data)
        .mark_line(point=alt.OverlayMarkDef(filled=True, size=60))
        .encode(
            x=alt.X("k:O", title="k: customers in a group at least"),
            y=alt.Y("RFM:Q", title="customers with the same R, F and M ranks", axis=share),
            color=alt.Color("method:N", title=None, scale=alt.Scale(scheme="tableau10")),
            strokeDash=alt.StrokeDash("method:N", title=None),
        )
    )
    best = data.sort("RFM")["method"][-1]
    title = f"RFM analysis says the same about most customers with: {best}"
    return styled(marks, title=title, subtitle="k as verified in the release")


def losses(ours: pl.DataFrame, teams: dict[str, float]) -> Any:
    """Draw our information loss beside the teams of the contest."""
    rows = [(f"round 1, {place}", value, "team") for place, value in teams.items()]
    rows += [(f"ours, k = {k}", loss, "ours") for k, loss in ours.select("k", "loss").iter_rows()]
    data = pl.DataFrame(rows, schema=["who", "loss", "ours"], orient="row")
    colors = alt.Scale(domain=["ours", "team"], range=[ICE, SLATE])
    bars = (
        alt.Chart(data)
        .mark_bar()
        .encode(
            x=alt.X("loss:Q", title="information loss (smaller is better)"),
            y=alt.Y("who:N", title=None, sort="x"),
            color=alt.Color("ours:N", title=None, scale=colors),
        )
    )
    text = bars.mark_text(align="left", dx=4).encode(text=alt.Text("loss:Q", format=".3f"))
    title = "Information loss on PWSCUP 2018's data"
    return styled(bars + text, title=title, subtitle="Teams: those not shot down in round 1")
