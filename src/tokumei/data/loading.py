"""Any table in: a file by its kind, or a data frame of another library."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import narwhals as nw
import polars as pl

from tokumei.data.text import read_strings, without_blanks
from tokumei.errors import ReadError, SchemaError

EXCEL = (".xlsx", ".xls", ".xlsm", ".xlsb", ".ods")
PARQUET = (".parquet", ".pq")


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
    if ending in PARQUET:
        return _complete(_load_parquet(path), path)
    try:
        # As text: a column that mixes numbers and words (invoice C536379) would lose cells.
        rows = pl.read_excel(path, infer_schema_length=0)
    except pl.exceptions.NoDataError as error:
        raise ReadError(f"{path.name} is empty; a history needs at least one row.") from error
    except Exception as error:  # the Excel engine raises types of its own
        raise ReadError(f"{path.name} is a broken or truncated Excel file.") from error
    return _complete(without_blanks(rows), path)


def _load_parquet(path: Path) -> pl.DataFrame:
    try:
        return without_blanks(pl.read_parquet(path))
    except (pl.exceptions.PolarsError, OSError) as error:
        raise ReadError(f"{path.name} is a broken or truncated Parquet file.") from error


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
