from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from profiles import found, rate

from tokumei import History, publish, read
from tokumei.anonymizers import Chain, DeleteRows, RetainReplace
from tokumei.attacks import RowCount
from tokumei.attacks.counting import kept_share
from tokumei.tables import frame
from tokumei.threats import FullKnowledge, PartialRows

RANDOM = Chain(
    steps=tuple(
        RetainReplace(columns=name, table="purchases", rho=0.0)
        for name in ("item", "time", "price", "quantity")
    )
)


def counts(**rows: int) -> History:
    """`counts(ann=3)`: Ann has three rows, which say nothing."""
    persons = [person for person, number in rows.items() for _ in range(number)]
    return read(pl.DataFrame({"person": persons}))


def test_the_weight_worked_by_hand() -> None:
    """Ann has 2 rows, Ben 4: places 1/4 and 3/4, and D = (4 - 2)^2 / (1/2) = 8."""
    history = counts(ann=2, ben=4)
    other = (1 / 9 + 1 - 0.5**0.5) / 2
    assert found(history, history, RowCount()) == {
        "ann": {"ann": 1.0, "ben": pytest.approx(other, abs=1e-8)},
        "ben": {"ben": 1.0, "ann": pytest.approx(other, abs=1e-8)},
    }


def test_the_share_kept_is_learned_from_all_customers() -> None:
    """Half of everybody's rows are deleted, and Cat gets forty invented ones."""
    history = counts(ann=10, ben=20, cat=40, dan=80, eve=160)
    released = counts(ann=5, ben=10, cat=60, dan=40, eve=80)
    assert kept_share(*(_counts(part) for part in (released, history))) == 0.5
    invented = [6, 10, 21, 41, 500]
    assert kept_share(pl.Series(invented).to_numpy(), _counts(history)) == pytest.approx(0.525)


def _counts(history: History):
    return history.frame().group_by("person").len()["len"].sort().to_numpy().astype(float)


def test_rows_that_say_nothing_still_have_a_number(shop: History) -> None:
    """Every cell is drawn at random: nothing but the number of rows is left."""
    hidden = RANDOM(shop, seed=1)
    assert rate(shop, hidden, RowCount()) > 0.6
    assert rate(shop, DeleteRows(share=0.5)(hidden, seed=2), RowCount()) > 0.1
    assert rate(shop, hidden, RowCount(), PartialRows(share=0.5)) > 0.4


def test_one_to_one_names_each_customer_once(shop: History) -> None:
    challenge, _ = FullKnowledge()(shop, publish(shop, shop, secret=b"1"), seed=1)
    once = frame(RowCount(one_to_one=True)(challenge, seed=1).pairs)
    assert once["value"].n_unique() == len(once) == 60


def test_without_candidates_nobody_is_named(fruit: History) -> None:
    challenge, _ = FullKnowledge()(fruit, publish(fruit, fruit, secret=b"1"), seed=1)
    nobody = replace(challenge, candidates=challenge.candidates.filter(value="nobody"))
    assert frame(RowCount()(nobody, seed=1).pairs).is_empty()


@given(st.dictionaries(st.sampled_from("abcde"), st.integers(1, 30), min_size=1))
def test_nobody_fits_better_than_the_customer_behind_an_unchanged_history(rows) -> None:
    history = counts(**rows)
    for truth, weights in found(history, history, RowCount()).items():
        assert weights[truth] == 1
        assert all(0 < weight <= 1 for weight in weights.values())


@pytest.mark.realdata
def test_the_number_of_rows_alone_names_two_of_five_of_pwscup2016(real_data) -> None:
    history = read(real_data / "data/pwscup2016/T.csv", format="pwscup2016")
    assert rate(history, RANDOM(history, seed=1), RowCount(one_to_one=True)) > 0.4
