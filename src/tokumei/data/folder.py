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
from typing import Any, Literal, get_args

import polars as pl

from tokumei.cells import SUPPRESSED, Kind, kind, parse, to_text, widened
from tokumei.contracts import Key, Release
from tokumei.data.columns import LINE, READERS, fail, ids, read_role
from tokumei.data.loading import load
from tokumei.data.people import check_once
from tokumei.data.text import read_strings
from tokumei.data.writing import whole_folder, write_frame
from tokumei.errors import ReadError, SchemaError
from tokumei.history import ROW, History, Source, restore_names
from tokumei.tables import Table, frame, spark_form, table

FileKind = Literal["csv", "parquet"]


def write_release(
    release: Release,
    folder: str | Path,
    *,
    method: Mapping[str, Any] | None = None,
    file_kind: FileKind = "csv",
) -> None:
    """Write a release; `method` (its spec and seed) goes to the secret part, with the secret."""
    folder, public, key = Path(folder), release.public, release.key
    if public.on_spark:
        spark_form("folder:write_release")(release, folder, method=method or {})
        return
    with whole_folder(folder) as part:
        shown, hidden = part / "public", part / "secret"
        shown.mkdir()
        hidden.mkdir(mode=0o700)
        rows = public.frame().sort(ROW).drop(ROW)
        about = about_columns(rows.schema, public.source)
        if file_kind == "csv":
            rows = rows.with_columns(_texts(rows[name]) for name in rows.columns)
        write_frame(restore_names(rows, public.source), shown / f"purchases.{file_kind}")
        if public.customers is not None:
            people = frame(public.customers).rename({"person": public.source.name("person")})
            write_frame(people, shown / f"customers.{file_kind}")
        write_json(shown / "about.json", about)
        write_frame(frame(key.pseudonyms), hidden / "pseudonyms.csv")
        write_frame(frame(key.rows), hidden / "rows.csv")
        write_json(hidden / "method.json", made_with(key, method or {}))
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


def about_columns(schema: pl.Schema, source: Source) -> dict[str, dict[str, str]]:
    """Return what a release says about its columns: the user's names, and the kinds of cells."""
    return {
        "columns": {name: source.name(name) for name in schema},
        "cells": {name: kind(dtype) for name, dtype in schema.items()},
    }


def made_with(key: Key, method: Mapping[str, Any]) -> dict[str, Any]:
    """Return all that is needed to make a release again: the method, and the key's secret."""
    return {**method, **({"secret": key.secret.hex()} if key.secret is not None else {})}


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Write a file of JSON for people to read."""
    path.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def read_public(folder: str | Path) -> History:
    """Read the public part of a release: all that an attacker gets."""
    folder = Path(folder)
    about = read_about(folder)
    path = _purchases(folder)
    rows = load(path).rows
    names = about["columns"]
    if missing := [name for name in names.values() if name not in rows.columns]:
        raise SchemaError(f"{path.name} has no column '{missing[0]}', which about.json promises.")
    rows = rows.select(names.values()).rename({name: column for column, name in names.items()})
    rows = rows.with_columns(pl.int_range(2, pl.len() + 2).alias(LINE))
    for column, name in names.items():
        rows = _typed(rows, column, name, about["cells"][column], texts=path.suffix == ".csv")
    rows = rows.drop(LINE).with_columns(pl.int_range(pl.len(), dtype=pl.Int64).alias(ROW))
    customers = path.with_name(f"customers{path.suffix}")
    people = _people(customers, names["person"]) if customers.exists() else None
    return History(table(rows), people, Source(names=names))


def _people(path: Path, person: str) -> Table:
    people = load(path).rows
    if person not in people.columns:
        raise SchemaError(f"{path.name} has no column '{person}', which about.json promises.")
    people = people.rename({person: "person"})
    names = people["person"] if people["person"].dtype == pl.String else ids(people["person"])
    people = people.with_columns(names, pl.int_range(2, pl.len() + 2).alias(LINE))
    fail(people, people["person"].is_null(), "person", person, "Every customer needs a name")
    check_once(people)
    return table(people.drop(LINE))


def _typed(
    rows: pl.DataFrame, column: str, name: str, promised: Kind, *, texts: bool
) -> pl.DataFrame:
    """Give a column the type that it had when it was written."""
    read, rule = READERS.get(column, (_as_is, ""))
    if column in READERS and texts:
        cells, bad = parse(rows[column], _as_is if read is ids else read, of=promised)
        fail(rows, bad, column, name, rule)
        _check_spelling(rows, column, name, cells)
        rows = rows.with_columns(widened(cells, promised))
    elif texts:
        cells = rows[column].replace(SUPPRESSED, None)
        _check_spelling(rows, column, name, cells)
        rows = rows.with_columns(cells)
    elif column in READERS and _needs_reading(rows[column].dtype, ids_only=read is ids):
        rows = read_role(rows, column, name)
    found = kind(rows[column].dtype)
    if column in READERS and found != promised:
        raise SchemaError(
            f"about.json says that the cells of column {name} are of kind {promised}; "
            f"they are of kind {found}."
        )
    return rows


def _check_spelling(rows: pl.DataFrame, column: str, name: str, cells: pl.Series) -> None:
    """Raise a SchemaError if a value is written in two ways.

    Values are all that is compared later, but readers of the file see its texts: 1.5 for one
    customer and 1.50 for another would tell them apart.
    """
    texts = pl.DataFrame({"text": rows[column], "cell": cells, LINE: rows[LINE]})
    texts = texts.unique("text", keep="first", maintain_order=True)
    texts = texts.with_columns(to_text(texts["cell"], lambda values: values.cast(pl.String)))
    twice = texts.filter(pl.col("cell").is_duplicated())
    if len(twice):
        one, other = twice.filter(cell=twice["cell"][0])[:2].iter_rows(named=True)
        raise SchemaError(
            f"A release must write a value in one way; column {name} has {one['text'] or ''!r} "
            f"(row {one[LINE]:,}) and {other['text'] or ''!r} (row {other[LINE]:,})."
        )


def _needs_reading(dtype: pl.DataType, *, ids_only: bool) -> bool:
    """Tell whether a column of Parquet differs from what it is inside: ids are texts."""
    return not dtype.is_nested() and not (ids_only and dtype == pl.String)


def _as_is(texts: pl.Series) -> pl.Series:
    """Read what we wrote: 1.0 is the name of an item here, not a number from Excel."""
    return texts


def read_release(folder: str | Path) -> Release:
    """Read a release with its key, as the data's owner holds it."""
    folder = Path(folder)
    public = read_public(folder)
    hidden = folder / "secret"
    if not hidden.is_dir():
        raise ReadError(f"{folder} has no secret part; the key is needed to mark a guess.")
    pseudonyms = _names(hidden / "pseudonyms.csv")
    texts = _secret_table(hidden / "rows.csv", ("row", "origin"))
    rows = texts.cast(pl.Int64, strict=False)
    if len(strange := texts["origin"].filter(rows["origin"].is_null()).drop_nulls()):
        raise SchemaError(
            f"In the key of {folder} the origin of a row is a number, or empty where the row is "
            f"invented, not {strange[0]!r}."
        )
    if rows.height != public.rows:
        raise SchemaError(
            f"The key of {folder} is for {rows.height:,} rows, but {public.rows:,} are public."
        )
    if rows["row"].sort().to_list() != list(range(public.rows)):
        raise SchemaError(f"The key of {folder} must have every row of the release once.")
    if nobody := sorted(set(public.persons()) - set(pseudonyms["pseudonym"])):
        raise SchemaError(f"The key of {folder} lacks the pseudonym {nobody[0]!r}.")
    return Release(public, Key(table(pseudonyms), table(rows), _secret(hidden / "method.json")))


