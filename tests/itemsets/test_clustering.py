from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import sparse

import tokumei
from tokumei.errors import ParameterError
from tokumei.itemsets import ItemSets, item_sets
from tokumei.itemsets.clustering import (
    check_sizes,
    jaccard_kmeans,
    tfidf,
    tfidf_kmeans,
    with_min_size,
)
from tokumei.itemsets.grouping import added_rows


def customers(*bought: str) -> ItemSets:
    """One customer per word; its letters are the items."""
    names = sorted(set("".join(bought)))
    table = np.array([[name in word for name in names] for word in bought], dtype=np.int32)
    persons = pl.Series([f"u{number}" for number in range(len(bought))])
    return ItemSets(persons, pl.Series(names), sparse.csr_array(table))


def test_weights_are_those_worked_by_hand() -> None:
    weights = tfidf(customers("ab", "a", "ac")).toarray()
    rare = np.log(3) + 1
    expected = [[0.5, 0.5 * rare, 0], [1, 0, 0], [0.5, 0, 0.5 * rare]]
    np.testing.assert_allclose(weights, expected)


def test_customers_of_two_kinds_make_two_clusters() -> None:
    sets = customers("abc", "abd", "xyz", "xyw")
    found = {
        frozenset(np.flatnonzero(tfidf_kmeans(sets, clusters=2, seed=seed) == 0).tolist())
        for seed in range(20)
    }
    assert found & {frozenset({0, 1}), frozenset({2, 3})}


@pytest.mark.parametrize("method", [tfidf_kmeans, jaccard_kmeans])
def test_no_cluster_is_empty_and_the_seed_decides(method, shop: tokumei.History) -> None:
    sets = item_sets(shop)
    for clusters in (1, 2, 25, 60):
        labels = method(sets, clusters=clusters, seed=3)
        assert labels.dtype == np.int64
        assert (np.bincount(labels, minlength=clusters) > 0).all()
        assert len(np.unique(labels)) == clusters
        np.testing.assert_array_equal(labels, method(sets, clusters=clusters, seed=3))


@pytest.mark.filterwarnings("ignore:Number of distinct clusters")
@pytest.mark.parametrize("method", [tfidf_kmeans, jaccard_kmeans])
def test_equal_customers_still_fill_every_cluster(method) -> None:
    labels = method(customers("ab", "ab", "ab", "ab"), clusters=3, seed=0)
    assert sorted(np.bincount(labels)) == [1, 1, 2]


def test_the_nearest_customer_of_the_largest_cluster_moves() -> None:
    sets = customers("ab", "abc", "xy", "xz", "abx")
    labels = with_min_size(sets, np.array([0, 1, 1, 1, 1]), min_size=2, seed=0)
    # J(ab, abc) = J(ab, abx) = 2/3 is the largest, so one of the two is drawn.
    assert labels.tolist() in ([0, 0, 1, 1, 1], [0, 1, 1, 1, 0])


def test_the_largest_cluster_is_looked_up_before_every_move() -> None:
    sets = customers("a", "ab", "ac", "ad", "x", "xa", "xb")
    labels = with_min_size(sets, np.array([0, 1, 1, 1, 2, 2, 2]), min_size=2, seed=0)
    assert sorted(np.bincount(labels)) == [2, 2, 3]
    labels = with_min_size(sets, np.array([0, 1, 1, 1, 1, 1, 2]), min_size=2, seed=0)
    assert sorted(np.bincount(labels)) == [2, 2, 3]


def test_clusters_that_are_large_enough_stay(shop: tokumei.History) -> None:
    sets = item_sets(shop)
    labels = np.arange(60) % 10
    np.testing.assert_array_equal(with_min_size(sets, labels, min_size=6, seed=0), labels)


def test_filling_leaves_its_input_alone_and_follows_the_seed(shop: tokumei.History) -> None:
    sets = item_sets(shop)
    labels = tfidf_kmeans(sets, clusters=12, seed=1)
    before = labels.copy()
    filled = with_min_size(sets, labels, min_size=5, seed=2)
    np.testing.assert_array_equal(labels, before)
    assert (np.bincount(filled) == 5).all()
    np.testing.assert_array_equal(filled, with_min_size(sets, labels, min_size=5, seed=2))


def test_sizes_out_of_range_are_told() -> None:
    with pytest.raises(ParameterError, match=r"s_min must lie in 1\.\.8 for 400 customers in 50"):
        check_sizes(400, 50, 9)
    with pytest.raises(ParameterError, match="not 0"):
        check_sizes(400, 50, 0)
    with pytest.raises(ParameterError, match=r"clusters must lie in 1\.\.3 .* not 4"):
        tfidf_kmeans(customers("a", "b", "c"), clusters=4, seed=0)
    with pytest.raises(ParameterError, match="not 0"):
        jaccard_kmeans(customers("a", "b", "c"), clusters=0, seed=0)
    with pytest.raises(ParameterError, match="not 3"):
        with_min_size(customers("a", "b", "c"), np.array([0, 1, 1]), min_size=3, seed=0)


@pytest.fixture(scope="module")
def contest(real_data: Path) -> ItemSets:
    file = real_data / "data/pwscup2016/T.csv"
    return item_sets(tokumei.read(file, format="pwscup2016"))


@pytest.mark.realdata
@pytest.mark.parametrize(
    ("clusters", "paper"), [(50, 125_798), (75, 91_946), (100, 59_374), (125, 46_101)]
)
def test_method_two_costs_what_the_paper_prints(
    contest: ItemSets, clusters: int, paper: int
) -> None:
    costs = []
    for seed in range(10):
        labels = tfidf_kmeans(contest, clusters=clusters, seed=seed)
        filled = with_min_size(contest, labels, min_size=400 // clusters, seed=seed)
        costs.append(added_rows(contest, filled))
    assert np.mean(costs) == pytest.approx(paper, rel=0.08)


@pytest.mark.realdata
def test_unweighted_clusters_are_as_uneven_as_in_the_paper(contest: ItemSets) -> None:
    """Figure 3: of 400 customers 294 in one cluster, and 45 alone."""
    sizes = [np.bincount(jaccard_kmeans(contest, clusters=50, seed=seed)) for seed in range(5)]
    assert np.mean([found.max() for found in sizes]) == pytest.approx(294, abs=40)
    assert np.mean([(found == 1).sum() for found in sizes]) == pytest.approx(45, abs=5)
