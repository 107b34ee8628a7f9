"""Groups of like customers, and intervals that tell the leader's R, F and M."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tokumei import generate
from tokumei.alignment.centering import centered, tight
from tokumei.alignment.rfm_groups import aligned_to_leader, profiles_of, rfm_groups
from tokumei.alignment.rows import Rows, rows_of
from tokumei.errors import Unachievable

SHOP = generate("shop", customers=50, seed=4)
ROWS, PERSONS, _ = rows_of(SHOP)
PROFILES = profiles_of(SHOP, PERSONS, bins=3)


def rows_by_hand(*people: list[tuple[int, int, int]]) -> Rows:
    """Rows of (day, price, quantity) for each person."""
    flat = np.array([row for person in people for row in person], dtype=np.int64)
    start = np.concatenate([[0], np.cumsum([len(person) for person in people])])
    return Rows(
        start=start,
        day=flat[:, 0],
        item=np.zeros(len(flat), dtype=np.int64),
        price=flat[:, 1],
        quantity=flat[:, 2],
        spread=np.ones(3),
        weight=np.ones(4),
        **{"first": start[:-1]} if "first" in Rows.__dataclass_fields__ else {},
    )


@pytest.mark.parametrize("k", [2, 3, 4, 7])
def test_everybody_is_in_one_group_of_at_least_k(k: int) -> None:
    groups = rfm_groups(ROWS, PROFILES, k)
    assert sorted(np.concatenate(groups).tolist()) == list(range(ROWS.people))
    assert all(k <= len(group) < 2 * k for group in groups)


def test_more_than_everybody_cannot_be_alike() -> None:
    with pytest.raises(Unachievable, match="Groups of 51 need as many customers; there are 50"):
        rfm_groups(ROWS, PROFILES, 51)


def test_full_groups_have_one_class() -> None:
    classes = PROFILES.classes
    alike = sum(len(set(classes[group])) == 1 for group in rfm_groups(ROWS, PROFILES, 2))
    possible = sum(count // 2 for count in np.unique(classes, return_counts=True)[1])
    assert alike == possible


def test_the_last_purchases_stand_side_by_side_and_all_dates_of_the_leader_are_kept() -> None:
    for group in rfm_groups(ROWS, PROFILES, 3):
        tuples = aligned_to_leader(ROWS, group)
        assert len(tuples) == ROWS.sizes[group].min()
        assert len(np.unique(tuples)) == tuples.size
        for member, column in zip(group, tuples.T, strict=True):
            own = slice(ROWS.start[member], ROWS.start[member + 1])
            assert ROWS.day[column[0]] == ROWS.day[own].max()
        leader = slice(ROWS.start[group[0]], ROWS.start[group[0] + 1])
        dates = len(np.unique(ROWS.day[leader]))
        assert len(np.unique(ROWS.day[tuples[:, 0]])) == min(dates, len(tuples))


def told(ends: Any) -> tuple[float, int, float]:
    last = ends.day.sum(axis=1).max() / 2
    spend = (ends.price.sum(axis=1) * ends.quantity.sum(axis=1)).sum() / 4
    return last, len(np.unique(ends.day, axis=0)), spend


def test_two_customers_tell_the_leaders_numbers() -> None:
    """The leader bought on days 10 and 20 for 100 + 400; the other on days 12 and 16."""
    rows = rows_by_hand([(10, 100, 1), (20, 200, 2)], [(12, 100, 3), (16, 300, 2)])
    tuples = np.array([[1, 3], [0, 2]])
    kept, ends = centered(rows, tuples, (20, 2, 500), (0, 40))
    assert len(kept) == 2
    assert ends.day.tolist()[0] == [16, 24]  # 16 to 20, widened until the middle is 20
    last, dates, spend = told(ends)
    assert (last, dates) == (20, 2)
    assert spend == pytest.approx(500, rel=0.02)


@settings(max_examples=80)
@given(st.data())
def test_true_values_stay_inside_whatever_is_told(data: st.DataObject) -> None:
    row = st.tuples(st.integers(0, 60), st.integers(1, 3000), st.integers(1, 50))
    m, size = data.draw(st.integers(1, 6)), data.draw(st.integers(2, 4))
    people = [data.draw(st.lists(row, min_size=m, max_size=m)) for _ in range(size)]
    rows = rows_by_hand(*people)
    tuples = np.arange(m * size).reshape(size, m).T
    target = (
        data.draw(st.integers(0, 60)),
        data.draw(st.integers(1, m)),
        data.draw(st.integers(1, 200_000)),
    )
    kept, ends = centered(rows, tuples, target, (0, 60))
    narrow = tight(rows, kept)
    for name in ("day", "price", "quantity"):
        wide, least = getattr(ends, name), getattr(narrow, name)
        assert (wide[:, 0] <= least[:, 0]).all()
        assert (wide[:, 1] >= least[:, 1]).all()
    assert ends.price.min() >= 1
    assert ends.quantity.min() >= 1
    assert len(np.unique(ends.day, axis=0)) == min(target[1], len(kept))
