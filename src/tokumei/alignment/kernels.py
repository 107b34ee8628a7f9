"""Compiled loops that align the rows of a group of customers.

A group has as many tuples as its smallest member has rows. `slot[row]` is the tuple that a row
stands in, -1 where it is deleted. One member at a time is taken out and put back by a linear
assignment of its rows to the tuples of the others, at the cost that the tuples then have. The rows
of a person stand in the order of their days, and so do the tuples by their first member's rows;
where the matrix would not fit the memory, both are cut into the same number of parts.
"""

# An element of an array is Any in numpy's stubs.
# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from tokumei.alignment.assigning import Costs, Desk, assign, bid, desk
from tokumei.itemsets.compiling import compiled

Ints = npt.NDArray[np.int64]
Slots = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]
Singles = npt.NDArray[np.float32]
Rows: TypeAlias = tuple[int, int]
"""From a row to before another; likewise for tuples."""

# The most that a tuple can cost, as a whole number in the matrices of the assignments.
FULL = 1 << 18
# A gain must be above what rounding to these whole numbers can pretend.
LEAST = 4
# What it takes to begin a tuple's line of the matrix, in cells.
OVERHEAD = 100


class Data(NamedTuple):
    """Rows as the kernels read them; the numbers are day, price, quantity."""

    start: Ints
    numbers: Singles
    item: Costs
    factor: Floats
    """1 / (2 spread) for each of the three."""
    weight: Floats
    """Of day, price, quantity, item."""
    label: Ints
    """What members of a group should have in common."""
    penalty: float
    """What it costs to be in a group whose commonest label is another."""


class Bench(NamedTuple):
    """Room to work in for one thread."""

    cost: Costs
    """The matrix of an assignment, flat."""
    line: Singles
    low: Singles
    width: Singles
    first: Singles
    second: Singles
    items: Costs
    rows: Ints
    slot: Slots
    chosen: Ints
    """The row of the person last inserted that each tuple gets."""
    desk: Desk


def bench(cells: int, longest: int, largest: int, rows: int) -> Bench:
    """Make room for matrices of so many cells, customers of so many rows, groups of so many."""
    low, width, first, second = np.zeros((4, 3, longest), dtype=np.float32)
    return Bench(
        cost=np.empty(cells, dtype=np.int32),
        line=np.zeros(longest, dtype=np.float32),
        low=low,
        width=width,
        first=first,
        second=second,
        items=np.zeros((longest, largest), dtype=np.int32),
        rows=np.zeros((longest, largest), dtype=np.int64),
        slot=np.full(rows, -1, dtype=np.int32),
        chosen=np.zeros(longest, dtype=np.int64),
        desk=desk(longest),
    )


@compiled
def distinct(codes: Costs, rows: Ints) -> int:
    """Count the distinct items of some rows."""
    count = 0
    for place in range(rows.size):
        new = 1
        for earlier in range(place):
            if codes[rows[earlier]] == codes[rows[place]]:
                new = 0
        count += new
    return count


@compiled
def _gather(data: Data, members: Ints, tuples: int, room: Bench) -> None:
    """Collect the tuples of these members: low ends, widths, sums from the low end, items."""
    size = members.size
    for place in range(size):
        person = members[place]
        for row in range(data.start[person], data.start[person + 1]):
            if room.slot[row] >= 0:
                room.rows[room.slot[row], place] = row
                room.items[room.slot[row], place] = data.item[row]
    for column in range(3):
        values = data.numbers[column]
        for number in range(tuples):
            rows = room.rows[number]
            low = high = values[rows[0]]
            for place in range(1, size):
                low = min(low, values[rows[place]])
                high = max(high, values[rows[place]])
            first = second = np.float32(0)
            for place in range(size):
                away = values[rows[place]] - low
                first += away
                second += away * away
            room.low[column, number] = low
            room.width[column, number] = high - low
            room.first[column, number] = first
            room.second[column, number] = second


@compiled
def _fill_numbers(data: Data, column: int, rows: Rows, number: int, size: int, room: Bench) -> None:
    begin, end = rows
    values, line = data.numbers[column, begin:end], room.line[: end - begin]
    low, width = room.low[column, number], room.width[column, number]
    first, second = room.first[column, number], room.second[column, number]
    share = data.weight[column] / (size * data.weight.sum()) * FULL
    scale, limit = np.float32(share * data.factor[column]), np.float32(share * size)
    many, one, two, zero = np.float32(size), np.float32(1), np.float32(2), np.float32(0)
    for place in range(end - begin):
        away = values[place] - low
        under = min(away, zero)
        over = max(away, width)
        error = many * (under * under + over * over + over - under)
        error += two * (second + away * away - (under + over) * (first + away))
        line[place] += min(scale * error / (over - under + one), limit)


