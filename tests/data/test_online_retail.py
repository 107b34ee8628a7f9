"""PWSCUP 2016's table is rebuilt from UCI Online Retail, whatever the file's kind."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import polars as pl
import pytest
import xlsxwriter

from tokumei import Cleaning, read
from tokumei.data.cleaning import PWSCUP2016
from tokumei.data.pwscup import contest_text
from tokumei.history import History

RETAIL = pl.DataFrame(
    {
        "InvoiceNo": ["536365", "C536379", "536367", "536368", "536369", "536370"],
        "StockCode": ["85123A", "D", "71053", "22728", "22727", "POST"],
        "Description": ["HEART", "Discount", None, "CLOCK", "CLOCK", "POSTAGE"],
        "Quantity": [6, -1, 8, 2, 3, 1],
        "InvoiceDate": [datetime(2010, 12, 1, 8, minute) for minute in range(26, 32)],
        "UnitPrice": [2.55, 27.5, 3.39, 0.0, 3.75, 18.0],
        "CustomerID": [17850, 14527, None, 12583, 12346, 12347],
        "Country": ["United Kingdom"] * 4 + ["Unspecified", "France"],
    }
)


def test_online_retail_is_cleaned_by_rule_and_counted() -> None:
    history = read(RETAIL, format="online-retail")
    assert history.source.dropped == {"no-customer": 1, "returns": 1, "free": 1}
    assert history.frame()["item"].to_list() == ["85123A", "22727", "POST"]
    assert history.visible == ("person", "item", "time", "price", "quantity", "basket")


def test_the_rules_of_2016_also_drop_unspecified_countries_and_later_customers() -> None:
    cleaning = Cleaning(drop=PWSCUP2016.drop, first_customers=1)
    history = read(RETAIL, format="online-retail", cleaning=cleaning)
    assert history.source.dropped == {
        "no-customer": 1,
        "returns": 1,
        "free": 1,
        "unspecified-country": 1,
        "beyond the first 1 customers": 1,
    }
    assert history.frame()["person"].to_list() == ["12347"]


def test_rules_of_the_user_come_after_those_of_the_format() -> None:
    twice = pl.concat([RETAIL, RETAIL.head(1)])
    history = read(twice, format="online-retail", cleaning=Cleaning(drop=("duplicates",)))
    dropped = {"no-customer": 1, "returns": 1, "free": 1, "duplicates": 1}
    assert list(history.source.dropped.items()) == list(dropped.items())
    history = read(twice, format="online-retail", cleaning=Cleaning(first_customers=2))
    assert history.persons() == ["12346", "12347"]


def test_the_country_can_be_kept() -> None:
    history = read(RETAIL, format="online-retail", keep=["Country"], cleaning=PWSCUP2016)
    assert history.frame()["Country"].to_list() == ["United Kingdom", "France"]


DROPPED = {
    "no-customer": 135_080,
    "returns": 8_905,
    "free": 40,
    "unspecified-country": 244,
}


def rebuilt(path: Path) -> History:
    return read(path, format="online-retail", cleaning=PWSCUP2016)


def assert_is_table_of_2016(history: History, real_data: Path) -> None:
    truth = read(real_data / "data/pwscup2016/T.csv", format="pwscup2016").frame()
    assert history.frame().select(truth.columns).equals(truth)
    dropped = dict(history.source.dropped)
    later = dropped.pop("beyond the first 400 customers")
    assert dropped == DROPPED
    assert sum(DROPPED.values()) + later + history.rows == 541_909


@pytest.fixture(scope="session")
def retail(real_data: Path) -> Path:
    return real_data / "data/online_retail/online_retail.parquet"


@pytest.mark.realdata
def test_parquet_rebuilds_the_table_of_2016(retail: Path, real_data: Path) -> None:
    history = rebuilt(retail)
    assert_is_table_of_2016(history, real_data)
    text = (real_data / "data/pwscup2016/T.csv").read_text()
    assert contest_text(history, "pwscup2016") == text


@pytest.mark.realdata
@pytest.mark.parametrize("form", [None, "%-m/%-d/%Y %-H:%M", "%d/%m/%Y %H:%M"])
def test_csv_rebuilds_the_table_of_2016(
    retail: Path, real_data: Path, tmp_path: Path, form: str | None
) -> None:
    rows = pl.read_parquet(retail)
    if form is not None:
        rows = rows.with_columns(pl.col("InvoiceDate").dt.strftime(form))
    rows.write_csv(tmp_path / "retail.csv")
    assert_is_table_of_2016(rebuilt(tmp_path / "retail.csv"), real_data)


@pytest.mark.realdata
def test_excel_rebuilds_the_table_of_2016(retail: Path, real_data: Path, tmp_path: Path) -> None:
    """Excel holds ids as numbers where it can; the rows of later customers are spared the test."""
    rows = pl.read_parquet(retail)
    truth = read(real_data / "data/pwscup2016/T.csv", format="pwscup2016").frame()
    last = truth["person"].cast(pl.Int64).max()
    some = rows.filter((pl.col("CustomerID") <= last) | (pl.int_range(pl.len()) < 2_000))
    number = pl.col("InvoiceNo", "StockCode").cast(pl.Int64, strict=False)
    write_mixed(some.with_columns(number.name.suffix("_number")), tmp_path / "retail.xlsx")
    some.write_parquet(tmp_path / "retail.parquet")
    history = rebuilt(tmp_path / "retail.xlsx")
    assert history.frame().select(truth.columns).equals(truth)
    assert history.source.dropped == rebuilt(tmp_path / "retail.parquet").source.dropped


def write_mixed(rows: pl.DataFrame, path: Path) -> None:
    with xlsxwriter.Workbook(path, {"constant_memory": True}) as book:
        sheet = book.add_worksheet()
        as_time = book.add_format({"num_format": "m/d/yy h:mm"})
        columns = [name for name in rows.columns if not name.endswith("_number")]
        sheet.write_row(0, 0, columns)
        for line, row in enumerate(rows.iter_rows(named=True), start=1):
            for place, name in enumerate(columns):
                cell = row.get(f"{name}_number") or row[name]
                if isinstance(cell, datetime):
                    sheet.write_datetime(line, place, cell, as_time)
                elif cell is not None:
                    sheet.write(line, place, cell)
