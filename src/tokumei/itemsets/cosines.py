"""The compiled loop that compares how alike items are in two tables of scores.

`co_purchases.py` imports this module when a metric runs, not before: numba takes long to load.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tokumei.itemsets.compiling import compiled


@compiled
def by_item(starts: Any, items: Any, count: Any) -> Any:
    """Return, item by item, where it stands in the rows of users, and in whose row."""
    heads = np.zeros(count + 1, np.int64)
    for item in items:
        heads[item + 1] += 1
    heads = np.cumsum(heads)
    free = heads[:-1].copy()
    places = np.empty(len(items), np.int64)
    owners = np.empty(len(items), np.int64)
    for user in range(len(starts) - 1):
        for place in range(starts[user], starts[user + 1]):
            at = free[items[place]]
            places[at], owners[at] = place, user
            free[items[place]] += 1
    return heads, places, owners


@compiled
def lengths(items: Any, scores: Any, count: Any) -> Any:
    """Return the length of every item's vector of scores."""
    squares = np.zeros(count, np.int64)
    for place in range(len(items)):
        squares[items[place]] += scores[place] * scores[place]
    return np.sqrt(squares)


@compiled
def multiply(item: Any, table: Any, index: Any, products: Any, met: Any) -> Any:
    """Add up the products of an item with all later ones that share a user; return how many."""
    starts, items, scores = table
    heads, places, owners = index
    found = 0
    for at in range(heads[item], heads[item + 1]):
        place = places[at]
        for other in range(place + 1, starts[owners[at] + 1]):
            if products[items[other]] == 0:
                met[found] = items[other]
                found += 1
            products[items[other]] += scores[place] * scores[other]
    return found


@compiled
def compare(before: Any, after: Any, count: Any) -> Any:
    """Return the differences of cosines over pairs of `before`, its cosines, and its pairs.

    A table has the start of each user's row, the items in it, ascending, and their scores, whole
    numbers above zero. A pair of items counts where a user of `before` has both.
    """
    index, later = by_item(before[0], before[1], count), by_item(after[0], after[1], count)
    long, longer = lengths(before[1], before[2], count), lengths(after[1], after[2], count)
    products, others = np.zeros(count, np.int64), np.zeros(count, np.int64)
    met, met_later = np.empty(count, np.int64), np.empty(count, np.int64)
    changed, total, pairs = 0.0, 0.0, 0
    for item in range(count):
        found = multiply(item, before, index, products, met)
        found_later = multiply(item, after, later, others, met_later)
        for at in range(found):
            other = met[at]
            old = products[other] / (long[item] * long[other])
            new = others[other] / (longer[item] * longer[other]) if others[other] else 0.0
            changed += abs(old - new)
            total += old
            products[other] = 0
        for at in range(found_later):
            others[met_later[at]] = 0
        pairs += found
    return changed, total, pairs
