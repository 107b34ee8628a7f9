from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import tokumei
from tokumei.errors import ParameterError
from tokumei.itemsets import ItemSets, annealing, grouping, item_sets, voting
from tokumei.itemsets.grouping import (
    Weights,
    added_rows,
    common_items,
    first_groups,
    pair_groups,
    search_groups,
)
from tokumei.itemsets.pairing import least_cost
from tokumei.progress import reporting

QUICK = 0.002


def customers(table: list[list[int]]) -> ItemSets:
    matrix = sparse.csr_array(np.array(table, dtype=np.int32))
    persons = pl.Series([f"u{number}" for number in range(matrix.shape[0])])
    items = pl.Series([f"g{number}" for number in range(matrix.shape[1])])
    return ItemSets(persons, items, matrix)


@st.composite
def some_sets(draw: st.DrawFn, least: int = 1, most: int = 9) -> ItemSets:
    people, kinds = draw(st.integers(least, most)), draw(st.integers(1, 8))
    row = st.lists(st.integers(0, 1), min_size=kinds, max_size=kinds).filter(any)
    return customers(draw(st.lists(row, min_size=people, max_size=people)))


def random_sets(people: int, kinds: int, seed: int) -> ItemSets:
    rng = np.random.default_rng(seed)
    table = rng.random((people, kinds)) < rng.uniform(0.1, 0.6, size=(people, 1))
    table[np.arange(people), rng.integers(kinds, size=people)] = True
    return customers(table.astype(int).tolist())


def partitions(people: int, clusters: int, min_size: int) -> Iterator[np.ndarray]:
    def grow(labels: list[int]) -> Iterator[list[int]]:
        if len(labels) == people:
            yield labels
            return
        for label in range(min(max(labels, default=-1) + 2, clusters)):
            yield from grow([*labels, label])

    for labels in grow([]):
        sizes = np.bincount(labels, minlength=clusters)
        if sizes.min() >= min_size:
            yield np.array(labels)


def plain_cost(sets: ItemSets, labels: np.ndarray) -> int:
    bought = [set(np.flatnonzero(row)) for row in sets.matrix.toarray()]
    unions: dict[int, set[int]] = {}
    for label, items in zip(labels.tolist(), bought, strict=True):
        unions.setdefault(label, set()).update(items)
    pairs = zip(labels.tolist(), bought, strict=True)
    return sum(len(unions[label]) - len(items) for label, items in pairs)


# The paper's Figure 2.
FIGURE = customers([[1, 1, 0, 0, 0], [1, 0, 1, 0, 1], [0, 0, 0, 1, 1]])


def test_the_papers_example_adds_eight_rows() -> None:
    assert added_rows(FIGURE, np.array([0, 0, 0])) == 3 + 2 + 3


def test_the_two_nearest_of_the_papers_example_go_together() -> None:
    # {g1, g2} with {g1, g3, g5} adds 3, {g1, g3, g5} with {g4, g5} adds 3, the others add 4.
    found = search_groups(FIGURE, clusters=2, min_size=1, seed=0, seconds=QUICK)
    assert found.cost == 3


@given(some_sets(), st.data())
def test_added_rows_are_those_counted_set_by_set(sets: ItemSets, data: st.DataObject) -> None:
    people = sets.matrix.shape[0]
    drawn = data.draw(st.lists(st.integers(0, 3), min_size=people, max_size=people))
    labels = np.unique(drawn, return_inverse=True)[1]
    assert added_rows(sets, labels) == plain_cost(sets, labels)


