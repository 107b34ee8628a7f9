"""Choosing rho: what a mechanism is expected to cost, and the best rho under a k."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import ndtr

from tokumei.pk.anonymity import anonymity, largest_rho
from tokumei.pk.correlation import Correlation
from tokumei.pk.domain import Domain
from tokumei.pk.kernels import Floats
from tokumei.pk.mechanism import Mechanism
from tokumei.pk.mechanisms import mechanism


def expected_l1(of: Mechanism, records: int, shares: Floats | None = None) -> float:
    """Return the expected L1 distance of a reconstructed cross tabulation from the true one.

    Each share is estimated with a normal error of the variance that the inverse has, and cut off
    at 0, as the reconstruction never goes below. `shares` is a public guess of the distribution;
    without one it is even.
    """
    if 0 in of.rho:
        return 2.0
    guess = np.full(of.cells, 1 / of.cells) if shares is None else shares
    deviations = np.sqrt(np.maximum(of.variances(guess), 0) / records)
    # E |max(p + s Z, 0) - p| for a normal Z.
    depth = guess / deviations
    density = np.exp(-(depth**2) / 2) / np.sqrt(2 * np.pi)
    upper = deviations / np.sqrt(2 * np.pi)
    lower = deviations * (1 / np.sqrt(2 * np.pi) - density) + guess * ndtr(-depth)
    return min(float(np.sum(upper + lower)), 2.0)


def best_rho(
    space: Domain | Correlation, k: float, records: int, shares: Floats | None = None
) -> tuple[float, ...]:
    """Return one rho for each attribute with the least expected L1 distance under a k.

    The common rho of `largest_rho` is among those compared, so the result is expected to be at
    least as good.
    """
    from scipy.optimize import minimize

    names = space.domain.names if isinstance(space, Correlation) else space.names
    common = largest_rho(space, k, records)
    if len(names) == 1 or common == 0:
        return (common,) * len(names)

    def rho_at(offsets: Sequence[float] | Floats) -> tuple[float, ...]:
        """Shift the log-odds of all rho together until the bound just gives k."""
        leaning = np.append(offsets, -np.sum(offsets))
        low, high = -60.0, 36.0
        for _ in range(60):
            middle = (low + high) / 2
            rho = 1 / (1 + np.exp(-(middle + leaning)))
            fits = rho.max() < 1 and anonymity(mechanism(space, rho.tolist()), records) >= k
            low, high = (middle, high) if fits else (low, middle)
        return tuple((1 / (1 + np.exp(-(low + leaning)))).tolist())

    def cost(offsets: Floats) -> float:
        return expected_l1(mechanism(space, rho_at(offsets)), records, shares)

    found = minimize(
        cost,
        np.zeros(len(names) - 1),
        method="Nelder-Mead",
        options={"xatol": 1e-3, "fatol": 1e-7, "maxiter": 200 * len(names)},
    )
    best = rho_at(found.x)
    least = expected_l1(mechanism(space, common), records, shares)
    return best if found.fun <= least else (common,) * len(names)
