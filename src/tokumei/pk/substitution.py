"""Tables that were surely not drawn: each value of an attribute becomes one fixed value."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from tokumei.draws import derive, uniform
from tokumei.pk.correlation import Correlation
from tokumei.pk.kernels import Ints
from tokumei.pk.mechanism import Mechanism
from tokumei.pk.verifying import codes_of

MOST_DRAWN = 100
"""Draws until a value changes; where rho is near 1, few do."""


def substituted(
    before: Ints, after: Ints, of: Mechanism, attribute: int, seed: int
) -> Iterator[Ints]:
    """Let each value of an attribute that changed become one value, drawn for all of its records.

    With two values there is no choice of what a value becomes: the value decides instead whether
    it is kept.
    """
    old, new = codes_of(before, of.space), codes_of(after, of.space)
    if of.domain.shape[attribute] == 2:
        yield from _kept_by_value(before, new, of, attribute, seed)
        return
    changed = np.flatnonzero(old[attribute] != new[attribute])
    group = old[attribute][changed]
    if isinstance(of.space, Correlation):
        group = following(old, new, of.domain.shape, attribute)[changed]
    for number in itertools.count():
        order = np.argsort(uniform(seed, f"substitution/{attribute}/{number}", changed))
        _, first, place = np.unique(group[order], return_index=True, return_inverse=True)
        cells = after.copy()
        cells[changed[order]] = after[changed[order[first[place]]]]
        yield _only(cells, new, of, attribute)


def following(old: list[Ints], new: list[Ints], sizes: tuple[int, ...], attribute: int) -> Ints:
    """Return a number for the old value of an attribute and all new values before it."""
    group = old[attribute]
    for line, size in zip(new[:attribute], sizes, strict=False):
        group = group * size + line
    return group


def _kept_by_value(
    before: Ints, new: list[Ints], of: Mechanism, attribute: int, seed: int
) -> Iterator[Ints]:
    """Draw for the values of an attribute instead of for the records; some value changes."""
    old = codes_of(before, of.space)[attribute]
    for number in range(MOST_DRAWN):
        cells = of.draw(before, old, seed=derive(seed, f"substitution/{attribute}/{number}"))
        if not np.array_equal(old, codes_of(cells, of.space)[attribute]):
            yield _only(cells, new, of, attribute)


def _only(cells: Ints, new: list[Ints], of: Mechanism, attribute: int) -> Ints:
    """Return the table with one attribute of the cells; in a tree they are taken whole."""
    if isinstance(of.space, Correlation):
        return cells
    codes = [*new[:attribute], codes_of(cells, of.space)[attribute], *new[attribute + 1 :]]
    return np.ravel_multi_index(tuple(codes), of.domain.shape).astype(np.int64)
