from itertools import combinations, permutations, product

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokumei import read
from tokumei.alignment import aligning
from tokumei.alignment.aligning import align, group_cost
from tokumei.alignment.cells import cheap_cells_of
from tokumei.alignment.rows import Rows, rows_of
from tokumei.errors import SchemaError

NAMES = ["customer", "date", "item", "price", "quantity"]


def history(*rows: tuple[str, str, str, float, int]):
    return read(pl.DataFrame(list(rows), schema=NAMES, orient="row"))


def made(table: list[list[tuple[int, int, int, int]]], **other) -> Rows:
    """Rows (day, item, price, quantity) of each customer."""
    columns = np.array([row for person in table for row in person], dtype=np.int64).T
    day, item, price, quantity = columns
    spread = np.stack([day, price, quantity]).std(axis=1)
    return Rows(
        start=np.concatenate([[0], np.cumsum([len(person) for person in table])]),
        day=day,
        item=item,
        price=price,
        quantity=quantity,
        spread=other.get("spread", np.where(spread > 0, spread, np.inf)),
        weight=other.get("weight", np.ones(4)),
    )


def row_cost(rows: Rows, tuple_: tuple[int, ...]) -> float:
    """What a tuple costs, cell by cell and row by row as the rules say."""
    total = 0.0
    columns = ((0, rows.day, 0), (2, rows.price, 1), (3, rows.quantity, 2))
    for weight, column, spread in columns:
        values = [int(column[row]) for row in tuple_]
        low, high = min(values), max(values)
        errors = [
            ((low - x) ** 2 + (high - x) ** 2 + (high - low))
            / (2 * rows.spread[spread] * (high - low + 1))
            for x in values
        ]
        total += rows.weight[weight] * min(sum(errors), len(tuple_))
    distinct = len({int(rows.item[row]) for row in tuple_})
    return float(total + rows.weight[1] * len(tuple_) * (1 - 1 / distinct))


def least_cost(rows: Rows, members: tuple[int, ...]) -> float:
    """The least cost over all alignments, by trying them all."""
    own = [range(rows.start[p], rows.start[p + 1]) for p in members]
    least = min(len(some) for some in own)
    gone = sum(len(some) for some in own) - least * len(own)
    base, *others = sorted(own, key=len)
    choices = [
        [order for some in combinations(part, least) for order in permutations(some)]
        for part in others
    ]
    best = min(
        sum(row_cost(rows, line) for line in zip(base, *chosen, strict=True))
        for chosen in product(*choices)
    )
    return best + gone * float(rows.weight.sum())


ROW = st.tuples(st.integers(0, 20), st.integers(0, 3), st.integers(1, 300), st.integers(1, 9))
PERSON = st.lists(ROW, min_size=1, max_size=4)


def test_rows_are_sorted_by_customer_and_row_id():
    rows, persons, ids = rows_of(
        history(
            ("b", "2018-01-02", "pear", 1.5, 2),
            ("a", "2018-01-04", "fig", 2.0, 1),
            ("b", "2018-01-01", "fig", 2.0, 3),
        )
    )
    assert persons.to_list() == ["a", "b"]
    assert ids.to_list() == [1, 0, 2]
    assert rows.start.tolist() == [0, 1, 3]
    assert np.diff(rows.day).tolist() == [-2, -1]
    assert rows.item.tolist() == [0, 1, 0]
    assert rows.price.tolist() == [200, 150, 200]
    assert rows.quantity.tolist() == [1, 2, 3]
    assert rows.spread[2] == pytest.approx(np.std([1, 2, 3]))
    assert rows.weight.tolist() == [1, 1, 1, 1]


def test_missing_and_constant_columns_cost_nothing():
    frame = pl.DataFrame({"customer": ["a", "b"], "item": ["x", "y"], "quantity": [3, 3]})
    rows, _, _ = rows_of(read(frame))
    assert rows.weight.tolist() == [0, 1, 0, 1]
    assert np.isinf(rows.spread).all()
    tuples, cost = align(rows, np.array([0, 1]), how="assignment")
    assert tuples.tolist() == [[0, 1]]
    assert cost == pytest.approx(2 * (1 - 1 / 2))


def test_suppressed_cells_are_refused():
    whole = history(("a", "2018-01-02", "x", 1.0, 1), ("b", "2018-01-02", "x", 1.0, 1))
    frame = whole.frame().with_columns(pl.lit(None, dtype=pl.Float64).alias("price"))
    with pytest.raises(SchemaError, match="price"):
        rows_of(whole.with_purchases(frame))


