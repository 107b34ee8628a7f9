r"""When a guess shoots a release down, and how likely that is, by formula.

PWSCUP 2018 calls a release shot down when some guess of n lines (pseudonym, customer) has at least
r(n) right. Here the customers of a group look alike: within a group of g the truth is one of g!
assignments, each as likely, and the groups are independent. j lines of one group that name
different pseudonyms and different customers are all right with probability (g - j)! / g!, which is
more than the j-th power of 1 / g: lines of one group are right together.

`shot_down_probability` is what a guesser surely reaches, `shot_down_at_most` what none surpasses.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy.special import bdtrc, gammaln

from tokumei.errors import ParameterError

P = 1 / 3
ALPHA = 0.01 / 20

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class ShotDown:
    """The best guess found: how likely it shoots down, its lines n, and the r(n) it needs."""

    probability: float
    lines: int
    needed: int


def threshold(n: int, *, p: float = P, alpha: float = ALPHA) -> int:
    """Return r(n): the least k >= 1 for which the sum over i = k..n of C(n, i) p^i is below alpha.

    It is n + 1 where even k = n is too few, so that r(0) = 1: no guess without a right line shoots
    down, whatever alpha is.

    >>> [threshold(n) for n in (0, 6, 7, 10, 100, 1000)]
    [1, 7, 7, 10, 65, 612]
    """
    _check(n, p, alpha)
    low, high = 1, n + 1
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if _is_below(n, middle, p, alpha) else (middle + 1, high)
    return low


def thresholds(n: int, *, p: float = P, alpha: float = ALPHA) -> npt.NDArray[np.int64]:
    """Return r(0), …, r(n).

    >>> thresholds(8)
    array([1, 2, 3, 4, 5, 6, 7, 7, 8])
    """
    _check(n, p, alpha)
    found = np.ones(n + 1, np.int64)
    for lines in range(1, n + 1):
        k = int(found[lines - 1])  # the sum grows with n, so r does
        while not _is_below(lines, k, p, alpha):
            k += 1
        found[lines] = k
    return found


def _check(n: int, p: float, alpha: float) -> None:
    if n < 0:
        raise ParameterError(f"The number of lines must be at least 0, not {n}.")
    if not 0 < p < 1:
        raise ParameterError(f"p must lie in (0, 1), not {p}.")
    if not 0 < alpha < math.inf:
        raise ParameterError(f"alpha must be above 0 and finite, not {alpha}.")


def _is_below(n: int, k: int, p: float, alpha: float) -> bool:
    if k > n:
        return True
    # Where each term is at most 0.9 of the one before, 400 terms are all that a float can see.
    last = min(n, k + 400) if (n - k) * p < 0.9 * (k + 1) else n
    i = np.arange(k, last + 1)
    logs = gammaln(n + 1) - gammaln(i + 1) - gammaln(n - i + 1) + i * math.log(p)
    gap = _log_sum(logs) - math.log(alpha)
    if abs(gap) > 1e-9 or n > 2000:
        return gap < 0
    exact = Fraction(p)
    return sum(math.comb(n, j) * exact**j for j in range(k, n + 1)) < Fraction(alpha)


def _log_sum(logs: Floats) -> float:
    top = logs.max()
    return float(top + np.log(np.exp(logs - top).sum()))


@lru_cache(maxsize=4096)
def right_lines(g: int, j: int) -> Floats:
    """Return the distribution of right lines when j of a group of g are matched at random.

    It is that of the fixed points of a random permutation among j given places; beyond 170 right
    lines a float holds no probability.

    >>> right_lines(3, 3).round(3)
    array([0.333, 0.5  , 0.   , 0.167])
    """
    if not 0 <= j <= g:
        raise ParameterError(f"j must lie in [0, {g}], not {j}.")
    x = np.arange(min(j, 170) + 1)
    chosen = np.exp(_log_choose(j, x) + gammaln(g - x + 1) - gammaln(g + 1))
    # None of the other j - x is right: inclusion and exclusion, whose terms are at most 1 / i!.
    term, none = np.ones(len(x)), np.ones(len(x))
    for i in range(min(j, 30)):
        term = -term * np.maximum(j - x - i, 0) / ((i + 1) * np.maximum(g - x - i, 1))
        none = none + term
    found: Floats = chosen * none
    found.flags.writeable = False
    return found


def _log_choose(n: int, k: npt.NDArray[np.int64]) -> Floats:
    logs: Floats = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    return logs


def shot_down_probability(
    group_sizes: Sequence[int], *, p: float = P, alpha: float = ALPHA
) -> ShotDown:
    """Return the largest probability of shooting down, over the guesses of two families.

    The first family matches the groups one to one, small groups first, the last one in part: j
    lines for j different pseudonyms and customers. Among all guesses of n lines it is the best
    where all n must be right (r(n) = n): the probability is the product of (g - j)! / g!, and
    log j! is convex. The second names every customer of a group for one pseudonym after another: g
    lines of which exactly one is right; it shoots down surely where r(n) is small enough, as with
    a small p.

    The maximum over n is exact for these families. That no other guess is better is not proven in
    general. With p from 1/4 on it was checked against all sets of lines for small groups (with 0.2
    and less a mixture of both families can be better); with the contest's p and alpha it is proven
    by computation for 1,000 customers in equal groups of 2 to 11. `shot_down_at_most` always
    holds.

    >>> best = shot_down_probability([3] * 333)
    >>> (round(best.probability, 5), best.lines, best.needed)
    (0.00926, 7, 7)
    """
    sizes = _checked_sizes(group_sizes)
    needed = _useful_thresholds(sizes, p, alpha)
    best = ShotDown(probability=0.0, lines=0, needed=1)
    rows = np.cumsum(np.repeat(sizes, sizes))
    for count, lines in enumerate(rows[rows < len(needed)], start=1):
        if needed[lines] <= count:
            return ShotDown(probability=1.0, lines=int(lines), needed=int(needed[lines]))
    whole, done = np.ones(1), 0  # the distribution of right lines in the groups that are through
    for g in sizes:
        tail = np.cumsum(whole[::-1])[::-1]
        for lines in range(done + 1, min(done + g, len(needed) - 1) + 1):
            matched = right_lines(g, lines - done)
            value = float(matched @ _at(tail, needed[lines] - np.arange(len(matched))))
            if value > best.probability * (1 + 1e-12):
                best = ShotDown(probability=value, lines=lines, needed=int(needed[lines]))
        whole = np.convolve(whole, right_lines(g, g))
        done += g
    return best


def _at(tail: Floats, x: npt.NDArray[np.int64]) -> Floats:
    return np.where(x < len(tail), tail[np.clip(x, 0, len(tail) - 1)], 0.0)


def shot_down_at_most(group_sizes: Sequence[int], *, p: float = P, alpha: float = ALPHA) -> float:
    r"""Return a probability that no guess surpasses, whatever lines it has.

    A set of m lines in a group of g holds at most C(g, i) (m / g)^i sets of i lines that can be
    right together, and each is right with probability (g - i)! / g!. So with X right lines the mean
    of (1 + z)^X is at most the sum over i <= g of (z m / g)^i / i!, and for m <= g at most what m
    matched lines have, whose logarithm is convex in m. The bound is Chernoff's over all z, with a
    multiplier for the number of lines; where r(n) = n it is the exact maximum. For 1,000 customers
    in groups of 2, 3 and 4 it is 3.1, 1.7 and 1.2 times the best known guess; in groups of 5 to 11
    they are equal.

    >>> round(shot_down_at_most([4] * 250), 4)
    0.002
    """
    sizes = _checked_sizes(group_sizes)
    needed = _useful_thresholds(sizes, p, alpha)
    lines = np.arange(1, len(needed))
    if not len(lines):
        return 0.0
    distinct, count = np.unique(sizes, return_counts=True)
    bound = np.zeros(len(lines))
    for z in np.exp(np.linspace(-4, 8 + 2 * math.log(sizes[-1]), 250)):
        top, slope = np.array([_log_moment(int(g), float(z)) for g in distinct]).T
        # For every multiplier, the most that a group of each size can add.
        price = np.unique(np.concatenate([top / distinct, slope]))[:, np.newaxis]
        more = np.maximum(slope - price, 0) * (distinct**2 - distinct)
        added = np.minimum(top + more, distinct * math.log1p(z)) - price * distinct
        logs = price * lines + (np.maximum(added, 0) @ count)[:, np.newaxis]
        bound = np.minimum(bound, logs.min(axis=0) - needed[1:] * math.log1p(z))
    bound = np.exp(bound)
    places = np.concatenate([np.arange(g, 0, -1) for g in sizes])
    for n in lines[(needed[1:] == lines) & (lines <= len(places))]:
        bound[n - 1] = min(bound[n - 1], math.exp(-float(np.log(places[:n]).sum())))
    return float(np.where(needed[1:] > lines, 0.0, bound).max())


def _log_moment(g: int, z: float) -> tuple[float, float]:
    """Return the logarithm of the sum of z^i / i! over i <= g, and its slope by m at m = g."""
    i = np.arange(g + 1)
    logs = i * math.log(z) - gammaln(i + 1)
    top = _log_sum(logs)
    return top, z / g * math.exp(_log_sum(logs[:-1]) - top)


def independent_probability(
    group_size: int, *, groups: int, p: float = P, alpha: float = ALPHA
) -> ShotDown:
    """Return the same for a guesser who names one pseudonym of each group, at most `groups` lines.

    >>> best = independent_probability(2, groups=500)
    >>> (round(best.probability, 4), best.lines)
    (0.0121, 29)
    """
    _checked_sizes([group_size])
    needed = thresholds(groups, p=p, alpha=alpha)
    lines = np.arange(groups + 1)
    chances = np.asarray(bdtrc(needed - 1, lines, 1 / group_size))
    n = int(np.argmax(chances))
    return ShotDown(probability=float(chances[n]), lines=n, needed=int(needed[n]))


def _checked_sizes(group_sizes: Sequence[int]) -> list[int]:
    sizes = sorted(int(g) for g in group_sizes)
    if sizes and sizes[0] < 1:
        raise ParameterError(f"A group must have at least 1 customer, not {sizes[0]}.")
    return sizes


def _useful_thresholds(sizes: list[int], p: float, alpha: float) -> npt.NDArray[np.int64]:
    """Return r(0), r(1), … as far as there are lines, and no further than it can be reached."""
    lines, people = sum(g * g for g in sizes), sum(sizes)
    most = people
    while most < lines and threshold(most, p=p, alpha=alpha) <= people:
        most = min(2 * most, lines)
    found = thresholds(most, p=p, alpha=alpha)
    return found[: max(1, int(np.searchsorted(found, people, side="right")))]
