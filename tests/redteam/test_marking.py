"""The red team's own measures, on tables worked by hand."""

from __future__ import annotations

import numpy as np
import polars as pl
from by_hand import Noise, published_by_hand
from marking import assigned, groups_of, luckiest, rate, truth_of
from names_and_order import ORDERS
from red_team import attacked
from views import View, rows_of

from tokumei import History, read


def history(*rows: tuple[str, str, str]) -> History:
    names = ["customer", "item", "basket"]
    return read(pl.DataFrame(rows, schema=names, orient="row"))


def test_pseudonyms_with_equal_rows_are_alike_whatever_their_baskets_are_called() -> None:
    rows = history(("a", "pear", "1"), ("b", "pear", "2"), ("c", "plum", "3"))
    one, two, three = groups_of(rows_of(rows))
    assert one == two != three


def test_how_rows_lie_in_baskets_tells_pseudonyms_apart() -> None:
    rows = history(("a", "pear", "1"), ("a", "plum", "1"), ("b", "pear", "2"), ("b", "plum", "3"))
    one, two = groups_of(rows_of(rows))
    assert one != two


def test_a_basket_number_that_two_share_tells_them_from_the_third() -> None:
    rows = history(("a", "pear", "1"), ("b", "pear", "1"), ("c", "pear", "2"))
    one, two, three = groups_of(rows_of(rows))
    assert one == two != three


def test_to_be_right_in_a_pair_is_worth_a_half() -> None:
    truth, pair = np.array([0, 1]), np.array([7, 7])
    assert rate(np.array([0, 1]), truth, pair) == 0.5
    assert rate(np.array([1, 0]), truth, pair) == 0.5
    assert rate(np.array([0, 1]), truth, np.array([7, 8])) == 1.0
    assert rate(np.array([2, 2]), truth, pair) == 0.0


def test_luck_can_name_a_pair_but_not_a_stranger() -> None:
    truth = np.array([0, 1])
    assert luckiest(np.array([1, 0]), truth, np.array([7, 7]), chance=0.01) == 1.0
    assert luckiest(np.array([1, 0]), truth, np.array([7, 8]), chance=0.01) == 0.0


def test_luck_hardly_names_a_third_of_forty_pseudonyms_in_tens() -> None:
    truth = np.arange(40)
    most = luckiest(truth, truth, np.repeat(np.arange(4), 10), chance=0.001)
    assert 0.1 < most < 0.35  # four expected, each pseudonym by itself with 1 / 10


def test_twelve_copies_of_one_customer_are_a_group_of_one() -> None:
    results = attacked("everybody twelve times")
    assert np.bincount(results.groups)[results.groups].min() >= 12
    assert results.sizes.min() == 1


def test_the_truth_is_whose_rows_are_shown() -> None:
    original = history(("a", "pear", "1"), ("b", "plum", "2"), ("c", "fig", "3"))
    released = published_by_hand(original, naming="order")
    view = View(rows_of(released.public), rows_of(original), Noise())
    assert truth_of(original, released, view).tolist() == [0, 1, 2]
    for order in ORDERS:
        assert order(view) is None or order(view).shape == (3, 3)


def test_nobody_is_named_twice() -> None:
    original = history(("a", "pear", "1"), ("b", "plum", "2"))
    view = View(rows_of(original), rows_of(original), Noise())
    assert assigned(view, np.array([[3.0, 2.0], [3.0, 0.0]])).tolist() == [1, 0]
