"""Tables as files: CSV, JSON and Parquet with the same columns, rows and numbers.

A spreadsheet runs a cell that looks like a formula, and teams choose their names: in CSV such a
text begins with an apostrophe, which spreadsheets hide.
"""

from __future__ import annotations

import io
import json
import unicodedata
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import polars as pl

from tokumei.contest.server.access import iso
from tokumei.contest.server.tables import ResultsTable
from tokumei.contest.store.metrics import Metric

Format = Literal["csv", "json", "parquet"]
MEDIA_TYPES: Mapping[str, str] = {
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
    "parquet": "application/vnd.apache.parquet",
    "zip": "application/zip",
}
GUARD = "'"
_TIME = "%Y-%m-%dT%H:%M:%S%.6fZ"
_STARTS_A_FORMULA = set("=+-@")
_BREAKS_A_CELL = set("\t\r\n")
_QUOTES = set("'\"`‘’“”")

Kind = Literal["number", "whole", "text", "time", "yes_or_no", "json"]
_TYPES: Mapping[Kind, pl.DataType] = {
    "number": pl.Float64(),
    "whole": pl.Int64(),
    "text": pl.String(),
    "time": pl.Datetime("us", "UTC"),
    "yes_or_no": pl.Boolean(),
    "json": pl.String(),
}


@dataclass(frozen=True)
class Sheet:
    """A table to write: its columns with what they hold, and its rows in that order."""

    columns: Mapping[str, Kind]
    rows: Sequence[Sequence[Any]]


def write(sheet: Sheet, form: Format) -> bytes:
    """Return the file of a table."""
    if form == "json":
        return _json(records(sheet))
    file = io.BytesIO()
    frame = _frame(sheet)
    if form == "parquet":
        frame.write_parquet(file)
    else:
        # Without the mark Excel takes Japanese for another encoding.
        _guarded(frame).write_csv(
            file, include_bom=True, line_terminator="\r\n", datetime_format=_TIME
        )
    return file.getvalue()


def write_all(sheets: Mapping[str, Sheet], form: Format) -> bytes:
    """Return several tables: one JSON object, or a ZIP archive with a file for each."""
    if form == "json":
        return _json({name: records(sheet) for name, sheet in sheets.items()})
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, sheet in sheets.items():
            archive.writestr(f"{name}.{form}", write(sheet, form))
    return file.getvalue()


def records(sheet: Sheet) -> list[dict[str, Any]]:
    """Return the rows as plain JSON values by column."""
    return [
        {
            name: iso(value) if kind == "time" and value is not None else value
            for (name, kind), value in zip(sheet.columns.items(), row, strict=True)
        }
        for row in sheet.rows
    ]


def results_sheet(table: ResultsTable) -> Sheet:
    """Return the table of results with a column of problems beside every metric."""
    # The metric that is the total stands as the total.
    metrics = [metric for metric in table.metrics if metric.kind != "total"]
    columns: dict[str, Kind] = {
        "rank": "whole",
        "team": "text",
        "submission": "whole",
        "created": "time",
        "chosen": "yes_or_no",
        "total": "number",
        "total_problem": "text",
    }
    for name in _titles(metrics, columns):
        columns |= {name: "number", f"{name}_problem": "text"}
    of_total = next((metric.name for metric in table.metrics if metric.kind == "total"), None)
    rows: list[list[Any]] = []
    for row in table.rows:
        problem = row.values[of_total].problem if of_total else None
        cells = [row.rank, row.team, row.submission_id, row.created, row.chosen, row.total, problem]
        for metric in metrics:
            said = row.values[metric.name]
            cells += [said.value, said.problem]
        rows.append(cells)
    return Sheet(columns, rows)


def guarded(text: str) -> str:
    """Return a text that no spreadsheet runs.

    >>> guarded("=1+1"), guarded("＝1+1"), guarded("ice")
    ("'=1+1", "'＝1+1", 'ice')
    """
    return GUARD + text if _could_run(text) else text


def unguarded(text: str) -> str:
    """Return the text that was guarded.

    >>> unguarded(guarded("=1+1")), unguarded("'tis")
    ('=1+1', "'tis")
    """
    return text[1:] if text.startswith(GUARD) and _could_run(text[1:]) else text


def _could_run(text: str) -> bool:
    # Full-width signs count too, and what a spreadsheet skips before a sign is skipped here.
    for letter in unicodedata.normalize("NFKC", text):
        if letter in _STARTS_A_FORMULA or letter in _BREAKS_A_CELL:
            return True
        if letter not in _QUOTES and unicodedata.category(letter)[0] not in "ZCM":
            return False
    return False


def _guarded(frame: pl.DataFrame) -> pl.DataFrame:
    texts = pl.col(pl.String).map_elements(guarded, return_dtype=pl.String)
    return frame.with_columns(texts).rename({name: guarded(name) for name in frame.columns})


def _frame(sheet: Sheet) -> pl.DataFrame:
    columns = zip(*sheet.rows, strict=True) if sheet.rows else ([] for _ in sheet.columns)
    return pl.DataFrame(
        {
            name: _series(kind, cells)
            for (name, kind), cells in zip(sheet.columns.items(), columns, strict=True)
        }
    )


def _series(kind: Kind, cells: Sequence[Any]) -> pl.Series:
    if kind == "json":
        cells = [None if cell is None else json.dumps(cell, ensure_ascii=False) for cell in cells]
    if kind == "time":
        # The store's times are microseconds, as these are.
        return pl.Series(values=cells, dtype=pl.Int64).cast(_TYPES["time"])
    return pl.Series(values=cells, dtype=_TYPES[kind])


def _titles(metrics: Sequence[Metric], taken: Mapping[str, object]) -> list[str]:
    """Return a name for every metric's column; two scripts can have the same title."""
    used, found = set(taken), []
    for metric in metrics:
        title = metric.title
        while {title, f"{title}_problem"} & used:
            title = f"{title} ({metric.name})"
        used |= {title, f"{title}_problem"}
        found.append(title)
    return found


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=1).encode()
