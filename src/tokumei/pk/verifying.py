"""Finding out from a table and its perturbed form what was done to it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import chdtrc

from tokumei.draws import uniform
from tokumei.pk.correlation import Correlation
from tokumei.pk.domain import Domain
from tokumei.pk.kernels import Floats, Ints

BINS = 10
LEAST_IN_GROUP = 5 * BINS
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Estimate:
    """How often values were kept, and whether the others look drawn uniformly."""

    rho: tuple[float, ...]
    """Estimated from the share of values that are the same; 1 where all are."""
    errors: tuple[float, ...]
    """Standard errors of rho."""
    chance: float
    """Chance that uniform draws look less even than the changed values do (a p-value)."""


@dataclass(frozen=True, eq=False)
class _Step:
    """One attribute of all records: which place among how many, before and after."""

    before: Ints
    after: Ints
    sizes: Ints
    """How many values there were to draw from."""
    retained: Bools
    """Whether the value could be kept: all attributes before are as they were."""


def estimate(before: Ints, after: Ints, space: Domain | Correlation, *, seed: int) -> Estimate:
    """Estimate rho of every attribute from the cells of records before and after."""
    if isinstance(space, Correlation):
        steps = _along_tree(before, after, space)
    else:
        steps = _by_axis(before, after, space)
    rhos, errors, statistic, freedom = [], [], 0.0, 0
    for number, step in enumerate(steps):
        rho, error = _kept(step)
        rhos.append(rho)
        errors.append(error)
        draws = uniform(seed, f"verifying/{number}", np.arange(len(before)))
        more, degrees = _unevenness(step, draws)
        statistic, freedom = statistic + more, freedom + degrees
    chance = float(chdtrc(freedom, statistic)) if freedom else 1.0
    return Estimate(tuple(rhos), tuple(errors), chance)


def _by_axis(before: Ints, after: Ints, domain: Domain) -> list[_Step]:
    places = (np.unravel_index(cells, domain.shape) for cells in (before, after))
    return [
        _Step(old, new, np.full(len(old), size), np.ones(len(old), dtype=bool))
        for old, new, size in zip(*places, domain.shape, strict=True)
    ]


def _along_tree(before: Ints, after: Ints, tree: Correlation) -> list[_Step]:
    old, new = before + tree.levels[-2], after + tree.levels[-2]
    steps = []
    for _ in tree.domain.names:
        above = tree.parents[old], tree.parents[new]
        old_place, new_place = old - tree.children[above[0]], new - tree.children[above[1]]
        steps.append(_Step(old_place, new_place, tree.counts[above[1]], above[0] == above[1]))
        old, new = above
    return steps[::-1]


def _kept(step: _Step) -> tuple[float, float]:
    """Return rho and its error: a value is the same with probability rho + (1 - rho) / size."""
    even = 1 / step.sizes[step.retained]
    same = (step.before == step.after)[step.retained]
    room = float(np.sum(1 - even))
    if room == 0:  # no record says anything about this attribute
        return 0.0, 0.0
    rho = float(np.clip((np.sum(same) - np.sum(even)) / room, 0, 1))
    chances = rho + (1 - rho) * even
    return rho, float(np.sqrt(np.sum(chances * (1 - chances)))) / room


def _unevenness(step: _Step, draws: Floats) -> tuple[float, int]:
    """Return a chi-square statistic of where changed values went, and its degrees of freedom.

    The place of a new value among those it could have been, spread evenly over its share of the
    unit interval, is uniform there if it was drawn so; this is asked for every old place.
    """
    changed = ~step.retained | (step.before != step.after)
    others = step.sizes - step.retained
    place = step.after - (step.retained & (step.after > step.before))
    point = ((place + draws) / np.maximum(others, 1))[changed]
    bins = np.minimum((point * BINS).astype(np.int64), BINS - 1)
    table = np.zeros((int(step.before.max()) + 1, BINS))
    np.add.at(table, (step.before[changed], bins), 1)
    sums = table.sum(axis=1)
    large = sums >= LEAST_IN_GROUP
    expected = sums[large, None] / BINS
    statistic = float((((table[large] - expected) ** 2) / expected).sum())
    return statistic, int(large.sum()) * (BINS - 1)
