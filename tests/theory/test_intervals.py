"""Intervals cover what they say, also where names are right together."""

import numpy as np
import pytest
from scipy.stats import binomtest

from tokumei.theory.intervals import paired


@pytest.mark.parametrize(("found", "pairs"), [(0, 5), (1, 7), (20, 100), (100, 100)])
def test_the_interval_is_that_of_half_as_many_trials(found: int, pairs: int) -> None:
    expected = binomtest(found, pairs).proportion_ci(0.95, method="exact")
    assert paired(found / pairs, 2 * pairs) == pytest.approx((expected.low, expected.high))


def test_pairs_that_are_right_together_are_covered() -> None:
    rng = np.random.default_rng(1)
    shares = rng.binomial(50, 0.5, size=2000) / 50  # 100 customers in pairs, named one to one
    ends = {share: paired(share, 100) for share in set(shares.tolist())}
    covered = [ends[share][0] <= 0.5 <= ends[share][1] for share in shares.tolist()]
    assert np.mean(covered) >= 0.94
