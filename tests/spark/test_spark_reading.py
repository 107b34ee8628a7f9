"""Spark tables become histories."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner

from tokumei import Cleaning, History, generate, read, statistics
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


def test_the_command_works_on_spark(spark: Any, tmp_path: Path) -> None:
    from tokumei.cli.main import root

    generate("shop", customers=30, seed=1).to_native().write_parquet(tmp_path / "shop.parquet")
    release = tmp_path / "release"

    def run(*words: str) -> str:
        done = CliRunner().invoke(root, [*words, "--spark", "local[2]", "--seed", "3"])
        assert done.exit_code == 0, done.output
        return done.output

    source = str(tmp_path / "shop.parquet")
    assert "30" in run("stats", source)
    run("anonymize", "delete-rows", source, "-o", str(release), "--share", "0.5")
    assert (release / "public" / "about.json").is_file()
    assert (release / "secret").stat().st_mode & 0o077 == 0
    told = run("attack", "exact-row", source, str(release), "--json")
    assert '"value": 1.0' in told
