"""Decoys told from real items by what the release shows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from profiles import named

from tokumei import History, Risk, generate, publish, read
from tokumei.anonymizers import Decoys, DeleteRows, GeneralizeAtRandom, PerturbAmounts
from tokumei.attacks import DecoyOdds, Jaccard
from tokumei.attacks.item_odds import additive_log_odds, classes, released_items
from tokumei.errors import SchemaError
from tokumei.history import ROW
from tokumei.tables import frame, table
from tokumei.threats import FullKnowledge, ItemSets, PartialRows


def rate(attack, history: History, anonymized: History, threat=None) -> float:
    release = publish(history, anonymized, secret=b"2")
    return Risk(attack=attack, threat=threat or ItemSets())(history, release, seed=3).value


def test_items_are_described_by_their_rows() -> None:
    """p has tea twice and a lamp, q has tea once, at the price and quantity of one of p's."""
    rows = pl.DataFrame(
        {
            "person": ["p", "p", "p", "q"],
            "item": ["tea", "tea", "lamp", "tea"],
            "price": [1.0, 1.0, 9.0, 1.0],
            "quantity": [1, 5, 1, 1],
            "basket": ["1", "2", "2", "3"],
        }
    )
    cells = released_items(rows, pl.Series(["p", "q"]), pl.Series(["lamp", "tea"]))
    assert list(zip(cells.who, cells.item, cells.rows, strict=True)) == [
        (0, 0, 1),
        (0, 1, 2),
        (1, 1, 1),
    ]
    assert cells.cell_of_row.tolist() == [1, 1, 0, 2]
    few = cells.plain["rows"]
    assert few[0] == few[2] < few[1]
    twins = cells.plain["twins"]  # none; one for one of two rows; one
    assert twins[0] < twins[1] < twins[2]
    buyers = cells.plain["buyers"]
    assert buyers[0] < buyers[1] == buyers[2]


def test_log_odds_follow_the_share_of_real_items_in_a_class() -> None:
    """Of 1,000 items of class 1 a tenth is real, of class 2 nine tenths; the rest is not asked."""
    feature = np.repeat([1, 2, 1], 1000)
    real = np.concatenate([np.arange(1000) < 100, np.arange(1000) < 900, np.ones(1000, dtype=bool)])
    odds = additive_log_odds([feature], real, np.arange(3000) < 2000)
    assert odds[0] == odds[2000] == pytest.approx(-np.log(9), abs=0.15)
    assert odds[1000] == pytest.approx(np.log(9), abs=0.15)


@given(arrays.arrays(np.float64, st.integers(1, 40), elements=st.floats(-5, 5) | st.just(np.nan)))
def test_classes_keep_the_order_and_what_is_untold_apart(values: np.ndarray) -> None:
    result = classes(values)
    told = np.isfinite(values)
    assert ((result == 0) == ~told).all()
    order = np.argsort(values[told], kind="stable")
    assert (np.diff(result[told][order]) >= 0).all()


def test_what_a_pseudonym_has_twice_is_real() -> None:
    """Ann bought tea twice, Ben a lamp twice; each got the other's item once."""
    names = ["person", "item"]
    bought = [("Ann", "tea"), ("Ann", "tea"), ("Ben", "lamp"), ("Ben", "lamp")]
    history = read(pl.DataFrame(bought, schema=names, orient="row"))
    decoys = pl.DataFrame([("Ann", "lamp"), ("Ben", "tea")], schema=names, orient="row")
    release = publish(history, history.add_rows(decoys), secret=b"1")
    challenge, answer = ItemSets()(history, release, seed=1)
    said = named(DecoyOdds()(challenge, seed=1), answer)
    assert {person: list(names) for person, names in said.items()} == {
        "Ann": ["Ann"],
        "Ben": ["Ben"],
    }


def test_without_decoys_item_sets_are_compared(shop: History) -> None:
    assert rate(DecoyOdds(), shop, shop) == 1
    assert rate(DecoyOdds(), shop, DeleteRows(share=0.3)(shop, seed=1)) > 0.95


@pytest.mark.parametrize(("style", "least"), [("camouflage", 0.6), ("paper", 0.95)])
def test_item_sets_are_enough_to_see_through_decoys(style, least: float) -> None:
    shop = generate("shop", customers=100, seed=5)
    decoys = Decoys(clusters=25, min_size=4, style=style, seconds=0.3)(shop, seed=1)
    assert rate(Jaccard(), shop, decoys) == pytest.approx(1 / 4, abs=0.12)
    assert rate(DecoyOdds(), shop, decoys) > least
    assert rate(DecoyOdds(), shop, decoys, PartialRows(share=0.25)) > 0.5


def test_items_in_sets_count(shop: History) -> None:
    decoys = Decoys(clusters=15, min_size=4, seconds=0.1)(shop, seed=1)
    assert rate(DecoyOdds(), shop, GeneralizeAtRandom()(decoys, seed=1)) > 0.4


def test_amounts_and_baskets_are_not_needed(shop: History) -> None:
    bare = shop.with_purchases(shop.frame().select(ROW, "person", "item"))
    decoys = Decoys(clusters=15, min_size=4, seconds=0.1)(bare, seed=1)
    assert rate(DecoyOdds(), bare, decoys) > 0.4


def test_more_pseudonyms_than_customers_may_share_one(fruit: History) -> None:
    release = publish(fruit, fruit, secret=b"1", period="monthly")
    challenge, _ = FullKnowledge()(fruit, release, seed=1)
    pairs = frame(DecoyOdds(top=1)(challenge, seed=1).pairs)
    assert pairs["target"].n_unique() == len(frame(challenge.targets)) == 5


def test_an_empty_release_is_answered_with_nothing(fruit: History) -> None:
    challenge, _ = FullKnowledge()(fruit, publish(fruit, fruit, secret=b"1"), seed=1)
    nothing = challenge.release.with_purchases(challenge.release.frame().clear())
    assert frame(DecoyOdds()(replace(challenge, release=nothing), seed=1).pairs).is_empty()


def test_items_are_needed(fruit: History) -> None:
    challenge, _ = FullKnowledge()(fruit, publish(fruit, fruit, secret=b"1"), seed=1)
    bare = challenge.release.frame().drop("item")
    challenge = replace(challenge, release=replace(challenge.release, purchases=table(bare)))
    with pytest.raises(SchemaError, match="needs a column for item"):
        DecoyOdds()(challenge, seed=1)


@pytest.mark.realdata
@pytest.mark.parametrize(("style", "least"), [("camouflage", 0.88), ("paper", 0.99)])
def test_decoys_of_pwscup2016_are_seen_through_by_item_sets(real_data, style, least: float) -> None:
    history = read(real_data / "data/pwscup2016/T.csv", format="pwscup2016")
    decoys = Decoys(clusters=100, min_size=4, style=style, seconds=2)(history, seed=1)
    assert rate(Jaccard(), history, decoys) == pytest.approx(0.25, abs=0.02)
    assert rate(DecoyOdds(), history, decoys) > least
    assert (
        rate(DecoyOdds(), history, PerturbAmounts(price=0.5, quantity=0.5)(decoys, seed=1)) > 0.86
    )
