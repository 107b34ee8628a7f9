from collections.abc import Iterator
from functools import cache

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_aligning import PERSON, least_cost, made

import tokumei
from tokumei.alignment.aligning import group_cost
from tokumei.alignment.cells import cheap_cells_of
from tokumei.alignment.rows import Rows, rows_of
from tokumei.alignment.search import by_row_count, search
from tokumei.cells import intervals
from tokumei.errors import ParameterError, Unachievable
from tokumei.metrics.information_loss import InformationLoss
from tokumei.progress import reporting
from tokumei.publishing import publish

QUICK = 0.01


def partitions(people: tuple[int, ...], k: int) -> Iterator[list[tuple[int, ...]]]:
    """All ways to cut people into groups of at least k."""
    if not people:
        yield []
        return
    first, rest = people[0], people[1:]
    for bits in range(1 << len(rest)):
        group = (first, *(p for place, p in enumerate(rest) if bits >> place & 1))
        if len(group) >= k:
            left = tuple(p for p in rest if p not in group)
            for others in partitions(left, k):
                yield [group, *others]


def least_loss(rows: Rows, k: int) -> float:
    @cache
    def cost(group: tuple[int, ...]) -> float:
        return least_cost(rows, group)

    people = tuple(range(rows.people))
    best = min(sum(cost(group) for group in groups) for groups in partitions(people, k))
    return best / (4 * len(rows.day))


def checked(rows: Rows, k: int, found) -> None:
    people = np.concatenate(found.groups)
    assert sorted(people.tolist()) == list(range(rows.people))
    assert min(len(group) for group in found.groups) >= k
    cost = 0.0
    for group, tuples in zip(found.groups, found.tuples, strict=True):
        assert tuples.shape == (rows.sizes[group].min(), len(group))
        owner = np.searchsorted(rows.start, tuples, side="right") - 1
        assert (owner == group).all()
        assert len(np.unique(tuples)) == tuples.size
        cost += group_cost(rows, group, tuples)
    assert found.loss == pytest.approx(cost / (rows.weight.sum() * len(rows.day)))


def random_rows(people: int, seed: int, most: int = 12) -> Rows:
    dice = np.random.default_rng(seed)
    sizes = dice.integers(1, most, people)
    return made(
        [
            [
                tuple(row)
                for row in dice.integers([0, 0, 1, 1], [60, 15, 500, 20], (size, 4)).tolist()
            ]
            for size in sizes
        ]
    )


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_search_reaches_the_least_loss_of_small_histories(k, seed):
    rows = random_rows(7, seed, most=4)
    found = search(rows, k, seconds=0.05, seed=seed)
    checked(rows, k, found)
    best = least_loss(rows, k)
    assert best - 1e-9 <= found.loss <= 1.02 * best


@settings(max_examples=25)
@given(st.lists(PERSON, min_size=2, max_size=9), st.integers(2, 4), st.integers(0, 5))
def test_groups_are_whole_and_no_worse_than_by_row_count(people, k, seed):
    rows = made(people)
    if k > rows.people:
        with pytest.raises(Unachievable):
            search(rows, k, seconds=QUICK, seed=seed)
        return
    found = search(rows, k, seconds=QUICK, seed=seed)
    checked(rows, k, found)
    for how in ("order", "assignment"):
        plain = by_row_count(rows, k, how=how, ties=np.arange(rows.people))
        checked(rows, k, plain)


def test_search_is_better_than_row_count_and_the_same_again():
    rows = random_rows(60, 4)
    ties = np.arange(rows.people)
    plain = by_row_count(rows, 3, how="assignment", ties=ties)
    assert plain.loss <= by_row_count(rows, 3, how="order", ties=ties).loss
    found = search(rows, 3, seconds=0.2, seed=1)
    checked(rows, 3, found)
    assert found.loss < 0.95 * plain.loss
    again = search(rows, 3, seconds=0.2, seed=1)
    assert again.loss == found.loss
    assert [group.tolist() for group in again.groups] == [g.tolist() for g in found.groups]
    assert all((a == b).all() for a, b in zip(again.tuples, found.tuples, strict=True))


def test_row_count_cuts_as_the_paper():
    rows = made([[(day, 0, 1, 1) for day in range(size)] for size in (3, 1, 4, 1, 5, 9, 2)])
    found = by_row_count(rows, 3, how="order", ties=np.arange(7))
    assert sorted(group.tolist() for group in found.groups) == [[0, 2, 4, 5], [1, 3, 6]]
    rest = next(part for part in found.tuples if part.shape[1] == 4)
    assert (rows.day[rest] == np.arange(3)[:, None]).all()


