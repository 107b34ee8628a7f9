"""The compiled loop that looks numbers up."""

from __future__ import annotations

from typing import Any

import numpy as np

from tokumei.itemsets.compiling import compiled

SPREAD = np.uint64(0x9E3779B97F4A7C15)
"""An odd number without a pattern: its upper bits put neighbors far from each other."""


@compiled
def place_of(number: Any, places: Any, book: Any, shift: Any) -> Any:
    """Return where a number stands in the book, or the free place for it."""
    place = np.int64((np.uint64(number) * SPREAD) >> shift)
    while places[place] >= 0 and book[place] != number:
        place = (place + 1) & (len(book) - 1)
    return place


@compiled
def last_equal(numbers: Any, wanted: Any) -> Any:
    """Return the last place of each wanted number among the numbers, or -1."""
    size, shift = 2, 63
    while size < 2 * len(numbers):
        size, shift = 2 * size, shift - 1
    bits = np.uint64(shift)
    places, book = np.full(size, -1), np.empty(size, np.int64)
    for at in range(len(numbers)):
        place = place_of(numbers[at], places, book, bits)
        places[place], book[place] = at, numbers[at]
    found = np.empty(len(wanted), np.int64)
    for at in range(len(wanted)):
        found[at] = places[place_of(wanted[at], places, book, bits)]
    return found
