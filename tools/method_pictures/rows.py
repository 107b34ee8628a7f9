"""Rows of a history as texts, and the two tables that most pictures have."""

from __future__ import annotations

import polars as pl

from tokumei import History
from tokumei.cells import to_text
from tools.method_pictures.drawing import LINE, Drawing

CELLS = ("time", "item", "price", "quantity")
LEFT = {"person": 52, "time": 58, "item": 54, "price": 48, "quantity": 34}
RIGHT = sum(LEFT.values()) + 24
"""Where the table on the right begins."""
HEADS = {"person": "", "time": "date", "item": "item", "price": "price", "quantity": "pieces"}


def shown(history: History, columns: tuple[str, ...]) -> list[list[str]]:
    """Return the cells as texts; an interval has a dash, a set commas, a suppressed cell a star."""
    rows = history.frame()

    def write(values: pl.Series) -> pl.Series:
        if values.dtype.is_temporal():
            return values.dt.strftime("%b %d")
        if values.dtype.is_float():
            return values.map_elements("{:.2f}".format, return_dtype=pl.String)
        return values.cast(pl.String)

    texts = [
        to_text(rows[name], write)
        .str.replace_all(r"[\[\]{}]", "")
        .str.replace_all(";", "–" if name != "item" else ", ")
        for name in columns
    ]
    return [list(row) for row in zip(*texts, strict=True)]


def heading(drawing: Drawing, left: str, right: str, columns: dict[str, int], y: int) -> None:
    """Write what the two tables are, and their columns."""
    drawing.text(0, y, left, "s")
    drawing.text(RIGHT, y, right, "s")
    for x, widths in ((0, LEFT), (RIGHT, columns)):
        for name, width in widths.items():
            drawing.text(x, y + LINE, HEADS.get(name, name), "s")
            x += width
