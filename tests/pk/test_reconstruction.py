import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trees import random_correlation

from tokumei.errors import ParameterError
from tokumei.pk import Domain, mechanism, reconstruct
from tokumei.pk.reconstruction import iterative_bayes

seeds = st.integers(0, 2**32 - 1)


def literal_bayes(shares: np.ndarray, matrix: np.ndarray, steps: int) -> np.ndarray:
    estimate = np.full(len(shares), 1 / len(shares))
    for _ in range(steps):
        estimate = estimate * (matrix @ (shares / (estimate @ matrix)))
    return estimate


def test_without_noise_the_truth_comes_back() -> None:
    of = mechanism(Domain.of({"a": ["0", "1", "2"], "b": ["0", "1"]}), (0.5, 0.7))
    truth = np.array([30.0, 20, 20, 10, 10, 10])
    seen = of.forward(truth)
    assert reconstruct(seen, of, tolerance=1e-12).counts == pytest.approx(truth, abs=1e-2)
    assert reconstruct(seen, of, method="inverse").counts == pytest.approx(truth)


@given(seeds)
@settings(max_examples=25, deadline=None)
def test_the_fast_iteration_reaches_what_the_literal_one_does(seed: int) -> None:
    rng = np.random.default_rng(seed)
    correlation = random_correlation(rng, int(rng.integers(1, 4)), 3)
    of = mechanism(correlation, rng.uniform(0.3, 0.9, len(correlation.domain.names)).tolist())
    shares = rng.dirichlet(np.ones(of.cells))
    matrix = of.matrix()
    plain = literal_bayes(shares, matrix, 20_000)
    fast = iterative_bayes(shares, of, tolerance=1e-10)
    likelihoods = [(shares * np.log(p @ matrix)).sum() for p in (plain, fast.counts)]
    assert fast.converged
    assert likelihoods[1] >= likelihoods[0] - 1e-9
    # The gap is a proof: no distribution is more likely by more than it.
    assert likelihoods[0] <= likelihoods[1] + max(fast.gap, 0) + 1e-12


@given(seeds, st.floats(0.05, 0.95), st.integers(2, 12))
@settings(max_examples=60, deadline=None)
def test_one_attribute_in_closed_form_is_the_most_likely(seed: int, rho: float, size: int) -> None:
    of = mechanism(Domain.of({"a": list(map(str, range(size)))}), rho)
    shares = np.random.default_rng(seed).dirichlet(np.full(size, 0.3))
    found = reconstruct(shares, of)
    assert found.counts.sum() == pytest.approx(1)
    assert found.counts.min() >= 0
    assert found.gap == pytest.approx(0, abs=1e-9)


def test_estimates_are_counts_that_sum_to_the_records() -> None:
    rng = np.random.default_rng(1)
    of = mechanism(random_correlation(rng, 3, 4), 0.3)
    seen = rng.multinomial(500, np.full(of.cells, 1 / of.cells)).astype(float)
    for method in ("bayes", "inverse"):
        counts = reconstruct(seen, of, method=method).counts
        assert counts.sum() == pytest.approx(500)
        assert counts.min() >= 0


def test_stopping_early_warns(caplog: pytest.LogCaptureFixture) -> None:
    rng = np.random.default_rng(1)
    of = mechanism(random_correlation(rng, 3, 4), 0.2)
    shares = rng.dirichlet(np.full(of.cells, 0.1))
    assert not iterative_bayes(shares, of, tolerance=1e-15, most_steps=20).converged
    assert "stopped after" in caplog.text


@pytest.mark.parametrize("counts", [[1.0, 2.0], [0.0, 0.0, 0.0], [1.0, -1.0, 3.0]])
def test_what_is_no_cross_tabulation_is_refused(counts: list[float]) -> None:
    of = mechanism(Domain.of({"a": ["0", "1", "2"]}), 0.5)
    with pytest.raises(ParameterError, match="has 3 counts of at least 0, and some records"):
        reconstruct(np.array(counts), of)
