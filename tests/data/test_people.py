"""The customers table beside the purchases."""

from __future__ import annotations

from pathlib import Path

import pytest
from reading import ANN, BOB, HEADER, file

from tokumei import read
from tokumei.errors import SchemaError
from tokumei.tables import frame


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return file(tmp_path, HEADER + ANN + BOB)


def people(folder: Path, content: str) -> Path:
    return file(folder, content, "people.csv")


def test_customers_come_along(tmp_path: Path, shop: Path) -> None:
    table = people(tmp_path, "id,customer,sex\n1,Ann,f\n2,Bob,m\n")
    history = read(shop, table, keep=["sex"])
    assert history.customers is not None
    assert frame(history.customers).rows(named=True) == [
        {"person": "Ann", "sex": "f"},
        {"person": "Bob", "sex": "m"},
    ]


def test_attributes_of_customers_are_left_out_unless_kept(
    tmp_path: Path, shop: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    history = read(shop, people(tmp_path, "customer,phone\nAnn,555\nBob,556\n"))
    assert history.customers is not None
    assert frame(history.customers).columns == ["person"]
    assert "columns of the customers table are left out: phone" in caplog.messages


def test_a_kept_column_of_neither_table_is_refused(tmp_path: Path, shop: Path) -> None:
    with pytest.raises(SchemaError, match="There is no column 'color'"):
        read(shop, people(tmp_path, "customer,sex\nAnn,f\nBob,m\n"), keep=["sex", "color"])


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
        "A customer may have one row in the customers table; 'Ann' has rows 2 and 4."
    )


def test_a_customer_without_a_name_is_refused(tmp_path: Path, shop: Path) -> None:
    with pytest.raises(SchemaError, match=r"needs a name, not empty \(row 3, column customer\)"):
        read(shop, people(tmp_path, "customer,sex\nAnn,f\n,m\n"))


def test_customers_may_have_a_column_called_person(tmp_path: Path, shop: Path) -> None:
    table = people(tmp_path, "customer,person,_line\nAnn,natural,x\nBob,legal,y\n")
    history = read(shop, table, person="customer", keep=["person", "_line"])
    assert history.customers is not None
    assert frame(history.customers).rows() == [("Ann", "natural", "x"), ("Bob", "legal", "y")]
