"""Retention-replacement: a value is kept with probability rho, else drawn from its range.

No mechanism builds its matrix to compute with it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
import numpy.typing as npt

from tokumei.draws import start_of
from tokumei.errors import Unachievable
from tokumei.pk.correlation import Correlation
from tokumei.pk.domain import Codes, Domain
from tokumei.pk.kernels import Floats, Ints

STREAM = "retain-replace"
Keys = npt.NDArray[np.int64] | npt.NDArray[np.uint64]


class Mechanism(ABC):
    """A random change of records, with the matrix A: A[u, v] is the probability of u → v."""

    space: Domain | Correlation
    rho: tuple[float, ...]

    @property
    @abstractmethod
    def domain(self) -> Domain:
        """The attributes and their ranges."""

    @property
    @abstractmethod
    def cells(self) -> int:
        """The number of combinations."""

    @property
    @abstractmethod
    def codes(self) -> Codes:
        """The values of every cell, one line for each attribute."""

    @abstractmethod
    def cell_of(self, codes: Codes) -> Ints:
        """Return the cell of each record, -1 where it cannot occur."""

    @abstractmethod
    def draw(self, cells: Ints, keys: Keys, *, seed: int) -> Ints:
        """Perturb records; what a record becomes depends on the seed and its key alone."""

    def codes_of(self, cells: Ints) -> Codes:
        """Return the values of some cells, one line for each attribute."""
        return self.codes[:, cells]

    def redraw(self, codes: Codes, keys: Keys, *, seed: int) -> Codes:
        """Perturb records that are given, and returned, by their values."""
        return self.codes_of(self.draw(self.cell_of(codes), keys, seed=seed))

    @abstractmethod
    def forward(self, shares: Floats) -> Floats:
        """Return p A: how a distribution looks after the change."""

    @abstractmethod
    def backward(self, weights: Floats) -> Floats:
        """Return A x: the mean weight of what each cell becomes."""

    @abstractmethod
    def inverse(self, shares: Floats) -> Floats:
        """Return y A^-1: the distribution before, which may come out negative."""

    @abstractmethod
    def log_ratio(self) -> float:
        """Return ln min A[u, v'] A[v, u'] / (A[u, u'] A[v, v']) over all records."""

    @abstractmethod
    def moments(self, shares: Floats, power: int) -> Floats:
        """Return y W, where W has the entries of A^-1 to a power and y is a perturbed table."""

    @abstractmethod
    def own_moments(self, power: int) -> Floats:
        """Return the diagonal of A W: what a record of the cell itself brings to y W."""

    def variances(self, shares: Floats) -> Floats:
        """Return the variance of each share by `inverse`, times the number of records.

        The table is fixed; the perturbation alone is random.
        """
        return self.moments(self.forward(shares), 2) - shares

    def matrix(self) -> Floats:
        """Return A itself, for domains that are small."""
        return np.array([self.forward(row) for row in np.eye(self.cells)])

    def _starts(self, seed: int) -> npt.NDArray[np.uint64]:
        return np.array([start_of(seed, f"{STREAM}/{name}") for name in self.domain.names])

    def _invertible(self) -> None:
        if 0 in self.rho:
            raise Unachievable("With rho = 0 nothing of the data is left to reconstruct.")
