"""What a group of customers costs: estimated from its pairs, or aligned and then remembered."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tokumei.alignment.kernels import (
    FULL,
    Bench,
    Data,
    Floats,
    Ints,
    Singles,
    align_group,
    insert,
    least_rows,
    realign,
)
from tokumei.itemsets.compiling import compiled

Keys = npt.NDArray[np.uint64]

# Auctions of the search end so near to the best assignment, per tuple.
STEP = FULL // 120
# Groups of at most so many tuples are aligned with more care in the search.
SMALL = 16
# Places of the memory where a group is looked for.
PROBES = 8
# At the end, members are put back until nothing helps, or so often. Assignments are exact for
# customers of at most so many rows, and for pairs up to so many cells.
PASSES = 12
EXACT = 120
EXACT_PAIR = 4_000_000


class Memory(NamedTuple):
    """The groups that one thread has aligned, and what they cost."""

    keys: Keys
    costs: Floats


def memory(bits: int) -> Memory:
    """Make room for 2 ** bits groups."""
    return Memory(np.zeros(1 << bits, dtype=np.uint64), np.zeros(1 << bits))


@compiled
def deleted(data: Data, members: Ints) -> int:
    """Count the rows of a group that are in no tuple."""
    rows = 0
    for person in members:
        rows += data.start[person + 1] - data.start[person]
    return rows - members.size * least_rows(data, members)


@compiled
def disagreement(data: Data, members: Ints) -> float:
    """Return what it costs that some members do not have the commonest label."""
    if data.penalty == 0:
        return 0.0
    most = 0
    for one in members:
        count = 0
        for other in members:
            if data.label[other] == data.label[one]:
                count += 1
        most = max(most, count)
    return data.penalty * (members.size - most)


@compiled
def estimate(data: Data, pairs: Singles, members: Ints) -> float:
    """Guess what a group costs from what a tuple of each two of its members costs.

    A tuple of s rows costs about s - 1 times the mean of its pairs: exactly so where s different
    items meet, and nearly where s numbers do.
    """
    size = members.size
    total = 0.0
    for place in range(size):
        for other in range(place):
            total += pairs[members[place], members[other]]
    aligned = 2 * total / size * least_rows(data, members)
    return aligned + data.weight.sum() * deleted(data, members) + disagreement(data, members)


@compiled
def in_order(data: Data, members: Ints) -> Ints:
    """Return the members by number of rows, then by number."""
    rows = data.start[members + 1] - data.start[members]
    return members[np.argsort(rows * (data.start.size + 1) + members)]


@compiled
def in_cells(data: Data, cost: int, size: int) -> float:
    """Turn the cost of tuples of so many rows from the kernels' unit into suppressed cells."""
    return cost * (size * data.weight.sum() / FULL)


@compiled
def _key(ordered: Ints) -> np.uint64:
    key = np.uint64(0x9E3779B97F4A7C15)
    for person in ordered:
        key ^= np.uint64(person) + np.uint64(1)
        key = (key ^ (key >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        key = (key ^ (key >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        key ^= key >> np.uint64(31)
    return max(key, np.uint64(1))


@compiled
def true_cost(data: Data, members: Ints, known: Memory, room: Bench) -> float:
    """Return what a group costs, from memory or by aligning it."""
    key = _key(np.sort(members))
    mask = known.keys.size - 1
    first = np.int64(key >> np.uint64(20)) & mask
    place = first
    for probe in range(PROBES):
        place = (first + probe) & mask
        if known.keys[place] == key:
            return known.costs[place]
        if known.keys[place] == 0:
            break
    # Members are not put back again: what that gains is nearly the same for all large groups.
    turns = 2 * members.size if least_rows(data, members) <= SMALL else 0
    aligned = align_group(data, in_order(data, members), STEP, turns, room)
    cost = in_cells(data, aligned, members.size) + data.weight.sum() * deleted(data, members)
    cost += disagreement(data, members)
    known.keys[place] = key
    known.costs[place] = cost
    return cost


@compiled
def pair_costs(
    data: Data, order: Ints, last: Ints, lines: Ints, pairs: Singles, room: Bench
) -> None:
    """Align each person of `order[lines]` with those after it, up to `last`: cost per tuple."""
    for line in lines:
        person = order[line]
        rows = data.start[person + 1] - data.start[person]
        begin = data.start[person]
        for number in range(rows):
            room.slot[begin + number] = number
        for place in range(line + 1, last[line]):
            cost = insert(data, order[line : line + 1], order[place], rows, STEP, room)
            pairs[person, order[place]] = in_cells(data, cost, 2) / rows
            pairs[order[place], person] = in_cells(data, cost, 2) / rows


@compiled
def align_fast(data: Data, ordered: Ints, room: Bench) -> None:
    """Align a group, the smallest member first, without much ado."""
    align_group(data, ordered, STEP, 2 * ordered.size, room)


@compiled
def align_well(data: Data, ordered: Ints, room: Bench) -> None:
    """Align a group, the smallest member first, more exactly than the search does."""
    size = ordered.size
    longest = 0
    for person in ordered:
        longest = max(longest, data.start[person + 1] - data.start[person])
    fine = 0 if longest <= EXACT else STEP // 16
    if size == 2:
        pair = least_rows(data, ordered) * longest <= EXACT_PAIR
        align_group(data, ordered, 0 if pair else fine, 0, room)
        return
    cost = align_group(data, ordered, STEP // 4, PASSES * size, room)
    realign(data, ordered, cost, fine, PASSES * size, room)
