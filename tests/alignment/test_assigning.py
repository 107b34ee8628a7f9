import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy.optimize import linear_sum_assignment

from tokumei.alignment.assigning import assign, bid, desk

MATRICES = st.tuples(st.integers(1, 7), st.integers(0, 4)).flatmap(
    lambda shape: arrays.arrays(
        np.int32, (shape[0], shape[0] + shape[1]), elements=st.integers(0, 60)
    )
)


def least(cost: np.ndarray) -> int:
    rows, columns = linear_sum_assignment(cost)
    return int(cost[rows, columns].sum())


def chosen(cost: np.ndarray, room) -> list[int]:
    return room.chosen[: len(cost)].tolist()


@given(MATRICES)
def test_assign_is_exact(cost):
    room = desk(cost.shape[1])
    assert assign(cost, room) == least(cost)
    columns = chosen(cost, room)
    assert len(set(columns)) == len(cost)
    assert cost[np.arange(len(cost)), columns].sum() == least(cost)


@given(MATRICES, st.integers(1, 9))
def test_an_auction_is_as_near_as_it_promises(cost, step):
    room = desk(cost.shape[1])
    total = bid(cost, step, room)
    columns = chosen(cost, room)
    assert len(set(columns)) == len(cost)
    assert cost[np.arange(len(cost)), columns].sum() == total
    assert least(cost) <= total <= least(cost) + step * len(cost)


def test_large_matrices_with_many_ties():
    dice = np.random.default_rng(3)
    for columns in (60, 75):
        cost = dice.integers(0, 12, (60, columns)).astype(np.int32)
        room = desk(columns)
        assert assign(cost, room) == least(cost)
