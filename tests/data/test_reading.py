"""`read`: files become histories, and what is not well formed is said by row and column."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path

import polars as pl
import pytest
from reading import ANN, BOB, HEADER, file, refusal, row

from tokumei import Cleaning, read
from tokumei.errors import ParameterError, SchemaError


def test_a_table_becomes_a_typed_history(tmp_path: Path) -> None:
    history = read(file(tmp_path, HEADER + ANN + BOB))
    assert history.frame().rows(named=True)[0] == {
        "person": "Ann",
        "item": "pear",
        "time": date(2011, 1, 5),
        "price": 1.2,
        "quantity": 2,
        "basket": "i1",
        "row": 0,
    }
    assert history.rows == 2
    assert history.persons() == ["Ann", "Bob"]


# Amounts


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("-1", "A price must be above zero (the rule 'free' drops such rows), not -1.0"),
        ("0", "A price must be above zero (the rule 'free' drops such rows), not 0.0"),
        ("NaN", "A price must be a finite number, not nan"),
        ("inf", "A price must be a finite number, not inf"),
        ("-inf", "A price must be a finite number, not -inf"),
        ("1e999", "A price must be a finite number, not inf"),
        ("", "A price must be a number, not empty"),
        ("dear", "A price must be a number, not 'dear'"),
        ('"1,5"', "A price must be a number, not '1,5'"),
    ],
)
def test_a_bad_price_is_named_with_its_row(tmp_path: Path, text: str, said: str) -> None:
    content = HEADER + ANN + row(price=text) + BOB
    assert refusal(tmp_path, content) == f"{said} (row 3, column price)."


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("-1", "A quantity must be above zero (the rule 'returns' drops such rows), not -1"),
        ("0", "A quantity must be above zero (the rule 'returns' drops such rows), not 0"),
        ("NaN", "A quantity must be a whole number, not 'NaN'"),
        ("inf", "A quantity must be a whole number, not 'inf'"),
        ("1.5", "A quantity must be a whole number, not '1.5'"),
        ("", "A quantity must be a whole number, not empty"),
        ("few", "A quantity must be a whole number, not 'few'"),
        ("99999999999999999999", "A quantity must be a whole number, not '99999999999999999999'"),
    ],
)
def test_a_bad_quantity_is_named_with_its_row(tmp_path: Path, text: str, said: str) -> None:
    content = HEADER + ANN + row(quantity=text) + BOB
    assert refusal(tmp_path, content) == f"{said} (row 3, column quantity)."


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), float("-inf"), 1.5])
def test_a_bad_number_in_a_typed_column_is_named_too(bad: float) -> None:
    rows = pl.DataFrame({"customer": ["Ann", "Bob"], "quantity": [1.0, bad]})
    with pytest.raises(SchemaError, match=rf"whole number, not {bad} \(row 2, column quantity\)"):
        read(rows)
    if bad != 1.5:
        with pytest.raises(SchemaError, match=r"finite number, not .* \(row 2, column price\)"):
            read(rows.rename({"quantity": "price"}))


@pytest.mark.parametrize(("text", "quantity"), [("2.0", 2), ("1e3", 1000), ("+4", 4)])
def test_a_whole_quantity_may_be_written_as_a_number(
    tmp_path: Path, text: str, quantity: int
) -> None:
    history = read(file(tmp_path, HEADER + ANN + row(quantity=text)))
    assert history.frame()["quantity"].to_list() == [2, quantity]


def test_the_number_of_bad_rows_is_said(tmp_path: Path) -> None:
    content = HEADER + ANN + row(price="-1") * 3
    assert refusal(tmp_path, content).endswith("not -1.0 (row 3 and 2 more rows, column price).")


@pytest.mark.parametrize(
    "column",
    [
        pl.Series("price", [date(2011, 1, 1)]),
        pl.Series("price", [True]),
        pl.Series("quantity", [[1]]),
        pl.Series("item", [["pear"]]),
        pl.Series("item", [b"\xff"]),
        pl.Series("date", [{"lo": 1}]),
    ],
    ids=lambda column: f"{column.name} {column.dtype}",
)
def test_a_column_of_a_senseless_type_is_refused(column: pl.Series) -> None:
    rows = pl.DataFrame({"customer": ["Ann"]}).with_columns(column)
    with pytest.raises(SchemaError, match=rf"column {column.name} holds values of type"):
        read(rows)


# Names


@pytest.mark.parametrize("empty", ["", '""', " "])
@pytest.mark.parametrize(
    ("column", "said"),
    [
        ("customer", "Every purchase needs a customer"),
        ("item", "Every purchase needs an item"),
        ("invoice", "Every purchase needs a basket"),
    ],
)
def test_an_empty_name_is_refused(tmp_path: Path, column: str, said: str, empty: str) -> None:
    content = HEADER + ANN + row(**{column: empty})
    assert refusal(tmp_path, content) == f"{said}, not empty (row 3, column {column})."


def test_a_row_with_too_few_cells_is_refused_where_one_is_missing(tmp_path: Path) -> None:
    sentence = refusal(tmp_path, HEADER + ANN + "Bob,fig,2011-01-06\n")
    assert sentence == "A price must be a number, not empty (row 3, column price)."


def test_leading_zeros_of_ids_stay(tmp_path: Path) -> None:
    history = read(file(tmp_path, HEADER + row(customer="007", item="0012")))
    assert history.frame().select("person", "item").row(0) == ("007", "0012")


def test_ids_that_passed_through_floats_are_whole_again(tmp_path: Path) -> None:
    content = HEADER + row(customer="17850.0") + row(customer="12583.0")
    assert read(file(tmp_path, content)).persons() == ["12583", "17850"]


# Times


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("2011-02-03", date(2011, 2, 3)),
        ("2011/2/3", date(2011, 2, 3)),
        ("20110203", date(2011, 2, 3)),
        ("2011年2月3日", date(2011, 2, 3)),
        ("2011-02-03 09:05", datetime(2011, 2, 3, 9, 5)),
        ("2011-02-03 09:05:07", datetime(2011, 2, 3, 9, 5, 7)),
        ("2011-02-03T09:05:07.25", datetime(2011, 2, 3, 9, 5, 7, 250_000)),
        ("2011-02-03T09:05:07Z", datetime(2011, 2, 3, 9, 5, 7)),
        ("2011/2/3 9:05", datetime(2011, 2, 3, 9, 5)),
        ("2/3/2011 9:05", datetime(2011, 2, 3, 9, 5)),
        ("23/2/2011", date(2011, 2, 23)),
    ],
)
def test_times_are_read_in_many_forms(tmp_path: Path, text: str, time: date) -> None:
    assert read(file(tmp_path, HEADER + row(date=text))).frame()["time"].to_list() == [time]


@pytest.mark.parametrize(
    "text", ["2011-02-30", "2011/2/30", "2011-13-01", "soon", "", "12/1/10", "0012-01-10"]
)
def test_an_impossible_date_is_named_with_its_row(tmp_path: Path, text: str) -> None:
    shown = repr(text) if text else "empty"
    assert refusal(tmp_path, HEADER + ANN + BOB + row(date=text)) == (
        "A time must be a date such as 2011-02-28 or 2011/2/28 13:05, "
        f"not {shown} (row 4, column date)."
    )


def test_a_date_in_another_form_than_most_is_named(tmp_path: Path) -> None:
    sentence = refusal(tmp_path, HEADER + ANN + BOB + row(date="2011/2/3"))
    assert "not '2011/2/3' (row 4, column date)" in sentence


def test_day_and_month_are_told_apart_by_the_whole_column(tmp_path: Path) -> None:
    days = [1] * 1500 + [13]
    content = HEADER + "".join(row(date=f"{day}/12/2010") for day in days)
    times = read(file(tmp_path, content)).frame()["time"]
    assert times[0] == date(2010, 12, 1)
    assert times[-1] == date(2010, 12, 13)


PERIOD = (date(2011, 1, 1), date(2011, 1, 31))


@pytest.mark.parametrize("text", ["2010-12-31", "2011-02-01"])
def test_a_date_outside_the_period_is_named(tmp_path: Path, text: str) -> None:
    assert refusal(tmp_path, HEADER + ANN + row(date=text), period=PERIOD) == (
        "A time must lie in the period 2011-01-01 to 2011-01-31, "
        f"not '{text}' (row 3, column date)."
    )


def test_the_last_day_belongs_to_the_period(tmp_path: Path) -> None:
    content = HEADER + row(date="2011-01-31 23:59") + row(date="2011-01-01 00:00")
    assert read(file(tmp_path, content), period=PERIOD).rows == 2


# Duplicates and other cleaning


def test_duplicate_rows_are_kept_with_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    history = read(file(tmp_path, HEADER + ANN + BOB + ANN + ANN))
    assert history.rows == 4
    assert caplog.messages == [
        "2 rows repeat an earlier row in every column (first: row 4); all are kept: "
        "the rule 'duplicates' drops such rows."
    ]


def test_rows_that_differ_in_a_column_left_out_are_counted_as_duplicates(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    content = "customer,item,note\nAnn,pear,a\nAnn,pear,b\n"
    read(file(tmp_path, content))
    assert "1 row repeats an earlier row in every column (first: row 3)" in caplog.text


def test_duplicates_can_be_dropped_and_are_counted(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = file(tmp_path, HEADER + ANN + BOB + ANN + ANN)
    history = read(path, cleaning=Cleaning(drop=("duplicates",)))
    assert history.source.dropped == {"duplicates": 2}
    assert history.frame()["person"].to_list() == ["Ann", "Bob"]
    assert history.frame()["row"].to_list() == [0, 1]
    assert not caplog.messages


def test_each_rule_drops_and_counts_its_rows(tmp_path: Path) -> None:
    content = HEADER + ANN + row(customer="") + row(quantity="-2") + row(price="0") + BOB
    cleaning = Cleaning(drop=("no-customer", "returns", "free"), first_customers=1)
    history = read(file(tmp_path, content), cleaning=cleaning)
    assert history.source.dropped == {
        "no-customer": 1,
        "returns": 1,
        "free": 1,
        "beyond the first 1 customers": 1,
    }
    assert history.persons() == ["Ann"]


def test_the_first_customers_are_those_with_the_smallest_numbers(tmp_path: Path) -> None:
    content = HEADER + "".join(row(customer=name) for name in ("100", "9", "20"))
    cleaning = Cleaning(first_customers=2)
    assert read(file(tmp_path, content), cleaning=cleaning).persons() == ["20", "9"]


def test_rows_are_numbered_as_in_the_file_also_after_cleaning(tmp_path: Path) -> None:
    content = HEADER + row(customer="") + row(price="-1")
    sentence = refusal(tmp_path, content, cleaning=Cleaning(drop=("no-customer",)))
    assert sentence.endswith("(row 3, column price).")


def test_a_history_of_nothing_is_refused(tmp_path: Path) -> None:
    sentence = refusal(tmp_path, HEADER + row(price="0"), cleaning=Cleaning(drop=("free",)))
    assert sentence == "No row is left after cleaning; a history needs at least one row."


def test_an_unknown_rule_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"drop must be one of no-customer, .*, not 'dust'"):
        Cleaning(drop=("dust",))
    with pytest.raises(ParameterError, match="first_customers must be at least 1, not 0"):
        Cleaning(first_customers=0)


def test_a_rule_without_its_column_is_refused(tmp_path: Path) -> None:
    sentence = refusal(tmp_path, "customer\nAnn\n", cleaning=Cleaning(drop=("returns",)))
    assert sentence == "To drop 'returns', a column for quantity is needed."


@pytest.mark.parametrize("as_text", [True, False])
def test_whole_prices_stay_whole_unless_a_method_breaks_them(
    tmp_path: Path, *, as_text: bool
) -> None:
    rows = pl.DataFrame({"customer": ["Ann", "Bob"], "price": [198, 250]})
    rows.write_csv(tmp_path / "shop.csv")
    shop = read(tmp_path / "shop.csv") if as_text else read(rows)
    assert shop.to_native()["price"].to_list() == [198, 250]
    assert shop.to_native()["price"].dtype == pl.Int64
    dearer = shop.with_purchases(shop.frame().with_columns(pl.col("price") + 0.5))
    assert dearer.to_native()["price"].to_list() == [198.5, 250.5]
