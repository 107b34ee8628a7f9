"""Retention-replacement: keep a value with probability rho, else draw it uniformly from its range.

`Independent` perturbs every attribute by itself; its matrix is the Kronecker product of
A_i = (1 - rho_i) / m_i U + rho_i E. `Correlated` draws only combinations that can occur: while all
earlier attributes are as they were, an attribute is kept or drawn from the values that the prefix
allows; otherwise it is drawn uniformly from those that the perturbed prefix allows. A correlation
that allows everything is therefore not the independent mechanism: once a value has changed, nothing
after it is kept.

Neither ever builds its matrix to compute with it: the independent one acts axis by axis, and the
correlated one is diagonal in the differences between the children of a node.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from tokumei.draws import start_of
from tokumei.errors import ParameterError, Unachievable
from tokumei.pk import kernels
from tokumei.pk.correlation import Correlation
from tokumei.pk.domain import Codes, Domain
from tokumei.pk.kernels import Floats, Ints

STREAM = "retain-replace"
Keys = npt.NDArray[np.int64] | npt.NDArray[np.uint64]


def mechanism(space: Domain | Correlation, rho: float | Sequence[float]) -> Mechanism:
    """Return the mechanism on a domain, or on what a correlation allows of it."""
    if isinstance(space, Correlation):
        return Correlated(space, _checked(rho, space.domain))
    return Independent(space, _checked(rho, space))


def _checked(rho: float | Sequence[float], domain: Domain) -> tuple[float, ...]:
    given = tuple(map(float, rho)) if isinstance(rho, Sequence) else (float(rho),)
    if len(given) == 1:
        given *= len(domain.names)
    if len(given) != len(domain.names):
        raise ParameterError(
            f"Give one rho, or one for each of the {len(domain.names)} attributes, "
            f"not {len(given)}."
        )
    for value in given:
        if not 0 <= value < 1:
            raise ParameterError(f"rho must lie in [0, 1), not {value}.")
    return given


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
    def variances(self, shares: Floats) -> Floats:
        """Return the variance of each share by `inverse`, times the number of records.

        The table is fixed; the perturbation alone is random.
        """

    def matrix(self) -> Floats:
        """Return A itself, for domains that are small."""
        return np.array([self.forward(row) for row in np.eye(self.cells)])

    def _starts(self, seed: int) -> npt.NDArray[np.uint64]:
        return np.array([start_of(seed, f"{STREAM}/{name}") for name in self.domain.names])

    def _invertible(self) -> None:
        if 0 in self.rho:
            raise Unachievable("With rho = 0 nothing of the data is left to reconstruct.")


@dataclass(frozen=True, eq=False)
class Independent(Mechanism):
    """Every attribute by itself; all combinations of the domain may come out."""

    space: Domain
    rho: tuple[float, ...]

    @property
    def domain(self) -> Domain:
        """The attributes and their ranges."""
        return self.space

    @property
    def cells(self) -> int:
        """The number of combinations."""
        return self.space.cells

    @property
    def codes(self) -> Codes:
        """The values of every cell, one line for each attribute."""
        return np.indices(self.space.shape, dtype=np.int32).reshape(len(self.rho), -1)

    def cell_of(self, codes: Codes) -> Ints:
        """Return the cell of each record."""
        cells = np.zeros(codes.shape[1], dtype=np.int64)
        for line, size in zip(codes, self.space.shape, strict=True):
            cells *= size
            cells += line
        return cells

    def draw(self, cells: Ints, keys: Keys, *, seed: int) -> Ints:
        """Perturb records; what a record becomes depends on the seed and its key alone."""
        shape = np.array(self.space.shape, dtype=np.int64)
        rho, starts = np.array(self.rho), self._starts(seed)
        return kernels.draw_independent(cells, keys.astype(np.uint64), starts, rho, shape)

    def forward(self, shares: Floats) -> Floats:
        """Return p A. A is symmetric, so this is A p as well."""
        return self._along_axes(shares, self.rho)

    def backward(self, weights: Floats) -> Floats:
        """Return A x."""
        return self._along_axes(weights, self.rho)

    def inverse(self, shares: Floats) -> Floats:
        """Return y A^-1: the inverse of rho E + (1 - rho) / m U has 1 / rho in place of rho."""
        self._invertible()
        return self._along_axes(shares, tuple(1 / rho for rho in self.rho))

    def _along_axes(self, vector: Floats, scales: tuple[float, ...]) -> Floats:
        array = vector.reshape(self.space.shape)
        for axis, scale in enumerate(scales):
            array = scale * array + (1 - scale) * array.mean(axis=axis, keepdims=True)
        return array.reshape(-1)

    def log_ratio(self) -> float:
        """Return the logarithm of the product of ((1 - rho_i) / (1 + (m_i - 1) rho_i))^2."""
        rho, sizes = np.array(self.rho), np.array(self.space.shape)
        return float(2 * np.sum(np.log1p(-rho) - np.log1p((sizes - 1) * rho)))

    def variances(self, shares: Floats) -> Floats:
        """Return the variance of each share by `inverse`, times the number of records.

        The table is fixed; the perturbation alone is random.
        """
        self._invertible()
        # The entries of A^-1 squared are again of the form a E + b U, axis by axis.
        array = self.forward(shares).reshape(self.space.shape)
        for axis, (rho, size) in enumerate(zip(self.rho, self.space.shape, strict=True)):
            off = ((1 - 1 / rho) / size) ** 2
            on = (1 / rho + (1 - 1 / rho) / size) ** 2
            array = (on - off) * array + off * array.sum(axis=axis, keepdims=True)
        return array.reshape(-1) - shares


@dataclass(frozen=True, eq=False)
class Correlated(Mechanism):
    """Only combinations that the correlation allows may come out."""

    space: Correlation
    rho: tuple[float, ...]

    @property
    def domain(self) -> Domain:
        """The attributes and their ranges."""
        return self.space.domain

    @property
    def cells(self) -> int:
        """The number of combinations."""
        return self.space.cells

    @property
    def codes(self) -> Codes:
        """The values of every cell, one line for each attribute."""
        return self.space.codes

    def cell_of(self, codes: Codes) -> Ints:
        """Return the cell of each record, -1 where it cannot occur."""
        return self.space.cell_of(codes)

    def draw(self, cells: Ints, keys: Keys, *, seed: int) -> Ints:
        """Perturb records; what a record becomes depends on the seed and its key alone."""
        tree = self.space
        return kernels.draw_correlated(
            cells,
            keys.astype(np.uint64),
            self._starts(seed),
            np.array(self.rho),
            tree.parents,
            tree.children,
            tree.levels[-2],
        )

    @cached_property
    def _kept(self) -> Floats:
        """The probability that a record's prefix comes out unchanged, for every node."""
        tree = self.space
        chances = np.ones(len(tree.parents))
        for level, rho in enumerate(self.rho):
            nodes = slice(tree.levels[level + 1], tree.levels[level + 2])
            above = tree.parents[nodes]
            chances[nodes] = chances[above] * (rho + (1 - rho) / tree.counts[above])
        return chances

    @cached_property
    def _eigenvalues(self) -> Floats:
        """What the differences between the children of each inner node are multiplied by."""
        tree = self.space
        inner = tree.levels[-2]
        following: Floats = np.array(self.rho)[tree.depths[:inner]]
        return self._kept[:inner] * following

    def forward(self, shares: Floats) -> Floats:
        """Return p A: how a distribution looks after the change."""
        tree = self.space
        return kernels.spread(shares, self._eigenvalues, tree.parents, tree.counts, tree.levels[-2])

    def backward(self, weights: Floats) -> Floats:
        """Return A x: the mean weight of what each cell becomes."""
        tree = self.space
        return kernels.gather(
            weights, self._eigenvalues, tree.parents, tree.counts, tree.levels[-2]
        )

    def inverse(self, shares: Floats) -> Floats:
        """Return y A^-1: the distribution before, which may come out negative."""
        self._invertible()
        tree = self.space
        return kernels.spread(
            shares, 1 / self._eigenvalues, tree.parents, tree.counts, tree.levels[-2]
        )

    def log_ratio(self) -> float:
        """Return the exact minimum, by one pass over the tree.

        A[u, v] is W / (the product of all ranges on the way to v), where W depends on the last
        prefix that u and v share: the product of 1 + (p_s - 1) rho_s over its values, times
        1 - rho of the attribute that follows. The other factor cancels.
        """
        tree, rho = self.space, np.array(self.rho)
        parting = np.append(np.log1p(-rho), 0.0)  # nothing follows a leaf
        heights = np.zeros(len(tree.parents))
        for level in range(len(rho)):
            nodes = slice(tree.levels[level + 1], tree.levels[level + 2])
            above = tree.parents[nodes]
            heights[nodes] = heights[above] + np.log1p((tree.counts[above] - 1) * rho[level])
        heights += parting[tree.depths]
        return -kernels.largest_gain(heights, tree.parents, tree.counts, tree.levels[-2])

    def variances(self, shares: Floats) -> Floats:
        """Return the variance of each share by `inverse`, times the number of records.

        The table is fixed; the perturbation alone is random.
        """
        self._invertible()
        tree = self.space
        seen = self.forward(shares)
        masses = _masses(seen, tree)
        # below: the chance of each cell in a uniform draw from a node downwards, going up from 1.
        squares, node = np.zeros(self.cells), np.arange(tree.levels[-2], tree.levels[-1])
        below = np.ones(self.cells)
        steps = []  # for each level, from the leaf upwards
        for _ in self.rho:
            above = tree.parents[node]
            steps.append((below / self._eigenvalues[above], 1 / tree.counts[above], node, above))
            below = below / tree.counts[above]
            node = above
        entry = below  # the entry of A^-1 for records that share the root alone, without its step
        for size, even, child, parent in reversed(steps):
            parted = entry - even * size
            squares += (masses[parent] - masses[child]) * parted**2
            entry = entry + (1 - even) * size
        squares += seen * entry**2
        variances: Floats = squares - shares
        return variances


def _masses(shares: Floats, tree: Correlation) -> Floats:
    masses = np.zeros(len(tree.parents))
    masses[tree.levels[-2] :] = shares
    for level in range(len(tree.levels) - 2, 0, -1):
        nodes = slice(tree.levels[level], tree.levels[level + 1])
        np.add.at(masses, tree.parents[nodes], masses[nodes])
    return masses
