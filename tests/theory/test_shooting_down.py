import itertools
import math
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from tokumei.errors import ParameterError
from tokumei.theory.shooting_down import (
    independent_probability,
    right_lines,
    shot_down_at_most,
    shot_down_probability,
    threshold,
    thresholds,
)

CONTEST = (1 / 3, 0.01 / 20)


def literal(n: int, p: float, alpha: float) -> int:
    """The definition of r(n), in exact numbers."""
    exact = Fraction(p)
    for k in range(1, n + 1):
        if sum(math.comb(n, i) * exact**i for i in range(k, n + 1)) < Fraction(alpha):
            return k
    return n + 1


# The threshold.


@pytest.mark.parametrize(("n", "r"), [(0, 1), (1, 2), (6, 7), (7, 7), (10, 10), (100, 65)])
def test_the_first_right_lines_that_shoot_down(n: int, r: int) -> None:
    assert threshold(n) == r


def test_the_threshold_by_hand() -> None:
    # C(2,1) / 2 + C(2,2) / 4 = 5/4 and C(2,2) / 4 = 1/4.
    assert threshold(2, p=0.5, alpha=1.3) == 1
    assert threshold(2, p=0.5, alpha=1.2) == 2
    assert threshold(2, p=0.5, alpha=0.25) == 3  # below, not equal


def test_nothing_right_never_shoots_down() -> None:
    assert threshold(0, alpha=1e9) == 1
    assert threshold(3, alpha=1e9) == 1


@pytest.mark.realdata
def test_the_table_of_the_contest(real_data: Path) -> None:
    table = pl.read_csv(real_data / "data/pwscup2018/R.csv", has_header=False)
    assert table.rows() == list(enumerate(thresholds(1000).tolist()))


@given(
    st.integers(0, 40),
    st.sampled_from([0.1, 0.25, 1 / 3, 0.5, 0.9]),
    st.floats(1e-6, 4) | st.just(0.25),
)
def test_the_threshold_is_its_definition(n: int, p: float, alpha: float) -> None:
    assert threshold(n, p=p, alpha=alpha) == literal(n, p, alpha)
    assert thresholds(n, p=p, alpha=alpha)[-1] == literal(n, p, alpha)


def test_a_hundred_thousand_lines_are_no_burden() -> None:
    # For large n the share tends to the x > 1/4 with x^x (1 - x)^(1 - x) = 3^-x, which is 0.6091.
    assert threshold(100_000) == 60_911


@pytest.mark.parametrize(
    ("n", "wrong", "says"),
    [
        (-1, {}, "The number of lines must be at least 0, not -1."),
        (1, {"p": 0.0}, r"p must lie in \(0, 1\), not 0.0."),
        (1, {"p": math.nan}, r"p must lie in \(0, 1\), not nan."),
        (1, {"alpha": 0.0}, "alpha must be above 0 and finite, not 0.0."),
        (1, {"alpha": math.inf}, "alpha must be above 0 and finite, not inf."),
    ],
)
def test_what_makes_no_sense_is_refused(n: int, wrong: dict[str, float], says: str) -> None:
    with pytest.raises(ParameterError, match=says):
        threshold(n, **wrong)
    with pytest.raises(ParameterError, match=says):
        thresholds(n, **wrong)


# Right lines within a group.


def test_half_of_the_matchings_of_three_have_one_right() -> None:
    assert right_lines(3, 3) == pytest.approx([2 / 6, 3 / 6, 0, 1 / 6])
    assert right_lines(3, 2) == pytest.approx([3 / 6, 2 / 6, 1 / 6])
    assert right_lines(1, 1) == pytest.approx([0, 1])


@pytest.mark.parametrize(("g", "j"), [(g, j) for g in range(1, 7) for j in range(g + 1)])
def test_right_lines_are_fixed_points(g: int, j: int) -> None:
    fixed = Counter(
        sum(truth[i] == i for i in range(j)) for truth in itertools.permutations(range(g))
    )
    expected = [fixed[x] / math.factorial(g) for x in range(j + 1)]
    assert right_lines(g, j) == pytest.approx(expected, abs=1e-15)


def test_a_large_group_has_about_one_right_line() -> None:
    chances = right_lines(1000, 1000)
    assert chances.sum() == pytest.approx(1)
    assert chances @ np.arange(len(chances)) == pytest.approx(1)


# All guesses: the oracle.


