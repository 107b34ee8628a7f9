"""Estimating from a table and its perturbed form how often values were kept."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tokumei.pk.correlation import Correlation
from tokumei.pk.domain import Domain
from tokumei.pk.kernels import Ints

Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Estimate:
    """How often values were kept."""

    rho: tuple[float, ...]
    """Estimated from the share of values that are the same; 1 where all are."""
    errors: tuple[float, ...]
    """Standard errors of rho."""
    fewest: float
    """A bound on the chance that no more values of some attribute are the same, even by rho = 0."""


@dataclass(frozen=True, eq=False)
class _Step:
    """One attribute of the records that could keep it, as all attributes before are the same."""

    same: Bools
    even: npt.NDArray[np.float64]
    """The chance that a uniform draw gives the same value."""


def estimate(before: Ints, after: Ints, space: Domain | Correlation) -> Estimate:
    """Estimate rho of every attribute from the cells of records before and after."""
    if isinstance(space, Correlation):
        steps = _along_tree(before, after, space)
    else:
        steps = _by_axis(before, after, space)
    rhos, errors = zip(*map(_kept, steps), strict=True)
    return Estimate(rhos, errors, min(map(_fewest, steps)))


def codes_of(cells: Ints, space: Domain | Correlation) -> list[Ints]:
    """Return the value of every record in each attribute, as its place in the range."""
    if isinstance(space, Correlation):
        return [line[cells].astype(np.int64) for line in space.codes]
    return list(np.unravel_index(cells, space.shape))


def _by_axis(before: Ints, after: Ints, domain: Domain) -> list[_Step]:
    places = codes_of(before, domain), codes_of(after, domain)
    return [
        _Step(old == new, np.full(len(old), 1 / size))
        for old, new, size in zip(*places, domain.shape, strict=True)
    ]


def _along_tree(before: Ints, after: Ints, tree: Correlation) -> list[_Step]:
    old, new = before + tree.levels[-2], after + tree.levels[-2]
    steps = []
    for _ in tree.domain.names:
        above = tree.parents[old], tree.parents[new]
        retained = above[0] == above[1]
        steps.append(_Step((old == new)[retained], 1 / tree.counts[above[1]][retained]))
        old, new = above
    return steps[::-1]


def _kept(step: _Step) -> tuple[float, float]:
    """Return rho and its error: a value is the same with probability rho + (1 - rho) / size."""
    room = float(np.sum(1 - step.even))
    if room == 0:  # no record says anything about this attribute
        return 0.0, 0.0
    rho = float(np.clip((np.sum(step.same) - np.sum(step.even)) / room, 0, 1))
    chances = rho + (1 - rho) * step.even
    return rho, float(np.sqrt(np.sum(chances * (1 - chances)))) / room


def _fewest(step: _Step) -> float:
    """Return the bound of Chernoff and Hoeffding for draws that are the same no more often."""
    if not len(step.same):
        return 1.0
    even, same = float(step.even.mean()), float(step.same.mean())
    if same >= even:
        return 1.0
    divergence = (1 - same) * math.log((1 - same) / (1 - even))
    if same > 0:
        divergence += same * math.log(same / even)
    return math.exp(-len(step.same) * divergence)