def test_two_customers_by_hand():
    # Equal items meet, though a date order would put 1 beside 3; the fourth row is left out.
    rows = made(
        [[(0, 1, 100, 1), (10, 2, 100, 1)], [(1, 2, 100, 1), (9, 1, 100, 1), (30, 5, 100, 1)]],
        spread=np.array([20.0, np.inf, np.inf]),
    )
    tuples, cost = align(rows, np.array([0, 1]), how="assignment")
    assert tuples.tolist() == [[0, 3], [1, 2]]
    # Intervals of ten days around an end: (81 + 9) / (2 * 20 * 10) for each of two rows.
    assert cost == pytest.approx(2 * 2 * (81 + 9) / 400 + 4)
    in_order, dear = align(rows, np.array([0, 1]), how="order")
    assert in_order.tolist() == [[0, 2], [1, 3]]
    assert dear == pytest.approx(2 * 2 * (1 + 1) / (2 * 20 * 2) + 2 * 2 * 0.5 + 4)


def test_three_customers_by_hand():
    rows = made(
        [
            [(0, 1, 100, 1), (50, 2, 100, 4)],
            [(50, 2, 100, 4), (0, 1, 100, 1)],
            [(50, 3, 100, 4), (2, 1, 100, 1)],
        ],
        spread=np.array([10.0, np.inf, 1.0]),
    )
    tuples, cost = align(rows, np.array([2, 0, 1]), how="assignment")
    assert tuples.tolist() == [[4, 1, 2], [5, 0, 3]]
    # Two items among three rows; then days 0, 0, 2: each end of [0;2] errs by 6 / (2 * 10 * 3).
    assert cost == pytest.approx(3 * 0.5 + 3 * 6 / 60)


def test_cells_are_those_that_were_costed():
    rows = made(
        [[(0, 7, 100, 1)], [(4, 5, 100, 500)], [(2, 7, 130, 1)]],
        spread=np.array([10.0, 100.0, 2.0]),
    )
    tuples, cost = align(rows, np.arange(3), how="assignment")
    cells = cheap_cells_of(rows, [tuples])
    ends = cells.ends
    assert [ends.day.tolist(), ends.price.tolist(), ends.quantity.tolist()] == [
        [[0, 4]], [[100, 130]], [[1, 500]],
    ]  # fmt: skip
    assert cells.items == [[5, 7]]
    assert cells.suppressed[0].tolist() == [False, False, False, True]
    day = (20 + 20 + 12) / (2 * 10 * 5)
    price = 3 * (30 * 30 + 30) / (2 * 100 * 31)
    assert cost == pytest.approx(day + price + 3 * 0.5 + 3)


@given(PERSON, PERSON)
def test_two_customers_are_aligned_best(one, other):
    rows = made([one, other])
    tuples, cost = align(rows, np.arange(2), how="assignment")
    assert cost == pytest.approx(least_cost(rows, (0, 1)), abs=2e-3)
    assert cost == pytest.approx(group_cost(rows, np.arange(2), tuples))


@given(st.lists(st.lists(ROW, min_size=1, max_size=3), min_size=3, max_size=4))
def test_more_customers_are_aligned_nearly_best(people):
    rows = made(people)
    members = tuple(range(len(people)))
    tuples, cost = align(rows, np.array(members), how="assignment")
    gone = (rows.sizes - rows.sizes.min()).sum() * 4
    summed = sum(row_cost(rows, tuple(line)) for line in tuples.tolist())
    assert cost == pytest.approx(summed + gone)
    best = least_cost(rows, members)
    assert best - 1e-6 <= cost <= 1.15 * best + 2e-3
    assert cost <= align(rows, np.array(members), how="order")[1] + 2e-3
    for column, person in enumerate(members):
        own = tuples[:, column]
        assert len(set(own.tolist())) == len(own)
        assert ((own >= rows.start[person]) & (own < rows.start[person + 1])).all()


@given(PERSON, st.lists(st.integers(0, 3), min_size=4, max_size=4))
def test_weights_count_as_they_say(one, weights):
    rows = made([one, one[::-1]], weight=np.array(weights, dtype=np.float64))
    _, cost = align(rows, np.arange(2), how="assignment")
    assert cost == pytest.approx(0, abs=1e-9)


def test_equal_customers_cost_nothing():
    person = [(day, day % 3, 100 + day, 1) for day in range(12)]
    rows = made([person, person[::-1], person[3:] + person[:3]])
    assert align(rows, np.arange(3), how="assignment")[1] == 0


def test_matrices_that_do_not_fit_are_cut(monkeypatch):
    dice = np.random.default_rng(5)

    def person(count: int) -> list[tuple[int, int, int, int]]:
        numbers = dice.integers(0, [300, 9, 900, 9], (count, 4))
        return [tuple(line) for line in numbers.tolist()]

    rows = made([person(40), person(55), person(61)])
    whole, cost = align(rows, np.arange(3), how="assignment")
    monkeypatch.setattr(aligning, "MATRIX", 500)
    tuples, more = align(rows, np.arange(3), how="assignment")
    assert whole.shape == tuples.shape == (40, 3)
    assert all(len(set(column.tolist())) == 40 for column in tuples.T)
    assert more == pytest.approx(group_cost(rows, np.arange(3), tuples))
    assert cost <= more <= align(rows, np.arange(3), how="order")[1]
