from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from profiles import found, rate
from test_row_count import RANDOM

from tokumei import History, publish, read
from tokumei.anonymizers import Decoys, DeleteRows
from tokumei.attacks import BasketSizes
from tokumei.errors import SchemaError
from tokumei.tables import frame
from tokumei.threats import FullKnowledge, PartialRows


def baskets(**sizes: list[int]) -> History:
    """`baskets(ann=[2, 1])`: Ann has a basket of two rows and one of one row."""
    rows = [
        (person, f"{person}{number}")
        for person, numbers in sizes.items()
        for number, size in enumerate(numbers)
        for _ in range(size)
    ]
    return read(pl.DataFrame(rows, schema=["person", "basket"], orient="row"))


def test_the_weight_worked_by_hand() -> None:
    """In order 3, 1 against 2, 2: each basket is one row off, D = 1 / (1/2) = 2 for each."""
    history = baskets(ann=[1, 3], ben=[2, 2])
    assert found(history, history, BasketSizes()) == {
        "ann": {"ann": 1.0, "ben": pytest.approx(1 / 5, abs=1e-8)},
        "ben": {"ben": 1.0, "ann": pytest.approx(1 / 5, abs=1e-8)},
    }


def test_one_basket_counts_up_to_four_standard_deviations() -> None:
    """The baskets are 49 and 7 rows off: each counts 8, not 4802 and 98."""
    history = baskets(ann=[50, 7], ben=[1])
    assert found(history, history, BasketSizes())["ann"] == {
        "ann": 1.0,
        "ben": pytest.approx(1 / (1 + 8 + 8), abs=1e-8),
    }


def test_which_rows_lie_together_names_customers_without_any_cell(shop: History) -> None:
    hidden = RANDOM(shop, seed=1)
    assert rate(shop, hidden, BasketSizes()) > 0.85
    assert rate(shop, DeleteRows(share=0.5)(hidden, seed=2), BasketSizes()) > 0.4
    assert rate(shop, hidden, BasketSizes(), PartialRows(share=0.5)) > 0.5


def test_equal_customers_are_not_told_apart(shop: History) -> None:
    equal = Decoys(clusters=15, seconds=0.1, share="rows")(shop, seed=5)
    assert rate(shop, equal, BasketSizes()) <= 15 / 60 + 1e-9


def test_baskets_are_needed(fruit: History) -> None:
    without = fruit.with_purchases(fruit.frame().drop("basket"))
    challenge, _ = FullKnowledge()(without, publish(without, without, secret=b"1"), seed=1)
    with pytest.raises(SchemaError, match="needs a column for basket"):
        BasketSizes()(challenge, seed=1)


def test_one_to_one_names_each_customer_once(shop: History) -> None:
    challenge, _ = FullKnowledge()(shop, publish(shop, shop, secret=b"1"), seed=1)
    once = frame(BasketSizes(one_to_one=True)(challenge, seed=1).pairs)
    assert once["value"].n_unique() == len(once) == 60


def test_without_candidates_nobody_is_named(fruit: History) -> None:
    challenge, _ = FullKnowledge()(fruit, publish(fruit, fruit, secret=b"1"), seed=1)
    nobody = replace(challenge, candidates=challenge.candidates.filter(value="nobody"))
    assert frame(BasketSizes()(nobody, seed=1).pairs).is_empty()


sizes = st.lists(st.integers(1, 9), min_size=1, max_size=5)


@given(st.dictionaries(st.sampled_from("abcde"), sizes, min_size=1))
def test_nobody_fits_better_than_the_customer_behind_an_unchanged_history(filled) -> None:
    history = baskets(**filled)
    for truth, weights in found(history, history, BasketSizes()).items():
        assert weights[truth] == 1
        assert all(0 < weight <= 1 for weight in weights.values())


@pytest.mark.realdata
def test_the_sizes_of_baskets_name_four_of_five_of_pwscup2016(real_data) -> None:
    history = read(real_data / "data/pwscup2016/T.csv", format="pwscup2016")
    hidden = RANDOM(history, seed=1)
    assert rate(history, hidden, BasketSizes()) > 0.75
    assert rate(history, DeleteRows(share=0.7)(hidden, seed=1), BasketSizes()) > 0.16
