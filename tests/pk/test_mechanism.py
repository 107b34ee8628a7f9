import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import chdtrc
from trees import block_product, matrix_by_steps, random_correlation, random_rho

from tokumei.draws import uniform
from tokumei.errors import ParameterError, Unachievable
from tokumei.pk import Correlation, Domain, mechanism
from tokumei.pk.mechanism import STREAM

seeds = st.integers(0, 2**32 - 1)
PAIR = Domain.of({"a": ["0", "1"], "b": ["0", "1", "2"]})


def single(size: int, rho: float) -> np.ndarray:
    return (1 - rho) / size * np.ones((size, size)) + rho * np.eye(size)


def test_one_attribute_keeps_its_value_with_rho_or_by_the_draw() -> None:
    domain = Domain.of({"a": ["0", "1", "2", "3"]})
    assert mechanism(domain, 0.6).matrix()[1] == pytest.approx([0.1, 0.7, 0.1, 0.1])


def test_a_hand_worked_correlated_matrix() -> None:
    # a = 0 allows b = 0 alone, a = 1 allows 0 and 1; rho = 0.5 for both.
    domain = Domain.of({"a": ["0", "1"], "b": ["0", "1"]})
    correlation = Correlation.forbidding(domain, [{"a": ["0"], "b": ["1"]}])
    assert mechanism(correlation, 0.5).matrix() == pytest.approx(
        np.array(
            [
                [0.75, 0.125, 0.125],
                [0.25, 0.75 * 0.75, 0.75 * 0.25],
                [0.25, 0.75 * 0.25, 0.75 * 0.75],
            ]
        )
    )


@given(seeds)
@settings(max_examples=60, deadline=None)
def test_the_correlated_matrix_is_that_of_the_steps_and_its_rows_sum_to_1(seed: int) -> None:
    rng = np.random.default_rng(seed)
    correlation = random_correlation(rng, int(rng.integers(1, 5)), 3)
    rho = random_rho(rng, len(correlation.domain.names))
    of = mechanism(correlation, rho)
    steps = matrix_by_steps(correlation, rho)
    assert of.matrix() == pytest.approx(steps, abs=1e-13)
    assert of.matrix().sum(axis=1) == pytest.approx(1)
    weights = rng.random(correlation.cells)
    assert of.backward(weights) == pytest.approx(steps @ weights)


@given(seeds)
@settings(max_examples=40, deadline=None)
def test_the_independent_matrix_is_the_kronecker_product(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 5, int(rng.integers(1, 4)))
    domain = Domain.of({f"a{i}": [str(v) for v in range(m)] for i, m in enumerate(sizes)})
    rho = random_rho(rng, len(sizes))
    product = np.ones((1, 1))
    for size, keep in zip(sizes, rho, strict=True):
        product = np.kron(product, single(int(size), keep))
    of = mechanism(domain, rho)
    assert of.matrix() == pytest.approx(product)
    weights = rng.random(domain.cells)
    assert of.backward(weights) == pytest.approx(product @ weights)


def test_the_papers_product_is_kroneckers_when_no_block_depends_on_its_place() -> None:
    first, second = single(2, 0.4), single(3, 0.7)
    blocks = [[second] * 2] * 2
    assert block_product(first, blocks) == pytest.approx(np.kron(first, second))
    assert block_product(first, blocks) == pytest.approx(mechanism(PAIR, (0.4, 0.7)).matrix())


def test_the_papers_product_of_blocks_gives_the_correlated_matrix() -> None:
    correlation = Correlation.forbidding(PAIR, [{"a": ["0"], "b": ["1", "2"]}])
    sizes = correlation.branchings(1)
    blocks = [
        [
            single(int(m), 0.7) if i == j else np.full((sizes[i], m), 1 / m)
            for j, m in enumerate(sizes)
        ]
        for i in range(2)
    ]
    expected = block_product(single(2, 0.4), blocks)
    assert mechanism(correlation, (0.4, 0.7)).matrix() == pytest.approx(expected)


