"""Text files in: encodings, compression, and limits that hostile files run into early."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, cast

import polars as pl

from tokumei.errors import ReadError, SchemaError

LONGEST_LINE = 1 << 20
CHUNK = 1 << 20
ENCODINGS = ("utf-8-sig", "cp932")
SEPARATORS = (",", "\t", ";")


def read_strings(path: Path, *, header: bool, encoding: str | None = None) -> pl.DataFrame:
    """Read a CSV file (also .gz) as strings; without a header the columns are 1, 2 and so on."""
    data = _decoded(_content(path), path, encoding).rstrip(b"\r\n")
    if not data.strip():
        raise ReadError(f"{path.name} is empty; a history needs at least one row.")
    first_line = data[: data.find(b"\n") + 1 or len(data)].decode()
    separator = max(SEPARATORS, key=first_line.count)
    try:
        rows = pl.read_csv(data, has_header=header, infer_schema=False, separator=separator)
    except pl.exceptions.PolarsError as error:
        raise _explained(data, separator, path) from error
    if header and rows.is_empty():
        raise ReadError(f"{path.name} has a header and no rows; a history needs at least one row.")
    if not header:
        rows.columns = [str(number) for number in range(1, rows.width + 1)]
    return rows


def _content(path: Path) -> bytes:
    """Return the bytes of a file, unpacked, or say what is wrong with it."""
    try:
        with path.open("rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
            file.seek(0)
            if not packed:
                return b"".join(_bounded_lines(file, path))
            with gzip.open(file) as unpacked:
                return b"".join(_bounded_lines(cast("IO[bytes]", unpacked), path))
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ReadError(f"{path.name} is a broken or truncated gzip file ({error}).") from error
    except FileNotFoundError as error:
        raise ReadError(f"There is no file {path}.") from error
    except IsADirectoryError as error:
        raise ReadError(f"{path} is a folder; a file is needed.") from error
    except PermissionError as error:
        raise ReadError(f"{path} may not be read ({error.strerror}).") from error


def _bounded_lines(stream: IO[bytes], path: Path) -> Iterator[bytes]:
    line_length = 0
    line = 1
    while chunk := stream.read(CHUNK):
        if b"\0" in chunk:
            line += chunk[: chunk.index(b"\0")].count(b"\n")
            raise ReadError(f"{path.name} is not a text file: line {line:,} has a zero byte.")
        end = chunk.find(b"\n")
        if line_length + (end if end >= 0 else len(chunk)) > LONGEST_LINE:
            raise ReadError(
                f"Line {line:,} of {path.name} is longer than {LONGEST_LINE:,} bytes; "
                "is it a table with one row a line?"
            )
        line += chunk.count(b"\n")
        line_length = len(chunk) - chunk.rfind(b"\n") - 1 if end >= 0 else line_length + len(chunk)
        yield chunk


def _decoded(data: bytes, path: Path, encoding: str | None) -> bytes:
    """Return the text as UTF-8 without a byte order mark."""
    if encoding is not None:
        try:
            codecs.lookup(encoding)
        except LookupError as error:
            raise ReadError(f"There is no encoding called '{encoding}'.") from error
    for name in (encoding,) if encoding else ENCODINGS:
        try:
            text = data.decode(name)
        except UnicodeDecodeError as error:
            line = data[: error.start].count(b"\n") + 1
            problem = f"byte 0x{data[error.start]:02x} in line {line:,}"
        else:
            return data.removeprefix(codecs.BOM_UTF8) if name == "utf-8-sig" else text.encode()
    tried = encoding or "UTF-8 or Shift_JIS"
    raise ReadError(
        f"{path.name} is not {tried} text ({problem}); give its encoding with --encoding."
    )


def _explained(data: bytes, separator: str, path: Path) -> SchemaError:
    """Find the row that has too many cells: polars does not tell its number."""
    lines = csv.reader(io.StringIO(data.decode()), delimiter=separator)
    width = len(next(lines))
    for number, cells in enumerate(lines, start=2):
        if len(cells) > width:
            return SchemaError(
                f"Every row of {path.name} must have {width} cells as the first has; "
                f"row {number:,} has {len(cells)}."
            )
    return SchemaError(f"{path.name} cannot be read as CSV: a quotation mark is not closed.")
