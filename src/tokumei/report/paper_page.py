"""A page that sets a paper's tables and figures beside ours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

import tokumei
from tokumei.data.writing import whole_folder, write_frame
from tokumei.errors import ReadError
from tokumei.report import charts
from tokumei.report.rendering import rendered


@dataclass(frozen=True)
class Section:
    """One table or figure: what it shows, a sentence on every difference, and its data."""

    name: str
    """The file name of its data and chart, such as `table4` or `fig9`."""
    title: str
    text: str
    data: pl.DataFrame
    chart: Any = None
    shown: Sequence[str] = field(default=())
    """Columns of the table on the page; without any, the chart alone is shown."""


def find_data(folder: Path, wanted: str) -> Path:
    """Return a paper's data file, whichever of the three levels above it was given."""
    for root in (folder, folder.parent, folder / "data"):
        if (root / wanted).is_file():
            return root / wanted
    raise ReadError(f"{folder} has no {wanted}, the data of the paper.")


def write_page(
    folder: Path, *, title: str, lead: str, sections: Sequence[Section], made_by: str
) -> None:
    """Write index.html, and the data (CSV) and chart (SVG and PNG) of every section."""
    with whole_folder(folder) as part:
        pictures = {}
        for section in sections:
            write_frame(section.data, part / f"{section.name}.csv")
            if section.chart is not None:
                pictures[section.name] = charts.text(section.chart, "svg")
                charts.save(section.chart, part / f"{section.name}.svg")
                charts.save(section.chart, part / f"{section.name}.png")
        page = rendered(
            "paper.html",
            language="en",
            title=title,
            lead=lead,
            sections=sections,
            pictures=pictures,
            made_by=made_by,
            version=tokumei.__version__,
        )
        (part / "index.html").write_text(page, encoding="utf-8")
