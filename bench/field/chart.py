"""The ratios as a picture."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import altair as alt
import polars as pl

from bench.field.comparing import Measured
from bench.field.report import Topic
from tokumei.report.charts import FIRE, ICE, SLATE, styled


def drawn(topics: Sequence[Topic]) -> Any:
    """Draw a point for every comparison, on a scale of powers of ten; 1 is as fast as the peer."""
    rows = [
        {
            "topic": topic.title,
            "line": f"{line.comparison.work}: {line.comparison.peer}",
            "data": "generated" if "generated" in line.comparison.data else "real",
            "ratio": line.outcome.ratio,
        }
        for topic in topics
        for line in topic.lines
        if isinstance(line.outcome, Measured)
    ]
    table = pl.DataFrame(rows)
    behind = table.filter(pl.col("ratio") < 1)["line"].n_unique()
    count = table["line"].n_unique()
    title = f"Faster than the peer in {count - behind} of {count} works"
    low, high = (math.log10(value) for value in (table["ratio"].min(), table["ratio"].max()))
    powers = [10.0**power for power in range(math.floor(low), math.ceil(high) + 1)]
    base = alt.Chart(table).encode(
        y=alt.Y("line:N", title=None, sort=table["line"].unique(maintain_order=True).to_list(),
                axis=alt.Axis(labelLimit=340, grid=True)),
    )  # fmt: skip
    points = base.mark_point(filled=True, size=70, opacity=1).encode(
        x=alt.X("ratio:Q", title="times as long as ours the peer takes (seconds of one core)",
                scale=alt.Scale(type="log", domain=[min(powers), max(powers)]),
                axis=alt.Axis(format=",~g", values=powers)),
        shape=alt.Shape("data:N", title="data", scale=alt.Scale(
            domain=["generated", "real"], range=["circle", "diamond"])),
        color=alt.condition(alt.datum.ratio < 1, alt.value(FIRE), alt.value(ICE)),
    )  # fmt: skip
    equal = alt.Chart(pl.DataFrame({"one": [1.0]})).mark_rule(color=SLATE, strokeDash=[4, 3])
    equal = equal.encode(x="one:Q")
    subtitle = "Right of the dashed line we are faster, left of it (orange) the peer is"
    return styled(equal + points, title=title, subtitle=subtitle, width=420,
                  height=20 * count)  # fmt: skip
