"""`read`: files become histories, and what is not well formed is said by row and column."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path

import polars as pl
import pytest
import xlsxwriter

from tokumei import Cleaning, History, read
from tokumei.errors import ParameterError, ReadError, SchemaError, TokumeiError

HEADER = "customer,item,date,price,quantity,invoice\n"
ANN = "Ann,pear,2011-01-05,1.20,2,i1\n"
BOB = "Bob,fig,2011-01-06,3.50,1,i2\n"
CELLS = {
    "customer": "Cid",
    "item": "kiwi",
    "date": "2011-01-07",
    "price": "2",
    "quantity": "3",
    "invoice": "i3",
}


def file(folder: Path, content: str, name: str = "shop.csv") -> Path:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return path


def row(**cells: str) -> str:
    return ",".join((CELLS | cells).values()) + "\n"


def refusal(folder: Path, content: str, **options: object) -> str:
    with pytest.raises(TokumeiError) as caught:
        read(file(folder, content), **options)  # type: ignore[arg-type]
    return str(caught.value)


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


# Roles


@pytest.mark.parametrize(
    ("columns", "roles"),
    [
        (
            "InvoiceNo StockCode Description Quantity InvoiceDate UnitPrice CustomerID Country",
            "CustomerID StockCode InvoiceDate UnitPrice Quantity InvoiceNo",
        ),
        (
            "household_id store_id basket_id product_id quantity sales_value retail_disc "
            "coupon_disc coupon_match_disc week transaction_timestamp",
            "household_id product_id transaction_timestamp sales_value quantity basket_id",
        ),
        ("customer_id date number_of_cds dollar_value", "customer_id - date - - -"),
        ("customer basket_seq item", "customer item - - - -"),
        (
            "伝票番号 顧客ID 商品コード 購入日 単価 数量",
            "顧客ID 商品コード 購入日 単価 数量 伝票番号",
        ),
        ("Card Exit Time Fare", "Card Exit Time Fare - -"),
        ("Member-No. member_id", "member_id - - - - -"),
    ],
    ids=["online retail", "complete journey", "cdnow", "ta-feng", "japanese", "transit", "forms"],
)
def test_roles_are_guessed_from_the_names(columns: str, roles: str) -> None:
    from tokumei.data.roles import find_roles

    names = ("person", "item", "time", "price", "quantity", "basket")
    expected = dict(zip(names, roles.split(), strict=True))
    found = find_roles(columns.split(), {})
    assert found == {role: column for role, column in expected.items() if column != "-"}


def test_a_given_role_goes_before_the_guess(tmp_path: Path) -> None:
    content = "customer,buyer,item\nAnn,Cid,pear\n"
    assert read(file(tmp_path, content), person="buyer").persons() == ["Cid"]
    assert read(file(tmp_path, content), item="buyer").frame()["item"].to_list() == ["Cid"]


def test_a_given_column_that_is_not_there_is_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path, HEADER + ANN, price="cost") == (
        "The column 'cost' given for price is not there; "
        "the columns are customer, item, date, price, quantity, invoice."
    )


def test_one_column_for_two_roles_is_refused(tmp_path: Path) -> None:
    sentence = refusal(tmp_path, HEADER + ANN, item="invoice", basket="invoice")
    assert sentence == "The column 'invoice' is given for basket and for item."


def test_a_table_without_a_customer_is_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path, "colour,size\nred,5\n") == (
        "No column looks like the customer; the columns are colour, size: say which it is (option person)."
    )


def test_a_contest_file_read_as_a_table_gets_a_hint(tmp_path: Path) -> None:
    line = "12583,536370,2010/12/1,8:45,22728,3.75,24\n"
    assert "is it a contest file (option format)?" in refusal(tmp_path, line * 2)


def test_columns_without_a_role_are_left_out_unless_kept(tmp_path: Path) -> None:
    path = file(tmp_path, "customer,item,phone,colour\nAnn,pear,555,red\n")
    assert read(path).visible == ("person", "item")
    assert read(path, keep=["colour"]).visible == ("person", "item", "colour")


def test_a_kept_column_that_is_not_there_is_refused(tmp_path: Path) -> None:
    sentence = refusal(tmp_path, "customer,item\nAnn,pear\n", keep=["colour"])
    assert sentence == "There is no column 'colour'; the columns are customer, item."


def test_kept_columns_may_have_the_names_of_roles(tmp_path: Path) -> None:
    columns = ["buyer", "person", "row", "row_", "item", "_line"]
    path = file(tmp_path, ",".join([*columns, "code"]) + "\nAnn,b,c,d,e,f,pear\n")
    history = read(path, person="buyer", item="code", keep=columns[1:])
    assert history.persons() == ["Ann"]
    assert history.frame()["item"].to_list() == ["pear"]
    assert history.to_native().select(columns).row(0) == ("Ann", "b", "c", "d", "e", "f")


def test_keeping_a_column_twice_or_one_with_a_role_changes_nothing(tmp_path: Path) -> None:
    path = file(tmp_path, "customer,item,colour\nAnn,pear,red\n")
    history = read(path, keep=["colour", "colour", "item"])
    assert history.visible == ("person", "item", "colour")


def test_the_contests_have_fixed_roles(tmp_path: Path) -> None:
    sentence = refusal(tmp_path, "1,2\n", format="pwscup2016", person="1")
    assert sentence == "The columns of a pwscup2016 file have fixed roles; give none."


def test_an_unknown_format_is_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path, HEADER + ANN, format="pwscup1999") == (
        "format must be one of table, online-retail, pwscup2016, pwscup2017, pwscup2018, "
        "not 'pwscup1999'."
    )


# Customers


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return file(tmp_path, HEADER + ANN + BOB)


def people(folder: Path, content: str) -> Path:
    return file(folder, content, "people.csv")


def test_customers_come_along(tmp_path: Path, shop: Path) -> None:
    history = read(shop, people(tmp_path, "id,customer,sex\n1,Ann,f\n2,Bob,m\n"))
    assert history.customers is not None
    assert history.customers.collect("polars").to_native().rows(named=True) == [
        {"id": "1", "person": "Ann", "sex": "f"},
        {"id": "2", "person": "Bob", "sex": "m"},
    ]


def test_a_buyer_missing_from_the_customers_is_refused(tmp_path: Path, shop: Path) -> None:
    with pytest.raises(SchemaError) as caught:
        read(shop, people(tmp_path, "customer,sex\nAnn,f\n"))
    assert str(caught.value) == (
        "Every customer of the purchases must stand in the customers table; "
        "'Bob' does not (row 3, column customer)."
    )


def test_a_customer_without_purchases_is_kept_with_a_warning(
    tmp_path: Path, shop: Path, caplog: pytest.LogCaptureFixture
) -> None:
    history = read(shop, people(tmp_path, "customer,sex\nAnn,f\nZoe,f\nBob,m\n"))
    assert history.persons() == ["Ann", "Bob", "Zoe"]
    assert caplog.messages == [
        "1 customer has no purchases (first: 'Zoe', row 3 of the customers table); all are kept."
    ]


def test_a_customer_who_stands_twice_is_refused(tmp_path: Path, shop: Path) -> None:
    with pytest.raises(SchemaError) as caught:
        read(shop, people(tmp_path, "customer,sex\nAnn,f\nBob,m\nAnn,m\n"))
    assert str(caught.value) == (
        "A customer may stand once in the customers table; 'Ann' stands in rows 2 and 4."
    )


def test_a_customer_without_a_name_is_refused(tmp_path: Path, shop: Path) -> None:
    with pytest.raises(SchemaError, match=r"needs a name, not empty \(row 3, column customer\)"):
        read(shop, people(tmp_path, "customer,sex\nAnn,f\n,m\n"))


def test_customers_may_have_a_column_called_person(tmp_path: Path, shop: Path) -> None:
    table = people(tmp_path, "customer,person,_line\nAnn,natural,x\nBob,legal,y\n")
    history = read(shop, table, person="customer")
    assert history.customers is not None
    found = history.customers.collect("polars").to_native()
    assert found.rows() == [("Ann", "natural", "x"), ("Bob", "legal", "y")]


# Other kinds of files


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
        ("completejourney_transactions_sample", 75_000, 2_373),  # 4 have returns and gifts only
        ("tafeng_dnntsp", 396_783, 9_841),
    ],
)
def test_public_data_sets_are_read_as_they_are(
    shared: Path, name: str, rows: int, persons: int
) -> None:
    cleaning = Cleaning(drop=("returns", "free") if name.startswith("complete") else ())
    history = read(shared / f"data/other/{name}.parquet", cleaning=cleaning)
    assert history.rows + sum(history.source.dropped.values()) == rows
    assert len(history.persons()) == persons
