"""Pk-anonymity: nobody's record is pinned down with more confidence than 1/k.

For a table of #T records and a mechanism with the matrix A,
k = 1 + (#T - 1) min A[u, v'] A[v, u'] / (A[u, u'] A[v, v']).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from tokumei.errors import ParameterError
from tokumei.pk.correlation import Correlation
from tokumei.pk.domain import Domain
from tokumei.pk.kernels import Floats
from tokumei.pk.mechanism import Mechanism
from tokumei.pk.mechanisms import mechanism


def anonymity(of: Mechanism, records: int) -> float:
    """Return the k of a mechanism on a table of that many records."""
    _check_records(records)
    return k_of(of.log_ratio(), records)


def k_of(log_ratio: float, records: int) -> float:
    """Return the k that a minimum gives."""
    return 1 + (records - 1) * math.exp(log_ratio)


def least_ratio(matrix: Floats) -> float:
    """Return the minimum for any matrix of transition probabilities, all above 0.

    The choices of u' and v' are independent once u and v are fixed. Its logarithm is minus the
    largest distance between two rows in Hilbert's projective metric.

    >>> float(least_ratio(np.array([[0.75, 0.25], [0.25, 0.75]]))) * 9
    1.0
    """
    least = 1.0
    for row in matrix:
        quotients = matrix / row
        least = min(least, float((quotients.min(axis=1) / quotients.max(axis=1)).min()))
    return least


def closed_form(correlation: Correlation, rho: float | Sequence[float]) -> float:
    """Return [saito2014]'s bound (1) to (4) on the minimum, with products up to the last attribute.

    It is never above the exact minimum, which `Correlated.log_ratio` gives; from three attributes
    on it can lie far below, as (3) and (4) multiply the factors of attributes in which the records
    agree.
    """
    rho_of = np.array(mechanism(correlation, rho).rho)
    last = len(rho_of)
    # The largest and the second largest number of values after a prefix, for attributes 2 to n.
    largest = [np.sort(correlation.branchings(level))[::-1] for level in range(1, last)]
    alpha = np.array([1.0, *(float(counts[0]) for counts in largest)])
    beta = np.array([1.0, *(float(counts[1]) for counts in largest)])
    first = ((1 - rho_of[0]) / (1 + (correlation.domain.shape[0] - 1) * rho_of[0])) ** 2
    parted = (1 - rho_of) ** 2
    together = 1 / ((1 + (alpha - 1) * rho_of) * (1 + (beta - 1) * rho_of))
    agreeing = parted / (1 + (alpha - 1) * rho_of) ** 2
    candidates = [first * np.prod(parted[1:]), first * np.prod(together[1:])]
    for upto in range(2, last + 1):
        before = np.prod(agreeing[1:upto])
        candidates += [before * np.prod(parted[upto:]), before * np.prod(together[upto:])]
    return float(min(candidates))


def largest_rho(space: Domain | Correlation, k: float, records: int) -> float:
    """Return the largest common rho with which a table of that many records has Pk-anonymity k.

    With one rho for all attributes the minimum falls strictly as rho rises, so halving finds it.
    """
    return solve(lambda rho: mechanism(space, rho).log_ratio(), k, records)


def solve(log_ratio: Callable[[float], float], k: float, records: int) -> float:
    """Return the largest number in [0, 1) at which a falling bound still gives k."""
    check_k(k, records)
    low, high = 0.0, 1.0
    while low < (middle := (low + high) / 2) < high:
        if k_of(log_ratio(middle), records) >= k:
            low = middle
        else:
            high = middle
    return low


def check_k(k: float, records: int) -> None:
    """Raise a ParameterError unless a table of that many records can have the k."""
    _check_records(records)
    if not 1 < k <= records:
        raise ParameterError(
            f"k must be above 1 and at most the number of records, {records:,}; not {k:g}."
        )


def _check_records(records: int) -> None:
    if records < 2:
        raise ParameterError(f"Pk-anonymity needs at least 2 records, not {records}.")
