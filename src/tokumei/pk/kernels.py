"""Compiled loops along the tree of a correlation.

Nodes are numbered level by level, so a parent comes before its children: one pass down the numbers
gathers from the leaves to the root, one pass up hands down again.
"""

# An element of an array is Any in numpy's stubs.
# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tokumei.itemsets.compiling import compiled

Ints = npt.NDArray[np.int64]
UInts = npt.NDArray[np.uint64]
Floats = npt.NDArray[np.float64]


@compiled
def _uniform(start: np.uint64, key: np.uint64) -> float:
    # As `draws.uniform`; a test holds the two together.
    x = (key * np.uint64(0x9E3779B97F4A7C15)) ^ start
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    x = (x ^ (x >> np.uint64(31))) + start
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    x = x ^ (x >> np.uint64(31))
    return np.float64(x >> np.uint64(11)) * 2.0**-53


@compiled
def _retained_or_drawn(draw: float, rho: float, place: int, size: int) -> int:
    # One draw serves both: below rho the value stays, the rest of the unit interval is cut evenly.
    if draw < rho:
        return place
    return min(int((draw - rho) / (1.0 - rho) * size), size - 1)


@compiled
def leaves_of(codes: npt.NDArray[np.int32], values: Ints, children: Ints, first_leaf: int) -> Ints:
    """Return the leaf of each record, counted from the first, or -1."""
    attributes, records = codes.shape
    found = np.empty(records, dtype=np.int64)
    for record in range(records):
        node = 0
        for attribute in range(attributes):
            wanted = codes[attribute, record]
            begin, end = children[node], children[node + 1]
            # Where the values have no holes, this is the place; otherwise it is not beyond it.
            place = begin + wanted - values[begin]
            if place < begin:
                node = -1
                break
            if place >= end or values[place] != wanted:
                place = begin + np.searchsorted(values[begin:end], wanted)
            if place == end or values[place] != wanted:
                node = -1
                break
            node = place
        found[record] = node - first_leaf if node >= 0 else -1
    return found


@compiled
def draw_correlated(
    cells: Ints,
    keys: UInts,
    starts: UInts,
    rho: Floats,
    parents: Ints,
    children: Ints,
    first_leaf: int,
) -> Ints:
    """Perturb records: keep or draw while everything before was kept, then draw uniformly."""
    attributes = len(rho)
    result = np.empty(len(cells), dtype=np.int64)
    path = np.empty(attributes, dtype=np.int64)
    for record in range(len(cells)):
        node = first_leaf + cells[record]
        for attribute in range(attributes - 1, -1, -1):
            path[attribute] = node
            node = parents[node]
        kept = True
        for attribute in range(attributes):
            begin = children[node]
            size = children[node + 1] - begin
            draw = _uniform(starts[attribute], keys[record])
            if kept:
                place = path[attribute] - begin
                node = begin + _retained_or_drawn(draw, rho[attribute], place, size)
                kept = node == path[attribute]
            else:
                node = begin + min(int(draw * size), size - 1)
        result[record] = node - first_leaf
    return result


@compiled
def draw_independent(cells: Ints, keys: UInts, starts: UInts, rho: Floats, shape: Ints) -> Ints:
    """Perturb records: keep or draw every attribute by itself."""
    result = np.empty(len(cells), dtype=np.int64)
    for record in range(len(cells)):
        rest, stride, cell = cells[record], 1, 0
        for attribute in range(len(shape) - 1, -1, -1):
            size = shape[attribute]
            draw = _uniform(starts[attribute], keys[record])
            cell += stride * _retained_or_drawn(draw, rho[attribute], rest % size, size)
            rest //= size
            stride *= size
        result[record] = cell
    return result


@compiled
def spread(mass: Floats, scale: Floats, parents: Ints, counts: Ints, first_leaf: int) -> Floats:
    """Multiply a distribution over the leaves by a matrix that the tree makes diagonal.

    Below node v, what its children's masses differ from an even share is multiplied by scale[v].
    """
    nodes = len(parents)
    sums = np.zeros(nodes)
    sums[first_leaf:] = mass
    for node in range(nodes - 1, 0, -1):
        sums[parents[node]] += sums[node]
    flow = np.empty(nodes)
    flow[0] = sums[0]
    for node in range(1, nodes):
        above = parents[node]
        even = 1.0 / counts[above]
        flow[node] = flow[above] * even + scale[above] * (sums[node] - sums[above] * even)
    return flow[first_leaf:]


