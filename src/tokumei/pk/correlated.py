"""Attributes perturbed so that only combinations come out that can occur.

While all earlier attributes are as they were, an attribute is kept or drawn from the values that
the prefix allows; otherwise it is drawn uniformly from those that the perturbed prefix allows. A
correlation that allows everything is therefore not the independent mechanism: once a value has
changed, nothing after it is kept. The matrix is diagonal in the differences between the children
of a node.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tokumei.pk import kernels
from tokumei.pk.correlation import Correlation
from tokumei.pk.domain import Codes, Domain
from tokumei.pk.kernels import Floats, Ints
from tokumei.pk.mechanism import Keys, Mechanism


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

    def moments(self, shares: Floats, power: int) -> Floats:
        """Return y W, by one pass down the tree for all cells."""
        return self._powers(_masses(shares, self.space), power)

    def own_moments(self, power: int) -> Floats:
        """Return the diagonal of A W: of a record, `_kept` is what comes to the nodes above it."""
        return self._powers(self._kept, power)

    def _powers(self, masses: Floats, power: int) -> Floats:
        """Return for every cell the sum of what parts from it at each node, times its entry."""
        self._invertible()
        tree = self.space
        # below: the chance of each cell in a uniform draw from a node downwards, going up from 1.
        sums, node = np.zeros(self.cells), np.arange(tree.levels[-2], tree.levels[-1])
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
            sums += (masses[parent] - masses[child]) * parted**power
            entry = entry + (1 - even) * size
        sums += masses[tree.levels[-2] :] * entry**power
        return sums


def _masses(shares: Floats, tree: Correlation) -> Floats:
    masses = np.zeros(len(tree.parents))
    masses[tree.levels[-2] :] = shares
    for level in range(len(tree.levels) - 2, 0, -1):
        nodes = slice(tree.levels[level], tree.levels[level + 1])
        np.add.at(masses, tree.parents[nodes], masses[nodes])
    return masses
