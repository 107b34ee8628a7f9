"""How many names are right by chance, and what the intervals of rates cover."""

from itertools import permutations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokumei.theory.group_guesses import GroupGuess, right_names
from tokumei.theory.shooting_down import right_lines

Ints = npt.NDArray[np.int64]


def guessed(group: Ints, owner: Ints, named: Ints) -> GroupGuess:
    return GroupGuess.of(group, owner, named, (owner == named).astype(float))


@given(st.lists(st.integers(0, 4), min_size=2, max_size=5), st.data())
def test_the_distribution_is_that_of_all_assignments(
    owners: list[int], data: st.DataObject
) -> None:
    named = data.draw(st.lists(st.integers(-1, 5), min_size=len(owners), max_size=len(owners)))
    found = guessed(np.zeros(len(owners), np.int64), np.array(owners), np.array(named))
    right = [sum(map(int.__eq__, truth, named)) for truth in permutations(owners)]
    expected = np.bincount(right) / len(right)
    ((signature, count),) = found.groups
    assert count == 1
    chances = right_names(signature)
    assert chances[: len(expected)] == pytest.approx(expected, abs=1e-12)
    assert chances[len(expected) :] == pytest.approx(0, abs=1e-12)
    assert found.expected == pytest.approx(np.mean(right))
    at_least = np.mean(np.array(right) >= found.together)
    assert found.chance_of_more() == pytest.approx(at_least)


@pytest.mark.parametrize("size", [2, 5, 40])
def test_one_to_one_is_the_distribution_of_fixed_points(size: int) -> None:
    chances = right_names((size, ((1, 1),) * size))
    expected = right_lines(size, size)[: len(chances)]
    assert chances == pytest.approx(expected, abs=1e-12)


def test_two_groups_by_hand() -> None:
    # A pair that is right together or not at all, and two targets with the same name: surely one.
    found = guessed(np.array([0, 0, 1, 1]), np.array([0, 1, 2, 3]), np.array([0, 1, 2, 2]))
    assert found.together == 3
    assert found.chance_of_more() == pytest.approx(1 / 2)
    assert found.expected == 2.0


def test_who_is_alone_is_no_matter_of_chance() -> None:
    found = guessed(np.arange(4), np.arange(4), np.array([0, 1, -1, 0]))
    assert (found.alone, found.found, found.groups) == (4, 2.0, ())
    assert found.chance_of_more() == 1.0


def test_more_than_chance_is_noticed() -> None:
    people = np.arange(100)
    found = guessed(people // 4, people, people)
    assert found.chance_of_more() < 1e-20
    assert found.interval()[0] > 0.7


@pytest.mark.parametrize("n", [100, 400, 1000])
@pytest.mark.parametrize("k", [2, 3, 4, 10])
def test_intervals_cover_names_that_are_right_together(n: int, k: int) -> None:
    """Nominal 95%: measured at least 94% for one guess inside groups, named one to one."""
    rng = np.random.default_rng(n + k)
    people, repeats = np.arange(n), 600
    group = people // k
    covered = 0
    for _ in range(repeats):
        shuffled = people[np.lexsort((rng.random(n), group))]
        found = guessed(group, shuffled, people)
        low, high = found.interval()
        covered += low <= found.expected / n <= high
    # Two standard errors of the simulation itself.
    assert covered / repeats >= 0.94 - 2 * np.sqrt(0.95 * 0.05 / repeats)


@pytest.mark.parametrize(("n", "k"), [(100, 2), (400, 4)])
def test_the_interval_of_the_largest_covers_at_once(n: int, k: int) -> None:
    """Twenty attackers guess inside groups; the largest rate has the simultaneous interval."""
    rng = np.random.default_rng(n * k)
    people, repeats, attackers = np.arange(n), 200, 20
    group = people // k
    covered = 0
    for _ in range(repeats):
        truth = people[np.lexsort((rng.random(n), group))]
        tried = [
            guessed(group, truth, people[np.lexsort((rng.random(n), group))])
            for _ in range(attackers)
        ]
        best = max(tried, key=lambda one: one.together)
        low, high = best.interval(1 - 0.05 / attackers)
        covered += low <= best.expected / n <= high
    assert covered / repeats >= 0.94
