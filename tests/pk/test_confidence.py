"""Intervals have the true count as often as they say, in small cells and at the ends too."""

import numpy as np
import pytest
from scipy.stats import norm
from trees import random_correlation

from tokumei.errors import ParameterError
from tokumei.pk import Correlation, Domain, Mechanism, intervals, mechanism, tabulate
from tokumei.pk.confidence import _accepted, _normal


def domain(*sizes: int) -> Domain:
    return Domain.of({f"a{place}": list(map(str, range(size))) for place, size in enumerate(sizes)})


def tree() -> Correlation:
    return random_correlation(np.random.default_rng(8), 3, 6)


def coverage(of: Mechanism, records: int, *, level: float = 0.95, tables: int) -> list[float]:
    """Return the coverage in all cells, and in each quarter of them by size."""
    rng = np.random.default_rng(7)
    truths, covered = [], []
    for seed in range(tables):
        truth = rng.multinomial(records, rng.dirichlet(np.full(of.cells, 0.4)))
        cells = np.repeat(np.arange(of.cells), truth)
        seen = tabulate(of.draw(cells, np.arange(records), seed=seed), of)
        low, high = intervals(seen, of, level=level)
        covered += ((low <= truth) & (truth <= high)).tolist()
        truths += truth.tolist()
    quarters = np.array_split(np.argsort(truths, kind="stable"), 4)
    return [float(np.mean(covered))] + [
        float(np.mean(np.array(covered)[part])) for part in quarters
    ]


@pytest.mark.parametrize(
    ("space", "rho", "records"),
    [
        (domain(8), 0.05, 2000),
        (domain(8), 0.6, 500),
        (domain(47), 0.2, 500),
        (domain(4, 5), 0.2, 20_000),
        (domain(12, 10, 2), 0.6, 500),
        (domain(12, 10, 2), 0.4, 5000),
        (tree(), 0.2, 500),
        (tree(), 0.6, 2000),
    ],
)
def test_95_of_100_intervals_have_the_truth_whatever_the_size_of_the_cell(
    space: Domain | Correlation, rho: float, records: int
) -> None:
    """Cells of one table are right together: the error of a quarter is up to a point here."""
    of = mechanism(space, rho)
    overall, *quarters = coverage(of, records, tables=-(-4000 // of.cells))
    assert 0.935 <= overall <= 0.965
    assert min(quarters) >= 0.92
    assert max(quarters) <= 0.98


def test_another_level_holds_as_well() -> None:
    found = coverage(mechanism(domain(4, 5), 0.4), 1000, level=0.8, tables=200)
    assert min(found) >= 0.76
    assert max(found) <= 0.84


def test_an_empty_and_a_full_cell_are_covered_as_often_as_the_others() -> None:
    """All records in one of two cells: the error of the estimate is 71, both ends are near."""
    of = mechanism(domain(2), 0.2)
    cells = np.zeros(1000, dtype=np.int64)
    covered = []
    for seed in range(500):
        low, high = intervals(tabulate(of.draw(cells, np.arange(1000), seed=seed), of), of)
        assert (low + high[::-1]) == pytest.approx(1000)  # one cell's count tells the other's
        covered.append(low[1] == 0)
    assert np.mean(covered) == pytest.approx(0.95, abs=0.025)


def test_far_from_the_ends_both_sides_are_equal_and_at_0_there_is_one() -> None:
    means, down, up = _accepted(0.95)
    assert (means[-1], down[-1], up[-1]) == pytest.approx((1.959964, -1.959964, 1.959964))
    assert up[0] == pytest.approx(1.644854)
    shares = norm.cdf(up) - norm.cdf(down)
    assert shares == pytest.approx(0.95)


def test_by_the_table_of_feldman_and_cousins() -> None:
    """At 95% the point -1 has the interval 0 to 1.10, 0 has 0 to 1.96, and 2 begins at 0.35."""
    means, down, up = _accepted(0.95)

    def interval(point: float) -> tuple[float, float]:
        accepted = means[(means + down <= point) & (point <= means + up)]
        return accepted.min(), accepted.max()

    assert interval(-1) == pytest.approx((0, 1.10), abs=0.01)
    assert interval(0) == pytest.approx((0, 1.96), abs=0.01)
    assert interval(2)[0] == pytest.approx(0.35, abs=0.01)


def test_a_skewed_deviation_becomes_the_normal_one_that_is_as_rare() -> None:
    """Chi-square of 8 degrees has the skewness 1: its 95th percentile is 15.507."""
    found = _normal(np.array([(15.507 - 8) / 4]), np.array([1.0]))
    assert found == pytest.approx(1.645, abs=0.01)
    assert _normal(np.array([1.5]), np.array([0.0])) == pytest.approx(1.5, abs=1e-3)


def test_half_as_sure_is_narrower() -> None:
    of = mechanism(domain(3, 2), 0.5)
    seen = np.array([30.0, 40, 10, 50, 20, 60])
    wide, narrow = (intervals(seen, of, level=level) for level in (0.95, 0.5))
    assert (narrow[1] - narrow[0] < wide[1] - wide[0]).all()
    assert (wide[0] >= 0).all()
    assert (wide[1] <= 210).all()


def test_without_any_value_kept_every_count_is_possible() -> None:
    low, high = intervals(np.array([3.0, 5]), mechanism(domain(2), 0.0))
    assert low.tolist() == [0, 0]
    assert high.tolist() == [8, 8]


@pytest.mark.parametrize("level", [0.0, 1.0, -1.0])
def test_a_level_is_a_share(level: float) -> None:
    with pytest.raises(ParameterError, match=r"level must lie in \(0, 1\)"):
        intervals(np.array([3.0, 5]), mechanism(domain(2), 0.5), level=level)
