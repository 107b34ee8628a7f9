"""The import graph of the package, drawn from its source whenever the page is built."""

from __future__ import annotations

import sys
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from layered_layout import Piece, Place, across, ordered, routed
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

sys.path.insert(0, str(Path(__file__).parents[2]))

from tools.imports import layers, reduced

from tokumei.report.charts import ICE

ROW, BOX, LETTER = 54, 26, 7.9
"""Pixels: from a row to the next, the height of a box, the width of a letter."""
LINE_WIDTH, BOX_MARGIN = 20, 22
"""Room for a line, and beside a box."""
STYLE = """
.imports{max-width:100%;height:auto;font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,
'DejaVu Sans Mono',monospace}
.imports text{fill:currentColor;text-anchor:middle}
.imports rect{fill:ICE;fill-opacity:.14;stroke:ICE}
.imports .everywhere{fill:none;stroke-dasharray:4 3}
.imports g{opacity:.6}
.imports path{fill:none;stroke:currentColor;stroke-width:1.3}
.imports marker path{fill:currentColor;stroke:none}
""".replace("ICE", ICE)
WORDS = {
    "en": "The parts of the package by layer; an arrow points to a part that is imported.",
    "ja": "パッケージの部分を層ごとに並べた図。矢印はインポートされる側を指します。",
}


def svg(title: str) -> str:
    """Return the picture: the first layer as one box, because arrows to it would say nothing."""
    everywhere, *rows = layers()
    edges = [edge for edge in reduced() if not set(edge) & set(everywhere)]
    places, pieces = routed(rows, edges)
    places = ordered(places, pieces)
    widths = {
        place: LINE_WIDTH if place.passes else _box_width(place.name) + BOX_MARGIN
        for row in places
        for place in row
    }
    x = across(places, pieces, widths)
    width = max(x[place] + widths[place] / 2 for place in x)
    shapes = [_line(piece, x, last=not piece[1].passes) for piece in pieces]
    shapes = ["<g>", *shapes, "</g>"]
    shapes += [_framed(p.name, x[p], _top(p.row), "part") for p in sorted(x) if not p.passes]
    shapes.append(_framed(" ".join(everywhere), width / 2, 0, "everywhere"))
    height = _top(len(rows) - 1) + BOX
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="imports" role="img" '
        f'viewBox="-1 -1 {width + 2:g} {height + 2:g}" width="{width + 2:g}" '
        f'height="{height + 2:g}"><title>{escape(title)}</title><style>{STYLE}</style>'
        '<defs><marker id="import" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
        'markerHeight="7" orient="auto"><path d="M0,0L8,4L0,8z"/></marker></defs>'
        + "".join(shapes)
        + "</svg>"
    )


def _top(row: int) -> int:
    return (row + 1) * ROW


def _box_width(words: str) -> float:
    return len(words) * LETTER + 16


def _framed(words: str, x: float, y: float, kind: str) -> str:
    width = _box_width(words)
    return (
        f'<rect class="{kind}" x="{x - width / 2:g}" y="{y:g}" width="{width:g}" height="{BOX}" '
        f'rx="3"/><text x="{x:g}" y="{y + 17.5:g}">{escape(words)}</text>'
    )


def _line(piece: Piece, x: dict[Place, float], *, last: bool) -> str:
    """Draw a piece of a line; one through a row goes straight up between the boxes."""
    low, high = piece
    head = ' marker-end="url(#import)"' if last else ""
    start, end = x[low], x[high]
    if low.row == high.row:
        y = _top(low.row) + BOX
        path = f"M{start:g},{y:g}C{start:g},{y + 18:g} {end:g},{y + 18:g} {end:g},{y + 2:g}"
    else:
        bottom, top = _top(low.row), _top(high.row) + BOX + (2 if last else 0)
        half = (bottom + top) / 2
        through = f"V{_top(high.row):g}" if high.passes else ""
        path = f"M{start:g},{bottom:g}C{start:g},{half:g} {end:g},{half:g} {end:g},{top:g}{through}"
    # A line that others have joined is no longer that of one part.
    whose = "" if low.passes else f' data-import="{low.name} {high.name}"'
    return f'<path{whose} d="{path}"{head}/>'


class ImportGraph(SphinxDirective):
    """The picture, with its title in the language of the page."""

    def run(self) -> list[nodes.Node]:
        # The page depends on the whole source.
        self.env.note_reread()
        title = WORDS["ja" if self.env.docname.startswith("ja/") else "en"]
        return [nodes.raw("", svg(title), format="html")]


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("import-graph", ImportGraph)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
