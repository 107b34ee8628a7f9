"""Any table in: a file by its kind, or a data frame of another library."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import narwhals as nw
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from tokumei.data.limits import refuse_huge
from tokumei.data.text import read_strings, without_blanks
from tokumei.data.workbooks import read_workbook
from tokumei.errors import ReadError, SchemaError

EXCEL = (".xlsx", ".xls", ".xlsm", ".xlsb", ".ods")
PARQUET = (".parquet", ".pq")
BROKEN_PARQUET = (
    *(pl.exceptions.PolarsError, pa.ArrowException, OSError),
    pl.exceptions.PanicException,  # which is no Exception
    UnicodeDecodeError,  # of a sentence of Arrow that quotes the file
)


@dataclass(frozen=True)
class Loaded:
    """A table as it came, before any column has a meaning."""

    rows: pl.DataFrame
    first_line: int
    """The number that a person gives the first row: 2 under a header."""
    kind: str


def load(source: Any, *, encoding: str | None = None) -> Loaded:
    """Load a file with a header, or a pandas, polars, pyarrow or DuckDB table."""
    if isinstance(source, str | Path):
        return Loaded(_load_file(Path(source), encoding), first_line=2, kind="polars")
    try:
        native = nw.from_native(source)
    except nw.exceptions.DuplicateError as error:
        raise SchemaError(f"Every column of a table needs a name of its own ({error}).") from error
    except TypeError as error:
        raise SchemaError(
            "A history is read from a file or from a pandas, polars, pyarrow or DuckDB table, "
            f"not from {type(source).__name__}."
        ) from error
    kind = native.implementation.value
    if isinstance(native, nw.LazyFrame):
        rows = native.collect("polars").to_native()
        kind = "polars-lazy" if kind == "polars" else kind
    else:
        rows = _to_polars(native)
    if rows.is_empty():
        raise ReadError("The table has no rows; a history needs at least one row.")
    return Loaded(without_blanks(rows), first_line=1, kind=kind)


def _to_polars(native: nw.DataFrame[Any]) -> pl.DataFrame:
    if native.implementation.is_pandas_like():
        # A column of objects may mix numbers and words, as pandas reads StockCode from Excel.
        mixed = [name for name, dtype in native.schema.items() if dtype == nw.Object]
        texts = {name: native.to_native()[name].map(str, na_action="ignore") for name in mixed}
        native = nw.from_native(native.to_native().assign(**texts))
    return native.to_polars()


def _load_file(path: Path, encoding: str | None) -> pl.DataFrame:
    ending = path.suffix.lower()
    if ending not in (*PARQUET, *EXCEL):
        return read_strings(path, header=True, encoding=encoding)
    if not path.is_file():
        raise ReadError(f"There is no file {path}.")
    rows = _load_parquet(path) if ending in PARQUET else read_workbook(path)
    return _complete(without_blanks(rows), path)


def _load_parquet(path: Path) -> pl.DataFrame:
    check_parquet(path)
    try:
        return pl.read_parquet(path, glob=False)
    except BROKEN_PARQUET as error:
        raise ReadError(f"{path.name} is a broken or truncated Parquet file.") from error


def check_parquet(path: Path) -> None:
    """Raise a ReadError if a file is no Parquet, or says that it has more than fits into memory."""
    try:
        told = pq.read_metadata(path)
        groups = [told.row_group(number) for number in range(told.num_row_groups)]
    except BROKEN_PARQUET as error:
        raise ReadError(f"{path.name} is a broken or truncated Parquet file.") from error
    unpacked = sum(group.total_byte_size for group in groups)
    refuse_huge(path.name, rows=told.num_rows, columns=told.num_columns, unpacked=unpacked)


def _complete(rows: pl.DataFrame, path: Path) -> pl.DataFrame:
    if rows.is_empty():
        raise ReadError(f"{path.name} has no rows; a history needs at least one row.")
    return rows


def only(rows: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    """Return these columns, or say which is missing."""
    for column in columns:
        if column not in rows.columns:
            raise SchemaError(
                f"There is no column '{column}'; the columns are {', '.join(rows.columns)}."
            )
    return rows.select(columns)
