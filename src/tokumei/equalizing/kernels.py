"""Compiled loops that make the rows of a group identical at the least cost.

A group keeps as many rows as its smallest member has: a common row saves a deletion of every
member, and changing all cells of all but one member costs less. The rows of one member after the
other are assigned to the common rows; a cell costs nothing where it holds the commonest value.
"""

# An element of an array is Any in numpy's stubs.
# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tokumei.alignment.assigning import Costs, Desk, assign, desk
from tokumei.itemsets.compiling import compiled

Ints = npt.NDArray[np.int64]


class Data(NamedTuple):
    """The rows of all customers, and what changes cost, in whole units."""

    start: Ints
    """The rows of person p are start[p] .. start[p + 1] - 1."""
    cells: Costs
    """A line for each column: codes of the values."""
    change: Ints
    """What a changed cell costs, for each column."""
    deletion: int
    group: int
    """What a group costs: it is one more customer who is found."""


class Room(NamedTuple):
    """Room to work in."""

    rows: Ints
    """The row of each member (column) in each common row (line)."""
    cost: Costs
    desk: Desk
    left: npt.NDArray[np.bool_]
    work: Ints


def room_for(data: Data, largest: int) -> Room:
    """Make room for groups of so many customers."""
    longest = int(np.diff(data.start).max())
    return Room(
        rows=np.zeros((longest, largest), dtype=np.int64),
        cost=np.zeros(longest * longest, dtype=np.int32),
        desk=desk(longest),
        left=np.zeros(longest, dtype=np.bool_),
        work=np.zeros(1, dtype=np.int64),
    )


@compiled
def _most(data: Data, column: int, line: int, size: int, skip: int, room: Room) -> int:
    """Return how often the commonest value of a common row occurs, one member left out."""
    best = 0
    for one in range(size):
        if one == skip:
            continue
        value = data.cells[column, room.rows[line, one]]
        count = 0
        for other in range(size):
            if other != skip and data.cells[column, room.rows[line, other]] == value:
                count += 1
        best = max(best, count)
    return best


@compiled
def _place(data: Data, person: int, size: int, at: int, common: int, room: Room) -> None:
    """Assign the rows of a person to the common rows of the members before and after `at`."""
    first = data.start[person]
    own = data.start[person + 1] - first
    cost = room.cost[: common * own].reshape(common, own)
    for line in range(common):
        for row in range(own):
            cost[line, row] = 0
        for column in range(data.cells.shape[0]):
            most = _most(data, column, line, size, at, room)
            for row in range(own):
                value = data.cells[column, first + row]
                count = 0
                for member in range(size):
                    if member != at and data.cells[column, room.rows[line, member]] == value:
                        count += 1
                if count < most:
                    cost[line, row] += data.change[column]
    room.work[0] += common * own * max(size, 1)
    assign(cost, room.desk)
    for line in range(common):
        room.rows[line, at] = first + room.desk.chosen[line]


@compiled
def changed_cells(data: Data, size: int, common: int, room: Room) -> int:
    """Return the cost of the changed cells of a group."""
    total = 0
    for line in range(common):
        for column in range(data.cells.shape[0]):
            total += data.change[column] * (size - _most(data, column, line, size, -1, room))
    return total


@compiled
def equalize(data: Data, members: Ints, rounds: int, room: Room) -> int:
    """Find common rows for a group; return its cost, with the rows of each member in `room`.

    The members must be sorted by their number of rows. After everyone has a place, one after the
    other is taken out and placed again, until a whole round changes nothing.
    """
    size = members.size
    common = data.start[members[0] + 1] - data.start[members[0]]
    deleted = 0
    for at in range(size):
        deleted += data.start[members[at] + 1] - data.start[members[at]] - common
        if at == 0:
            for line in range(common):
                room.rows[line, 0] = data.start[members[0]] + line
        else:
            _place(data, members[at], at, at, common, room)
    best = changed_cells(data, size, common, room)
    for _ in range(rounds if size > 2 else 0):
        before = best
        for at in range(size):
            _place(data, members[at], size, at, common, room)
        best = changed_cells(data, size, common, room)
        if best >= before:
            break
    return data.group + data.deletion * deleted + best


def sorted_values(data: Data) -> Costs:
    """Return the codes with those of each person in order, for `least`."""
    person = np.repeat(np.arange(len(data.start) - 1), np.diff(data.start))
    return np.stack([column[np.lexsort((column, person))] for column in data.cells])


@compiled
def least(data: Data, values: Costs, one: int, other: int) -> int:
    """Return what a pair costs at least: values that do not meet must be changed."""
    first, second = data.start[one + 1] - data.start[one], data.start[other + 1] - data.start[other]
    common = min(first, second)
    total = data.group + data.deletion * (max(first, second) - common)
    for column in range(values.shape[0]):
        met, left, right = 0, data.start[one], data.start[other]
        while left < data.start[one + 1] and right < data.start[other + 1]:
            if values[column, left] < values[column, right]:
                left += 1
            elif values[column, left] > values[column, right]:
                right += 1
            else:
                met, left, right = met + 1, left + 1, right + 1
        total += data.change[column] * (common - met)
    return total
