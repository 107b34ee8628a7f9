"""Parquet and Excel files, and the papers' data sets."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import polars as pl
import pytest
import xlsxwriter

from tokumei import Cleaning, History, read
from tokumei.errors import ReadError, SchemaError


def test_parquet_is_read(tmp_path: Path) -> None:
    rows = pl.DataFrame({"customer": [1, 2], "item": ["pear", "fig"], "price": [1.0, 2.0]})
    rows.write_parquet(tmp_path / "shop.parquet")
    assert read(tmp_path / "shop.parquet").frame()["person"].to_list() == ["1", "2"]


def test_an_empty_name_in_parquet_is_refused(tmp_path: Path) -> None:
    rows = pl.DataFrame({"customer": ["Ann", "Bob"], "item": ["pear", ""]})
    rows.write_parquet(tmp_path / "shop.parquet")
    with pytest.raises(SchemaError, match=r"needs an item, not empty \(row 3, column item\)"):
        read(tmp_path / "shop.parquet")


@pytest.mark.parametrize("cut", [0, 3, 100, -1, -50])
def test_a_truncated_parquet_file_is_refused(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "shop.parquet"
    pl.DataFrame({"customer": ["Ann", "Bob"] * 500}).write_parquet(path)
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(ReadError, match=r"shop\.parquet is a broken or truncated Parquet file\."):
        read(path)


@pytest.mark.parametrize("cut", [0, 100, -1, -300])
def test_a_truncated_excel_file_is_refused(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "shop.xlsx"
    pl.DataFrame({"customer": ["Ann", "Bob"] * 500}).write_excel(path)
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(ReadError, match=r"shop\.xlsx is (a broken or truncated Excel file|empty)"):
        read(path)


@pytest.mark.parametrize("ending", ["parquet", "xlsx"])
def test_a_table_without_rows_is_refused(tmp_path: Path, ending: str) -> None:
    empty = pl.DataFrame({"customer": []}, schema={"customer": pl.String})
    path = tmp_path / f"shop.{ending}"
    empty.write_parquet(path) if ending == "parquet" else empty.write_excel(path)
    with pytest.raises(ReadError, match=r"has no rows; a history needs at least one row\."):
        read(path)


@pytest.mark.parametrize("name", ["no.csv", "no.parquet", "no.xlsx", "no.csv.gz"])
def test_a_missing_file_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ReadError, match=r"There is no file .*no\."):
        read(tmp_path / name)


def excel(path: Path) -> History:
    """Write the first rows of Online Retail as its Excel file has them, and read them."""
    rows = [
        ["InvoiceNo", "StockCode", "Quantity", "InvoiceDate", "UnitPrice", "CustomerID"],
        [536365, "85123A", 6, datetime(2010, 12, 1, 8, 26), 2.55, 17850],
        [536365, 71053, 6, datetime(2010, 12, 1, 8, 26), 3.39, 17850],
        ["C536379", "D", 1, datetime(2010, 12, 1, 9, 41), 27.5, 14527],
        [536370, 22728, 24, datetime(2010, 12, 1, 8, 45), 3.75, 12583],
    ]
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet()
        as_time = book.add_format({"num_format": "m/d/yy h:mm"})
        for number, cells in enumerate(rows):
            for place, cell in enumerate(cells):
                form = [as_time] if isinstance(cell, datetime) else []
                sheet.write(number, place, cell, *form)
    return read(path)


def test_a_workbook_runs_nothing_that_lies_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with xlsxwriter.Workbook(tmp_path / "shop.xlsx") as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, ["customer", "item"])
        sheet.write_row(1, 0, ["Ann", "pear"])
    (tmp_path / "polars.py").write_text("raise SystemExit('run')")
    monkeypatch.chdir(tmp_path)
    assert read("shop.xlsx").frame()["item"].to_list() == ["pear"]


def test_an_excel_column_of_numbers_and_words_loses_no_cell(tmp_path: Path) -> None:
    rows = excel(tmp_path / "retail.xlsx").frame()
    assert rows["item"].to_list() == ["85123A", "71053", "D", "22728"]
    assert rows["basket"].to_list() == ["536365", "536365", "C536379", "536370"]
    assert rows["person"].to_list() == ["17850", "17850", "14527", "12583"]


def test_excel_numbers_and_times_keep_their_values(tmp_path: Path) -> None:
    rows = excel(tmp_path / "retail.xlsx").frame()
    assert rows["price"].to_list() == [2.55, 3.39, 27.5, 3.75]
    assert rows["quantity"].to_list() == [6, 6, 1, 24]
    assert rows["time"].to_list() == [
        datetime(2010, 12, 1, 8, 26),
        datetime(2010, 12, 1, 8, 26),
        datetime(2010, 12, 1, 9, 41),
        datetime(2010, 12, 1, 8, 45),
    ]


# The papers' data


@pytest.mark.realdata
@pytest.mark.parametrize(
    ("name", "rows", "persons"),
    [
        ("cdnow", 69_659, 23_570),
        ("completejourney_transactions_sample", 75_000, 2_373),  # 4 have returns only
        ("tafeng_dnntsp", 396_783, 9_841),
    ],
)
def test_public_data_sets_are_read_as_they_are(
    real_data: Path, name: str, rows: int, persons: int
) -> None:
    cleaning = Cleaning(drop=("returns",) if name.startswith("complete") else ())
    history = read(real_data / f"data/other/{name}.parquet", cleaning=cleaning)
    assert history.rows + sum(history.source.dropped.values()) == rows
    assert len(history.persons()) == persons
