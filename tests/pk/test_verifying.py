"""What was done to a table is found from the table before and after, worked out by hand."""

import math
from functools import cache

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from tokumei.pk import Correlation, Domain
from tokumei.pk.verifying import Estimate, estimate

FOUR = Domain.of({"a": list("0123")})
LICENCES = Domain.of({"age": ["15", "17", "18"], "licence": ["none", "moped", "car"]})
ALLOWED = [("15", "none"), ("17", "none"), ("17", "moped")]
ALLOWED += [("18", "none"), ("18", "moped"), ("18", "car")]


@cache
def tree() -> Correlation:
    """15 has no licence, 17 none or moped, 18 all: the cells 15n, 17n, 17m, 18n, 18m, 18c."""
    allowed = pl.DataFrame(ALLOWED, schema=["age", "licence"], orient="row")
    return Correlation.allowing(LICENCES, allowed)


def cells(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int64)


def test_rho_is_what_is_kept_beyond_chance() -> None:
    """5 of 8 are the same; 2 would be by chance; so rho is 3 of the other 6."""
    before = cells(0, 0, 1, 1, 2, 2, 3, 3)
    after = cells(0, 0, 1, 1, 2, 3, 0, 1)
    found = estimate(before, after, FOUR)
    same = 0.5 + 0.5 / 4
    assert found.rho == (0.5,)
    assert found.errors == pytest.approx((math.sqrt(8 * same * (1 - same)) / 6,))
    assert found.fewest == 1.0


def test_rho_is_neither_below_0_nor_above_1() -> None:
    before = cells(0, 1, 2, 3)
    assert estimate(before, before, FOUR) == Estimate((1.0,), (0.0,), 1.0)
    moved = estimate(before, cells(1, 2, 3, 0), FOUR)
    assert moved.rho == (0.0,)
    assert moved.errors == pytest.approx((math.sqrt(4 * 0.25 * 0.75) / 3,))


def test_every_attribute_has_its_own_rho() -> None:
    """Cells count by the last attribute first: of (a, b) the number is 3 a + b."""
    domain = Domain.of({"a": list("01"), "b": list("012")})
    before = cells(0, 1, 3, 4)  # 00 01 10 11
    after = cells(0, 1, 3, 5)  # a is always kept, b in 3 of 4
    found = estimate(before, after, domain)
    assert found.rho == pytest.approx((1.0, (3 - 4 / 3) / (4 * 2 / 3)))


def test_along_a_tree_an_attribute_says_something_where_those_before_are_kept() -> None:
    # 17n → 17n and 17m → 17n: age kept. 18c → 18c: both kept. 18n → 17m: age changed.
    found = estimate(cells(1, 2, 5, 3), cells(1, 1, 5, 2), tree())
    age = (3 - 4 / 3) / (4 * 2 / 3)
    licence = (2 - (1 / 2 + 1 / 2 + 1 / 3)) / (1 / 2 + 1 / 2 + 2 / 3)
    assert found.rho == pytest.approx((age, licence))
    chances = [licence + (1 - licence) / size for size in (2, 2, 3)]
    spread = math.sqrt(sum(chance * (1 - chance) for chance in chances))
    assert found.errors[1] == pytest.approx(spread / (1 / 2 + 1 / 2 + 2 / 3))


def test_where_a_value_is_the_only_one_nothing_is_learnt() -> None:
    domain = Domain.of({"age": ["15", "18"], "licence": ["none", "car"]})
    tree = Correlation.forbidding(domain, [{"age": ["15"], "licence": ["car"]}])
    found = estimate(cells(0, 0), cells(0, 0), tree)  # 15 none, twice
    assert found.rho == (1.0, 0.0)
    assert found.errors == (0.0, 0.0)


def test_fewer_same_values_than_by_chance_are_bounded() -> None:
    """None of 12 is the same: each is, with probability 1/4, so the chance is (3/4)^12."""
    before = np.arange(12) % 4
    assert estimate(before, (before + 1) % 4, FOUR).fewest == pytest.approx(0.75**12)


@given(st.integers(1, 60), st.integers(2, 12), st.floats(0, 1))
def test_the_bound_is_never_below_the_chance_of_the_binomial(n: int, m: int, share: float) -> None:
    before = np.zeros(n, dtype=np.int64)
    same = int(share * n)
    after = np.where(np.arange(n) < same, 0, 1)
    found = estimate(before, after, Domain.of({"a": list(map(str, range(m)))})).fewest
    assert found >= binom.cdf(same, n, 1 / m) * (1 - 1e-9)
