"""Charts: Vega-Lite specs with their data inside, in one look, saved as SVG, PNG, HTML or JSON."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import altair as alt

from tokumei.data.writing import whole_file
from tokumei.errors import ParameterError

ICE, DEEP_ICE = "#1f77b4", "#0b3c5d"
FIRE, DEEP_FIRE = "#d94801", "#7f2704"
UTILITY = "#1b7f79"
SLATE = "#55626f"
FONT = 'system-ui, "Hiragino Sans", "Yu Gothic UI", "Noto Sans JP", "Noto Sans CJK JP", sans-serif'
ENDINGS = (".svg", ".png", ".html", ".json")


def styled(
    chart: Any, *, title: str, subtitle: str = "", width: int = 460, height: int = 280
) -> Any:
    """Give a chart the house style; its title is the finding."""
    heading = alt.TitleParams(title, subtitle=subtitle, anchor="start", subtitleColor=SLATE)
    return (
        chart.properties(title=heading, width=width, height=height)
        .configure(font=FONT, background="white")
        .configure_view(stroke=None)
        .configure_axis(gridColor="#e9edf1", domainColor=SLATE, labelColor=SLATE, titleColor=SLATE)
        .configure_title(fontSize=14, subtitleFontSize=12)
        .configure_legend(labelColor=SLATE, titleColor=SLATE)
    )


def save(chart: Any, path: Path) -> None:
    """Write a chart in the form that the name's ending says."""
    if path.suffix not in ENDINGS:
        raise ParameterError(f"A chart must end in {', '.join(ENDINGS)}, not '{path.suffix}'.")
    with whole_file(path) as file:
        if path.suffix == ".png":
            buffer = io.BytesIO()
            chart.save(buffer, format="png", scale_factor=2)
            file.write(buffer.getvalue())
        else:
            file.write(text(chart, path.suffix[1:]).encode())


def text(chart: Any, form: str) -> str:
    """Return a chart as svg, html or json."""
    if form == "html":
        # inline: the page must open without a network.
        html: str = chart.to_html(inline=True)
        return html
    buffer = io.StringIO()
    chart.save(buffer, format=form)
    return buffer.getvalue()
