"""The orders in which names and customers are set, worked by hand."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from tokumei import History, read
from tokumei.audit.link_orders import customer_orders, text_orders

NEVER = np.inf


def places(texts: list[str]) -> list[list[int]]:
    return [order.tolist() for order in text_orders(pl.Series(texts))]


@pytest.mark.parametrize(
    ("texts", "orders"),
    [
        (["b", "a", "c"], [[1, 0, 2]]),
        (["b", "aa", "c"], [[1, 0, 2], [0, 2, 1]]),  # by the alphabet, by length first
        (["x9", "y2", "z1"], [[0, 1, 2], [2, 1, 0]]),  # and by the numbers in them
        (["x10", "y9", "z010"], [[0, 1, 2], [1, 0, 2], [1, 0, 1]]),  # 10 and 010 are one number
        (["x9", "y2", "z"], [[0, 1, 2], [1, 2, 0]]),  # not all have a number
    ],
)
def test_texts_are_set_by_alphabet_length_and_number(
    texts: list[str], orders: list[list[int]]
) -> None:
    assert places(texts) == orders


def bought(*, time: bool) -> pl.DataFrame:
    """C buys first in the file, B first in time, A the most."""
    rows = pl.DataFrame(
        {
            "person": ["C", "A", "A", "B", "A", "C"],
            "item": list("uvwxyz"),
            "time": [f"2024-01-{day:02}" for day in (5, 4, 3, 1, 9, 6)],
        }
    ).with_columns(pl.col("time").str.to_date())
    return rows if time else rows.drop("time")


def history(*, time: bool = True, listed: str = "") -> History:
    customers = pl.DataFrame({"person": list(listed)}) if listed else None
    return read(bought(time=time), customers=customers)


def orders(given: History, persons: str) -> list[list[float]]:
    return [order.tolist() for order in customer_orders(given, pl.Series(list(persons)))]


def test_customers_are_set_by_what_they_bought() -> None:
    by_id, first, middle, rows, time = orders(history(), "ABC")
    assert by_id == [0, 1, 2]
    assert first == [1, 3, 0]
    assert middle == [2, 3, 2.5]
    assert rows == [3, 1, 2]
    assert np.argsort(time).tolist() == [1, 0, 2]


def test_without_times_there_is_one_order_less() -> None:
    assert len(orders(history(time=False), "ABC")) == 4


def test_the_customers_table_is_an_order_and_who_is_missing_comes_last() -> None:
    by_id, listed, first, *_ = orders(history(listed="CDAB"), "DABC")
    assert by_id == [3, 0, 1, 2]
    assert listed == [1, 2, 3, 0]
    assert first == [NEVER, 1, 3, 0]
