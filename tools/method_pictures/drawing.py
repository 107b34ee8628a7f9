"""An SVG with words, boxes and rows of tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from tokumei.report.charts import FIRE, ICE
from tools.palette import colors

LINE = 19
"""How far two rows are apart."""
STYLE = (
    ".method{max-width:100%;height:auto;font:12px system-ui,'Hiragino Sans','Yu Gothic UI',"
    "'Noto Sans JP',sans-serif;font-variant-numeric:tabular-nums}"
    ".method text{fill:currentColor}.method .h{font-weight:600;font-size:14px}"
    ".method .s,.method .gone{opacity:.75}.method .gone{text-decoration:line-through}"
    f".method .new{{font-weight:600}}.method .ice{{fill:{ICE};fill-opacity:.22}}"
    f".method .fire{{fill:{FIRE}}}"
    ".method .grid{fill:none;stroke:currentColor;stroke-opacity:.35}"
    ".method .right{fill:none;stroke:currentColor;stroke-width:2}"
)


class Drawing:
    """An SVG that takes the color of its words from the page around it."""

    def __init__(self, title: str, subtitle: str = "") -> None:
        self.title = title
        self.parts: list[str] = []
        self.width = self.height = 0
        self.text(0, 14, title, "h")
        if subtitle:
            self.text(0, 31, subtitle, "s")

    def text(self, x: float, y: float, words: str, kind: str = "", anchor: str = "") -> None:
        """Write words, from their left end or around their middle."""
        known = f' class="{kind}"' if kind else ""
        placed = f' text-anchor="{anchor}"' if anchor else ""
        self.parts.append(f'<text x="{x:g}" y="{y:g}"{known}{placed}>{escape(words)}</text>')
        # No font is at hand to measure with: this is a little more than the usual ones take.
        width = len(words) * (8.4 if kind == "h" else 7.0)
        self._reach(x + width * {"": 1.0, "middle": 0.5}[anchor], y + 6)

    def box(
        self, x: float, y: float, width: float, height: float, kind: str, more: str = ""
    ) -> None:
        """Draw a box of a kind that the style knows."""
        self.parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" '
            f'class="{kind}"{more}/>'
        )
        self._reach(x + width, y + height)

    def row(
        self,
        x: float,
        y: float,
        cells: Sequence[str],
        widths: Mapping[str, int],
        kinds: Sequence[str],
    ) -> None:
        """Write a row of a table; a changed cell has a box and bold words."""
        for text, width, kind in zip(cells, widths.values(), kinds, strict=True):
            if kind == "new" and text:
                self.box(x - 3, y - 13, width - 4, LINE - 2, "ice")
            self.text(x, y, text, kind)
            x += width

    def _reach(self, x: float, y: float) -> None:
        self.width, self.height = max(self.width, round(x)), max(self.height, round(y))

    def svg(self) -> str:
        """Return the picture; alone it follows the system's light or dark setting."""
        size = f'width="{self.width + 4}" height="{self.height + 4}"'
        head = f'viewBox="-2 -2 {self.width + 4} {self.height + 4}" role="img" class="method"'
        style = f"{STYLE}{_alone('light')}@media(prefers-color-scheme:dark){{{_alone('dark')}}}"
        lines = [f"<title>{escape(self.title)}</title>", f"<style>{style}</style>", *self.parts]
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} {head}>\n'
            + "\n".join(lines)
            + "\n</svg>\n"
        )


def _alone(scheme: str) -> str:
    """Return the colors of a picture that stands in no page."""
    known = colors(scheme)
    return f"svg:root{{color:{known['text']};background:{known['ground']}}}"
