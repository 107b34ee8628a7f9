"""Which column plays which role."""

from __future__ import annotations

from pathlib import Path

import pytest
from reading import ANN, HEADER, file, refusal

from tokumei import read


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
            "household_id product_id transaction_timestamp - quantity basket_id",
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


def test_an_empty_name_gives_the_role_to_no_column(tmp_path: Path) -> None:
    path = file(tmp_path, "customer,item,time\nAnn,pear,often\n")
    assert read(path, time="").visible == ("person", "item")


def test_one_column_for_two_roles_is_refused(tmp_path: Path) -> None:
    sentence = refusal(tmp_path, HEADER + ANN, item="invoice", basket="invoice")
    assert sentence == "The column 'invoice' is given for basket and for item."


def test_a_table_without_a_customer_is_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path, "colour,size\nred,5\n") == (
        "No column looks like the customer; the columns are colour, size: "
        "say which it is (option person)."
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
        "simplified, not 'pwscup1999'."
    )
