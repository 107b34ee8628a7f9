"""R, F and M by hand, and on the paper's data."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokumei import History, read
from tokumei.cells import intervals
from tokumei.errors import SchemaError
from tokumei.history import ROW
from tokumei.rfm import analyze, ranks
from tokumei.tables import table


def days(*numbers: int | None) -> pl.Series:
    return pl.Series([date(2011, 1, number) if number else None for number in numbers])


@pytest.fixture
def wide() -> History:
    """Ann: two rows in one interval and one later; Ben: one row, its date and price unknown."""
    rows = pl.DataFrame(
        {
            ROW: [0, 1, 2, 3],
            "person": ["Ann", "Ann", "Ann", "Ben"],
            "time": intervals(days(1, 1, 11, None), days(5, 5, 21, None)),
            "price": intervals(pl.Series([1.0, 2.0, 3.0, None]), pl.Series([3.0, 2.0, 5.0, None])),
            "quantity": intervals(pl.Series([1, 4, 10, 3]), pl.Series([3, 4, 20, 3])),
        }
    )
    return History(table(rows))


def test_equal_intervals_are_one_date_and_cells_stand_for_their_middles(wide: History) -> None:
    """Ann: last middle January 16, five days before the 21st; 2 x 2 + 2 x 4 + 4 x 15 = 72."""
    ann, ben = analyze(wide).rows(named=True)
    assert (ann["R"], ann["F"], ann["M"]) == (5, 2, 72)
    # Ben's date tells nothing: the middle of the 20 days; his price is the mean of 2, 2 and 4.
    assert (ben["R"], ben["F"], ben["M"]) == (10, 1, 8)


def test_draws_come_near_the_expectation(wide: History) -> None:
    exact, drawn = analyze(wide), analyze(wide, draws=2_000, seed=3)
    for name in "RM":
        assert np.allclose(exact[name], drawn[name], rtol=0.05)
    assert exact["F"].to_list() == drawn["F"].to_list()
    assert analyze(wide, draws=5, seed=3).equals(analyze(wide, draws=5, seed=3))
    assert not analyze(wide, draws=5, seed=3).equals(analyze(wide, draws=5, seed=4))


def test_a_history_of_silence_cannot_be_analyzed(wide: History) -> None:
    rows = wide.frame().with_columns(pl.lit(None, wide.frame().schema["time"]).alias("time"))
    with pytest.raises(SchemaError, match="all are suppressed"):
        analyze(wide.with_purchases(rows))
    with pytest.raises(SchemaError, match="needs a column for price"):
        analyze(wide.with_purchases(wide.frame().drop("price")))


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=60), st.integers(2, 12))
def test_ranks_follow_the_values_and_fill_all_bins(values: list[float], bins: int) -> None:
    array = np.array(values)
    found = ranks(array, bins)
    assert found.min() == 0
    assert found.max() < bins
    for one, other in zip(np.argsort(array)[:-1], np.argsort(array)[1:], strict=True):
        assert found[one] <= found[other]


def test_ranks_of_different_values_are_even() -> None:
    assert np.bincount(ranks(np.arange(1000.0))).tolist() == [100] * 10


@pytest.mark.realdata
def test_the_papers_customers_agree_to_the_penny(real_data: Path) -> None:
    history = read(real_data / "data/pwscup2018/T.csv", format="pwscup2018")
    found = {row[0]: row[1:] for row in analyze(history).iter_rows()}
    assert found["12348"] == (66, 4, 1797.24)
    assert found["12349"] == (9, 1, 1757.55)
    assert found["12354"] == (223, 1, 1079.4)
