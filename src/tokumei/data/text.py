"""Text files in: encodings, compression, and limits that hostile files run into early."""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, cast

import polars as pl

from tokumei.data.limits import refuse_huge
from tokumei.errors import ReadError, SchemaError

LONGEST_LINE = 1 << 20
LARGEST_FILE = 1 << 31
"""Bytes, unpacked: a few kilobytes of gzip can hold a terabyte of zeros."""
CHUNK = 1 << 20
ENCODINGS = ("utf-8-sig", "cp932")
SEPARATORS = (",", "\t", ";")
# Kana and common kanji begin with such a byte in Shift_JIS; Latin-1, which would often decode as
# rare kanji, does not use them.
_JAPANESE = re.compile(rb"[\x81-\x9f]")


def read_strings(path: Path, *, header: bool, encoding: str | None = None) -> pl.DataFrame:
    """Read a CSV file (also .gz) as strings; without a header the columns are 1, 2 and so on."""
    # In UTF-16, which has to be asked for, every other byte is zero.
    data = content(path, zero_allowed=encoding is not None)
    data = _decoded(data, path, encoding).rstrip(b"\r\n")
    if b"\0" in data:
        raise _zero_byte(path, data.count(b"\n", 0, data.index(b"\0")) + 1)
    if not data.strip():
        raise ReadError(f"{path.name} is empty; a history needs at least one row.")
    first_line = data[: data.find(b"\n") + 1 or len(data)].decode()
    # The first line of a contest file is data, with semicolons inside its sets.
    separator = max(SEPARATORS, key=first_line.count) if header else ","
    # Every line gets all cells of the first, however short it is.
    refuse_huge(path.name, rows=data.count(b"\n"), columns=_width(data, separator, path))
    try:
        rows = pl.read_csv(data, has_header=header, infer_schema=False, separator=separator)
    except pl.exceptions.PolarsError as error:
        raise _explained(data, separator, path) from error
    if header and rows.is_empty():
        if data.count(b'"') % 2:
            raise _explained(data, separator, path)
        raise ReadError(f"{path.name} has a header and no rows; a history needs at least one row.")
    if not header:
        rows.columns = [str(number) for number in range(1, rows.width + 1)]
    return without_blanks(rows)


def _width(data: bytes, separator: str, path: Path) -> int:
    """Return the number of cells of the first record, which may have several lines."""
    lines = io.TextIOWrapper(io.BytesIO(data), "utf-8", newline="")
    try:
        return len(next(csv.reader(lines, delimiter=separator)))
    except csv.Error as error:
        raise SchemaError(f"The first row of {path.name} cannot be read ({error}).") from error


def without_blanks(rows: pl.DataFrame) -> pl.DataFrame:
    """Make cells empty that hold nothing but spaces."""
    texts = pl.col(pl.String)
    return rows.with_columns(pl.when(texts.str.strip_chars() != "").then(texts))


def content(path: Path, *, zero_allowed: bool) -> bytes:
    """Return the bytes of a file, unpacked, or say what is wrong with it."""
    try:
        with path.open("rb") as file:
            packed = file.peek(2).startswith(b"\x1f\x8b")  # a pipe cannot go back
            if not packed:
                return b"".join(_bounded_lines(file, path, zero_allowed=zero_allowed))
            with gzip.open(file) as unpacked:
                stream = cast("IO[bytes]", unpacked)
                return b"".join(_bounded_lines(stream, path, zero_allowed=zero_allowed))
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ReadError(f"{path.name} is a broken or truncated gzip file ({error}).") from error
    except FileNotFoundError as error:
        raise ReadError(f"There is no file {path}.") from error
    except IsADirectoryError as error:
        raise ReadError(f"{path} is a folder; a file is needed.") from error
    except PermissionError as error:
        raise ReadError(f"{path} may not be read ({error.strerror}).") from error


def _bounded_lines(stream: IO[bytes], path: Path, *, zero_allowed: bool) -> Iterator[bytes]:
    line_length = size = 0
    line = 1
    while chunk := stream.read(CHUNK):
        if not zero_allowed and b"\0" in chunk:
            line += chunk[: chunk.index(b"\0")].count(b"\n")
            raise _zero_byte(path, line)
        size += len(chunk)
        if size > LARGEST_FILE:
            raise ReadError(f"{path.name} is larger than {LARGEST_FILE:,} bytes when unpacked.")
        end = chunk.find(b"\n")
        if line_length + (end if end >= 0 else len(chunk)) > LONGEST_LINE:
            raise ReadError(
                f"Line {line:,} of {path.name} is longer than {LONGEST_LINE:,} bytes; "
                "is it a table with one row a line?"
            )
        line += chunk.count(b"\n")
        line_length = len(chunk) - chunk.rfind(b"\n") - 1 if end >= 0 else line_length + len(chunk)
        yield chunk


def _zero_byte(path: Path, line: int) -> ReadError:
    return ReadError(f"{path.name} is not a text file: line {line:,} has a zero byte.")


def _decoded(data: bytes, path: Path, encoding: str | None) -> bytes:
    """Return the text as UTF-8 without a byte order mark."""
    problem = ""
    for name in (encoding,) if encoding else ENCODINGS:
        try:
            text = data.decode(name).removeprefix("\ufeff").encode()
        except UnicodeDecodeError as error:
            line = data[: error.start].count(b"\n") + 1
            problem = problem or f"byte 0x{data[error.start]:02x} in line {line:,}"
        except UnicodeError as error:  # of encodings that do not say where
            problem = str(error)
        except LookupError as error:
            raise ReadError(f"There is no encoding called '{encoding}'.") from error
        else:
            if name != "cp932" or encoding or _JAPANESE.search(data):
                return text
    tried = encoding or "UTF-8 or Shift_JIS"
    raise ReadError(
        f"{path.name} is not {tried} text ({problem}); say which it is (option encoding)."
    )


def _explained(data: bytes, separator: str, path: Path) -> SchemaError:
    """Find the row that has too many cells or a stray quotation mark: polars does not tell."""
    lines = io.StringIO(data.decode(), newline="").readlines()
    records = csv.reader(lines, delimiter=separator, strict=True)
    width = 0
    number, begin = 1, 0
    try:
        for number, cells in enumerate(records, start=1):
            width = width or len(cells)
            if "".join(lines[begin : records.line_num]).count('"') % 2:
                break
            if len(cells) > width:
                return SchemaError(
                    f"Every row of {path.name} must have {width} cells as the first has; "
                    f"row {number:,} has {len(cells)}."
                )
            begin = records.line_num
    except csv.Error:
        number += begin > 0
    return SchemaError(
        f"{path.name} cannot be read as CSV: a quotation mark in row {number:,} is not closed, "
        "or stands inside a cell that is not quoted."
    )
