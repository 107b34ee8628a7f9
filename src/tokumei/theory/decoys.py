"""Cost and risk of decoys, by formula.

n customers buy b items each on average; two of them share h, so that their mean jaccard coefficient
is mu. In c clusters of equal size every customer gets the items of its cluster as decoys.
[harada2017] prints the denominator of h as a + mu; 1 + mu follows from mu = h / (2 b - h).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln

from tokumei.errors import ParameterError


def shared_items(b: float, mu: float) -> float:
    """Return h, the number of items that two customers share: 2 b mu / (1 + mu).

    >>> round(shared_items(65, 0.03), 3)
    3.786
    """
    return 2 * b * mu / (1 + mu)


@dataclass(frozen=True, kw_only=True)
class DecoyTheory:
    """The formulas of section 4 for one data set."""

    n: int
    b: float
    mu: float

    def __post_init__(self) -> None:
        if self.n < 2:
            raise ParameterError(f"n must be at least 2, not {self.n}.")
        if not (self.b > 0 and 0 <= self.mu <= 1):
            raise ParameterError(f"b must be above 0 and mu in [0, 1], not {self.b} and {self.mu}.")

    @property
    def h(self) -> float:
        """The number of items that two customers share."""
        return shared_items(self.b, self.mu)

    @property
    def peak(self) -> float:
        """The c at which the expected cost peaks; below it the formula does not hold."""
        return self.h * self.n / (self.b + self.h / 2)

    @property
    def domain(self) -> range:
        """The whole numbers of clusters for which the formula holds.

        >>> DecoyTheory(n=400, b=65, mu=0.03).domain
        range(23, 401)
        """
        return range(max(1, math.ceil(self.peak)), self.n + 1)

    def added_rows(self, c: float) -> float:
        """Return E(dm) = -h n^3 / (2 c^2) + (b + h/2) n^2 / c - b n."""
        n, b, h = self.n, self.b, self.h
        return -h * n**3 / (2 * c**2) + (b + h / 2) * n**2 / c - b * n

    def reidentified(self, c: float) -> float:
        """Return E(Reid) = c / n."""
        return c / self.n

    @property
    def alpha(self) -> float:
        """The factor that scales the cost to at most 1: 1 / max E(dm).

        Where the formula holds for c = n alone, nothing costs anything and there is no factor: two
        customers with much in common.

        >>> DecoyTheory(n=2, b=3, mu=1).alpha
        0.0
        """
        if self.domain.start == self.n:
            return 0.0
        return 1 / max(self.added_rows(c) for c in self.domain)

    def objective(self, c: float) -> float:
        """Return (alpha E(dm) + E(Reid)) / 2, the contest's mean of loss and risk."""
        return (self.alpha * self.added_rows(c) + self.reidentified(c)) / 2

    @property
    def best_clusters(self) -> int:
        """The whole c with the least objective.

        >>> DecoyTheory(n=400, b=65, mu=0.03).best_clusters
        130
        """
        alpha = self.alpha
        return min(self.domain, key=lambda c: alpha * self.added_rows(c) + self.reidentified(c))

    @property
    def best_clusters_approximately(self) -> float:
        """The paper's closed form sqrt(alpha (b + h/2) n^3).

        >>> round(DecoyTheory(n=4000, b=65, mu=0.03).best_clusters_approximately)
        1427
        """
        return math.sqrt(self.alpha * (self.b + self.h / 2) * self.n**3)


def exclusive_items(buyers: npt.NDArray[np.int64], n: int, s: int) -> npt.NDArray[np.float64]:
    """Return a_1, …, a_s, measured: what the thesis leaves open.

    `buyers` holds for every item the number d of its buyers among n customers. Of a cluster of s
    customers drawn at random, an item is bought by exactly i members with the hypergeometric
    probability; a_i is the mean number of items that i given members share and no other has, so
    C(s, i) a_i items are bought by exactly i.
    """
    i = np.arange(1, s + 1)[:, np.newaxis]
    d = np.asarray(buyers)[np.newaxis, :]
    with np.errstate(invalid="ignore"):
        logs = _log_choose(d, i) + _log_choose(n - d, s - i) - _log_choose(n, s)
    found: npt.NDArray[np.float64] = np.exp(logs - _log_choose(s, i)).sum(axis=1)
    return found


def _log_choose(n: npt.ArrayLike, k: npt.ArrayLike) -> npt.NDArray[np.float64]:
    n, k = np.broadcast_arrays(np.asarray(n, float), np.asarray(k, float))
    logs: npt.NDArray[np.float64] = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    return np.where((k < 0) | (k > n), -np.inf, logs)


def added_rows_of_random_clusters(buyers: npt.NDArray[np.int64], n: int, c: float) -> float:
    """Return the exact expected cost of c random clusters of equal size s = n / c.

    c times sum (s - i) C(s, i) a_i over i: for a whole s this needs no a_i, because an item is
    missing from a random cluster with probability C(n - d, s) / C(n, s).
    """
    s = n / c
    d = np.asarray(buyers, float)
    with np.errstate(invalid="ignore"):
        missing = np.exp(_log_choose(n - d, s) - _log_choose(n, s))
    union = float((1 - missing).sum())
    return n * union - float(d.sum())
