from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokumei.errors import ParameterError
from tokumei.theory.decoys import (
    DecoyTheory,
    added_rows_of_random_clusters,
    exclusive_items,
    shared_items,
)

PAPER = DecoyTheory(n=400, b=65, mu=0.03)


def test_shared_items_undo_the_definition_of_mu() -> None:
    h = shared_items(65, 0.03)
    assert h / (2 * 65 - h) == pytest.approx(0.03)


def test_the_worked_examples_of_the_paper() -> None:
    assert PAPER.domain.start == 23
    assert PAPER.best_clusters == 130
    large = DecoyTheory(n=4000, b=65, mu=0.03)
    assert round(large.best_clusters_approximately) == 1427
    assert large.reidentified(1427) == pytest.approx(0.3567, abs=1e-4)


def test_the_cost_peaks_where_the_domain_begins_and_ends_at_zero() -> None:
    costs = [PAPER.added_rows(c) for c in PAPER.domain]
    assert costs == sorted(costs, reverse=True)
    assert PAPER.added_rows(PAPER.peak) > max(PAPER.added_rows(PAPER.peak * f) for f in (0.9, 1.1))
    assert PAPER.added_rows(400) == pytest.approx(0, abs=1e-6)
    assert PAPER.objective(PAPER.domain.start) == pytest.approx(0.5 + 23 / 800)


@pytest.mark.parametrize(("b", "mu"), [(3, 1), (1.3, 0.7)])
def test_two_customers_with_much_in_common_stay_alone(b: float, mu: float) -> None:
    """h > 2 b / 3, so the cost peaks above c = 1 and c = 2 is left, which costs nothing."""
    pair = DecoyTheory(n=2, b=b, mu=mu)
    assert (pair.domain, pair.alpha) == (range(2, 3), 0)
    assert (pair.best_clusters, pair.objective(2)) == (2, 0.5)


def test_senseless_data_is_refused() -> None:
    with pytest.raises(ParameterError, match="n must be at least 2"):
        DecoyTheory(n=1, b=65, mu=0.03)
    with pytest.raises(ParameterError, match="b must be above 0"):
        DecoyTheory(n=10, b=0, mu=0.03)


baskets = st.lists(st.sets(st.integers(0, 7), min_size=1), min_size=4, max_size=7)


@given(baskets, st.integers(1, 4))
def test_exclusive_items_are_the_mean_over_all_clusters(sets: list[set[int]], s: int) -> None:
    n = len(sets)
    buyers = np.array([sum(item in one for one in sets) for item in range(8)])
    clusters = list(combinations(sets, s))
    for i in range(1, s + 1):
        exactly = sum(
            sum(item in one for one in cluster) == i for cluster in clusters for item in range(8)
        )
        a_i = exactly / len(clusters) / comb(s, i)
        assert exclusive_items(buyers, n, s)[i - 1] == pytest.approx(a_i, abs=1e-9)


@given(baskets)
def test_the_cost_of_random_clusters_is_the_general_form_of_the_thesis(
    sets: list[set[int]],
) -> None:
    n = len(sets)
    buyers = np.array([sum(item in one for one in sets) for item in range(8)])
    for s in (d for d in range(1, n + 1) if n % d == 0):
        a = exclusive_items(buyers, n, s)
        general = n / s * sum((s - i) * comb(s, i) * a[i - 1] for i in range(1, s + 1))
        assert added_rows_of_random_clusters(buyers, n, n / s) == pytest.approx(general, abs=1e-6)