@compiled
def gather(weight: Floats, scale: Floats, parents: Ints, counts: Ints, first_leaf: int) -> Floats:
    """Multiply weights of the leaves by the same matrix from the other side."""
    nodes = len(parents)
    means = np.zeros(nodes)
    means[first_leaf:] = weight
    for node in range(nodes - 1, 0, -1):
        above = parents[node]
        means[above] += means[node] / counts[above]
    result = np.empty(nodes)
    result[0] = means[0]
    for node in range(1, nodes):
        above = parents[node]
        result[node] = result[above] + scale[above] * (means[node] - means[above])
    return result[first_leaf:]


@compiled
def largest_gain(heights: Floats, parents: Ints, counts: Ints, first_leaf: int) -> float:
    """Return max s(u, u') + s(v, v') - s(u, v') - s(v, u') over four leaves.

    s(x, y) is the height of the last prefix that two leaves share. Where the four part, at a node,
    they go to its children in one of few ways, and each way is best served by the extreme heights
    of the subtrees. A node with one child is never where two leaves part.
    """
    nodes = len(parents)
    # The two largest and the two smallest heights, each from another child of the node.
    high1, high2 = np.full(nodes, -np.inf), np.full(nodes, -np.inf)
    low1, low2 = np.full(nodes, np.inf), np.full(nodes, np.inf)
    gain = 0.0
    for node in range(nodes - 1, -1, -1):
        height, highest, lowest = heights[node], high1[node], low1[node]
        size = counts[node] if node < first_leaf else 0
        if size > 1:
            # Two and two: u with u' and v with v', or u with v' and v with u'.
            gain = max(gain, highest + high2[node] - 2 * height, 2 * height - lowest - low2[node])
        if size > 2:
            # One of these pairs together, the other apart.
            gain = max(gain, highest - height, height - lowest)
        if size != 1:
            highest, lowest = max(highest, height), min(lowest, height)
        above = parents[node]
        high2[above] = max(high2[above], min(highest, high1[above]))
        high1[above] = max(high1[above], highest)
        low2[above] = min(low2[above], max(lowest, low1[above]))
        low1[above] = min(low1[above], lowest)
    return max(gain, _largest_fall(heights, parents, counts, first_leaf))


@compiled
def _largest_fall(heights: Floats, parents: Ints, counts: Ints, first_leaf: int) -> float:
    """Return the gain of three together and one apart: the extremes on one path to a leaf.

    The one parts best as early as it can, at the first node that has two children.
    """
    nodes = len(parents)
    start = 0
    while counts[start] == 1:
        start += 1
    highest, lowest = np.full(nodes, -np.inf), np.full(nodes, np.inf)
    fall = 0.0
    for node in range(start + 1, nodes):
        highest[node], lowest[node] = highest[parents[node]], lowest[parents[node]]
        if node >= first_leaf or counts[node] > 1:
            highest[node] = max(highest[node], heights[node])
            lowest[node] = min(lowest[node], heights[node])
            fall = max(fall, highest[node] - lowest[node])
    return fall


@compiled
def association(
    known: Ints, rows: int, told: Ints, shares: Floats, slots: Ints
) -> tuple[float, float]:
    """Return chi-square of a sparse table, and the largest deviance of a cell that is filled.

    Every row is compared with the shares of the columns. A record in which nothing is told, -1, is
    left out. Cells have slots in common where there are too many, in every table alike. The slots
    are 0 before and after.
    """
    in_row = np.zeros(rows)
    columns = len(shares)
    chi_square, oddest = 0.0, 0.0
    for record in range(len(known)):
        if told[record] >= 0:
            chi_square -= 1
            in_row[known[record]] += 1
            slots[(known[record] * columns + told[record]) % len(slots)] += 1
    for record in range(len(known)):
        if told[record] >= 0:
            slot = (known[record] * columns + told[record]) % len(slots)
            count = slots[slot]
            if count > 0:
                expected = in_row[known[record]] * shares[told[record]]
                chi_square += count * count / expected
                oddest = max(oddest, count * np.log(count / expected) - (count - expected))
                slots[slot] = 0
    return max(chi_square, 0.0), oddest
