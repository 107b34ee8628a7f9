"""Tables that a rule made are told from those that a mechanism drew."""

from functools import cache

import numpy as np
import pytest
from trees import random_correlation

from tokumei.pk import Correlation, Domain, anonymity, mechanism
from tokumei.pk.kernels import association
from tokumei.pk.randomness import LEVEL, Randomness, randomness
from tokumei.pk.verifying import codes_of, estimate

N = 1000


def domain(*sizes: int) -> Domain:
    return Domain.of({f"a{place}": list(map(str, range(size))) for place, size in enumerate(sizes)})


@cache
def tree() -> Correlation:
    return random_correlation(np.random.default_rng(8), 3, 4)


def judged(before: np.ndarray, after: np.ndarray, space: Domain | Correlation) -> Randomness:
    of = mechanism(space, estimate(before, after, space).rho)
    return randomness(before, after.astype(np.int64), of, seed=1)


def people(space: Domain | Correlation, count: int = N, *, even: bool = False) -> np.ndarray:
    cells, rng = mechanism(space, 0.0).cells, np.random.default_rng(2)
    return rng.choice(cells, count, p=None if even else rng.dirichlet(np.full(cells, 0.8)))


@pytest.mark.parametrize(
    ("space", "rho", "count"),
    [
        (domain(47), 0.1, 1000),
        (domain(47), 0.0, 100),
        (domain(4), 0.3, 100),
        (domain(2), 0.4, 300),
        (domain(5, 8), 0.3, 1000),
        (domain(2, 3, 4), 0.3, 20_000),
        (tree(), 0.5, 1000),
    ],
)
def test_what_a_mechanism_drew_is_believed(
    space: Domain | Correlation, rho: float, count: int
) -> None:
    before = people(space, count)
    after = mechanism(space, rho).draw(before, np.arange(count), seed=3)
    assert judged(before, after, space).believed


def test_drawn_tables_are_odd_no_more_often_than_by_chance() -> None:
    """30 chances spread evenly over the unit interval, give or take."""
    space = domain(3, 5)
    before = people(space, 100)
    chances = []
    for seed in range(30):
        after = mechanism(space, 0.3).draw(before, np.arange(100), seed=seed)
        chances.append(judged(before, after, space).chance)
    assert sum(chance <= LEVEL for chance in chances) == 0
    assert sum(chance <= 0.05 for chance in chances) <= 6
    assert sum(chance >= 0.5 for chance in chances) >= 7


def next_value(old: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return np.where(np.arange(N) % 10 == 0, old, (old + 1) % 47)


def substitution(old: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return np.where(rng.random(N) < 0.2, old, rng.permutation(47)[old])


def substitution_of_some(old: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    drawn = np.where(rng.random(N) < 0.7, rng.integers(0, 47, N), rng.permutation(47)[old])
    return np.where(rng.random(N) < 0.2, old, drawn)


def exchange(old: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    new, chosen = old.copy(), rng.random(N) < 0.7
    new[chosen] = rng.permutation(new[chosen])
    return new


def counting_up(old: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return (old + np.arange(N)) % 47


def every_tenth_kept(old: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return np.where(np.arange(N) % 10 == 0, old, rng.integers(0, 47, N))


def some_values_kept(old: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return np.where(old % 5 == 0, old, rng.integers(0, 47, N))


def one_rare_value_substituted(old: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    drawn = np.where(rng.random(N) < 0.2, old, rng.integers(0, 47, N))
    return np.where(old == 30, 7, drawn)


def dealt_in_turn(old: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    new = old.copy()
    for value in range(47):
        places = np.flatnonzero(old == value)
        new[places] = np.arange(len(places)) % 47
    return new


@pytest.mark.parametrize("even", [False, True])
@pytest.mark.parametrize(
    "rule",
    [
        next_value,
        substitution,
        substitution_of_some,
        exchange,
        counting_up,
        every_tenth_kept,
        some_values_kept,
        one_rare_value_substituted,
        dealt_in_turn,
    ],
)
def test_a_rule_is_noticed(rule: object, even: bool) -> None:
    old = people(domain(47), even=even)
    new = rule(old, np.random.default_rng(6))  # type: ignore[operator]
    assert judged(old, new, domain(47)).chance <= LEVEL


def test_a_rule_between_columns_is_noticed() -> None:
    space, rng = domain(5, 8), np.random.default_rng(7)
    before = people(space)
    a, b = codes_of(before, space)
    drawn = mechanism(space, 0.2).draw(before, np.arange(N), seed=1)
    new_a, new_b = codes_of(drawn, space)
    kept = rng.random(N) < 0.2
    number = rng.random(N)
    for rule in (
        np.where(kept, before, rng.integers(0, 40, N)),  # one coin
        new_a * 8 + np.where(kept, b, (3 * a + 1) % 8),  # b is drawn by the old a
        new_a * 8 + np.where(kept, b, (b + a + 1) % 8),  # b moves by the old a
        new_a * 8 + np.where(a == 2, b, new_b),  # b is kept by the old a
        # One draw for both columns.
        np.where(kept, a, (5 * number).astype(int)) * 8 + (b + (8 * number).astype(int)) % 8,
    ):
        assert judged(before, rule, space).chance <= LEVEL


@pytest.mark.parametrize("count", [30, 60, 100])
@pytest.mark.parametrize("size", [4, 10, 47])
def test_no_substitution_of_few_records_is_believed(count: int, size: int) -> None:
    space, rng = domain(size), np.random.default_rng(count + size)
    for rho in (0.05, 0.3, 0.6):
        old = people(space, count)
        moved = (old + rng.integers(1, size, size)[old]) % size
        new = np.where(rng.random(count) < rho, old, moved)
        found = judged(old, new, space)
        k = anonymity(mechanism(space, estimate(old, new, space).rho), count)
        assert not found.believed or k < 1.1


def test_where_every_value_occurs_once_the_test_has_no_power() -> None:
    old = np.arange(120)
    new = mechanism(domain(120), 0.1).draw(old, old, seed=1)
    found = judged(old, new, domain(120))
    assert found.chance > LEVEL
    assert found.power == 0
    assert not found.believed


def test_in_a_tree_rules_are_noticed_too() -> None:
    before, of = people(tree()), mechanism(tree(), 0.4)
    by_record = of.draw(before, before, seed=1)  # the same records become the same
    assert judged(before, by_record, tree()).chance <= LEVEL
    whole = np.where(np.arange(N) % 3 == 0, before, of.draw(before, np.arange(N), seed=2))
    assert judged(before, whole, tree()).chance <= LEVEL


def test_the_association_of_a_table_by_hand() -> None:
    """Rows 0: 2 and 0, 1: 1 and 1. Expected 1 everywhere: (1 + 1 + 0 + 0); 2 ln 2 - 1."""
    slots = np.zeros(8, dtype=np.int64)
    known, told = np.array([0, 0, 1, 1, 1]), np.array([0, 0, 0, 1, -1])
    found = association(known, 2, told, np.array([0.5, 0.5]), slots)
    assert found == pytest.approx((2.0, 2 * np.log(2) - 1))
    assert not slots.any()


def test_the_same_seed_gives_the_same_answer() -> None:
    before = people(domain(4), 200)
    after = mechanism(domain(4), 0.3).draw(before, np.arange(200), seed=1)
    assert judged(before, after, domain(4)) == judged(before, after, domain(4))
