"""Tables of other libraries come in, and go back as they came."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from tokumei import Cleaning, read
from tokumei.errors import ReadError, SchemaError

ROWS = pl.DataFrame(
    {
        "CustomerID": [17850, 17850, 12583],
        "StockCode": ["85123A", "71053", "22728"],
        "InvoiceDate": [datetime(2010, 12, day, 8, 26) for day in (1, 2, 3)],
        "UnitPrice": [2.55, 3.39, 3.75],
        "Quantity": [6, 6, 24],
        "InvoiceNo": [536365, 536366, 536370],
    }
)
KINDS: dict[str, tuple[Callable[[pl.DataFrame], Any], type]] = {
    "polars": (lambda rows: rows, pl.DataFrame),
    "lazy polars": (lambda rows: rows.lazy(), pl.LazyFrame),
    "pandas": (lambda rows: rows.to_pandas(), pd.DataFrame),
    "pyarrow": (lambda rows: rows.to_arrow(), pa.Table),
    "duckdb": (lambda rows: duckdb.from_arrow(rows.to_arrow()), duckdb.DuckDBPyRelation),
}


def as_polars(table: Any) -> pl.DataFrame:
    if isinstance(table, pd.DataFrame):
        return pl.from_pandas(table)
    if isinstance(table, duckdb.DuckDBPyRelation):
        return table.pl()
    return table.collect() if isinstance(table, pl.LazyFrame) else pl.DataFrame(table)


@pytest.mark.parametrize("kind", KINDS)
def test_a_table_goes_back_as_it_came(kind: str) -> None:
    make, native = KINDS[kind]
    history = read(make(ROWS))
    assert history.frame()["person"].to_list() == ["17850", "17850", "12583"]
    back = history.to_native()
    assert isinstance(back, native)
    order = ["CustomerID", "StockCode", "InvoiceDate", "UnitPrice", "Quantity", "InvoiceNo"]
    found = as_polars(back).with_columns(pl.col("InvoiceDate").dt.cast_time_unit("us"))
    assert found.select(order).equals(ROWS)
    assert found.schema["CustomerID"] == pl.Int64
    assert found.schema["InvoiceNo"] == pl.Int64


def test_pandas_floats_with_gaps_are_customers_after_cleaning() -> None:
    table = pd.DataFrame(
        {"CustomerID": [17850.0, np.nan, 12583.0], "StockCode": ["85123A", "71053", "22728"]}
    )
    with pytest.raises(SchemaError, match=r"needs a customer, not empty \(row 2, column Custo"):
        read(table)
    history = read(table, cleaning=Cleaning(drop=("no-customer",)))
    assert history.persons() == ["12583", "17850"]
    back = history.to_native()
    assert back["CustomerID"].dtype == np.float64
    assert back["CustomerID"].to_list() == [17850.0, 12583.0]


def test_a_nan_is_no_customer_in_polars_either() -> None:
    table = pl.DataFrame({"customer": [1.0, float("nan")], "item": ["a", "b"]})
    with pytest.raises(SchemaError, match=r"needs a customer, not (empty|nan) \(row 2"):
        read(table)
    assert read(table, cleaning=Cleaning(drop=("no-customer",))).persons() == ["1"]


def test_a_pandas_column_of_numbers_and_words_loses_no_cell() -> None:
    table = pd.DataFrame({"CustomerID": [1, 2, 3], "StockCode": [71053, "85123A", "POST"]})
    assert read(table).frame()["item"].to_list() == ["71053", "85123A", "POST"]


def test_gaps_in_a_mixed_pandas_column_stay_gaps() -> None:
    table = pd.DataFrame({"CustomerID": [1, 2], "StockCode": np.array([71053, None], object)})
    with pytest.raises(SchemaError, match=r"needs an item, not empty \(row 2, column StockCode\)"):
        read(table)


def test_nullable_and_categorical_pandas_columns_come_back() -> None:
    table = pd.DataFrame(
        {
            "customer": pd.array([1, 2], dtype="Int64"),
            "item": pd.Categorical(["pear", "fig"]),
        }
    )
    back = read(table).to_native()
    assert back["customer"].to_list() == [1, 2]
    assert back["item"].dtype == "category"
    assert back["item"].to_list() == ["pear", "fig"]


def test_ids_that_no_longer_fit_their_type_come_back_as_text() -> None:
    history = read(ROWS)
    renamed = history.with_purchases(history.frame().with_columns(pl.lit("P1").alias("person")))
    assert renamed.to_native()["CustomerID"].to_list() == ["P1"] * 3


def test_decimals_and_dates_of_duckdb_are_read() -> None:
    relation = duckdb.sql(
        "select 1 as customer, 'pear' as item, 1.50::decimal(10, 2) as price, "
        "3::utinyint as quantity, date '2011-01-05' as date"
    )
    assert read(relation).frame().select("price", "quantity").row(0) == (1.5, 3)


def test_rows_of_a_table_are_counted_from_one() -> None:
    table = pl.DataFrame({"customer": ["Ann", None]})
    with pytest.raises(SchemaError, match=r"\(row 2, column customer\)"):
        read(table)


@pytest.mark.parametrize("thing", [None, 5, [1, 2], {"customer": ["Ann"]}, pl.Series([1]), b"x"])
def test_an_unknown_kind_of_table_is_refused(thing: Any) -> None:
    with pytest.raises(SchemaError) as caught:
        read(thing)
    assert str(caught.value) == (
        "A history is read from a file or from a pandas, polars, pyarrow or DuckDB table, "
        f"not from {type(thing).__name__}."
    )


@pytest.mark.parametrize("kind", KINDS)
def test_a_table_without_rows_is_refused(kind: str) -> None:
    with pytest.raises(ReadError, match=r"The table has no rows; a history needs at least one"):
        read(KINDS[kind][0](ROWS.head(0)))


def test_two_columns_of_one_name_are_refused() -> None:
    table = pd.DataFrame([["Ann", "Bob"]], columns=["customer", "customer"])
    with pytest.raises(SchemaError, match="needs a name of its own"):
        read(table)
