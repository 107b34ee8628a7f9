"""Guarantees are recomputed from the release."""

from dataclasses import replace

import polars as pl
import pytest

from tokumei import History, publish
from tokumei.anonymizers import DeleteRows
from tokumei.history import ROW
from tokumei.metrics import DecoyViolations, Indistinguishable
from tokumei.metrics.indistinguishable import kinds_of_customers
from tokumei.tables import table


def alike(history: History) -> History:
    """Bob gets Dan's items and Dan Bob's: they have the same already (pear, grape)."""
    return history.with_purchases(history.frame().filter(pl.col("person").is_in(["Bob", "Dan"])))


def test_bob_and_dan_bought_the_same_items_but_not_the_same_rows(fruit: History) -> None:
    release = publish(fruit, alike(fruit), secret=b"1")
    assert Indistinguishable(by="items")(fruit, release, seed=1).value == 0.5
    assert Indistinguishable(by="rows")(fruit, release, seed=1).value == 1.0


def test_equal_rows_in_differently_numbered_baskets_are_one_kind(fruit: History) -> None:
    bobs = fruit.frame().filter(person="Bob").drop(ROW)
    twin = bobs.with_columns(person=pl.lit("Dan"), basket=pl.col("basket") + "x")
    only = fruit.with_purchases(fruit.frame().filter(person="Bob")).add_rows(twin)
    release = publish(fruit, only, secret=b"1")
    assert Indistinguishable(by="rows")(fruit, release, seed=1).value == 0.5


def test_rows_split_into_baskets_another_way_tell_customers_apart(fruit: History) -> None:
    bobs = fruit.frame().filter(person="Bob").drop(ROW)
    twin = bobs.with_columns(person=pl.lit("Dan"), basket=pl.lit("one"))
    only = fruit.with_purchases(fruit.frame().filter(person="Bob")).add_rows(twin)
    release = publish(fruit, only, secret=b"1")
    assert Indistinguishable(by="rows")(fruit, release, seed=1).value == 1.0


def test_customers_without_attributes_are_told_apart_by_rows_alone(fruit: History) -> None:
    bobs = fruit.frame().filter(person="Bob").drop(ROW)
    twin = bobs.with_columns(person=pl.lit("Dan"))
    only = fruit.with_purchases(fruit.frame().filter(person="Bob")).add_rows(twin)
    named = replace(only, customers=table(pl.DataFrame({"person": ["Bob", "Dan"]})))
    release = publish(named, named, secret=b"1")
    assert release.public.customers is not None
    assert Indistinguishable(by="rows")(named, release, seed=1).value == 0.5


def test_kinds_need_the_public_part_only(fruit: History) -> None:
    kinds = kinds_of_customers(publish(fruit, fruit, secret=b"1").public, by="items")
    assert kinds["kind"].n_unique() == 3


@pytest.fixture
def hidden(fruit: History) -> History:
    """Alice gets a grape in her basket, so that Alice, Bob and Dan have pear and grape."""
    grape = fruit.frame().filter(person="Alice").drop(ROW).with_columns(item=pl.lit("grape"))
    return fruit.add_rows(grape)


def violations(history: History, anonymized: History, **settings: object) -> dict[str, int]:
    found = DecoyViolations(**settings).counts(history, publish(history, anonymized, secret=b"1"))  # type: ignore[arg-type]
    return {name: count for name, count in found.items() if count}


def test_a_right_release_has_no_violation(fruit: History, hidden: History) -> None:
    assert violations(fruit, hidden) == {}


def test_a_customer_alone_is_a_violation(fruit: History, hidden: History) -> None:
    assert violations(fruit, hidden, min_size=2) == {"customers in a group that is too small": 1}


def test_a_lost_purchase_is_a_violation(fruit: History, hidden: History) -> None:
    lost = DeleteRows(share=0.5)(hidden, seed=1)
    assert violations(fruit, lost)["original purchases missing"] > 0


def test_a_changed_purchase_is_a_violation(fruit: History, hidden: History) -> None:
    price = pl.when(pl.col(ROW) == 3).then(9.99).otherwise("price")
    changed = hidden.with_purchases(hidden.frame().with_columns(price=price))
    assert violations(fruit, changed) == {"cells of original purchases changed": 1}


def test_a_decoy_in_an_invented_basket_is_a_violation(fruit: History, hidden: History) -> None:
    basket = pl.when(pl.col(ROW) < 0).then(pl.lit("new")).otherwise("basket")
    stray = hidden.with_purchases(hidden.frame().with_columns(basket=basket))
    assert violations(fruit, stray) == {"decoys outside a real basket": 1}
