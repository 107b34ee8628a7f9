from __future__ import annotations

from dataclasses import replace
from math import sqrt

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from profiles import found

from tokumei import History, Risk, publish, read
from tokumei.anonymizers import Decoys, DeleteRows, PerturbAmounts, ShiftDates
from tokumei.attacks import RfmProfile
from tokumei.cells import intervals
from tokumei.errors import SchemaError
from tokumei.tables import frame
from tokumei.threats import FullKnowledge, PartialRows

NAMES = ["customer", "date", "item", "price", "quantity"]


def visits(*rows: tuple[str, int, float]) -> History:
    """Customer, day of May, spend."""
    lines = [(person, f"2020-05-{day:02}", "tea", spent, 1) for person, day, spent in rows]
    return read(pl.DataFrame(lines, schema=NAMES, orient="row"))


def three() -> History:
    """Recent: Ann, Cat, Ben. Often: Ann, Cat, Ben. Much: Cat, Ann, Ben."""
    return visits(
        ("ann", 1, 10.0), ("ann", 5, 10.0), ("ann", 20, 10.0),
        ("ben", 10, 5.0), ("cat", 3, 60.0), ("cat", 15, 40.0),
    )  # fmt: skip


def rate(history: History, anonymized: History, threat=None) -> float:
    release = publish(history, anonymized, secret=b"2")
    return Risk(attack=RfmProfile(), threat=threat or FullKnowledge())(
        history, release, seed=3
    ).value


def test_the_weight_is_one_minus_the_mean_root_of_the_differences_in_rank() -> None:
    """Ann and Cat are a third apart in all three; Ann and Ben in M, and two thirds in R and F."""
    history = three()
    ann = found(history, history, RfmProfile())["ann"]
    assert ann == {
        "ann": 1.0,
        "cat": pytest.approx(1 - sqrt(1 / 3), abs=1e-8),
        "ben": pytest.approx(1 - (2 * sqrt(2 / 3) + sqrt(1 / 3)) / 3, abs=1e-8),
    }


def test_only_the_order_of_customers_counts() -> None:
    """All prices tripled, all dates two weeks later: the places are the same."""
    history = three()
    moved = history.with_purchases(
        history.frame().with_columns(
            pl.col("price") * 3, time=pl.col("time") + pl.duration(days=14)
        )
    )
    assert found(history, moved, RfmProfile()) == found(history, history, RfmProfile())


def test_intervals_stand_for_their_middles() -> None:
    history = three()
    rows = history.frame()
    wide = {
        "time": intervals(rows["time"].dt.offset_by("-2d"), rows["time"].dt.offset_by("2d")),
        "price": intervals(rows["price"] - 1, rows["price"] + 1),
    }
    blurred = history.with_purchases(rows.with_columns(**wide))
    assert found(history, blurred, RfmProfile(top=1)) == {
        name: {name: 1.0} for name in ("ann", "ben", "cat")
    }


def test_equal_customers_stay_equally_heavy() -> None:
    history = visits(("ann", 1, 5.0), ("ben", 1, 5.0), ("cat", 9, 7.0))
    assert found(history, history, RfmProfile(top=2))["ann"] == {"ann": 1.0, "ben": 1.0}


def test_one_to_one_names_each_customer_once(shop: History) -> None:
    released = DeleteRows(share=0.5)(shop, seed=1)
    challenge, _ = FullKnowledge()(shop, publish(shop, released, secret=b"1"), seed=1)
    once = frame(RfmProfile(one_to_one=True)(challenge, seed=1).pairs)
    assert once["value"].n_unique() == len(once) == len(frame(challenge.targets))


def test_profiles_survive_what_changes_them_little(shop: History) -> None:
    assert rate(shop, shop) == 1
    assert rate(shop, PerturbAmounts()(shop, seed=1)) > 0.9
    assert rate(shop, ShiftDates()(shop, seed=1)) > 0.9
    assert rate(shop, shop, PartialRows(share=0.5)) > 0.5


@pytest.mark.parametrize("column", ["time", "price", "quantity"])
def test_time_price_and_quantity_are_needed(fruit: History, column: str) -> None:
    without = fruit.with_purchases(fruit.frame().drop(column))
    challenge, _ = FullKnowledge()(fruit, publish(fruit, without, secret=b"1"), seed=1)
    with pytest.raises(SchemaError, match=f"needs a column for {column}"):
        RfmProfile()(challenge, seed=1)


def test_without_candidates_nobody_is_named(fruit: History) -> None:
    challenge, _ = FullKnowledge()(fruit, publish(fruit, fruit, secret=b"1"), seed=1)
    nobody = replace(challenge, candidates=challenge.candidates.filter(value="nobody"))
    assert frame(RfmProfile()(nobody, seed=1).pairs).is_empty()


purchase = st.tuples(
    st.sampled_from("abcde"), st.integers(1, 31), st.floats(0.5, 99).map(lambda x: round(x, 2))
)


@given(st.lists(purchase, min_size=1, max_size=30))
def test_nobody_is_nearer_than_the_customer_behind_an_unchanged_history(rows) -> None:
    history = visits(*rows)
    for truth, weights in found(history, history, RfmProfile()).items():
        assert weights[truth] == 1
        assert all(0 < weight <= 1 for weight in weights.values())


@pytest.mark.realdata
def test_decoys_of_pwscup2016_do_not_hide_profiles(real_data) -> None:
    history = read(real_data / "data/pwscup2016/T.csv", format="pwscup2016")
    paper = Decoys(clusters=100, grouping="tfidf-kmeans", style="paper")(history, seed=5)
    assert rate(history, paper) > 0.85
    assert rate(history, paper, PartialRows(share=0.25)) > 0.4
    camouflage = Decoys(clusters=100, seconds=1)(history, seed=5)
    assert rate(history, camouflage) > 0.55
    equal = Decoys(clusters=100, share="rows", seconds=1)(history, seed=5)
    assert rate(history, equal) < 0.25