@cache
def lines_of_a_group(g: int) -> list[tuple[int, tuple[float, ...]]]:
    """All sets of lines in a group of g, as size and distribution of right lines; equals once."""
    truths = [
        sum(1 << (g * i + truth[i]) for i in range(g)) for truth in itertools.permutations(range(g))
    ]
    found = set()
    for said in range(1 << (g * g)):
        right = Counter((said & truth).bit_count() for truth in truths)
        found.add((said.bit_count(), tuple(right[x] / len(truths) for x in range(g + 1))))
    return sorted(found)


def all_guesses(sizes: tuple[int, ...]) -> Iterator[tuple[int, np.ndarray]]:
    """Lines and distribution of right lines of every guess; groups of one size are alike."""
    per_size = [
        itertools.combinations_with_replacement(lines_of_a_group(g), count)
        for g, count in Counter(sizes).items()
    ]
    for parts in itertools.product(*per_size):
        chances = np.ones(1)
        n = 0
        for lines, right in itertools.chain(*parts):
            n += lines
            chances = np.convolve(chances, right)
        yield n, chances


@cache
def all_chances(sizes: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """For every guess: its lines, and its chances of at least 0, 1, 2, … right ones."""
    guesses = list(all_guesses(sizes))
    # A place more than lines: so many are never right.
    chances = np.zeros((len(guesses), sum(g * g for g in sizes) + 2))
    for line, (_, right) in zip(chances, guesses, strict=True):
        line[: len(right)] = right
    return np.array([n for n, _ in guesses]), chances[:, ::-1].cumsum(axis=1)[:, ::-1]


def best_of_all(sizes: tuple[int, ...], p: float, alpha: float) -> float:
    needed = np.array([literal(n, p, alpha) for n in range(sum(g * g for g in sizes) + 1)])
    n, at_least = all_chances(sizes)
    return float(at_least[np.arange(len(n)), needed[n]].max())


SMALL = [
    (2, 2, 2, 2),
    (2,) * 12,
    (3, 3, 3),
    (3, 3, 3, 3),
    (1, 1, 1, 3, 3),
    (1, 2, 2, 3, 3),
    (2, 2, 2, 2, 3, 3),
    (1,) * 6 + (3,),
    (1,) * 7,
    (1,) * 5 + (2, 3, 3),
    (1, 2, 4, 4),
]


@pytest.mark.parametrize("sizes", SMALL, ids=str)
@pytest.mark.parametrize(
    ("p", "alpha"), [CONTEST, (1 / 3, 0.05), (0.25, 0.01), (0.4, 0.001), (0.5, 0.1)]
)
def test_no_set_of_lines_beats_the_guess(sizes: tuple[int, ...], p: float, alpha: float) -> None:
    best = best_of_all(sizes, p, alpha)
    assert shot_down_probability(sizes, p=p, alpha=alpha).probability == pytest.approx(best)
    assert shot_down_at_most(sizes, p=p, alpha=alpha) >= best - 1e-12


@pytest.mark.parametrize("sizes", SMALL, ids=str)
@pytest.mark.parametrize(("p", "alpha"), [(0.1, 0.05), (0.2, 0.01), (0.05, 0.01), (0.1, 0.5)])
def test_with_a_small_p_the_best_lies_between_guess_and_bound(
    sizes: tuple[int, ...], p: float, alpha: float
) -> None:
    best = best_of_all(sizes, p, alpha)
    assert shot_down_probability(sizes, p=p, alpha=alpha).probability <= best + 1e-12
    assert shot_down_at_most(sizes, p=p, alpha=alpha) >= best - 1e-12


def test_naming_everybody_shoots_down_surely_where_few_right_lines_do() -> None:
    best = shot_down_probability([2] * 4, p=0.05, alpha=0.01)
    assert (best.probability, best.lines, best.needed) == (1.0, 6, 3)


# A thousand customers.


def test_seven_lines_of_groups_of_three_by_hand() -> None:
    best = shot_down_probability([3] * 333)
    assert best.probability == pytest.approx(1 / 6 * 1 / 6 * 1 / 3)
    assert (best.lines, best.needed) == (7, 7)


def test_seven_lines_of_groups_of_four_by_hand() -> None:
    best = shot_down_probability([4] * 250)
    assert best.probability == pytest.approx(1 / 24 * 1 / 24)
    assert (best.lines, best.needed) == (7, 7)


def test_twelve_whole_pairs_of_which_nine_are_right() -> None:
    best = shot_down_probability([2] * 500)
    assert best.probability == pytest.approx(binom.sf(8, 12, 1 / 2))
    assert (best.lines, best.needed) == (24, 18)


def adaptive(g: int, people: int) -> np.ndarray:
    """For every n, more than any guess reaches: the guesser sees each group before the next.

    There are as many groups of g as he likes; he chooses any set of lines in each.
    """
    needed = thresholds(2 * people)
    needed = needed[: np.searchsorted(needed, people, side="right")]
    value = np.zeros((len(needed), people + 1))  # by lines and by right lines still needed
    value[:, 0] = 1
    for n in range(1, len(needed)):
        for lines, chances in lines_of_a_group(g):
            if 0 < lines <= n:
                mean = np.zeros(people + 1)
                for right, chance in enumerate(chances):
                    mean[right:] += chance * value[n - lines, : people + 1 - right]
                    mean[:right] += chance
                np.maximum(value[n], mean, out=value[n])
    return value[np.arange(len(needed)), needed]


@pytest.mark.parametrize("g", [3, 4])
def test_no_guess_of_any_kind_does_better_against_threes_and_fours(g: int) -> None:
    best = shot_down_probability([g] * (1000 // g)).probability
    assert adaptive(g, 1000 // g * g).max() == pytest.approx(best)


def test_no_guess_of_any_kind_does_better_against_pairs() -> None:
    """Few lines are tried in all ways; more than 80 do not help even a guesser who sees more."""
    best = shot_down_probability([2] * 500).probability
    assert adaptive(2, 1000)[81:].max() < best
    needed = thresholds(80)
    found = 0.0
    for whole, single in itertools.product(range(41), range(81)):
        pairs = np.zeros(2 * whole + 1)
        pairs[::2] = binom.pmf(np.arange(whole + 1), whole, 1 / 2)
        chances = np.convolve(pairs, binom.pmf(np.arange(single + 1), single, 1 / 2))
        for sure in range((80 - 2 * whole - single) // 2 + 1):  # two lines, one of them right
            k = max(0, needed[2 * whole + single + 2 * sure] - sure)
            found = max(found, float(chances[k:].sum()))
    assert found == pytest.approx(best)


@pytest.mark.parametrize(
    ("g", "loss"), [(2, 3.1), (3, 1.7), (4, 1.2), (5, 1), (8, 1), (11, 1), (16, 1.2)]
)
def test_the_bound_is_near(g: int, loss: float) -> None:
    sizes = [g] * (1000 // g)
    best, bound = shot_down_probability(sizes).probability, shot_down_at_most(sizes)
    assert best * (1 - 1e-9) <= bound <= best * (loss + 1e-9)


@given(st.lists(st.integers(1, 9), max_size=12))
def test_the_guess_stays_below_the_bound(sizes: list[int]) -> None:
    best, bound = shot_down_probability(sizes), shot_down_at_most(sizes)
    assert 0 <= best.probability <= bound * (1 + 1e-9)
    assert best.needed == threshold(best.lines)
    assert shot_down_probability(sizes[::-1]) == best


def test_too_few_customers_cannot_be_shot_down() -> None:
    for sizes in ([], [1] * 6, [2, 2, 2], [6]):
        best = shot_down_probability(sizes)
        assert (best.probability, best.lines, best.needed) == (0, 0, 1)
        assert shot_down_at_most(sizes) < 1e-12


def test_a_group_needs_a_customer() -> None:
    with pytest.raises(ParameterError, match="A group must have at least 1 customer, not 0"):
        shot_down_probability([2, 0])


# One line of each group.


def test_one_line_per_group_is_far_weaker() -> None:
    pairs = independent_probability(2, groups=500)
    assert pairs.probability == pytest.approx(0.012, abs=0.0005)
    assert (pairs.lines, pairs.needed) == (29, 21)
    threes = independent_probability(3, groups=333)
    assert threes.probability == pytest.approx(3**-7)
    assert (threes.lines, threes.needed) == (7, 7)
    assert threes.probability == pytest.approx(0.0005, abs=0.00005)


def test_one_line_per_group_is_a_binomial() -> None:
    best = independent_probability(1, groups=10)
    assert (best.probability, best.lines) == (pytest.approx(1), 7)
    assert independent_probability(2, groups=6).probability == 0
