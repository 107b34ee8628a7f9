"""What the attacks on profiles share: whom a released customer is nearest to."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import polars as pl

from tokumei.attacks.matching import ALL_PAIRS, SHORTLIST, assign
from tokumei.draws import Floats, UInts, keys_of, uniform
from tokumei.itemsets.search import Matches

Ints = npt.NDArray[np.int64]
Similarity = Callable[[slice], Floats]
"""Returns the similarities of some targets (lines) to all persons (columns)."""

BLOCK = 512
"""So many targets are compared at once: memory does not grow with the square of the customers."""
DIGITS = 9
"""Similarities are rounded, so that equal ones tie however their sums were added."""


def nearest(
    similarity: Similarity,
    targets: pl.Series,
    persons: pl.Series,
    *,
    top: int,
    one_to_one: bool = False,
    seed: int,
) -> pl.DataFrame:
    """Return pseudonym, person, weight: the persons most similar to each target.

    Who is not similar at all is left out. Where more tie than may be named, the seed draws which,
    each as likely.
    """
    target_keys, person_keys = keys_of(targets), keys_of(persons)
    shortlist = len(persons) if len(persons) <= ALL_PAIRS else max(top, SHORTLIST)
    wanted = min(shortlist if one_to_one else top, len(persons))
    best = np.full((len(targets), wanted), -1, dtype=np.int64)
    weights = np.zeros((len(targets), wanted))
    for start in range(0, len(targets) if wanted else 0, BLOCK):
        block = slice(start, start + BLOCK)
        found = similarity(block).round(DIGITS)
        order = _first(found, wanted, target_keys[block], person_keys, seed)
        weights[block] = np.take_along_axis(found, order, axis=1)
        best[block] = np.where(weights[block] > 0, order, -1)
    rows, places = np.nonzero(best >= 0)
    if one_to_one:
        chosen = assign(Matches(best, weights), len(persons), target_keys, person_keys, seed)
        rows = np.flatnonzero(chosen >= 0)
        places = chosen[rows]
    return pl.DataFrame(
        {
            "pseudonym": targets.gather(rows),
            "person": persons.gather(best[rows, places]),
            "weight": weights[rows, places],
        }
    )


def _first(found: Floats, wanted: int, target_keys: UInts, person_keys: UInts, seed: int) -> Ints:
    """Return the most similar persons of each line, in order; equal ones in an order drawn.

    Where all are wanted, the order tells nothing and is that of the persons.
    """
    count = found.shape[1]
    if wanted == count:
        everybody: Ints = np.broadcast_to(np.arange(count), found.shape)
        return everybody
    least = np.partition(found, count - wanted, axis=1)[:, count - wanted]
    rows, columns = np.nonzero(found >= least[:, np.newaxis])
    draw = uniform(seed, "nearest", target_keys[rows] ^ (person_keys[columns] << np.uint64(1)))
    order = np.lexsort((draw, -found[rows, columns], rows))
    starts = np.searchsorted(rows, np.arange(len(found)))
    first: Ints = columns[order[starts[:, np.newaxis] + np.arange(wanted)]]
    return first


def told_apart(similarity: Similarity, targets: int) -> int:
    """Return how many persons are the most similar one, and alone, of some target."""
    alone: set[int] = set()
    for start in range(0, targets, BLOCK):
        found = similarity(slice(start, start + BLOCK)).round(DIGITS)
        largest = found == found.max(axis=1, keepdims=True)
        alone.update(largest.argmax(axis=1)[largest.sum(axis=1) == 1].tolist())
    return len(alone)
