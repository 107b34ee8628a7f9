"""Confidence intervals for the counts that a reconstruction estimates.

The estimate by the inverse matrix, x = y A^-1, has no bias. To test whether a cell had c records, x
is compared with c: variance and skewness of x follow from c and, for the other cells, from the most
likely table. The interval has the counts that the test accepts. A count lies between 0 and the
number of records, so the test is that of [feldman1998]: in the middle it has two equal sides,
towards an end it becomes one-sided, and the coverage is the nominal one at the end too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri

from tokumei.errors import ParameterError
from tokumei.pk.kernels import Floats
from tokumei.pk.mechanism import Mechanism
from tokumei.pk.reconstruction import reconstruct

GRID = 1_000
NEVER = -1e9
"""A deviation for a mean of 0, to which no point is too low."""
HALVINGS = 50
Bools = npt.NDArray[np.bool_]


def intervals(counts: Floats, of: Mechanism, *, level: float = 0.95) -> tuple[Floats, Floats]:
    """Return lower and upper ends for the count of every cell before the perturbation.

    `counts` is the perturbed cross tabulation. The table before is fixed, the perturbation alone is
    random, and the level is that of each cell, not of all together. It is approximate: where a cell
    of the perturbed table has few records, their number is too coarse to reach the level.
    """
    if not 0 < level < 1:
        raise ParameterError(f"level must lie in (0, 1), not {level}.")
    total = float(counts.sum())
    if 0 in of.rho:  # nothing of the table is left
        return np.zeros(of.cells), np.full(of.cells, total)
    test = _Test.of(counts, of, level)
    best = np.clip(test.estimates, 0, total)
    low = _last(best, np.zeros(of.cells), lambda asked: test.side(asked)[1])
    high = _last(best, np.full(of.cells, total), lambda asked: test.side(asked)[0])
    return low, high


def _last(near: Floats, far: Floats, accepts: Callable[[Floats], Bools]) -> Floats:
    """Return the last count that is accepted on the way from near to far, by halving."""
    near = np.where(accepts(far), far, near)
    for _ in range(HALVINGS):
        middle = (near + far) / 2
        accepted = accepts(middle)
        near, far = np.where(accepted, middle, near), np.where(accepted, far, middle)
    return near


@dataclass(frozen=True, eq=False)
class _Test:
    """Whether a count of each cell is accepted, given the estimates by the inverse matrix."""

    estimates: Floats
    total: float
    own: tuple[Floats, Floats]
    """Second and third cumulant of what one record of the cell itself brings to the estimate."""
    others: tuple[Floats, Floats]
    """The same for one record of the other cells, on average over the most likely table."""
    bounds: tuple[Floats, Floats, Floats]
    """What `_accepted` returns."""

    @classmethod
    def of(cls, counts: Floats, of: Mechanism, level: float) -> _Test:
        """Return the test of a level for a perturbed cross tabulation."""
        total = float(counts.sum())
        # One record is spread evenly, so that there are always others.
        likely = (reconstruct(counts, of).counts + 1 / of.cells) * total / (total + 1)
        expected, rest = of.forward(likely), total - likely
        square, cube = of.own_moments(2), of.own_moments(3)
        # A record of the cell brings 1 to the estimate on average, and any other brings 0.
        own = square - 1, cube - 3 * square + 2
        others = (
            (of.moments(expected, 2) - likely * square) / rest,
            (of.moments(expected, 3) - likely * cube) / rest,
        )
        return cls(of.inverse(counts), total, own, others, _accepted(level))

    def side(self, asked: Floats) -> tuple[Bools, Bools]:
        """Tell which estimates are not too low for the count asked for, and which not too high."""
        rest = self.total - asked
        variance, third = (
            own * asked + other * rest for own, other in zip(self.own, self.others, strict=True)
        )
        variance = np.maximum(variance, 1e-12)  # a cell that cannot change has none
        error = np.sqrt(variance)
        deviation = _normal((self.estimates - asked) / error, third / (variance * error))
        means, down, up = self.bounds
        room = np.minimum(asked, rest) / error
        down, up = np.interp(room, means, down), np.interp(room, means, up)
        nearer_top = asked > rest
        down, up = np.where(nearer_top, -up, down), np.where(nearer_top, -down, up)
        return deviation >= down, deviation <= up


def _normal(deviation: Floats, skewness: Floats) -> Floats:
    """Return the normal deviation that is as rare, by the cube root of Wilson and Hilferty."""
    skewness = np.where(np.abs(skewness) < 1e-4, 1e-4, skewness)
    root = np.cbrt(np.maximum(1 + skewness * deviation / 2, 0))
    normal: Floats = 6 / skewness * (root - 1) + skewness / 6
    return normal


def _accepted(level: float) -> tuple[Floats, Floats, Floats]:
    """Return means of at least 0 and between which deviations from them a point is accepted.

    The point is normal with error 1. A mean accepts the points to which it is the most likely
    beside the mean that fits each of them best, which is 0 for a negative point.
    """
    usual = float(ndtri((1 + level) / 2))
    means = np.linspace(0, usual, GRID)[1:]
    near, far = np.full(GRID - 1, ndtri(level)), np.full(GRID - 1, usual)
    for _ in range(HALVINGS):
        up = (near + far) / 2
        down = -(means**2 + up**2) / (2 * means)  # as likely as `up`, below 0
        enough = ndtr(up) - ndtr(down) >= level
        near, far = np.where(enough, near, up), np.where(enough, up, far)
    return np.append(0, means), np.append(NEVER, down), np.append(ndtri(level), up)