def test_equal_customers_lose_nothing():
    person = [(day, day % 4, 100, 2) for day in range(6)]
    rows = made([person] * 7)
    found = search(rows, 2, seconds=QUICK, seed=0)
    assert found.loss == 0
    checked(rows, 2, found)


def test_customers_of_one_row():
    rows = made([[(day, 0, 100, 1)] for day in (0, 50, 1, 51, 2, 52)])
    found = search(rows, 3, seconds=QUICK, seed=0)
    assert [group.tolist() for group in found.groups] == [[0, 2, 4], [1, 3, 5]]


def test_blocks(monkeypatch):
    monkeypatch.setattr("tokumei.alignment.search.BLOCK", 10)
    rows = random_rows(40, 6)
    found = search(rows, 3, seconds=0.1, seed=1)
    checked(rows, 3, found)


@pytest.mark.parametrize(("k", "seconds"), [(1, 1.0), (2, 0.0), (2, np.inf), (2, np.nan)])
def test_wrong_parameters(k, seconds):
    with pytest.raises(ParameterError):
        search(random_rows(5, 1), k, seconds=seconds, seed=0)


def test_the_order_of_the_history_does_not_matter(shop):
    rows, persons, ids = rows_of(shop)
    mixed = shop.with_purchases(shop.frame().sample(fraction=1.0, shuffle=True, seed=3))
    again, same_persons, same_ids = rows_of(mixed)
    assert persons.equals(same_persons)
    assert ids.equals(same_ids)
    assert all(np.array_equal(getattr(rows, name), getattr(again, name)) for name in vars(rows))


def test_progress_is_reported():
    seen = []
    with reporting(lambda task, done, total: seen.append((task, done, total))):
        search(random_rows(20, 2), 2, seconds=QUICK, seed=0)
    tasks = list(dict.fromkeys(task for task, _, _ in seen))
    assert tasks == [
        "comparing customers",
        "grouping customers",
        "improving groups",
        "aligning groups",
    ]


def released(history, rows, ids, found):
    """The history as the groups are released: tight intervals, sets, suppressed cells."""
    parts = []
    for tuples in found.tuples:
        cells = cheap_cells_of(rows, [tuples])
        ends = (cells.ends.day, cells.ends.price, cells.ends.quantity)
        for column in range(tuples.shape[1]):
            shown = ~cells.suppressed
            data = {"row": ids.to_numpy()[tuples[:, column]]}
            for place, (name, which) in enumerate((("time", 0), ("price", 2), ("quantity", 3))):
                for end, values in zip(("lo", "hi"), ends[place].T, strict=True):
                    data[name + end] = np.where(shown[:, which], values.astype(float), np.nan)
            data["items"] = cells.items
            parts.append(pl.DataFrame(data))
    return pl.concat(parts).with_columns(pl.selectors.float().fill_nan(None))


@pytest.mark.parametrize("k", [2, 3])
def test_the_loss_is_what_the_metric_says(shop, k):
    frame = shop.frame().filter(pl.col("person").is_in(sorted(set(shop.persons()))[:20]))
    history = shop.with_purchases(frame)
    rows, _, ids = rows_of(history)
    found = search(rows, k, seconds=0.1, seed=1)
    cells = released(history, rows, ids, found)
    codes = frame.select("item").unique().sort("item")["item"].to_list()
    joined = frame.select("row", "person").join(cells, on="row", how="inner")
    public = pl.DataFrame(
        {
            "row": joined["row"],
            "person": joined["person"],
            "item": [[codes[code] for code in line] for line in joined["items"].to_list()],
            "time": intervals(
                *(joined["time" + e].cast(pl.Int32).cast(pl.Date) for e in ("lo", "hi"))
            ),
            "price": intervals(*(joined["price" + e] / 100 for e in ("lo", "hi"))),
            "quantity": intervals(*(joined["quantity" + e].cast(pl.Int64) for e in ("lo", "hi"))),
        }
    )
    release = publish(history, history.with_purchases(public), secret=b"1")
    score = InformationLoss()(history, release, seed=0)
    assert score.value == pytest.approx(found.loss, abs=1e-9)


@pytest.mark.realdata
def test_a_second_on_the_contest_beats_row_count(real_data):
    history = tokumei.read(real_data / "data/pwscup2018/T.csv", format="pwscup2018")
    rows, _, _ = rows_of(history)
    found = search(rows, 3, seconds=1, seed=1)
    checked(rows, 3, found)
    assert found.loss < 0.335


def test_nothing_is_searched_where_one_group_is_all():
    rows = random_rows(5, 9)
    found = search(rows, 3, seconds=1000, seed=0)
    assert [group.tolist() for group in found.groups] == [[0, 1, 2, 3, 4]]
    checked(rows, 3, found)
