"""Spark tables become histories."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tokumei import Cleaning, History, generate, publish, read, statistics
from tokumei.errors import ReadError, SchemaError
from tokumei.history import ROW
from tokumei.tables import small

RAW = pl.DataFrame(
    {
        "CustomerID": [1.0, 1.0, None, 2.0, 3.0],
        "StockCode": ["a", "b", "a", " ", "c"],
        "InvoiceDate": [date(2020, 1, day) for day in (1, 2, 3, 4, 5)],
        "UnitPrice": [1.5, 2.0, 1.0, 3.0, 0.0],
        "Quantity": [1, 2, 1, 1, 4],
    }
)


def to_spark(rows: pl.DataFrame, spark: Any) -> Any:
    from tokumei.spark.frames import to_spark as send

    return send(rows, spark)


def load(path: str, spark: Any) -> Any:
    from tokumei.spark.reading import load as read_parquet

    return read_parquet(path, spark)


def test_roles_are_found_and_rows_cleaned(spark: Any) -> None:
    cleaning = Cleaning(drop=("no-customer", "free"))
    found = read(to_spark(RAW.filter(pl.col("StockCode") != " "), spark), cleaning=cleaning)
    rows = small(found.purchases).sort("time")
    assert rows["person"].to_list() == ["1", "1"]
    assert rows["item"].to_list() == ["a", "b"]
    assert sorted(rows[ROW]) == [0, 1]
    assert found.source.dropped == {"no-customer": 1, "free": 1}
    assert found.to_native().columns == list(RAW.columns)


def test_a_row_that_breaks_a_rule_is_an_error_with_its_column(spark: Any) -> None:
    with pytest.raises(SchemaError, match="needs a customer; in column CustomerID, 1 row does"):
        read(to_spark(RAW, spark))
    with pytest.raises(SchemaError, match="needs an item; in column StockCode, 1 row does"):
        read(to_spark(RAW, spark), cleaning=Cleaning(drop=("no-customer", "free")))
    with pytest.raises(ReadError, match="No row is left"):
        read(to_spark(RAW.head(0), spark))


def test_row_ids_do_not_depend_on_how_the_table_is_spread(spark: Any) -> None:
    shop = generate("shop", customers=20, seed=1).to_native()
    whole = to_spark(shop, spark)
    one, other = (
        small(read(part).purchases).sort(ROW) for part in (whole.coalesce(1), whole.repartition(5))
    )
    assert one.equals(other)
    assert one[ROW].to_list() == list(range(len(shop)))


def test_statistics_are_those_of_one_machine(local: History, distant: History) -> None:
    here, there = statistics(local).to_json(), statistics(distant).to_json()
    assert there.pop("max_jaccard") is None
    assert here.pop("max_jaccard") > 0
    for name, value in here.items():
        assert there[name] == (pytest.approx(value) if isinstance(value, float) else value)


def test_the_mean_jaccard_of_a_sample_has_an_interval_around_the_true_one() -> None:
    from tokumei.itemsets.matrix import item_sets
    from tokumei.itemsets.statistics import jaccard_over_pairs
    from tokumei.spark.statistics import mean_jaccard

    sets = item_sets(generate("shop", customers=300, seed=3))
    true, _ = jaccard_over_pairs(sets)
    mean, interval = mean_jaccard(sets, 1_000)
    assert mean == pytest.approx(true)
    assert interval is not None
    assert interval[0] < mean < interval[1]
    assert mean_jaccard(sets, 300)[1] is None


PEOPLE = pl.DataFrame({"CustomerID": [1, 2, 3], "sex": ["f", None, "m"]})


def test_the_customers_own_column_is_no_attribute(spark: Any) -> None:
    rows = RAW.filter(pl.col("StockCode") != " ")
    cleaning = Cleaning(drop=("no-customer", "free"))
    people = to_spark(PEOPLE, spark)
    keep = ["CustomerID", "sex", "sex"]
    found = read(to_spark(rows, spark), people, keep=keep, cleaning=cleaning)
    assert found.customers is not None
    assert sorted(small(found.customers).columns) == ["person", "sex"]
    with pytest.raises(SchemaError, match="must stand in the customers table; '1' does not"):
        read(to_spark(rows, spark), people.filter("CustomerID > 1"), cleaning=cleaning)


def test_columns_whose_names_mean_something_to_spark_are_kept(spark: Any) -> None:
    clean = RAW.head(2).with_columns(Item=pl.lit("x"))
    named = clean.with_columns(pl.lit("y").alias("a.b"), _c=pl.lit("z"))
    found = read(to_spark(named, spark), item="StockCode", keep=["Item", "a.b", "_c"])
    assert sorted(found.to_native().columns) == sorted(named.columns)


def test_a_column_that_is_kept_twice_is_kept_once(spark: Any) -> None:
    found = read(to_spark(RAW.head(2).with_columns(store=1), spark), keep=["store", "store"])
    assert [name for name in found.visible if "store" in name] == ["store"]


def test_a_column_of_customers_may_have_a_dot(spark: Any) -> None:
    people = to_spark(PEOPLE.rename({"sex": "a.b"}), spark)
    shop = read(to_spark(RAW.head(2), spark), people, keep=["a.b"])
    published = publish(shop, shop, secret=b"1").public.customers
    assert published is not None
    assert small(published).columns == ["person", "a.b"]


def test_ids_that_are_no_numbers_are_no_customers(spark: Any) -> None:
    rows = pl.DataFrame({"customer": [1.0, float("nan"), 2.5], "item": ["x", "y", "z"]})
    found = read(to_spark(rows, spark), cleaning=Cleaning(drop=("no-customer",)))
    assert sorted(small(found.purchases)["person"]) == ["1", "2.5"]


def test_ids_may_be_longer_than_whole_numbers_are(spark: Any) -> None:
    ids = pl.Series("customer", [10**20, 5], dtype=pl.Decimal(38, 0))
    rows = to_spark(pl.DataFrame([ids, pl.Series("item", ["x", "y"])]), spark)
    assert sorted(small(read(rows).purchases)["person"]) == [str(10**20), "5"]


def test_a_rule_without_its_column_is_an_error(spark: Any) -> None:
    with pytest.raises(SchemaError, match="a column for Country is needed"):
        read(to_spark(RAW, spark), cleaning=Cleaning(drop=("unspecified-country",)))


def test_a_folder_may_have_a_name_that_looks_like_a_pattern(spark: Any, tmp_path: Path) -> None:
    folder = tmp_path / "shop [2024] {a,b}*"
    folder.mkdir()
    RAW.write_parquet(folder / "part.parquet")
    assert load(str(folder), spark).count() == len(RAW)


def test_values_of_the_wrong_kind_are_refused(spark: Any) -> None:
    wrong = RAW.head(2).with_columns(UnitPrice=pl.lit(value=True))
    with pytest.raises(SchemaError, match=r"price cannot be read .* boolean \(column UnitPrice"):
        read(to_spark(wrong, spark))
    blank = RAW.head(2).with_columns(StockCode=pl.lit("\u3000\t"))
    with pytest.raises(SchemaError, match="needs an item; in column StockCode, 2 rows do"):
        read(to_spark(blank, spark))


def test_a_sample_of_large_sets_is_smaller(distant: History, monkeypatch: Any) -> None:
    from tokumei.spark import statistics as on_spark
    from tokumei.spark.frames import native

    monkeypatch.setattr(on_spark, "SMALL", 2_000)
    pairs = native(distant.purchases).select("person", "item").distinct()
    sets = on_spark.sampled_sets(pairs, 60, pairs.count(), most=60)
    assert 5 < len(sets.persons) < 60


def test_a_session_that_runs_is_used(spark: Any, caplog: pytest.LogCaptureFixture) -> None:
    from tokumei.spark import session

    assert session("local[1]") is session() is not None
    assert "already, and is used instead of local[1]" in caplog.text
