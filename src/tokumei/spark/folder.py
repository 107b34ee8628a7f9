"""Releases on Spark as folders of Parquet: public/ and secret/ apart, as on one machine."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from tokumei.contracts import Key, Release
from tokumei.data.folder import about_columns, made_with, read_about, write_json
from tokumei.data.roles import free_name
from tokumei.data.writing import check_new, whole_folder
from tokumei.errors import ReadError, SchemaError
from tokumei.history import ROW, History, Source
from tokumei.spark.frames import address, check_once, empty, native, to_read
from tokumei.tables import table

PURCHASES, CUSTOMERS, PSEUDONYMS, ROWS = (
    "purchases.parquet", "customers.parquet", "pseudonyms.parquet", "rows.parquet"
)  # fmt: skip


def write_release(release: Release, folder: Path, *, method: Mapping[str, Any]) -> None:
    """Write a release; every machine writes its part, so the folder must be one that all reach."""
    check_new(folder)
    public, key = release.public, release.key
    with whole_folder(folder) as part:
        shown, hidden = part / "public", part / "secret"
        shown.mkdir()
        hidden.mkdir(mode=0o700)
        # In the order of their ids, which says nothing, and not in that of their customers.
        rows = native(public.purchases).repartitionByRange(ROW).sortWithinPartitions(ROW)
        _write(_under_own_names(rows, public), shown / PURCHASES)
        if public.customers is not None:
            people = native(public.customers).orderBy("person")
            _write(_under_own_names(people, public), shown / CUSTOMERS)
        _write(native(key.pseudonyms), hidden / PSEUDONYMS)
        _write(native(key.rows), hidden / ROWS)
        write_json(hidden / "method.json", made_with(key, method))
        for file in hidden.rglob("*"):
            file.chmod(0o700 if file.is_dir() else 0o600)
        about = about_columns(empty(rows.drop(ROW)).schema, public.source)
        write_json(shown / "about.json", about)


def _under_own_names(rows: DataFrame, public: History) -> DataFrame:
    names = {name: public.source.name(name) for name in rows.columns if name != ROW}
    row = free_name(ROW, list(names.values()))
    # Without what Spark notes about a column: after StringIndexer that is all of its values.
    return rows.select(
        [rows[_quoted(name)].alias(names.get(name, row), metadata={}) for name in rows.columns]
    )


def _quoted(name: str) -> str:
    """Return a name in which a dot means nothing."""
    return "`" + name.replace("`", "``") + "`"


def _write(rows: DataFrame, path: Path) -> None:
    rows.write.parquet(address(path))


def read_public(folder: Path, spark: SparkSession) -> History:
    """Read the public part of a release that was written on Spark."""
    about = read_about(folder)
    names: dict[str, str] = about["columns"]
    row = free_name(ROW, list(names.values()))
    inside = {own: name for name, own in names.items()}
    rows = _read(folder / "public" / PURCHASES, spark, (row, *inside))
    customers, people = folder / "public" / CUSTOMERS, None
    if customers.exists():
        person = names["person"]
        people = _read(customers, spark, (person,)).withColumnsRenamed({person: "person"})
        check_once(people)
    return History(
        table(rows.withColumnsRenamed({row: ROW, **inside})),
        None if people is None else table(people),
        Source("spark", names=names),
    )


def read_release(folder: Path, spark: SparkSession) -> Release:
    """Read a release with its key."""
    public = read_public(folder, spark)
    hidden = folder / "secret"
    if not hidden.is_dir():
        raise ReadError(f"{folder} has no secret part; the key is needed to mark a guess.")
    pseudonyms = _read(hidden / PSEUDONYMS, spark, ("pseudonym", "person"))
    rows = _read(hidden / ROWS, spark, ("row", "origin"))
    here, there = public.rows, rows.count()
    if here != there:
        raise SchemaError(f"The key of {folder} is for {there:,} rows, but {here:,} are public.")
    shown = native(public.purchases)
    if shown.select(ROW).join(rows.select(ROW), ROW, "left_anti").take(1):
        raise SchemaError(f"The key of {folder} must have every row of the release once.")
    origins = rows.dropna(subset=["origin"]).groupBy("origin").count()
    if (twice := origins.filter("count > 1").first()) is not None:
        raise SchemaError(
            f"A row of the original may be one row of the release; by the key of {folder}, row "
            f"{twice['origin'] + 1:,} is {twice['count']:,}."
        )
    named = pseudonyms.select(sf.col("pseudonym").alias("person"))
    if (nobody := native(public.people()).join(named, "person", "left_anti").first()) is not None:
        raise SchemaError(f"The key of {folder} lacks the pseudonym {nobody['person']!r}.")
    twin = pseudonyms.groupBy("pseudonym").count().filter("count > 1").first()
    if twin is not None:
        raise SchemaError(
            f"The key of {folder} must have every pseudonym once; it has {twin['pseudonym']!r} "
            "twice."
        )
    return Release(public, Key(table(pseudonyms), table(rows)))


def _read(path: Path, spark: SparkSession, needed: tuple[str, ...]) -> DataFrame:
    if not path.exists():
        raise ReadError(f"There is no {path}; it was not written with --spark.")
    rows = spark.read.parquet(to_read(path))
    if missing := [name for name in needed if name not in rows.columns]:
        raise SchemaError(f"{path} must have a column '{missing[0]}'.")
    return rows


def check_pair(original: History, release: Release) -> None:
    """Raise a SchemaError when the release is of other data."""
    for column in release.public.visible:
        if column not in original.visible:
            have = ", ".join(original.visible)
            raise SchemaError(
                f"The release has a column '{column}' that the original lacks; it has {have}."
            )
    origins = native(release.key.rows).filter("origin is not null")
    known = native(original.purchases).select(sf.col(ROW).alias("origin"))
    people = native(original.people())
    strange = native(release.key.pseudonyms).join(people, "person", "left_anti")
    if origins.join(known, "origin", "left_anti").take(1) or strange.take(1):
        raise SchemaError(
            "The key names rows or customers that the original lacks: release and original do not "
            "belong together."
        )