def read_key(path: Path) -> Table:
    """Read who is behind the pseudonyms of a published file."""
    return table(_names(path))


def _secret(path: Path) -> bytes | None:
    """Return the secret that the release was published with, if it is kept."""
    made = _json(path) if path.is_file() else {}
    if not isinstance(made, dict) or "secret" not in made:
        return None
    try:
        return bytes.fromhex(made["secret"])
    except (TypeError, ValueError):
        # The value is not shown: it is secret.
        raise ReadError(f"{path} must have its secret in hexadecimal digits.") from None


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ReadError(f"{path} is not valid JSON ({error}).") from error


def _names(path: Path) -> pl.DataFrame:
    names = _secret_table(path, ("pseudonym", "person"))
    twice = names["pseudonym"].filter(names["pseudonym"].is_duplicated())
    if len(twice):
        raise SchemaError(f"{path} must have every pseudonym once; it has {twice[0]!r} twice.")
    return names


def _secret_table(path: Path, columns: tuple[str, ...]) -> pl.DataFrame:
    rows = read_strings(path, header=True)
    if missing := [column for column in columns if column not in rows.columns]:
        raise SchemaError(f"{path} must have a column '{missing[0]}'.")
    return rows


def read_about(folder: Path) -> dict[str, dict[str, Any]]:
    """Read what a release says about its columns."""
    path = folder / "public" / "about.json"
    if not path.is_file():
        raise ReadError(f"{folder} is not a release: it has no public/about.json.")
    about = _json(path)
    if not isinstance(about, dict):
        about = {}
    columns, kinds = about.get("columns"), about.get("cells")
    if not isinstance(columns, dict) or not isinstance(kinds, dict):
        raise ReadError(f"{path} must say the columns of the release and the kind of their cells.")
    names = {name for name in columns.values() if isinstance(name, str)}
    if len(names) != len(columns) or {ROW, LINE} & columns.keys():
        raise ReadError(f"{path} must give every column of the release a name of its own.")
    if unknown := [column for column in columns if kinds.get(column) not in get_args(Kind)]:
        raise ReadError(
            f"{path} must say of the cells of '{unknown[0]}' that they are exact, interval or set, "
            f"not {kinds.get(unknown[0])!r}."
        )
    return {"columns": columns, "cells": kinds}


def _purchases(folder: Path) -> Path:
    for ending in ("csv", "parquet"):
        path = folder / "public" / f"purchases.{ending}"
        if path.is_file():
            return path
    raise ReadError(f"{folder} is not a release: it has no public/purchases.csv or .parquet.")
