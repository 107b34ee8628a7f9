"""What was done to a table is found from the table before and after, worked out by hand."""

import math
from functools import cache

import numpy as np
import polars as pl
import pytest

from tokumei.pk import Correlation, Domain
from tokumei.pk.verifying import BINS, LEAST_IN_GROUP, Estimate, estimate

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
    found = estimate(before, after, FOUR, seed=1)
    same = 0.5 + 0.5 / 4
    assert found.rho == (0.5,)
    assert found.errors == pytest.approx((math.sqrt(8 * same * (1 - same)) / 6,))
    assert found.chance == 1.0  # too few to say


def test_rho_is_neither_below_0_nor_above_1() -> None:
    before = cells(0, 1, 2, 3)
    assert estimate(before, before, FOUR, seed=1) == Estimate((1.0,), (0.0,), 1.0)
    moved = estimate(before, cells(1, 2, 3, 0), FOUR, seed=1)
    assert moved.rho == (0.0,)
    assert moved.errors == pytest.approx((math.sqrt(4 * 0.25 * 0.75) / 3,))


def test_every_attribute_has_its_own_rho() -> None:
    """Cells count by the last attribute first: of (a, b) the number is 3 a + b."""
    domain = Domain.of({"a": list("01"), "b": list("012")})
    before = cells(0, 1, 3, 4)  # 00 01 10 11
    after = cells(0, 1, 3, 5)  # a is always kept, b in 3 of 4
    found = estimate(before, after, domain, seed=1)
    assert found.rho == pytest.approx((1.0, (3 - 4 / 3) / (4 * 2 / 3)))


def test_along_a_tree_an_attribute_says_something_where_those_before_are_kept() -> None:
    # 17n → 17n and 17m → 17n: age kept. 18c → 18c: both kept. 18n → 17m: age changed.
    found = estimate(cells(1, 2, 5, 3), cells(1, 1, 5, 2), tree(), seed=1)
    age = (3 - 4 / 3) / (4 * 2 / 3)
    licence = (2 - (1 / 2 + 1 / 2 + 1 / 3)) / (1 / 2 + 1 / 2 + 2 / 3)
    assert found.rho == pytest.approx((age, licence))
    chances = [licence + (1 - licence) / size for size in (2, 2, 3)]
    spread = math.sqrt(sum(chance * (1 - chance) for chance in chances))
    assert found.errors[1] == pytest.approx(spread / (1 / 2 + 1 / 2 + 2 / 3))


def test_along_a_tree_records_are_grouped_by_their_place_among_their_own_values() -> None:
    """25 of 15n and 25 of 18n, the first of their age, become 17n, the first of two of 17."""
    before = np.repeat(cells(0, 3), LEAST_IN_GROUP // 2)
    assert estimate(before, np.full_like(before, 1), tree(), seed=1).chance < 1e-4
    evenly = np.tile(cells(1, 2), LEAST_IN_GROUP // 2)
    assert estimate(before, evenly, tree(), seed=1).chance > 1e-2


def test_where_a_value_is_the_only_one_nothing_is_learnt() -> None:
    domain = Domain.of({"age": ["15", "18"], "licence": ["none", "car"]})
    tree = Correlation.forbidding(domain, [{"age": ["15"], "licence": ["car"]}])
    found = estimate(cells(0, 0), cells(0, 0), tree, seed=1)  # 15 none, twice
    assert found.rho == (1.0, 0.0)
    assert found.errors == (0.0, 0.0)


def test_values_that_always_go_to_the_same_place_are_not_drawn_uniformly() -> None:
    """Of 50 changed zeros, all go to the first of 9: every one lies in the first bin or two."""
    ten = Domain.of({"a": [str(value) for value in range(11)]})
    before = np.zeros(LEAST_IN_GROUP, dtype=np.int64)
    one_place = estimate(before, before + 1, ten, seed=1)
    assert one_place.chance < 1e-60
    evenly = estimate(before, 1 + np.arange(LEAST_IN_GROUP) % BINS, ten, seed=1)
    assert evenly.chance == 1.0  # 5 in every bin: chi-square is 0
    one_less = estimate(before[1:], before[1:] + 1, ten, seed=1)
    assert one_less.chance == 1.0  # too few to say


def test_the_chance_is_that_of_chi_square() -> None:
    """Of 50 changed zeros 10 go to 1, none to 2, and 5 to each of 3 to 10: chi-square is 10."""
    ten = Domain.of({"a": [str(value) for value in range(11)]})
    before = np.zeros(LEAST_IN_GROUP, dtype=np.int64)
    places = 1 + np.arange(LEAST_IN_GROUP) % BINS
    found = estimate(before, np.where(places == 2, 1, places), ten, seed=1)
    assert found.chance == pytest.approx(0.350485, abs=1e-6)  # 9 degrees of freedom


def test_the_old_place_is_left_out_of_the_places_a_value_can_go_to() -> None:
    """From 5, the values 0 to 4 and 6 to 10 are ten places."""
    ten = Domain.of({"a": [str(value) for value in range(11)]})
    before = np.full(LEAST_IN_GROUP, 5, dtype=np.int64)
    others = np.delete(np.arange(11), 5)
    after = others[np.arange(LEAST_IN_GROUP) % BINS]
    assert estimate(before, after, ten, seed=1).chance == 1.0


def test_values_that_were_kept_do_not_count_against_uniform_draws() -> None:
    ten = Domain.of({"a": [str(value) for value in range(11)]})
    before = np.zeros(4 * LEAST_IN_GROUP, dtype=np.int64)
    after = np.concatenate(
        [before[LEAST_IN_GROUP:], 1 + np.arange(LEAST_IN_GROUP) % BINS],
    )
    found = estimate(before, after, ten, seed=1)
    assert found.chance == 1.0
    assert found.rho == pytest.approx(((150 - 200 / 11) / (200 * 10 / 11),))


def test_groups_of_old_places_add_up() -> None:
    """Zeros go evenly, tens all to the first place: 9 + 9 degrees, and one chi-square of 450."""
    ten = Domain.of({"a": [str(value) for value in range(11)]})
    zeros = np.zeros(LEAST_IN_GROUP, dtype=np.int64)
    before = np.concatenate([zeros, zeros + 10])
    after = np.concatenate([1 + np.arange(LEAST_IN_GROUP) % BINS, zeros])
    found = estimate(before, after, ten, seed=1).chance
    alone = estimate(zeros + 10, zeros, ten, seed=1).chance
    assert alone < found < 1e-60


def test_the_place_within_a_bin_is_drawn_by_the_seed() -> None:
    """With 4 others a value fills two and a half bins: where in them, is drawn."""
    five = Domain.of({"a": list("01234")})
    before = np.zeros(400, dtype=np.int64)
    after = 1 + np.arange(400) % 4
    found = {estimate(before, after, five, seed=seed).chance for seed in range(3)}
    assert len(found) == 3
    assert min(found) > 0.01
