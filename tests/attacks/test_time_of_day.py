from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from math import log

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from profiles import found, rate

from tokumei import History, publish, read
from tokumei.anonymizers import Chain, DeleteRows, GeneralizeAtRandom, RetainReplace, ShiftDates
from tokumei.attacks import TimeOfDay
from tokumei.cells import intervals
from tokumei.errors import SchemaError
from tokumei.tables import frame
from tokumei.threats import FullKnowledge, PartialRows

HIDDEN = Chain(
    steps=(
        *(
            RetainReplace(columns=name, table="purchases", rho=0.0)
            for name in ("item", "price", "quantity")
        ),
        ShiftDates(days=180, together="row", keep_times=True),
        DeleteRows(share=0.5),
    )
)


def moments(**minutes: list[int]) -> History:
    """`moments(ann=[61])`: Ann bought at 01:01 of a Monday."""
    rows = [
        (person, datetime(2024, 1, 1) + timedelta(minutes=minute))
        for person, numbers in minutes.items()
        for minute in numbers
    ]
    return read(pl.DataFrame(rows, schema=["person", "time"], orient="row"))


def test_the_weight_worked_by_hand() -> None:
    """Each customer has a minute and an hour alone; half of all rows are at each.

    A value that is the customer's own becomes 1/2 + 1/2 · 1/2 instead of 1/2: its gain over the
    other half, ln(1 + 1 / (1/2)) = ln 3, counts forth and back, for the hour a tenth of it.
    """
    history = moments(ann=[61], ben=[122])
    assert found(history, history, TimeOfDay()) == {
        "ann": {"ann": pytest.approx(2.2 * log(3), abs=1e-8)},
        "ben": {"ben": pytest.approx(2.2 * log(3), abs=1e-8)},
    }


def test_dates_moved_by_whole_days_keep_their_minutes() -> None:
    history = moments(ann=[61, 200], ben=[122, 300])
    moved = moments(ann=[61 + 1440 * 3, 200 + 1440 * 50], ben=[122 + 1440 * 9, 300])
    weights = found(history, moved, TimeOfDay(top=1))
    assert {truth: set(names) for truth, names in weights.items()} == {
        "ann": {"ann"}, "ben": {"ben"},
    }  # fmt: skip


def test_both_ends_of_an_interval_show_the_time() -> None:
    history = moments(ann=[61], ben=[122])
    time = history.frame()["time"]
    wide = intervals(time.dt.offset_by("-9d"), time.dt.offset_by("4d"))
    around = history.with_purchases(history.frame().with_columns(time=wide))
    assert set(found(history, around, TimeOfDay())["ann"]) == {"ann"}


def test_times_that_are_cut_to_days_are_refused() -> None:
    history = moments(ann=[61], ben=[122])
    rows = history.frame()
    day = rows["time"].dt.truncate("1d")
    cut = {
        "midnight": day,
        "date": day.dt.date(),
        "day": intervals(day, day.dt.offset_by("1d").dt.offset_by("-1us")),
        "suppressed": rows["time"].set(pl.Series([True, True]), None),
    }
    for column in cut.values():
        hidden = history.with_purchases(rows.with_columns(time=column))
        with pytest.raises(SchemaError, match="all are cut to days or suppressed"):
            found(history, hidden, TimeOfDay())


def test_the_minutes_name_nearly_everybody(shop: History) -> None:
    """Items, prices and quantities are random, dates moved by half a year, half is deleted."""
    hidden = HIDDEN(shop, seed=1)
    assert rate(shop, hidden, TimeOfDay()) > 0.9
    assert rate(shop, hidden, TimeOfDay(), PartialRows(share=0.25)) > 0.85
    wide = GeneralizeAtRandom(keep_times=True)(shop, seed=1)
    assert rate(shop, wide, TimeOfDay()) > 0.95


def test_times_are_needed(fruit: History) -> None:
    without = fruit.with_purchases(fruit.frame().drop("time"))
    challenge, _ = FullKnowledge()(without, publish(without, without, secret=b"1"), seed=1)
    with pytest.raises(SchemaError, match="needs a column for time"):
        TimeOfDay()(challenge, seed=1)


def test_without_candidates_nobody_is_named(shop: History) -> None:
    challenge, _ = FullKnowledge()(shop, publish(shop, shop, secret=b"1"), seed=1)
    nobody = replace(challenge, candidates=challenge.candidates.filter(value="nobody"))
    assert frame(TimeOfDay()(nobody, seed=1).pairs).is_empty()


minutes = st.lists(st.integers(1, 9999), min_size=1, max_size=6)


@given(st.dictionaries(st.sampled_from("abcde"), minutes, min_size=1))
def test_whoever_bought_at_the_same_minute_is_named(days) -> None:
    history = moments(**days)
    if history.frame()["time"].dt.time().n_unique() < 2:
        return
    for truth, weights in found(history, history, TimeOfDay()).items():
        assert truth in weights
        assert all(weight > 0 for weight in weights.values())


@pytest.mark.realdata
def test_the_minutes_name_nearly_everybody_of_pwscup2016(real_data) -> None:
    history = read(real_data / "data/pwscup2016/T.csv", format="pwscup2016")
    assert rate(history, HIDDEN(history, seed=1), TimeOfDay()) > 0.93
