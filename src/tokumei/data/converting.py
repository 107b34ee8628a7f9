"""From one form of a history to another; deleted rows of a submission keep their places."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from tokumei.cells import kind, to_text
from tokumei.data.loading import PARQUET, load
from tokumei.data.pwscup import COLUMNS, DELETED, contest_text
from tokumei.data.writing import is_parquet, whole_file, write_frame
from tokumei.history import ROLES, ROW, History
from tokumei.tables import table


def read_typed(path: Path) -> tuple[History, int] | None:
    """Read a Parquet file that `write_as` wrote from generalized cells or with deleted rows."""
    if path.suffix not in PARQUET:
        return None
    rows = load(path).rows
    ours = "person" in rows.columns and set(rows.columns) <= set(ROLES)
    wide = any(kind(dtype) != "exact" for dtype in rows.dtypes)
    if not ours or not (wide or rows["person"].null_count()):
        return None
    rows = rows.with_columns(pl.int_range(pl.len(), dtype=pl.Int64).alias(ROW))
    return History(table(rows.drop_nulls("person"))), len(rows)


def write_as(history: History, form: str, path: Path, *, lines: int | None) -> None:
    """Write a history in a form; with `lines`, rows that are missing are written as deleted."""
    if form in COLUMNS:
        text = contest_text(history, form, lines=lines if DELETED[form] else None)
        with whole_file(path) as file:
            file.write(text.encode())
        return
    rows = history.frame()
    if lines is not None and lines > len(rows):
        every = pl.DataFrame({ROW: pl.int_range(lines, eager=True)})
        rows = every.join(rows, on=ROW, how="left", maintain_order="left")
    rows = rows.drop(ROW)
    if not is_parquet(path):
        rows = rows.with_columns(_texts(rows[name]) for name in rows.columns)
    write_frame(rows.rename({name: history.source.name(name) for name in rows.columns}), path)


def _texts(cells: pl.Series) -> pl.Series:
    if kind(cells.dtype) == "exact":
        return cells
    return to_text(cells, _text)


def _text(values: pl.Series) -> pl.Series:
    return values.cast(pl.String)
