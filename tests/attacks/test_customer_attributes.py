from dataclasses import replace
from datetime import date

import polars as pl
import pytest

from tokumei import History, Release, publish
from tokumei.attacks import CustomerAttributes
from tokumei.errors import SchemaError
from tokumei.judges import HitRate
from tokumei.tables import frame, table
from tokumei.threats import CustomersTable, FullKnowledge, ItemSets, PartialRows

PEOPLE = pl.DataFrame(
    {
        "person": ["Alice", "Bob", "Carol", "Dan"],
        "sex": ["f", "m", "f", "m"],
        "birth": [date(1980, 1, 1), date(1980, 1, 1), date(1990, 5, 5), date(1980, 1, 1)],
    }
)


@pytest.fixture
def history(fruit: History) -> History:
    return replace(fruit, customers=table(PEOPLE))


@pytest.fixture
def release(history: History) -> Release:
    return publish(history, history, secret=b"1")


def test_attributes_that_agree_count_by_their_rarity(history: History, release: Release) -> None:
    challenge, answer = CustomersTable()(history, release, seed=1)
    guess = CustomerAttributes()(challenge, seed=1)
    names = dict(frame(answer.pairs).select("target", "value").iter_rows())
    said = {(names[t], v): w for t, v, w in frame(guess.pairs).iter_rows()}
    # f is had by 2 of 4, the birth date of 1990 by 1 of 4, that of 1980 by 3 of 4.
    assert said["Carol", "Carol"] == pytest.approx(2.0794415, abs=1e-6)  # ln 2 + ln 4
    assert said["Carol", "Alice"] == pytest.approx(0.6931472, abs=1e-6)  # ln 2
    assert said["Bob", "Dan"] == said["Bob", "Bob"]
    assert ("Carol", "Bob") not in said
    # Alice and Carol are found, Bob and Dan share one hit.
    assert HitRate()(guess, answer).value == pytest.approx(3 / 4)


def test_a_suppressed_attribute_agrees_with_nothing(history: History) -> None:
    hidden = PEOPLE.with_columns(birth=pl.lit(None, pl.Date), sex=pl.lit(None, pl.String))
    release = publish(history, replace(history, customers=table(hidden)), secret=b"1")
    challenge, _ = CustomersTable()(history, release, seed=1)
    assert frame(CustomerAttributes()(challenge, seed=1).pairs).is_empty()


def test_without_a_table_on_both_sides_the_attack_does_not_apply(
    history: History, release: Release
) -> None:
    bare = publish(history, replace(history, customers=None), secret=b"1")
    with pytest.raises(SchemaError, match="need a customers table"):
        CustomerAttributes()(CustomersTable()(history, bare, seed=1)[0], seed=1)
    other = table(frame(history.customers).rename({"sex": "gender", "birth": "born"}))
    renamed = publish(history, replace(history, customers=other), secret=b"1")
    challenge, _ = FullKnowledge()(history, renamed, seed=1)
    with pytest.raises(SchemaError, match="must share an exact column"):
        CustomerAttributes()(challenge, seed=1)
    with pytest.raises(SchemaError, match="the history needs a customers table"):
        CustomersTable()(replace(history, customers=None), release, seed=1)


def test_who_knows_purchases_alone_does_not_know_attributes(
    history: History, release: Release
) -> None:
    for threat in (PartialRows(share=1.0), ItemSets()):
        assert threat(history, release, seed=1)[0].known.customers is None


def test_item_sets_tell_items_once_and_nothing_else(history: History, release: Release) -> None:
    known = ItemSets()(history, release, seed=1)[0].known
    assert known.visible == ("person", "item")
    pairs = known.frame().select("person", "item").sort("person", "item").rows()
    assert pairs == [
        ("Alice", "pear"),
        ("Bob", "grape"),
        ("Bob", "pear"),
        ("Carol", "grape"),
        ("Carol", "peach"),
        ("Dan", "grape"),
        ("Dan", "pear"),
    ]
