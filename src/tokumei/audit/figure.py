"""A figure of the report: a finding, the numbers behind it, and the chart that draws them.

A report is handed around. No figure has an id of a customer, none pairs a customer's numbers before
with those after, as the pairs would be the key, and none shows a number of the original that fewer
than five customers make up, or one of them for the most part.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Any

import altair as alt
import polars as pl

from tokumei.report.charts import SLATE, styled

WIDTH = 470
TITLE_WIDTH, TEXT_WIDTH = 76, 94
"""Characters in a line of a title and of the text below it, as far as a picture is wide."""
PERCENT = "format(100 * datum.value, '.0f') + '%'"
RELEASED, BEFORE = "#1f77b4", "#8a96a3"
"""What is released is drawn in ice, what was before in grey."""

FEW = 5
"""What fewer customers of the original than this make up is not shown."""

WIDE = "\u3000-\u9fff\uff00-\uffef"
PIECES = re.compile(rf"[{WIDE}]|[^\s{WIDE}]+\s*|\s+")


@dataclass(frozen=True, eq=False)
class Figure:
    """A chart with its data."""

    name: str
    """Fit for the name of a file."""
    title: str
    """The finding, as a sentence."""
    text: str
    """What is drawn, and of how many."""
    data: pl.DataFrame
    chart: Any


@dataclass(frozen=True)
class Missing:
    """A figure that these data do not give, and why."""

    name: str
    reason: str


def finished(
    name: str,
    title: str,
    text: str,
    data: pl.DataFrame,
    chart: Any,
    *,
    width: int | alt.Step = WIDTH,
    height: int | alt.Step = 240,
) -> Figure:
    """Give a chart the house style; a picture that leaves the page takes title and text along."""
    heading = alt.TitleParams(
        lines(title, TITLE_WIDTH),
        subtitle=lines(text, TEXT_WIDTH),
        anchor="start",
        frame="bounds",
        subtitleColor=SLATE,
        offset=14,
    )
    # A reader's font may be wider than the one that the picture was measured with.
    padding = {"left": 14, "top": 5, "right": 26, "bottom": 5}
    drawn = styled(chart, title="").properties(
        title=heading, width=width, height=height, padding=padding
    )
    return Figure(name, title, text, data, drawn)


def lines(text: str, width: int) -> list[str]:
    """Break a text into lines: between words, and between any two characters of Japanese."""
    broken = [""]
    for piece in PIECES.findall(text):
        if _width(broken[-1]) + _width(piece.rstrip()) > width and broken[-1]:
            broken.append("")
        broken[-1] += piece if broken[-1] else piece.lstrip()
    return [line.rstrip() for line in broken]


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text)


def percent_axis(**settings: Any) -> alt.Axis:
    """Return an axis of shares, labeled as the texts write them."""
    return alt.Axis(labelExpr=PERCENT, **settings)


def before_and_after(before: str, after: str) -> alt.Scale:
    """Return the colors of the original and the release."""
    return alt.Scale(domain=[before, after], range=[BEFORE, RELEASED])


def sized(field: str, title: str, counts: pl.Series, areas: list[int]) -> alt.Size:
    """Return an area for a count, with a legend from 1 to the largest."""
    largest = int(counts.max() or 1)  # type: ignore[arg-type]
    values = sorted({1, -(-largest // 4), largest})
    legend = alt.Legend(values=values, format=",d", symbolFillColor=RELEASED, symbolStrokeWidth=0)
    scale = alt.Scale(domain=[0, largest], range=areas)
    return alt.Size(f"{field}:Q", title=title, scale=scale, legend=legend)
