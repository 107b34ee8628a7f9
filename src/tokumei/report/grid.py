"""A table of a report, the same for HTML, Markdown and the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

SHOWN_ROWS = 200
"""A longer table is cut on a page."""


@dataclass(frozen=True)
class Head:
    """A column: its name, and whether it holds numbers."""

    name: str
    number: bool = False


@dataclass(frozen=True)
class Grid:
    """Texts in rows and columns; the first column names the row."""

    heads: Sequence[Head]
    rows: Sequence[Sequence[str]]
    cut: int = 0
    """Rows that are left out."""

    def shortened(self) -> Grid:
        """Return as much of the table as is shown on a page."""
        cut = max(0, len(self.rows) - SHOWN_ROWS)
        return replace(self, rows=self.rows[:SHOWN_ROWS], cut=cut)
