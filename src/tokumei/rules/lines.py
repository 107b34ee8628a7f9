"""A contest file as it was sent: its lines cut into cells, whatever they hold.

Nothing here stops at the first problem. What breaks the form of the file (a byte order mark, zero
bytes, another encoding, spaces, empty lines) is noted and taken away, so that the cells can be
checked in the same pass.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from pathlib import Path

import polars as pl

from tokumei.data.columns import LINE
from tokumei.data.text import content
from tokumei.errors import ReadError
from tokumei.rules.problems import Problems

WHOLE_LINE = "whole line"
"""Named as the column of a problem that concerns no single one."""
MOST_LINES = 5_000_000
WHOLE = "_whole"
"""Marks the rows that have the right number of cells."""


def read_cells(path: Path, columns: tuple[str, ...], problems: Problems) -> pl.DataFrame:
    """Return the cells as texts, with line numbers; a row with the wrong number has none."""
    data = content(path, zero_allowed=True)
    refuse_long(data, path.name)
    if data.startswith(BOM_UTF8):
        rule = "A file must begin with its first cell, without a byte order mark"
        problems.breaks(rule, columns[0], [1], [None])
        data = data[len(BOM_UTF8) :]
    lines = data.split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    if b"\r" in data:
        lines = _without_returns(lines, problems)
    lines = _without_empty_end(lines, problems)
    texts = pl.Series("text", _decoded(lines, columns, problems), dtype=pl.String)
    counts = texts.str.count_matches(",") + 1
    cells = texts.set(counts != len(columns), None).str.split_exact(",", len(columns) - 1)
    rows = (
        cells.struct.rename_fields(columns)
        .struct.unnest()
        .with_columns(
            pl.int_range(1, pl.len() + 1).alias(LINE), (counts == len(columns)).alias(WHOLE)
        )
    )
    wrong = ~rows[WHOLE]
    rule = f"A row must have {len(columns)} cells"
    problems.breaks(rule, WHOLE_LINE, rows.filter(wrong)[LINE], counts.filter(wrong))
    # Most files have no space at all.
    return _without_spaces(rows, columns, problems) if texts.str.contains(r"\s").any() else rows


def refuse_long(data: bytes, name: str) -> None:
    """Raise a ReadError if a file has more lines than any contest: each takes 200 bytes here."""
    if (lines := data.count(b"\n")) > MOST_LINES:
        raise ReadError(f"{name} has {lines:,} lines; a contest file may have {MOST_LINES:,}.")


def _without_returns(lines: list[bytes], problems: Problems) -> list[bytes]:
    ended = [number for number, line in enumerate(lines, start=1) if line.endswith(b"\r")]
    # The contests' own files have them, so they do not make a file invalid.
    rule = "A line should end in LF, not in CR LF"
    problems.breaks(rule, WHOLE_LINE, ended, [None] * len(ended), "warning")
    return [line.removesuffix(b"\r") for line in lines]


def _without_empty_end(lines: list[bytes], problems: Problems) -> list[bytes]:
    end = next((n for n in range(len(lines), 0, -1) if lines[n - 1].strip()), 0)
    empty = list(range(end + 1, len(lines) + 1))
    rule = "A file must end with its last row, without empty lines"
    problems.breaks(rule, WHOLE_LINE, empty, [None] * len(empty))
    return lines[:end]


def _decoded(lines: list[bytes], columns: tuple[str, ...], problems: Problems) -> list[str]:
    whole = b"\n".join(lines)
    if b"\0" not in whole:
        try:
            return whole.decode().split("\n") if lines else []
        except UnicodeDecodeError:
            pass
    texts: list[str] = []
    found: dict[tuple[str, str], list[tuple[int, str]]] = {}
    for number, line in enumerate(lines, start=1):
        text = line.replace(b"\0", b"")
        if text != line:
            key = "A cell must not hold a zero byte", _column(line, line.index(b"\0"), columns)
            found.setdefault(key, []).append((number, ""))
        try:
            texts.append(text.decode())
        except UnicodeDecodeError as error:
            rule, seen = _read_otherwise(text)
            key = rule, _column(text, error.start, columns)
            found.setdefault(key, []).append((number, seen))
            texts.append(seen)
    for (rule, column), places in found.items():
        problems.breaks(rule, column, [row for row, _ in places], [seen for _, seen in places])
    return texts


def _column(line: bytes, place: int, columns: tuple[str, ...]) -> str:
    return columns[min(line.count(b",", 0, place), len(columns) - 1)]


def _read_otherwise(line: bytes) -> tuple[str, str]:
    """Return the rule that a line breaks which is not UTF-8, and the line as it may be meant."""
    try:
        return "A file must be UTF-8 text; this line looks like Shift_JIS", line.decode("cp932")
    except UnicodeDecodeError:
        return "A file must be UTF-8 text", line.decode(errors="replace")


def _without_spaces(
    rows: pl.DataFrame, columns: tuple[str, ...], problems: Problems
) -> pl.DataFrame:
    for column in columns:
        stripped = rows[column].str.strip_chars()
        spaced = rows.filter(stripped != rows[column])
        rule = "A cell must not begin or end with spaces"
        problems.breaks(rule, column, spaced[LINE], spaced[column])
        rows = rows.with_columns(stripped)
    return rows
