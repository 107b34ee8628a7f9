"""Every attribute perturbed by itself.

The matrix is the Kronecker product of A_i = (1 - rho_i) / m_i U + rho_i E, and acts axis by axis.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tokumei.pk import kernels
from tokumei.pk.domain import Codes, Domain, check_cells
from tokumei.pk.kernels import Floats, Ints
from tokumei.pk.mechanism import Keys, Mechanism

MOST_CELLS = 1 << 27
"""A table of all combinations has no more: each takes 4 bytes for each attribute."""


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
        check_cells(self.cells, MOST_CELLS)
        return np.indices(self.space.shape, dtype=np.int32).reshape(len(self.rho), -1)

    def codes_of(self, cells: Ints) -> Codes:
        """Return the values of some cells, one line for each attribute."""
        return np.array(np.unravel_index(cells, self.space.shape), dtype=np.int32)

    def redraw(self, codes: Codes, keys: Keys, *, seed: int) -> Codes:
        """Perturb records attribute by attribute, however many combinations there are."""
        given, starts = keys.astype(np.uint64), self._starts(seed)
        drawn = np.empty_like(codes)
        for at, (rho, size) in enumerate(zip(self.rho, self.space.shape, strict=True)):
            drawn[at] = kernels.draw_independent(
                codes[at].astype(np.int64),
                given,
                starts[at : at + 1],
                np.array([rho]),
                np.array([size], dtype=np.int64),
            )
        return drawn

    def cell_of(self, codes: Codes) -> Ints:
        """Return the cell of each record."""
        check_cells(self.cells, np.iinfo(np.int64).max)
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

    def moments(self, shares: Floats, power: int) -> Floats:
        """Return y W: the powers of the entries are of the form a E + b U again, axis by axis."""
        array = shares.reshape(self.space.shape)
        for axis, (on, off) in enumerate(self._inverse_entries()):
            array = (on**power - off**power) * array + off**power * array.sum(axis, keepdims=True)
        return array.reshape(-1)

    def own_moments(self, power: int) -> Floats:
        """Return the diagonal of A W, which is the same for all cells."""
        own = 1.0
        for rho, size, (on, off) in zip(
            self.rho, self.space.shape, self._inverse_entries(), strict=True
        ):
            same = rho + (1 - rho) / size
            own *= same * on**power + (1 - same) * off**power
        return np.full(self.cells, own)

    def _inverse_entries(self) -> list[tuple[float, float]]:
        """Return what the inverse of every attribute has on its diagonal and off it."""
        self._invertible()
        off = [(1 - 1 / rho) / size for rho, size in zip(self.rho, self.space.shape, strict=True)]
        return [(1 / rho + entry, entry) for rho, entry in zip(self.rho, off, strict=True)]
