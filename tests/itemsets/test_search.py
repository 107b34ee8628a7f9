"""The search finds what comparing all with all finds."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from tokumei.draws import keys_of, pair_bits
from tokumei.itemsets import search
from tokumei.itemsets.kernels import draw
from tokumei.itemsets.search import Matches, all_pairs, most_similar

Row = list[int]


def matrix(rows: list[Row]) -> sparse.csr_array:
    return sparse.csr_array(np.array(rows, dtype=np.int64))


def find(
    queries: list[Row], base: list[Row], *, top: int = 1, seed: int = 0, floors: Any = None
) -> Matches:
    return most_similar(
        matrix(queries),
        matrix(base),
        top=top,
        seed=seed,
        query_keys=keys_of(f"q{number}" for number in range(len(queries))),
        base_keys=keys_of(f"b{number}" for number in range(len(base))),
        floors=floors,
    )


def similarity(one: Row, two: Row) -> Fraction:
    over = sum(map(max, zip(one, two, strict=True)))
    return Fraction(sum(map(min, zip(one, two, strict=True))), over or 1)


def test_hand_worked_sets() -> None:
    """Items a b c d; the base sets are {a}, {a, b}, {c, d}, {b, c, d}."""
    base = [[1, 0, 0, 0], [1, 1, 0, 0], [0, 0, 1, 1], [0, 1, 1, 1]]
    found = find([[1, 1, 0, 0], [0, 0, 0, 1], [1, 1, 1, 1]], base, top=2)
    assert found.base.tolist() == [[1, 0], [2, 3], [3, found.base[2, 1]]]
    assert found.similarity.tolist() == [[1, 1 / 2], [1 / 2, 1 / 3], [3 / 4, 1 / 2]]
    assert found.base[2, 1] in (1, 2)


def test_hand_worked_quantities() -> None:
    """(2, 1) against (1, 1): 2 of 3; against (4, 0): 2 of 5."""
    found = find([[2, 1]], [[1, 1], [4, 0]], top=2)
    assert found.base.tolist() == [[0, 1]]
    assert found.similarity.tolist() == [[2 / 3, 2 / 5]]


def test_who_shares_nothing_is_not_named() -> None:
    found = find([[1, 0], [0, 0]], [[0, 1], [0, 1]], top=2)
    assert (found.base == -1).all()
    assert (found.similarity == 0).all()


def test_empty_sides_give_empty_answers() -> None:
    nothing = np.zeros(0, dtype=np.uint64)
    none, some = sparse.csr_array((0, 3), dtype=np.int64), matrix([[1, 0, 1]])
    keys = keys_of(["x"])
    assert most_similar(none, some, seed=0, query_keys=nothing, base_keys=keys).base.shape == (0, 1)
    assert most_similar(some, none, seed=0, query_keys=keys, base_keys=nothing).base.shape == (1, 0)


def test_each_of_equally_similar_sets_comes_first_as_often() -> None:
    base = [[1, 1, 0], [1, 0, 1], [1, 1, 0], [1, 0, 1]]
    firsts = [find([[1, 0, 0]], base, seed=seed).base[0, 0] for seed in range(400)]
    assert np.bincount(firsts, minlength=4) == pytest.approx(100, abs=30)


def test_ties_are_drawn_for_each_query_by_itself() -> None:
    found = find([[1]] * 400, [[1]] * 4)
    assert np.bincount(found.base[:, 0]) == pytest.approx(100, abs=30)


rows = st.integers(1, 7).flatmap(
    lambda width: st.tuples(
        st.lists(st.lists(st.integers(0, 1), min_size=width, max_size=width), min_size=1),
        st.lists(st.lists(st.integers(0, 1), min_size=width, max_size=width), min_size=1),
        st.lists(st.integers(1, 9), min_size=width, max_size=width),
        st.integers(1, 6),
    )
)


def check(queries: list[Row], base: list[Row], top: int) -> None:
    found = find(queries, base, top=top)
    for row, query in enumerate(queries):
        every = [similarity(query, other) for other in base]
        best = sorted((value for value in every if value), reverse=True)[:top]
        named = [column for column in found.base[row] if column >= 0]
        assert [every[column] for column in named] == best
        assert len(set(named)) == len(named)
        assert [float(value) for value in best] == found.similarity[row, : len(best)].tolist()


@given(rows)
def test_sets_are_compared_as_by_python(given: tuple[list[Row], list[Row], Row, int]) -> None:
    queries, base, _, top = given
    check(queries, base, top)


@given(rows)
def test_weighted_sets_are_compared_as_by_python(
    given: tuple[list[Row], list[Row], Row, int],
) -> None:
    queries, base, weights, top = given
    queries, base = (
        [[w * one for w, one in zip(weights, row, strict=True)] for row in part]
        for part in (queries, base)
    )
    check(queries, base, top)


amounts = st.integers(1, 5).flatmap(
    lambda width: st.lists(
        st.lists(st.integers(0, 4), min_size=width, max_size=width), min_size=2, max_size=20
    )
)


@given(amounts, st.integers(1, 4))
def test_multisets_are_compared_as_by_python(rows: list[Row], top: int) -> None:
    half = len(rows) // 2
    check(rows[:half], rows[half:], top)


@pytest.fixture(params=[0.0, 0.05, 1.1], ids=["all common", "some common", "none common"])
def crowd(request, monkeypatch) -> tuple[np.ndarray, np.ndarray]:
    """2,000 sets over 300 items in several blocks, some large, many the same, some nearly so."""
    monkeypatch.setattr(search, "BLOCK", 512)
    monkeypatch.setattr(search, "COMMON", request.param)
    rng = np.random.default_rng(4)
    taste = rng.gamma(0.5, size=(2_000, 1)) * 4 / (np.arange(300) + 4)
    base = (rng.random((2_000, 300)) < taste).astype(np.int64)
    base[1_500:1_600] = base[:100]
    base[1_600:1_700] = base[1]
    queries = base[::5] * (rng.random((400, 300)) < rng.random((400, 1)))
    return queries, base


def brute(queries: np.ndarray, base: np.ndarray) -> np.ndarray:
    shared = np.array([np.minimum(query, base).sum(axis=1) for query in queries])
    union = queries.sum(axis=1)[:, None] + base.sum(axis=1) - shared
    return shared / np.maximum(union, 1)


@pytest.mark.parametrize("kind", ["sets", "weights", "quantities"])
def test_many_sets_in_many_blocks_are_compared_as_by_force(crowd, kind: str) -> None:
    queries, base = crowd
    rng = np.random.default_rng(5)
    if kind == "weights":
        weights = rng.integers(1, 2**33, 300)
        queries, base = queries * weights, base * weights
    if kind == "quantities":
        queries, base = (part * rng.integers(1, 30, part.shape) for part in (queries, base))
    every = brute(queries, base)
    for top in (1, 10):
        found = find(queries.tolist(), base.tolist(), top=top)
        assert (found.similarity == -np.sort(-every, axis=1)[:, :top]).all()
        named = np.take_along_axis(every, np.maximum(found.base, 0), axis=1)
        assert (np.where(found.base < 0, 0, named) == found.similarity).all()


def test_ties_are_drawn_alike_inside_and_outside_of_the_search() -> None:
    from tokumei.draws import pair_bits
    from tokumei.itemsets.kernels import draw

    rng = np.random.default_rng(3)
    one, two = rng.integers(0, 2**64, (2, 50), dtype=np.uint64)
    inside = [int(draw(np.uint64(7), *pair)) for pair in zip(one, two, strict=True)]
    assert pair_bits(7, one, two).tolist() == inside


@pytest.mark.parametrize("top", [1, 10])
def test_floors_leave_out_only_what_is_below(crowd, top: int) -> None:
    queries, base = (part.tolist() for part in crowd)
    whole = find(queries, base, top=top)
    middle = whole.similarity[:, top // 2]
    for floors in (middle, middle + 1e-9, np.zeros(len(middle))):
        found = find(queries, base, top=top, floors=floors)
        kept = whole.similarity >= floors[:, None]
        assert (found.similarity == np.where(kept, whole.similarity, 0)).all()
        assert (found.base == np.where(kept, whole.base, -1)).all()


def test_the_order_of_rows_does_not_matter(crowd) -> None:
    queries, base = crowd
    rng = np.random.default_rng(6)
    mixed, turned = rng.permutation(len(base)), rng.permutation(len(queries))
    columns = rng.permutation(300)
    keys = np.arange(10_000, dtype=np.uint64)
    one = most_similar(
        sparse.csr_array(queries), sparse.csr_array(base), top=5, seed=1,
        query_keys=keys[: len(queries)], base_keys=keys[: len(base)],
    )  # fmt: skip
    two = most_similar(
        sparse.csr_array(queries[turned][:, columns]), sparse.csr_array(base[mixed][:, columns]),
        top=5, seed=1, query_keys=keys[turned], base_keys=keys[mixed],
    )  # fmt: skip
    assert (one.similarity[turned] == two.similarity).all()
    assert (one.base[turned] == np.where(two.base < 0, -1, mixed[two.base])).all()


def test_the_search_does_not_depend_on_the_number_of_threads(crowd, monkeypatch) -> None:
    queries, base = (part.tolist() for part in crowd)
    several = find(queries, base, top=3)
    monkeypatch.setattr(search, "_processors", lambda: 1)
    monkeypatch.setattr(search, "CHUNK", 7)
    alone = find(queries, base, top=3)
    assert (several.base == alone.base).all()


def test_all_pairs_are_compared_as_by_force(crowd) -> None:
    base = crowd[1][1_200:1_900]
    base = base[base.sum(axis=1) > 0]
    every = brute(base, base)[np.triu_indices(len(base), 1)]
    found = all_pairs(sparse.csr_array(base), bins=20)
    assert found.mean == pytest.approx(every.mean())
    assert found.largest == every.max() == 1
    bins = np.minimum((every * 20 + 1e-9).astype(int), 19)
    assert found.counts.tolist() == np.bincount(bins, minlength=20).tolist()


def test_a_similarity_on_an_edge_belongs_to_the_bin_above() -> None:
    """29 of 100 in hundredths: 0.29 * 100 rounds to below 29."""
    one, two = [1] * 29 + [1] * 71, [1] * 29 + [0] * 71
    found = all_pairs(matrix([one, two]), bins=100)
    assert np.flatnonzero(found.counts).tolist() == [29]


@pytest.mark.parametrize("width", [700, 70_000])
def test_large_sets_do_not_overflow_the_counters(width: int) -> None:
    full, most = np.ones(width, dtype=np.int64), np.ones(width, dtype=np.int64)
    most[:100] = 0
    found = find([full.tolist()], [most.tolist(), full.tolist()], top=2)
    assert found.base.tolist() == [[1, 0]]
    assert found.similarity.tolist() == [[1, (width - 100) / width]]


def test_compiled_draws_are_those_of_draws() -> None:
    keys = np.random.default_rng(0).integers(0, 2**64, (2, 50), dtype=np.uint64)
    start = np.uint64(2**63 + 1)
    compiled = [int(draw(start, first, second)) for first, second in keys.T]
    assert compiled == pair_bits(int(start), *keys).tolist()
