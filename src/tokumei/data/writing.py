"""Outputs are whole or not there: written under a temporary name, then renamed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

import polars as pl
import pyarrow.parquet as pq

from tokumei.errors import ParameterError, TokumeiError, WriteError


def check_new(path: Path) -> None:
    """Raise a WriteError if something of that name is there, before any work is done."""
    if path.exists():
        raise WriteError(f"{path} exists already; give another name or remove it.")


def _temporary(path: Path) -> Path:
    check_new(path)
    return path.parent / f".{path.name}.{os.getpid()}.part"


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Open a new file for writing; it appears under its name when everything is written."""
    part = _temporary(path)
    try:
        with part.open("xb") as file:
            yield file
        part.rename(path)
    except OSError as error:
        raise _explained(path, error) from error
    finally:
        with suppress(OSError):  # where nothing could be written, there is nothing to remove
            part.unlink()


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """Make a new folder; it appears under its name when everything in it is written."""
    part = _temporary(path)
    try:
        part.mkdir()
        yield part
        part.rename(path)
    except WriteError as error:
        raise WriteError(str(error).replace(str(part), str(path))) from error
    except OSError as error:
        raise _explained(path, error) from error
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _explained(path: Path, error: OSError) -> OSError:
    if isinstance(error, TokumeiError):
        return error
    reason = error.strerror or str(error)
    return WriteError(f"{path} cannot be written ({reason}); nothing was left behind.")


def write_frame(rows: pl.DataFrame, path: Path) -> None:
    """Write a table as CSV or Parquet, by the ending of the name."""
    with whole_file(path) as file:
        if is_parquet(path):
            pq.write_table(rows.to_arrow(), file)
        else:
            # As text first: a full disk must show as an error of the operating system.
            file.write(rows.write_csv().encode())


def write_texts(texts: Mapping[str, str], folder: Path) -> None:
    """Write texts into a new folder, each under its path."""
    with whole_folder(folder) as part:
        for name, text in texts.items():
            path = part / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(text.encode())


def write_blocks(blocks: Iterator[pl.DataFrame], path: Path) -> None:
    """Write a table block by block, so that it need not fit into memory."""
    with whole_file(path) as file:
        if not is_parquet(path):
            for number, block in enumerate(blocks):
                file.write(block.write_csv(include_header=number == 0).encode())
            return
        first = next(blocks).to_arrow()
        with pq.ParquetWriter(file, first.schema) as writer:
            writer.write_table(first)
            for block in blocks:
                writer.write_table(block.to_arrow())


def is_parquet(path: Path) -> bool:
    """Tell the two kinds of tables that we write apart."""
    if path.suffix not in (".csv", ".parquet"):
        raise ParameterError(f"The output must end in .csv or .parquet, not '{path.suffix}'.")
    return path.suffix == ".parquet"