@given(some_sets(least=2), st.data())
def test_a_search_fills_every_cluster_and_follows_the_seed(
    sets: ItemSets, data: st.DataObject
) -> None:
    people = sets.matrix.shape[0]
    clusters = data.draw(st.integers(1, people))
    min_size = data.draw(st.integers(1, people // clusters))
    delete = data.draw(st.sampled_from([None, 0.5, 1.0, 3.0]))

    def search() -> grouping.Grouping:
        return search_groups(
            sets,
            clusters=clusters,
            min_size=min_size,
            seed=5,
            seconds=QUICK,
            weights=Weights(delete=delete),
        )

    found = search()
    sizes = np.bincount(found.labels, minlength=clusters)
    assert len(sizes) == clusters
    assert sizes.min() >= min_size
    np.testing.assert_array_equal(found.labels, search().labels)
    if delete is None:
        assert found.cost == plain_cost(sets, found.labels)
        assert found.lower_bound is not None
        assert found.lower_bound <= found.cost


@given(some_sets(least=4), st.integers(0, 99))
def test_tables_kept_while_annealing_equal_those_built_anew(sets: ItemSets, seed: int) -> None:
    labels = first_groups(sets.sizes, 2, 1)
    state = annealing.unions(sets.matrix, labels, 2)
    stream = np.array([seed], dtype=np.uint64)
    annealing.anneal(state, 1, 2.0, 20_000, stream)
    again = annealing.unions(sets.matrix, state.labels, 2)
    for name, kept, built in zip(state._fields, state, again, strict=True):
        np.testing.assert_array_equal(kept, built, err_msg=name)
    rows = added_rows(sets, state.labels.astype(np.int64))
    assert annealing.total(state) - sets.sizes.sum() == rows


@given(some_sets(least=4))
def test_a_change_is_priced_as_it_turns_out(sets: ItemSets) -> None:
    people = sets.matrix.shape[0]
    labels = np.arange(people) % 2
    state = annealing.unions(sets.matrix, labels, 2)
    before = added_rows(sets, labels)
    for one, other in combinations(range(people), 2):
        if labels[one] != labels[other]:
            after = labels.copy()
            after[[one, other]] = labels[[other, one]]
            change = added_rows(sets, after) - before
            assert annealing.swap_cost(state, one, other) == change
    for person in range(people):
        after = labels.copy()
        after[person] = 1 - labels[person]
        change = added_rows(sets, after) - before
        assert annealing.move_cost(state, person, after[person]) == change


@given(some_sets(least=4), st.sampled_from([0.3, 1.0, 2.5]), st.integers(0, 99))
def test_votes_kept_while_annealing_equal_those_built_anew(
    sets: ItemSets, delete: float, seed: int
) -> None:
    rows = sets.matrix.copy()
    rows.data = np.random.default_rng(seed).integers(1, 4, size=rows.nnz).astype(np.int32)
    state = voting.votes(rows, first_groups(sets.sizes, 2, 1), 2, (1.0, delete))
    voting.anneal(state, 1, 2.0, 200_000, np.array([seed], dtype=np.uint64))
    again = voting.votes(rows, state.labels.astype(np.int64), 2, (1.0, delete))
    for name, kept, built in zip(state._fields, state, again, strict=True):
        np.testing.assert_allclose(kept, built, err_msg=name)
    chosen = common_items(sets, rows, state.labels.astype(np.int64), Weights(delete=delete))
    assert voting.total(state) == pytest.approx(chosen.cost)


def test_a_search_finds_the_best_of_all_partitions() -> None:
    exact = 0
    cases = [(5, 2, 2), (6, 2, 2), (6, 3, 2), (7, 2, 3), (7, 3, 1), (7, 3, 2)]
    for number, (people, clusters, min_size) in enumerate(cases * 4):
        sets = random_sets(people, 10, seed=number)
        best = min(plain_cost(sets, labels) for labels in partitions(people, clusters, min_size))
        found = search_groups(sets, clusters=clusters, min_size=min_size, seed=number, seconds=0.01)
        bound = least_cost(sets, clusters, min_size)
        assert bound is not None
        assert bound <= best <= found.cost <= 1.1 * best
        exact += found.cost == best
    assert exact >= 22


@pytest.mark.parametrize("delete", [0.4, 1.0, 2.0])
def test_a_search_with_deletions_finds_the_best_of_all_partitions(delete: float) -> None:
    weights = Weights(add=1.0, delete=delete)
    exact = 0
    for seed in range(8):
        sets = random_sets(6, 8, seed=seed)
        rows = sets.matrix.copy()
        rows.data = np.random.default_rng(seed).integers(1, 4, size=rows.nnz).astype(np.int32)
        best = min(common_items(sets, rows, labels, weights).cost for labels in partitions(6, 2, 2))
        found = search_groups(
            sets, clusters=2, min_size=2, seed=seed, seconds=0.02, weights=weights, rows=rows
        )
        assert found.lower_bound is None
        assert best - 1e-9 <= found.cost <= 1.1 * best
        exact += found.cost == pytest.approx(best)
    assert exact >= 7


@pytest.mark.parametrize("people", [1, 2, 3, 4, 6, 8])
def test_pairs_are_the_best_of_all_pairings(people: int) -> None:
    for seed in range(3):
        sets = random_sets(people, 9, seed=seed)
        found = pair_groups(sets)
        pairs = max(1, people // 2)
        best = min(plain_cost(sets, labels) for labels in partitions(people, pairs, min(people, 2)))
        assert found.cost == best
        assert found.lower_bound is not None
        assert found.lower_bound <= best
        if people % 2 == 0:
            assert found.lower_bound == best


def test_an_odd_number_has_one_group_of_three_near_the_best() -> None:
    for people in (5, 7):
        for seed in range(6):
            sets = random_sets(people, 9, seed=seed)
            found = pair_groups(sets)
            assert sorted(np.bincount(found.labels)) == [2] * (people // 2 - 1) + [3]
            best = min(plain_cost(sets, labels) for labels in partitions(people, people // 2, 2))
            assert best <= found.cost <= 1.15 * best


def test_common_items_are_chosen_item_by_item() -> None:
    sets = customers([[1, 1, 0, 1], [1, 0, 0, 1], [1, 0, 1, 0]])
    rows = sparse.csr_array(np.array([[1, 5, 0, 1], [1, 0, 0, 1], [1, 0, 1, 0]]))
    chosen = common_items(sets, rows, np.array([0, 0, 0]), Weights(add=1, delete=1))
    # g1 is missing to two members but stands in five rows; g2 to two, but stands in one.
    assert chosen.kept.tolist() == [[True, True, False, True]]
    assert chosen.cost == 0 + 2 + 1 + 1


def test_without_a_weight_for_deletion_the_union_is_kept() -> None:
    chosen = common_items(FIGURE, None, np.array([0, 0, 0]), Weights(add=2))
    assert chosen.kept.all()
    assert chosen.cost == 2 * 8


def test_nobody_loses_all_items() -> None:
    sets = customers([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    rows = sparse.csr_array(np.array([[1, 0, 0], [0, 2, 0], [0, 0, 1]]))
    chosen = common_items(sets, rows, np.array([0, 0, 0]), Weights(add=1, delete=0.1))
    # Keeping g1, in two rows, adds 2 and saves 0.2; the others would save 0.1.
    assert chosen.kept.tolist() == [[False, True, False]]
    assert chosen.cost == pytest.approx(2 + 0.1 + 0.1)


def test_dear_deletions_leave_the_cost_of_adding() -> None:
    sets = random_sets(30, 20, seed=1)
    chosen = {"clusters": 8, "min_size": 2, "seed": 1, "seconds": 0.1}
    only_added = search_groups(sets, **chosen)
    both = search_groups(sets, weights=Weights(delete=1e6), **chosen)
    assert both.cost == added_rows(sets, both.labels)
    assert both.cost == pytest.approx(only_added.cost, rel=0.02)


def test_equal_customers_cost_nothing() -> None:
    sets = customers([[1, 0, 1]] * 9)
    found = search_groups(sets, clusters=3, min_size=3, seed=0, seconds=QUICK)
    assert (found.cost, found.lower_bound) == (0, 0)
    assert np.bincount(found.labels).tolist() == [3, 3, 3]


def test_one_cluster_and_everybody_alone_need_no_search() -> None:
    sets = random_sets(6, 8, seed=0)
    alone = search_groups(sets, clusters=6, min_size=1, seed=0)
    assert (alone.cost, sorted(alone.labels)) == (0, list(range(6)))
    together = search_groups(sets, clusters=1, min_size=6, seed=0)
    assert together.cost == plain_cost(sets, np.zeros(6, dtype=int))
    one = search_groups(customers([[1, 1]]), clusters=1, min_size=1, seed=0)
    assert (one.cost, one.labels.tolist()) == (0, [0])


def test_first_groups_put_many_items_into_small_clusters() -> None:
    labels = first_groups(np.array([5, 1, 9, 2, 1, 1, 1]), 3, 2)
    assert labels.tolist() == [0, 1, 0, 1, 2, 2, 2]


def test_a_search_block_by_block_keeps_its_promises(monkeypatch: pytest.MonkeyPatch) -> None:
    sets = random_sets(60, 30, seed=2)
    chosen = {"clusters": 15, "min_size": 3, "seed": 1, "seconds": 0.05}
    whole = search_groups(sets, **chosen)
    monkeypatch.setattr(grouping, "MEMORY", 2_000)
    tasks = set()
    with reporting(lambda task, done, steps: tasks.add(task)):
        found = search_groups(sets, **chosen)
    assert len(tasks) > 2
    assert np.bincount(found.labels, minlength=15).min() >= 3
    assert found.cost == plain_cost(sets, found.labels)
    start = added_rows(sets, first_groups(sets.sizes, 15, 3))
    assert whole.cost <= found.cost <= start


def test_values_out_of_range_are_told() -> None:
    sets = random_sets(8, 5, seed=0)
    with pytest.raises(ParameterError, match=r"s_min must lie in 1\.\.2 for 8 customers in 4"):
        search_groups(sets, clusters=4, min_size=3, seed=0)
    with pytest.raises(ParameterError, match=r"clusters must lie in 1\.\.8"):
        search_groups(sets, clusters=9, min_size=1, seed=0)
    with pytest.raises(ParameterError, match="seconds must be above 0"):
        search_groups(sets, clusters=2, min_size=2, seed=0, seconds=0)
    with pytest.raises(ParameterError, match="added row"):
        Weights(add=0)
    with pytest.raises(ParameterError, match="deleted row"):
        Weights(delete=-1)
    with pytest.raises(ParameterError, match="entry above 0"):
        search_groups(sets, clusters=2, min_size=2, seed=0, rows=sets.matrix[:, :3])


@pytest.mark.realdata
def test_a_search_beats_plain_annealing_on_the_contest_data(real_data: Path) -> None:
    sets = item_sets(tokumei.read(real_data / "data/pwscup2016/T.csv", format="pwscup2016"))
    best_pairs = pair_groups(sets)
    assert best_pairs.cost == best_pairs.lower_bound == 19_564
    pairs = search_groups(sets, clusters=200, min_size=2, seed=0, seconds=1)
    assert pairs.cost <= 1.01 * best_pairs.cost
    assert search_groups(sets, clusters=50, min_size=2, seed=0, seconds=1).cost <= 89_800
    assert search_groups(sets, clusters=50, min_size=8, seed=0, seconds=1).cost <= 106_900
