"""The compiled loop of the MinHash search; `minhash.py` imports it when a search runs.

numba takes long to load.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tokumei.itemsets.compiling import compiled
from tokumei.itemsets.kernels import draw, offer


@compiled
def overlap(items: Any, at: Any, end: Any, others: Any, other: Any, last: Any) -> int:
    """Return how many numbers two rising runs share."""
    shared = 0
    while at < end and other < last:
        one, two = items[at], others[other]
        shared += one == two
        at += one <= two
        other += two <= one
    return shared


@compiled
def meet(
    targets: Any,
    customers: Any,
    crowd: int,
    start: Any,
    similarities: Any,
    draws: Any,
    rows: Any,
) -> None:
    """Offer to each target the first `crowd` customers that have its key.

    Both sides are keys, names' keys, items and where each set begins; the customers lie in the
    order of their keys. What is found goes into the three tables, a row for each target.
    """
    keys, names, items, starts = targets
    known, known_names, known_items, known_starts = customers
    for target in range(len(keys)):
        first = np.searchsorted(known, keys[target])
        for row in range(first, min(first + crowd, len(known))):
            if known[row] != keys[target]:
                break
            at, end = starts[target], starts[target + 1]
            other, last = known_starts[row], known_starts[row + 1]
            shared = overlap(items, at, end, known_items, other, last)
            similar = shared / (end - at + last - other - shared)
            lot = draw(start, names[target], known_names[row])
            offer(similar, lot, row, similarities[target], draws[target], rows[target])
