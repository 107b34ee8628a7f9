"""The utility metrics after PWSCUP 2016, by hand."""

from dataclasses import replace
from datetime import date

import polars as pl
import pytest

from tokumei import History, publish
from tokumei.anonymizers import PerturbAmounts, Yamaoka
from tokumei.errors import SchemaError
from tokumei.history import ROW
from tokumei.metrics import (
    NotASubset,
    RfmCellShares,
    SpendByDecadeAndCountry,
    SpendBySexAndCountry,
    TopItemsMissing,
)
from tokumei.rfm import analyze
from tokumei.tables import table


@pytest.fixture
def customers(fruit: History) -> History:
    people = pl.DataFrame(
        {
            "person": ["Alice", "Bob", "Carol", "Dan"],
            "sex": ["f", "m", "f", "m"],
            "birth": [date(1951, 1, 1), date(1958, 1, 1), date(1963, 1, 1), date(1964, 1, 1)],
            "country": ["Japan"] * 4,
        }
    )
    return replace(fruit, customers=table(people))


def dearer(history: History, by: float) -> History:
    """Dan's purchases cost more."""
    price = pl.when(pl.col("person") == "Dan").then(pl.col("price") * by).otherwise("price")
    return history.with_purchases(history.frame().with_columns(price=price))


def test_spend_of_men_doubles_in_one_of_two_segments(customers: History) -> None:
    """Bob spends 5.20, Dan 17.50: men 11.35 on average; with Dan at 35, 20.10."""
    release = publish(customers, dearer(customers, 2), secret=b"1")
    score = SpendBySexAndCountry()(customers, release, seed=1)
    assert score.value == pytest.approx((8.75 / 11.35 + 0) / 2)
    assert (score.name, score.n) == ("U1-cMAE", 2)


def test_decades_of_birth_are_the_other_segments(customers: History) -> None:
    """Born in the sixties: Carol 11.50, Dan 17.50 → 14.50; with Dan at 35, 23.25."""
    release = publish(customers, dearer(customers, 2), secret=b"1")
    score = SpendByDecadeAndCountry()(customers, release, seed=1)
    assert score.value == pytest.approx((8.75 / 14.5 + 0) / 2)


def test_where_nobody_spends_no_error_is_measured(customers: History) -> None:
    """An error of 0 over no segment would say that all is kept."""
    free = customers.with_purchases(customers.frame().with_columns(price=pl.lit(0.0)))
    with pytest.raises(SchemaError, match="No group of customers spends anything"):
        SpendBySexAndCountry()(free, publish(free, free, secret=b"1"), seed=1)


def test_segments_need_the_customers(fruit: History) -> None:
    with pytest.raises(SchemaError, match="customers table with the column 'sex'"):
        SpendBySexAndCountry()(fruit, publish(fruit, fruit, secret=b"1"), seed=1)


def test_rfm_of_the_fruit_example(fruit: History) -> None:
    found = analyze(fruit)
    assert found.rows() == [
        ("Alice", 35, 1, 2.4),
        ("Bob", 32, 2, 5.2),
        ("Carol", 30, 2, 11.5),
        ("Dan", 0, 3, 17.5),
    ]


def test_one_of_four_customers_in_another_class(fruit: History) -> None:
    """Alice buys for 100: her class loses a quarter and another gains one, of 125."""
    price = pl.when(pl.col("person") == "Alice").then(50.0).otherwise("price")
    rich = fruit.with_purchases(fruit.frame().with_columns(price=price))
    score = RfmCellShares()(fruit, publish(fruit, rich, secret=b"1"), seed=1)
    assert score.value == pytest.approx(2 * 0.25 / 125)


def test_the_best_seller_changes(fruit: History) -> None:
    """Sold: pear 8, grape 5, peach 3."""
    quantity = pl.when(pl.col("item") == "peach").then(30).otherwise("quantity")
    peachy = fruit.with_purchases(fruit.frame().with_columns(quantity=quantity.cast(pl.Int64)))
    release = publish(fruit, peachy, secret=b"1")
    assert TopItemsMissing(k=1)(fruit, release, seed=1).value == 1
    assert TopItemsMissing(k=2)(fruit, release, seed=1).value == 0.5
    assert TopItemsMissing()(fruit, release, seed=1).value == 0


def test_an_invented_row_is_not_a_subset(fruit: History) -> None:
    bought = fruit.frame().filter(person="Bob").drop(ROW).with_columns(item=pl.lit("peach"))
    release = publish(fruit, fruit.add_rows(bought.head(1)), secret=b"1")
    assert NotASubset()(fruit, release, seed=1).value == 0.25


def test_yamaoka_is_caught(fruit: History) -> None:
    """Nobody is found by the contest's judge, and nobody's rows are their own."""
    release = publish(fruit, Yamaoka()(fruit, seed=1), secret=b"1")
    assert NotASubset()(fruit, release, seed=1).value == 1


def test_perturbed_amounts_are_no_longer_a_subset(shop: History) -> None:
    release = publish(shop, PerturbAmounts(price=0.5)(shop, seed=1), secret=b"1")
    assert NotASubset()(shop, release, seed=1).value == 1
