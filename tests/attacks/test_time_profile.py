from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from math import log

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from profiles import found

from tokumei import History, Risk, publish, read
from tokumei.anonymizers import DeleteRows, PerturbAmounts, ShiftDates
from tokumei.attacks import TimeProfile
from tokumei.cells import intervals
from tokumei.errors import ParameterError, SchemaError
from tokumei.tables import frame
from tokumei.threats import FullKnowledge, PartialRows


def visits(**days: list[int]) -> History:
    """`visits(ann=[1, 2])`: Ann bought on the first and second day of 2020."""
    rows = [
        (person, date(2019, 12, 31) + timedelta(days=day))
        for person, numbers in days.items()
        for day in numbers
    ]
    return read(pl.DataFrame(rows, schema=["person", "date"], orient="row"))


def rate(history: History, anonymized: History, attack=None, threat=None) -> float:
    release = publish(history, anonymized, secret=b"2")
    return Risk(attack=attack or TimeProfile(), threat=threat or FullKnowledge())(
        history, release, seed=3
    ).value


def test_the_weight_is_the_cosine_and_rare_days_count_more() -> None:
    """Of three customers two bought on day 2, one on each other day."""
    history = visits(ann=[1, 2], ben=[2, 3], cat=[9])
    single, double = log(3) + 1, log(3 / 2) + 1
    assert found(history, history, TimeProfile(days=0))["ann"] == {
        "ann": 1.0,
        "ben": pytest.approx(double / (single + double), abs=1e-8),
    }


def test_several_rows_of_a_day_are_one_visit() -> None:
    once, often = visits(ann=[1, 2], ben=[2, 3]), visits(ann=[1, 1, 1, 2], ben=[2, 3])
    assert found(once, once, TimeProfile()) == found(often, often, TimeProfile())


def test_days_moved_together_are_moved_back() -> None:
    """Ann's days are five later, Ben's three earlier; as they are, they point to each other."""
    history = visits(ann=[10, 12, 17], ben=[18, 20, 26])
    moved = visits(ann=[15, 17, 22], ben=[15, 17, 23])
    assert found(history, moved, TimeProfile(days=5, top=1)) == {
        "ann": {"ann": 1.0},
        "ben": {"ben": 1.0},
    }


def test_a_generalized_date_is_spread_over_its_interval() -> None:
    """Ann's visit is told as one of days 1 to 3, of which one is known: 1 of 3 equal parts."""
    history = visits(ann=[2], ben=[8])
    rows = history.frame()
    around = {"time": intervals(rows["time"].dt.offset_by("-1d"), rows["time"].dt.offset_by("1d"))}
    blurred = history.with_purchases(rows.with_columns(**around))
    weight = found(history, blurred, TimeProfile(days=0))["ann"]
    assert weight == {"ann": pytest.approx((1 / 3) ** 0.5, abs=1e-8)}


def test_suppressed_dates_tell_nothing() -> None:
    history = visits(ann=[1, 5], ben=[2], cat=[3])
    hidden = history.with_purchases(
        history.frame().with_columns(time=pl.when(pl.col("person") != "ben").then("time"))
    )
    assert set(found(history, hidden, TimeProfile())) == {"ann", "cat"}
    nothing = history.with_purchases(history.frame().with_columns(time=pl.lit(None, pl.Date)))
    with pytest.raises(SchemaError, match="some dates must be told"):
        found(history, nothing, TimeProfile())


def test_days_that_meet_nobody_name_nobody() -> None:
    history, far = visits(ann=[1], ben=[1]), visits(ann=[300], ben=[1])
    assert set(found(history, far, TimeProfile())) == {"ben"}


def test_moved_dates_hide_few(shop: History) -> None:
    assert rate(shop, shop) > 0.95
    together, singly = (
        ShiftDates(days=7, together=how)(shop, seed=1) for how in ("customer", "row")
    )
    assert rate(shop, together, TimeProfile(days=0)) < 0.2 < 0.6 < rate(shop, together)
    assert rate(shop, singly, TimeProfile(days=0)) < 0.7 < 0.8 < rate(shop, singly)
    assert rate(shop, PerturbAmounts()(shop, seed=1), threat=PartialRows(share=0.25)) > 0.9


def test_one_to_one_names_each_customer_once(shop: History) -> None:
    released = DeleteRows(share=0.5)(shop, seed=1)
    challenge, _ = FullKnowledge()(shop, publish(shop, released, secret=b"1"), seed=1)
    once = frame(TimeProfile(one_to_one=True)(challenge, seed=1).pairs)
    assert once["value"].n_unique() == len(once) > 55


def test_blocks_do_not_show(shop: History, monkeypatch) -> None:
    whole = rate(shop, DeleteRows(share=0.7)(shop, seed=1))
    monkeypatch.setattr("tokumei.attacks.nearest.BLOCK", 7)
    assert rate(shop, DeleteRows(share=0.7)(shop, seed=1)) == whole


def test_times_are_needed(fruit: History) -> None:
    without = fruit.with_purchases(fruit.frame().drop("time"))
    challenge, _ = FullKnowledge()(without, publish(without, without, secret=b"1"), seed=1)
    with pytest.raises(SchemaError, match="needs a column for time"):
        TimeProfile()(challenge, seed=1)


def test_without_candidates_nobody_is_named(fruit: History) -> None:
    challenge, _ = FullKnowledge()(fruit, publish(fruit, fruit, secret=b"1"), seed=1)
    nobody = replace(challenge, candidates=challenge.candidates.filter(value="nobody"))
    assert frame(TimeProfile()(nobody, seed=1).pairs).is_empty()


def test_parameters_are_checked() -> None:
    with pytest.raises(ParameterError, match=r"days must lie in \[0, 31\], not 60"):
        TimeProfile(days=60)


calendars = st.dictionaries(
    st.sampled_from("abcde"), st.lists(st.integers(1, 60), min_size=1, max_size=8), min_size=1
)


@given(calendars, st.integers(0, 9))
def test_nobody_is_more_alike_than_the_customer_behind_an_unchanged_history(days, reach) -> None:
    history = visits(**days)
    for truth, weights in found(history, history, TimeProfile(days=reach)).items():
        assert weights[truth] == 1
        assert all(0 < weight <= 1 for weight in weights.values())


@pytest.mark.realdata
def test_days_name_most_of_pwscup2016(real_data) -> None:
    history = read(real_data / "data/pwscup2016/T.csv", format="pwscup2016")
    assert rate(history, history) > 0.9
    assert rate(history, history, threat=PartialRows(share=0.25)) > 0.85
    assert rate(history, ShiftDates(days=7)(history, seed=5)) > 0.65
    assert rate(history, ShiftDates(days=7, together="row")(history, seed=5)) > 0.7
