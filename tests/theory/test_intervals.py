"""Intervals of shares, against scipy's."""

from __future__ import annotations

import pytest
from scipy.stats import binomtest

from tokumei.theory.intervals import wilson


@pytest.mark.parametrize(("found", "n"), [(0, 1), (1, 1), (1, 3), (100, 400), (0, 50), (50, 50)])
def test_wilsons_interval_is_that_of_scipy(found: int, n: int) -> None:
    expected = binomtest(found, n).proportion_ci(0.95, method="wilson")
    assert wilson(found / n, n) == pytest.approx((expected.low, expected.high), abs=1e-12)