@compiled
def _fill_items(data: Data, rows: Rows, number: int, size: int, room: Bench) -> None:
    begin, end = rows
    codes, line, items = data.item[begin:end], room.line[: end - begin], room.items[number]
    known = distinct(data.item, room.rows[number, : size - 1])
    share = data.weight[3] / data.weight.sum() * FULL
    same, more = np.float32(share * (1 - 1 / known)), np.float32(share * (1 - 1 / (known + 1)))
    one, two = items[0], items[min(1, size - 2)]
    for place in range(end - begin):
        line[place] += same if (codes[place] == one) | (codes[place] == two) else more
    for other in range(2, size - 1):
        for place in range(end - begin):
            if codes[place] == items[other]:
                new = True
                for earlier in range(other):
                    new &= codes[place] != items[earlier]
                line[place] += same - more if new else np.float32(0)


@compiled
def _fill(data: Data, rows: Rows, tuples: Rows, size: int, room: Bench) -> Costs:
    """Return the matrix: what these tuples cost with each of these rows in them."""
    length = rows[1] - rows[0]
    many = tuples[1] - tuples[0]
    cost = room.cost[: many * length].reshape(many, length)
    line = room.line[:length]
    for number in range(many):
        line[:] = np.float32(0.5)
        for column in range(3):
            if data.weight[column] > 0:
                _fill_numbers(data, column, rows, tuples[0] + number, size, room)
        if data.weight[3] > 0:
            _fill_items(data, rows, tuples[0] + number, size, room)
        target = cost[number]
        for place in range(length):
            target[place] = np.int32(line[place])
    room.desk.work[0] += many * (2 * length + OVERHEAD)
    return cost


@compiled
def _parts(tuples: int, length: int, room: int) -> int:
    """Return into how many parts tuples and rows must be cut so that each part has room."""
    if tuples * length <= room:
        return 1
    parts = 2
    while (tuples // parts + 1) * (length // parts + 2) > room:
        parts += 1
    return parts


@compiled
def insert(data: Data, others: Ints, person: int, tuples: int, step: int, room: Bench) -> int:
    """Assign a person's rows to the tuples of the others; return what the tuples then cost.

    By an auction, or exactly where the step is 0. The choice is left in `room.chosen`; `settle`
    writes it down. The unit is such that a tuple costs FULL at most.
    """
    begin, end = data.start[person], data.start[person + 1]
    length = end - begin
    _gather(data, others, tuples, room)
    parts = _parts(tuples, length, room.cost.size)
    total = 0
    for part in range(parts):
        first, last = part * tuples // parts, (part + 1) * tuples // parts
        left = first + part * (length - tuples) // parts
        right = last + (part + 1) * (length - tuples) // parts
        cost = _fill(data, (begin + left, begin + right), (first, last), others.size + 1, room)
        if step == 0:
            total += assign(cost, room.desk)
        else:
            total += bid(cost, step, room.desk)
        for number in range(first, last):
            room.chosen[number] = left + room.desk.chosen[number - first]
    return total


@compiled
def settle(data: Data, person: int, tuples: int, room: Bench) -> None:
    """Write the choice of the last `insert` into the slots."""
    begin = data.start[person]
    room.slot[begin : data.start[person + 1]] = -1
    for number in range(tuples):
        room.slot[begin + room.chosen[number]] = number


@compiled
def realign(data: Data, members: Ints, cost: int, step: int, limit: int, room: Bench) -> int:
    """Take out and put back one member after the other while that helps; return the cost."""
    size = members.size
    tuples = least_rows(data, members)
    others = np.empty(size - 1, dtype=np.int64)
    still = 0
    for turn in range(limit):
        out = turn % size
        for place in range(size - 1):
            others[place] = members[place if place < out else place + 1]
        found = insert(data, others, members[out], tuples, step, room)
        still += 1
        if found < cost - LEAST:
            settle(data, members[out], tuples, room)
            cost = found
            still = 1
        # All other members were tried since the last change.
        if still >= size:
            break
    return cost


@compiled
def least_rows(data: Data, members: Ints) -> int:
    """Return how many rows the smallest member has."""
    least = data.start[members[0] + 1] - data.start[members[0]]
    for person in members:
        least = min(least, data.start[person + 1] - data.start[person])
    return least


@compiled
def align_group(data: Data, members: Ints, step: int, limit: int, room: Bench) -> int:
    """Align a group, members in the given order and the smallest first; return the tuples' cost."""
    tuples = least_rows(data, members)
    begin = data.start[members[0]]
    for number in range(tuples):
        room.slot[begin + number] = number
    cost = 0
    for size in range(1, members.size):
        cost = insert(data, members[:size], members[size], tuples, step, room)
        settle(data, members[size], tuples, room)
    if members.size > 2:
        cost = realign(data, members, cost, step, limit, room)
    return cost
