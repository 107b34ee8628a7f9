"""What is rare or broken is treated on Spark as on one machine."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tokumei import History, publish
from tokumei.data.folder import write_release
from tokumei.errors import SchemaError
from tokumei.history import ROW
from tokumei.metrics import Indistinguishable, TopItemsList, TopItemsSimilarity
from tokumei.metrics.indistinguishable import kinds_of_customers as here
from tokumei.tables import table

pytest.importorskip("pyspark", reason="PySpark is not installed: pip install 'tokumei[spark]'")

from tokumei.spark import to_cluster
from tokumei.spark.folder import read_release
from tokumei.spark.frames import native, to_polars
from tokumei.spark.metrics import kinds_of_customers as there


def bare(columns: dict[str, list[Any]], spark: Any) -> tuple[History, History]:
    """A history of few columns, on one machine and on Spark."""
    rows = pl.DataFrame({ROW: range(len(columns["person"])), **columns})
    local = History(table(rows))
    return local, to_cluster(local, spark)


@pytest.mark.parametrize("method", [TopItemsList(k=2), TopItemsSimilarity(k=2)])
def test_a_suppressed_item_is_no_favorite(method: Any, spark: Any) -> None:
    columns = {"person": ["a", "a", "b", "b", "c"], "item": ["x", None, "x", "y", None]}
    one, other = (
        method(part, publish(part, part, secret=b"1"), seed=1) for part in bare(columns, spark)
    )
    assert one == other


def test_customers_without_any_column_are_all_alike_on_spark(spark: Any) -> None:
    _, distant = bare({"person": ["a", "b"]}, spark)
    score = Indistinguishable(by="rows")(distant, publish(distant, distant, secret=b"1"), seed=1)
    assert score.value == 0.5


@pytest.mark.parametrize("by", ["rows", "items"])
def test_customers_are_told_apart_on_spark_as_on_one_machine(by: str, spark: Any) -> None:
    """a and b share a basket number that c and d do not; e has none; f only attributes."""
    local, _ = bare(
        {
            "person": ["a", "a", "b", "b", "c", "c", "d", "d", "e", "e", "g"],
            "basket": ["1", "2", "3", "1", "4", "5", "6", "7", None, None, "9"],
            "item": ["x", "y", "x", "y", "x", "y", "y", "x", "x", "y", None],
            "note": ["*", "*", "*", "*", "*", "*", "*", "*", "*", "*", None],
        },
        spark,
    )
    people = pl.DataFrame({"person": list("abcdefgh"), "sex": [None, *"*ffffff"]})
    local = replace(local, customers=table(people))
    found = [
        kinds(history, by=by)
        for kinds, history in ((here, local), (there, to_cluster(local, spark)))
    ]
    one, other = (
        rows.group_by("kind").agg(pl.col("person").sort())["person"].sort().to_list()
        for rows in (found[0], to_polars(found[1]))
    )
    assert one == other
    expected = [["a"], ["b"], ["c", "d"], ["e"], ["f", "h"], ["g"]]
    assert one == (expected if by == "rows" else [["a", "b", "c", "d", "e"], ["f", "h"], ["g"]])


def test_a_customer_who_is_listed_twice_is_refused_on_spark(spark: Any, tmp_path: Path) -> None:
    local, _ = bare({"person": ["a", "b"], "item": ["x", "y"]}, spark)
    named = replace(local, customers=table(pl.DataFrame({"person": ["a", "b"]})))
    distant = to_cluster(named, spark)
    folder = tmp_path / "release"
    write_release(publish(distant, distant, secret=b"1"), folder)
    part = folder / "public" / "customers.parquet"
    people = pl.read_parquet(part / "*.parquet")
    shutil.rmtree(part)
    part.mkdir()
    pl.concat([people, people[:1]]).write_parquet(part / "part.parquet")
    said = f"may have one row in the customers table; '{people[0, 0]}' has 2"
    with pytest.raises(SchemaError, match=said):
        read_release(folder, spark)
    twice = replace(
        distant, customers=table(native(distant.customers).union(native(distant.customers)))
    )
    with pytest.raises(SchemaError, match=r"may have one row in the customers table; '[ab]' has 2"):
        there(twice, by="rows")


def test_an_original_and_its_change_are_both_on_spark_or_none(spark: Any) -> None:
    local, distant = bare({"person": ["a", "b"]}, spark)
    for parts in ((local, distant), (distant, local)):
        with pytest.raises(SchemaError, match="must both be on Spark, or none"):
            publish(*parts, secret=b"1")


@pytest.mark.parametrize(
    ("file", "damage", "said"),
    [
        ("rows", pl.lit(0, pl.Int64).alias("row"), "must have every row of the release once"),
        ("rows", pl.lit(0, pl.Int64).alias("origin"), "of the release; by the key .*, row 1 is 2"),
        ("pseudonyms", pl.lit("nobody").alias("pseudonym"), "lacks the pseudonym 'P[12]'"),
    ],
)
def test_a_damaged_key_is_refused(
    file: str, damage: pl.Expr, said: str, spark: Any, tmp_path: Path
) -> None:
    _, distant = bare({"person": ["a", "b"], "item": ["x", "y"]}, spark)
    folder = tmp_path / "release"
    write_release(publish(distant, distant, secret=b"1"), folder)
    part = folder / "secret" / f"{file}.parquet"
    rows = pl.read_parquet(part / "*.parquet")
    shutil.rmtree(part)
    part.mkdir()
    rows.with_columns(damage).write_parquet(part / "part.parquet")
    with pytest.raises(SchemaError, match=said):
        read_release(folder, spark)


def test_parquet_of_spark_has_no_value_of_a_row_that_was_deleted(
    spark: Any, tmp_path: Path
) -> None:
    """A column keeps what Spark noted about it, as StringIndexer notes all of its values."""
    local, _ = bare({"person": ["a", "b"], "item": ["x", "y"], "town": ["Ys", "Nara"]}, spark)
    people = pl.DataFrame({"person": ["a", "b"], "home": ["Ys", "Nara"]})
    whole = to_cluster(replace(local, customers=table(people)), spark)

    def noted(of: Any, name: str, rows: str) -> Any:
        found = of.to_native().withMetadata(name, {"ml_attr": {"vals": ["Ys", "Nara"]}})
        return table(found.filter(rows))

    fewer = replace(
        whole,
        purchases=noted(whole.purchases, "town", "person = 'b'"),
        customers=noted(whole.customers, "home", "person = 'b'"),
    )
    write_release(publish(whole, fewer, secret=b"1"), tmp_path / "release")
    files = list((tmp_path / "release/public").rglob("*.parquet/part-*"))
    assert {file.parent.name for file in files} == {"purchases.parquet", "customers.parquet"}
    for file in files:
        assert b"Ys" not in file.read_bytes()
    assert any(b"Nara" in file.read_bytes() for file in files)
    method = tmp_path / "release/secret/method.json"
    assert json.loads(method.read_text()) == {"secret": b"1".hex()}
    assert method.stat().st_mode & 0o777 == 0o600
