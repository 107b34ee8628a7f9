import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trees import least_of_all_quadruples, random_correlation, random_rho

from tokumei.errors import ParameterError
from tokumei.pk import (
    Correlation,
    Domain,
    anonymity,
    best_rho,
    closed_form,
    expected_l1,
    largest_rho,
    least_ratio,
    mechanism,
)

seeds = st.integers(0, 2**32 - 1)
CENSUS = Domain.of(
    {name: list(map(str, range(size))) for name, size in (("age", 19), ("ed", 18), ("sex", 2))}
)


def test_a_coin_kept_half_of_the_time_by_hand() -> None:
    # A = [[3/4, 1/4], [1/4, 3/4]]: the least ratio is (1/3)^2, so k = 1 + 9 / 9.
    coin = mechanism(Domain.of({"a": ["0", "1"]}), 0.5)
    assert anonymity(coin, 10) == pytest.approx(2)


def test_the_papers_formula_for_independent_attributes() -> None:
    rho = (0.3, 0.5, 0.7)
    product = np.prod(
        [((1 - r) / (1 + (m - 1) * r)) ** 2 for r, m in zip(rho, (19, 18, 2), strict=True)]
    )
    assert anonymity(mechanism(CENSUS, rho), 1001) == pytest.approx(1 + 1000 * product)


@pytest.mark.parametrize("attributes", [2, 3])
def test_the_exact_minimum_is_that_of_all_quadruples(attributes: int) -> None:
    rng = np.random.default_rng(attributes)
    degenerate = 0
    for _ in range(500):
        correlation = random_correlation(rng, attributes, 4 if attributes == 2 else 3)
        rho = random_rho(rng, attributes)
        of = mechanism(correlation, rho)
        matrix = of.matrix()
        least = least_of_all_quadruples(matrix)
        exact = np.exp(of.log_ratio())
        assert exact == pytest.approx(least, rel=1e-9)
        assert least_ratio(matrix) == pytest.approx(least, rel=1e-9)
        assert closed_form(correlation, rho) <= least * (1 + 1e-9)
        degenerate += (correlation.branchings(1) > 1).sum() < 2
    assert degenerate > 20


def test_the_closed_form_is_exact_for_two_attributes_with_one_rho_and_wide_prefixes() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        correlation = random_correlation(rng, 2, 6)
        rho = float(rng.uniform(0.05, 0.9))
        wide = np.sort(correlation.branchings(1))[::-1][:2]
        # Case (1) of the paper lies below the others where two prefixes are narrow.
        if (1 + (wide - 1) * rho).prod() * (1 - rho) ** 2 >= 1:
            exact = np.exp(mechanism(correlation, rho).log_ratio())
            assert closed_form(correlation, rho) == pytest.approx(exact)


def test_the_closed_form_stays_below_for_a_pair_of_coins() -> None:
    # Case (1) has (1 - rho)^2 where 1 / (1 + rho)^2 is reached: printed upside down in the paper.
    coins = Correlation.forbidding(Domain.of({"a": ["0", "1"], "b": ["0", "1"]}), [])
    first = (0.5 / 1.5) ** 2
    assert closed_form(coins, 0.5) == pytest.approx(first * 0.5**2)
    assert np.exp(mechanism(coins, 0.5).log_ratio()) == pytest.approx(first / 1.5**2)


@given(seeds, st.floats(1.001, 1e4), st.integers(10_001, 10**9))
@settings(max_examples=60, deadline=None)
def test_k_to_rho_to_k_comes_back(seed: int, k: float, records: int) -> None:
    rng = np.random.default_rng(seed)
    correlation = random_correlation(rng, int(rng.integers(1, 4)), 4)
    for space in (correlation, correlation.domain):
        rho = largest_rho(space, k, records)
        assert anonymity(mechanism(space, rho), records) == pytest.approx(k, rel=1e-9)


def test_the_prototypes_rho_for_the_census() -> None:
    assert largest_rho(CENSUS, 2, 2_002_755) == pytest.approx(0.521, abs=5e-4)


def test_k_of_all_records_leaves_nothing() -> None:
    assert largest_rho(CENSUS, 50, 50) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(("k", "records"), [(11, 10), (1, 10), (0, 10), (2, 1)])
def test_an_impossible_k_is_refused(k: float, records: int) -> None:
    with pytest.raises(ParameterError, match=r"k must be above 1 and at most|at least 2 records"):
        largest_rho(CENSUS, k, records)


@given(seeds, st.sampled_from([2, 3, 10]))
@settings(max_examples=15, deadline=None)
def test_the_best_rho_keeps_k_and_is_expected_to_be_no_worse(seed: int, k: int) -> None:
    rng = np.random.default_rng(seed)
    correlation = random_correlation(rng, int(rng.integers(1, 4)), 4)
    for space in (correlation, correlation.domain):
        best = mechanism(space, best_rho(space, k, 100_000))
        common = mechanism(space, largest_rho(space, k, 100_000))
        assert anonymity(best, 100_000) >= k * (1 - 1e-9)
        assert expected_l1(best, 100_000) <= expected_l1(common, 100_000) * (1 + 1e-9)


def test_the_expected_distance_is_that_of_simulated_tables() -> None:
    of = mechanism(Domain.of({"a": ["0", "1", "2"], "b": ["0", "1"]}), (0.5, 0.7))
    shares = np.array([0.3, 0.2, 0.2, 0.1, 0.1, 0.1])
    records = 20_000
    cells = np.repeat(np.arange(6), (shares * records).astype(int))
    found = []
    for seed in range(200):
        drawn = of.draw(cells, np.arange(records), seed=seed)
        estimate = of.inverse(np.bincount(drawn, minlength=6) / records)
        found.append(np.abs(estimate - shares).sum())
    assert np.mean(found) == pytest.approx(expected_l1(of, records, shares), rel=0.06)
