"""The check of a custom contest: the columns of the original, and cells that fit their roles."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

import polars as pl

from tokumei.data.columns import LINE, READERS
from tokumei.data.text import content
from tokumei.errors import SubmissionError
from tokumei.rules.lines import WHOLE_LINE, refuse_long
from tokumei.rules.problems import Problems, Report

CHECKED = ("person", "time", "price", "quantity")
"""The roles whose cells can be wrong; the others are any text."""
BLOCK = 50_000
LONGEST_HEADER = 200
"""Characters of a wrong header that are shown."""


def check_table(path: Path, columns: Sequence[str], roles: Mapping[str, str]) -> Report:
    """Check a CSV file with a header; `roles` says what the cells of a column must be.

    An empty cell is a suppressed one, but every row needs its person.
    """
    problems = Problems(path.name, labels={})
    table = _whole_rows(path, columns, problems)
    for name, role in roles.items():
        if name in columns and role in CHECKED:
            cells = table[:, 1 + columns.index(name)]
            cells = cells.set(cells.str.strip_chars() == "", None)
            unfit = _unfit(cells, role)
            rule = READERS[role][1]
            problems.breaks(rule, name, table.filter(unfit)[LINE], cells.filter(unfit))
    return problems.report()


def _whole_rows(path: Path, columns: Sequence[str], problems: Problems) -> pl.DataFrame:
    """Return the rows that have all cells, with line numbers first; the others are noted."""
    schema = {LINE: pl.Int64} | {f"{place}": pl.String for place in range(len(columns))}
    parts = [pl.DataFrame(schema=schema)]
    wrong: list[tuple[int, str]] = []
    for block in _blocks(path, columns):
        wrong += [(row, f"{len(cells)}") for row, cells in block if len(cells) != len(columns)]
        whole = [(row, *cells) for row, cells in block if len(cells) == len(columns)]
        parts.append(pl.DataFrame(whole, schema=schema, orient="row"))
    table = pl.concat(parts)
    if table.is_empty() and not wrong:
        raise SubmissionError("A submission must have a header and at least one row.")
    rule = f"A row must have {len(columns)} cells"
    problems.breaks(rule, WHOLE_LINE, [row for row, _ in wrong], [value for _, value in wrong])
    return table


def _blocks(path: Path, columns: Sequence[str]) -> Iterator[list[tuple[int, list[str]]]]:
    """Return the numbered rows, some at a time: as lists they take ten times the file's memory."""
    reader = csv.reader(io.StringIO(_text(path), newline=""), strict=True)
    rows = enumerate(reader, start=1)
    try:
        for _, header in islice(rows, 1):
            _check_header(header, columns)
        while block := list(islice(rows, BLOCK)):
            yield block
    except csv.Error as error:
        line = f"{reader.line_num:,}"
        raise SubmissionError(f"Line {line} cannot be read as CSV ({error}).") from None


def _text(path: Path) -> str:
    data = content(path, zero_allowed=False)
    refuse_long(data, path.name)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        row = data.count(b"\n", 0, error.start) + 1
        raise SubmissionError(f"A file must be UTF-8 text; row {row:,} is not.") from None


def _check_header(found: Sequence[str], columns: Sequence[str]) -> None:
    if list(found) != list(columns):
        given = ", ".join(found)
        shown = f"{given[:LONGEST_HEADER]}…" if len(given) > LONGEST_HEADER else given
        raise SubmissionError(f"The columns must be {', '.join(columns)}, not {shown}.")


def _unfit(cells: pl.Series, role: str) -> pl.Series:
    """Tell which cells cannot be read as what their column is."""
    if role == "person":
        return cells.is_null()
    values = READERS[role][0](cells)
    unread = values.is_null() & cells.is_not_null()
    return unread | ~values.is_finite().fill_null(value=True) if role == "price" else unread
