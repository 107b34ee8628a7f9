"""Linear assignment, compiled: every row gets another column at the least total cost.

Costs are whole numbers, and there are at least as many columns as rows. `bid` is an auction
(Bertsekas 1979): a row takes its best column and raises its price until the next best is as good,
and by `step` more; the result is at most rows * step above the least. `assign` is the method of
Jonker and Volgenant (1987), which is exact and several times slower. Both start from prices of 0
and change the prices of taken columns only, which makes them right for oblong matrices.
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tokumei.itemsets.compiling import compiled

Costs = npt.NDArray[np.int32]
Ints = npt.NDArray[np.int64]

MOST = 2**31 - 1
# Row reduction stops after so many steps per row; augmenting does the rest.
STEPS = 4


class Desk(NamedTuple):
    """Room for the assignment of one thread."""

    price: Costs
    far: Costs
    before: Ints
    order: Ints
    free: Ints
    owner: Ints
    chosen: Ints
    """The column of each row: the result."""
    work: Ints
    """How many cells were filled or looked at."""


def desk(columns: int) -> Desk:
    """Make room for matrices of so many columns."""

    def ints() -> Ints:
        return np.zeros(columns, dtype=np.int64)

    price, far = np.zeros((2, columns), dtype=np.int32)
    # The count is alone in its cache line: another thread counts, too.
    work = np.zeros(64, dtype=np.int64)
    return Desk(price, far, ints(), ints(), ints(), ints(), ints(), work)


@compiled
def _two_best(line: Costs, price: Costs, net: Costs) -> tuple[int, int, int]:
    # Three simple loops are several times faster than one with branches.
    best: Any = np.int32(MOST)
    for column in range(line.size):
        net[column] = line[column] + price[column]
        best = min(best, net[column])
    at = 0
    while net[at] != best:
        at += 1
    net[at] = MOST
    second: Any = np.int32(MOST)
    for column in range(line.size):
        second = min(second, net[column])
    return best, second, at


@compiled
def total(cost: Costs, chosen: Ints) -> int:
    """Return the cost of a choice."""
    result = 0
    for row in range(cost.shape[0]):
        result += int(cost[row, chosen[row]])
    return result


@compiled
def bid(cost: Costs, step: int, room: Desk) -> int:
    """Choose a column for every row by an auction; return the total cost."""
    rows, columns = cost.shape
    price, net, free = room.price[:columns], room.far[:columns], room.free
    price[:] = 0
    room.owner[:columns] = -1
    for row in range(rows):
        free[row] = rows - 1 - row
    waiting = rows
    while waiting > 0:
        row = free[waiting - 1]
        best, second, column = _two_best(cost[row], price, net)
        room.work[0] += columns
        # With one column there is one row, and nobody bids against it.
        price[column] += (second - best if columns > 1 else 0) + step
        if room.owner[column] >= 0:
            free[waiting - 1] = room.owner[column]
        else:
            waiting -= 1
        room.owner[column] = row
        room.chosen[row] = column
    return total(cost, room.chosen)


@compiled
def _reduce(cost: Costs, room: Desk) -> int:
    """Settle rows by their two best columns; return how many stay free."""
    rows, columns = cost.shape
    price, net = room.price[:columns], room.far[:columns]
    free, owner = room.free, room.owner
    waiting = rows
    for row in range(rows):
        free[row] = row
    left = STEPS * rows
    for _ in range(2):
        todo, waiting, place = waiting, 0, 0
        while place < todo:
            row = free[place]
            place += 1
            if left <= 0:
                free[waiting] = row
                waiting += 1
                continue
            left -= 1
            best, second, column = _two_best(cost[row], price, net)
            if best == second and owner[column] >= 0:
                column = 0
                while net[column] != best:
                    column += 1
            elif columns > 1:
                price[column] += second - best
            before = owner[column]
            owner[column] = row
            room.chosen[row] = column
            if before >= 0 and best < second:
                place -= 1
                free[place] = before
            elif before >= 0:
                free[waiting] = before
                waiting += 1
    room.work[0] += (STEPS * rows - left) * columns
    return waiting


@compiled
def _nearest(room: Desk, done: int, columns: int) -> tuple[int, int]:
    """Bring the columns that are nearest before all that are farther; return where those begin."""
    far, order = room.far, room.order
    least: Any = np.int32(MOST)
    near = done
    for place in range(done, columns):
        column = order[place]
        if far[column] <= least:
            if far[column] < least:
                near = done
                least = far[column]
            order[place] = order[near]
            order[near] = column
            near += 1
    return near, least


@compiled
def _path(cost: Costs, row: int, room: Desk) -> tuple[int, int, int]:
    """Find the nearest free column; return it, how far it is, and how many columns are nearer."""
    columns = cost.shape[1]
    price, far, before, order = room.price, room.far, room.before, room.order
    line = cost[row]
    for column in range(columns):
        far[column] = line[column] + price[column]
        before[column] = row
        order[column] = column
    # order[:done] is settled, order[done:near] is as near as can be, the rest is farther.
    done = near = ready = 0
    least: Any = np.int32(0)
    while True:
        if near == done:
            ready = done
            near, least = _nearest(room, done, columns)
            for place in range(done, near):
                if room.owner[order[place]] < 0:
                    return order[place], least, ready
        taken = order[done]
        done += 1
        holder = room.owner[taken]
        line = cost[holder]
        offset = line[taken] + price[taken] - least
        room.work[0] += 2 * columns
        for place in range(near, columns):
            column = order[place]
            length = line[column] + price[column] - offset
            if length >= far[column]:
                continue
            far[column] = length
            before[column] = holder
            if length == least:
                if room.owner[column] < 0:
                    return column, least, ready
                order[place] = order[near]
                order[near] = column
                near += 1


@compiled
def assign(cost: Costs, room: Desk) -> int:
    """Choose a column for every row at the least total cost, and return it."""
    columns = cost.shape[1]
    room.price[:columns] = 0
    room.owner[:columns] = -1
    waiting = _reduce(cost, room)
    for place in range(waiting):
        room.chosen[room.free[place]] = -1
    for place in range(waiting):
        row = room.free[place]
        end, least, ready = _path(cost, row, room)
        for settled in range(ready):
            column = room.order[settled]
            room.price[column] += least - room.far[column]
        while True:
            holder = room.before[end]
            room.owner[end] = holder
            end, room.chosen[holder] = room.chosen[holder], end
            if holder == row:
                break
    return total(cost, room.chosen)
