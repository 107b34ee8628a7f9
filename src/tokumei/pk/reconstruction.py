"""Estimating the cross tabulation of the original from the perturbed one.

`iterative_bayes` finds the most likely distribution by the iteration p ← p · (A (y / (p A))), sped
up by squared extrapolation [varadhan2008]. The likelihood is concave, so the iteration also proves
how near it is: the mean log-likelihood of no distribution exceeds that of p by more than
max A (y / (p A)) - 1. The cost of a step grows with the number of cells, not with its square.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Literal

import numpy as np

from tokumei.errors import ParameterError
from tokumei.pk.kernels import Floats
from tokumei.pk.mechanism import Mechanism

log = logging.getLogger(__name__)

Method = Literal["bayes", "inverse"]
MOST_STEPS = 10_000
FIRST_LEAP = 4.0


@dataclass(frozen=True, eq=False)
class Reconstruction:
    """Estimated counts of every cell, and how they were reached."""

    counts: Floats
    steps: int
    gap: float
    """A bound on what the mean log-likelihood of a record could still gain."""
    converged: bool


def reconstruct(
    counts: Floats, of: Mechanism, *, method: Method = "bayes", tolerance: float = 1e-6
) -> Reconstruction:
    """Estimate the counts before the perturbation from those after it.

    `bayes` is the most likely non-negative estimate; for a single attribute it is computed
    directly. `inverse` multiplies by the inverse matrix, sets negative shares to 0 and scales the
    rest: the baseline.
    """
    total = float(counts.sum())
    if len(counts) != of.cells or total <= 0 or (counts < 0).any():
        raise ParameterError(
            f"A perturbed cross tabulation has {of.cells:,} counts of at least 0, and some records;"
            f" this one has {len(counts):,} counts and {total:g} records."
        )
    shares = counts / total
    if method == "inverse":
        clipped = np.maximum(of.inverse(shares), 0)
        return _reconstructed(clipped / clipped.sum(), shares, of, total)
    if len(of.rho) == 1:
        return _reconstructed(_single(shares, of.rho[0]), shares, of, total)
    return iterative_bayes(shares, of, total=total, tolerance=tolerance)


def _reconstructed(estimate: Floats, shares: Floats, of: Mechanism, total: float) -> Reconstruction:
    gap = _step(estimate, shares, of)[2]
    return Reconstruction(estimate * total, 0, gap, converged=True)


def _single(shares: Floats, rho: float) -> Floats:
    """Return the most likely distribution of one attribute, in closed form.

    The likelihood is greatest where p = max(0, y / t - (1 - rho) / (m rho)), with the t for which
    the shares sum to 1. Only the most frequent values are positive: they are found by sorting.
    """
    if rho == 0:
        return np.full(len(shares), 1 / len(shares))
    floor = (1 - rho) / (len(shares) * rho)
    falling = np.sort(shares)[::-1]
    positive = np.arange(1, len(shares) + 1)
    scales = np.cumsum(falling) / (1 + positive * floor)
    most = int(np.flatnonzero(falling > scales * floor)[-1])
    estimate: Floats = np.maximum(shares / scales[most] - floor, 0)
    return estimate


def _step(estimate: Floats, shares: Floats, of: Mechanism) -> tuple[Floats, float, float]:
    """Return the next estimate, and the mean log-likelihood and gap of this one."""
    expected = of.forward(estimate)
    seen = shares > 0
    quotients = np.divide(shares, expected, out=np.zeros_like(shares), where=seen)
    weights = of.backward(quotients)
    likelihood = float(np.sum(shares[seen] * np.log(expected[seen])))
    return estimate * weights, likelihood, float(weights.max()) - 1


def iterative_bayes(
    shares: Floats,
    of: Mechanism,
    *,
    total: float = 1.0,
    tolerance: float = 1e-6,
    start: Floats | None = None,
    most_steps: int = MOST_STEPS,
) -> Reconstruction:
    """Iterate until the gap is within the tolerance; warn if it is not after `most_steps`."""
    estimate = np.full(of.cells, 1 / of.cells) if start is None else start
    first, likelihood, gap = _step(estimate, shares, of)
    steps, longest = 1, FIRST_LEAP
    while gap > tolerance and steps < most_steps:
        second, _, _ = _step(first, shares, of)
        leap = _leap(estimate, first, second)
        bold = _extrapolated(estimate, first, second, min(leap, longest))
        beyond, bold_likelihood, bold_gap = _step(bold, shares, of)
        steps += 2
        # A leap that lost likelihood is taken back; the plain steps never lose any. How long
        # leaps may be follows how they went.
        if bold_likelihood >= likelihood:
            longest = longest * 4 if leap > longest else longest
        else:
            longest = max(FIRST_LEAP, longest / 4)
            bold = second
            beyond, bold_likelihood, bold_gap = _step(second, shares, of)
            steps += 1
        estimate, first, likelihood, gap = bold, beyond, bold_likelihood, bold_gap
    if gap > tolerance:
        log.warning(
            "The reconstruction stopped after %s steps with a gap of %.2g, above the tolerance of "
            "%.2g.",
            f"{steps:,}",
            gap,
            tolerance,
        )
    return Reconstruction(estimate * total, steps, gap, converged=gap <= tolerance)


def _leap(before: Floats, first: Floats, second: Floats) -> float:
    bend = float(np.linalg.norm(second - 2 * first + before))
    return max(1.0, float(np.linalg.norm(first - before)) / bend) if bend > 0 else 1.0


def _extrapolated(before: Floats, first: Floats, second: Floats, leap: float) -> Floats:
    change = first - before
    bend = second - first - change
    leapt = before + 2 * leap * change + leap**2 * bend
    # A share that the leap would make negative stays where the plain steps brought it.
    kept: Floats = np.where(leapt > 0, leapt, second)
    kept /= kept.sum()
    return kept