def test_allowing_everything_is_not_the_same_as_no_correlation() -> None:
    everything = Correlation.forbidding(PAIR, [])
    assert everything.cells == PAIR.cells
    # From (0, 0) to (1, 0): a is drawn; then b is kept or drawn, or drawn only.
    assert mechanism(PAIR, 0.5).matrix()[0, 3] == pytest.approx(0.25 * (0.5 + 0.5 / 3))
    assert mechanism(everything, 0.5).matrix()[0, 3] == pytest.approx(0.25 / 3)


@given(seeds)
@settings(max_examples=40, deadline=None)
def test_the_inverse_undoes_and_the_variances_are_those_of_the_inverse(seed: int) -> None:
    rng = np.random.default_rng(seed)
    correlation = random_correlation(rng, int(rng.integers(1, 4)), 3)
    rho = rng.uniform(0.2, 0.9, len(correlation.domain.names)).tolist()
    for space in (correlation, correlation.domain):
        of = mechanism(space, rho)
        shares = rng.dirichlet(np.ones(of.cells))
        assert of.inverse(of.forward(shares)) == pytest.approx(shares)
        matrix = of.matrix()
        inverse = np.linalg.inv(matrix)
        squares = (shares @ matrix) @ inverse**2
        assert of.variances(shares) == pytest.approx(squares - shares, rel=1e-6, abs=1e-9)
        for power in (2, 3):
            seen = rng.dirichlet(np.ones(of.cells))
            assert of.moments(seen, power) == pytest.approx(seen @ inverse**power, rel=1e-6)
            own = np.diag(matrix @ inverse**power)
            assert of.own_moments(power) == pytest.approx(own, rel=1e-6)


@pytest.mark.parametrize("correlated", [False, True])
def test_a_million_draws_agree_with_the_matrix(correlated: bool) -> None:
    rng = np.random.default_rng(5)
    correlation = random_correlation(rng, 3, 3)
    of = mechanism(correlation if correlated else correlation.domain, (0.3, 0.6, 0.1))
    draws = 1_000_000
    before = np.arange(draws, dtype=np.int64) % of.cells
    after = of.draw(before, np.arange(draws), seed=11)
    observed = np.zeros((of.cells, of.cells))
    np.add.at(observed, (before, after), 1)
    expected = of.matrix() * observed.sum(axis=1, keepdims=True)
    assert expected.min() > 5
    statistic = ((observed - expected) ** 2 / expected).sum()
    assert chdtrc(of.cells * (of.cells - 1), statistic) > 1e-4


def test_a_draw_depends_on_the_seed_and_the_key_alone() -> None:
    of = mechanism(PAIR, 0.5)
    cells, keys = np.arange(600, dtype=np.int64) % 6, np.arange(600)
    whole = of.draw(cells, keys, seed=3)
    parts = [of.draw(cells[part], keys[part], seed=3) for part in (slice(250), slice(250, None))]
    assert np.array_equal(whole, np.concatenate(parts))
    assert not np.array_equal(whole, of.draw(cells, keys, seed=4))


def test_the_compiled_draws_are_the_common_ones() -> None:
    domain = Domain.of({"a": [str(value) for value in range(1000)]})
    keys = np.arange(500)
    drawn = mechanism(domain, 0.0).draw(np.zeros(500, np.int64), keys, seed=9)
    assert np.array_equal(drawn, np.floor(uniform(9, f"{STREAM}/a", keys) * 1000))


@pytest.mark.parametrize("rho", [-0.1, 1.0, 1.5, float("nan"), (0.5, 1.0)])
def test_rho_outside_its_range_is_refused(rho: float) -> None:
    with pytest.raises(ParameterError, match=r"rho must lie in \[0, 1\), not"):
        mechanism(PAIR, rho)


def test_a_wrong_number_of_rho_is_refused() -> None:
    with pytest.raises(ParameterError, match="one for each of the 2 attributes, not 3"):
        mechanism(PAIR, (0.1, 0.2, 0.3))


def test_nothing_can_be_inverted_at_rho_0() -> None:
    for space in (PAIR, Correlation.forbidding(PAIR, [])):
        with pytest.raises(Unachievable, match="With rho = 0"):
            mechanism(space, (0.5, 0.0)).inverse(np.full(6, 1 / 6))
