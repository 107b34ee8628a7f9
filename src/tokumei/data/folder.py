"""A release as a folder: `public/` to give away, `secret/` to keep.

```
public/purchases.csv  public/customers.csv  public/about.json
secret/pseudonyms.csv  secret/rows.csv  secret/method.json
```
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import polars as pl

from tokumei.cells import kind, parse, to_text, widened
from tokumei.contracts import Key, Release
from tokumei.data.columns import LINE, READERS, fail
from tokumei.data.loading import load
from tokumei.data.text import read_strings
from tokumei.data.writing import whole_folder, write_frame
from tokumei.errors import ReadError, SchemaError
from tokumei.history import ROW, History, Source, restore_names
from tokumei.tables import frame, table

FileKind = Literal["csv", "parquet"]


def write_release(
    release: Release,
    folder: Path,
    *,
    method: Mapping[str, Any] | None = None,
    file_kind: FileKind = "csv",
) -> None:
    """Write a release; `method` (its spec and seed) goes to the secret part."""
    public, key = release.public, release.key
    with whole_folder(folder) as part:
        shown, hidden = part / "public", part / "secret"
        shown.mkdir()
        hidden.mkdir(mode=0o700)
        rows = public.frame().sort(ROW).drop(ROW)
        about = {
            "columns": {column: public.source.name(column) for column in rows.columns},
            "cells": {column: kind(rows[column].dtype) for column in rows.columns},
        }
        if file_kind == "csv":
            rows = rows.with_columns(_texts(rows[name]) for name in rows.columns)
        write_frame(restore_names(rows, public.source), shown / f"purchases.{file_kind}")
        if public.customers is not None:
            write_frame(frame(public.customers), shown / f"customers.{file_kind}")
        _write_json(shown / "about.json", about)
        write_frame(frame(key.pseudonyms), hidden / "pseudonyms.csv")
        write_frame(frame(key.rows), hidden / "rows.csv")
        _write_json(hidden / "method.json", dict(method or {}))
        for file in hidden.iterdir():
            file.chmod(0o600)


def _texts(cells: pl.Series) -> pl.Series:
    if kind(cells.dtype) == "exact" and not cells.null_count() and cells.dtype != pl.Datetime:
        return cells
    return to_text(cells, _plain_text)


def _plain_text(values: pl.Series) -> pl.Series:
    if isinstance(values.dtype, pl.Datetime):
        whole = (values == values.dt.truncate("1s")).all()
        return values.dt.strftime("%Y-%m-%d %H:%M:%S" if whole else "%Y-%m-%d %H:%M:%S%.f")
    return values.cast(pl.String)


def _write_json(path: Path, content: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def read_public(folder: Path) -> History:
    """Read the public part of a release: all that an attacker gets."""
    about = _about(folder)
    path = _purchases(folder)
    rows = load(path).rows
    names: dict[str, str] = about["columns"]
    if missing := [name for name in names.values() if name not in rows.columns]:
        raise SchemaError(f"{path.name} has no column '{missing[0]}', which about.json promises.")
    rows = rows.select(names.values()).rename({name: column for column, name in names.items()})
    if path.suffix == ".csv":
        rows = _typed(rows, names, about.get("cells", {}))
    rows = rows.with_columns(pl.int_range(pl.len(), dtype=pl.Int64).alias(ROW))
    customers = path.with_name(f"customers{path.suffix}")
    return History(
        purchases=table(rows),
        customers=table(load(customers).rows) if customers.exists() else None,
        source=Source(names=names),
    )


def _typed(rows: pl.DataFrame, names: Mapping[str, str], kinds: Mapping[str, str]) -> pl.DataFrame:
    rows = rows.with_columns(pl.int_range(2, pl.len() + 2).alias(LINE))
    for column in names:
        if column in READERS:
            read, rule = READERS[column]
            cells, bad = parse(rows[column], read)
            fail(rows, bad, column, names[column], rule)
            rows = rows.with_columns(widened(cells, kinds.get(column, "exact")))
    return rows.drop(LINE)


def read_release(folder: Path) -> Release:
    """Read a release with its key, as the data's owner holds it."""
    public = read_public(folder)
    hidden = folder / "secret"
    if not hidden.is_dir():
        raise ReadError(f"{folder} has no secret part; the key is needed to mark a guess.")
    pseudonyms = read_strings(hidden / "pseudonyms.csv", header=True)
    rows = read_strings(hidden / "rows.csv", header=True).cast(pl.Int64)
    if rows.height != public.rows:
        raise SchemaError(
            f"The key of {folder} is for {rows.height:,} rows, but {public.rows:,} are public."
        )
    return Release(public, Key(table(pseudonyms), table(rows)))


def _about(folder: Path) -> dict[str, Any]:
    path = folder / "public" / "about.json"
    if not path.is_file():
        raise ReadError(f"{folder} is not a release: it has no public/about.json.")
    try:
        about: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ReadError(f"{path} is not valid JSON ({error}).") from error
    if not isinstance(about, dict) or not isinstance(about.get("columns"), dict):
        raise ReadError(f"{path} must say the columns of the release.")
    return about


def _purchases(folder: Path) -> Path:
    for ending in ("csv", "parquet"):
        path = folder / "public" / f"purchases.{ending}"
        if path.is_file():
            return path
    raise ReadError(f"{folder} is not a release: it has no public/purchases.csv or .parquet.")
