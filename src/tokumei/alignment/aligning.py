"""Rows of a group of customers, matched so that releasing them alike loses little."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

from tokumei.alignment.rows import Ints, Rows

How = Literal["order", "assignment"]

# A matrix has at most so many cells of 4 bytes.
MATRIX = 24_000_000


def tuple_costs(rows: Rows, tuples: Ints) -> npt.NDArray[np.float64]:
    """Return what each tuple costs: the weighted errors of its rows' cells."""
    size = tuples.shape[1]
    items = np.sort(rows.item[tuples], axis=1)
    distinct = 1 + (items[:, 1:] != items[:, :-1]).sum(axis=1)
    numbers = rows.weight[[0, 2, 3]] @ np.minimum(_errors(rows, tuples), size)
    return np.asarray(numbers + rows.weight[1] * size * (1 - 1 / distinct))


def _errors(rows: Rows, tuples: Ints) -> npt.NDArray[np.float64]:
    """Return the errors of day, price and quantity, summed over the rows of each tuple."""
    values = np.stack([rows.day, rows.price, rows.quantity])[:, tuples].astype(np.float64)
    low, high = values.min(axis=2, keepdims=True), values.max(axis=2, keepdims=True)
    away = ((values - low) ** 2 + (high - values) ** 2 + (high - low)) / (high - low + 1)
    return np.asarray(away.sum(axis=2) / (2 * rows.spread[:, None]))


def group_cost(rows: Rows, members: Ints, tuples: Ints) -> float:
    """Return what a group costs: its tuples, and all cells of the rows that are in none."""
    gone = int(rows.sizes[members].sum()) - tuples.size
    return float(tuple_costs(rows, tuples).sum() + gone * rows.weight.sum())


def align(rows: Rows, members: Ints, *, how: How) -> tuple[Ints, float]:
    """Align a group; return a row number per tuple and member, and what the group costs.

    "order" keeps each customer's earliest rows and aligns them by date (the prototype of the
    paper's method); "assignment" looks for the alignment that costs least: of two customers the
    best, of more a local optimum from several starts. The cost includes the rows left out; over
    the weights times all rows it is the group's part of the loss.
    """
    members = np.asarray(members, dtype=np.int64)
    if how == "order":
        tuples = _by_date(rows, members)
    else:
        tuples = Aligner(rows, len(members)).best(members)
    return tuples, group_cost(rows, members, tuples)


def _by_date(rows: Rows, members: Ints) -> Ints:
    least = int(rows.sizes[members].min())
    columns = []
    for person in members:
        first, end = rows.start[person], rows.start[person + 1]
        columns.append(first + np.argsort(rows.day[first:end], kind="stable")[:least])
    return np.stack(columns, axis=1)


class Aligner:
    """Aligns groups of up to `largest` customers by the compiled kernels, in one thread."""

    def __init__(self, rows: Rows, largest: int) -> None:
        # Numba takes a while to import, and most of the library does without it.
        from tokumei.alignment import kernels

        person = np.repeat(np.arange(rows.people), rows.sizes)
        self.rows = rows
        self.order = np.lexsort((rows.day, person))
        numbers = np.stack([rows.day, rows.price, rows.quantity])[:, self.order]
        self.data = kernels.Data(
            start=rows.start,
            # From 0 on, where single precision is exact for longer.
            numbers=(numbers - numbers.min(axis=1, keepdims=True)).astype(np.float32),
            item=rows.item[self.order].astype(np.int32),
            factor=0.5 / rows.spread,
            weight=rows.weight[[0, 2, 3, 1]] if rows.weight.any() else np.ones(4),
            label=rows.label,
            penalty=rows.penalty,
        )
        two = np.sort(rows.sizes)[-2:]
        cells = min(MATRIX, int(two[0] * two[-1]))
        self.room = kernels.bench(cells, int(two[-1]), largest, len(rows.day))

    def best(self, members: Ints, *, careful: bool = True) -> Ints:
        """Return the cheapest tuples that two starts lead to, or one in a hurry, in row order."""
        from tokumei.alignment import costing

        ordered = costing.in_order(self.data, members)
        starts = [ordered]
        if careful and len(members) > 2:
            starts.append(np.concatenate([ordered[:1], ordered[:0:-1]]))
        found = []
        for start in starts:
            if careful:
                costing.align_well(self.data, start, self.room)
            else:
                costing.align_fast(self.data, start, self.room)
            tuples = self._tuples(members)
            found.append((tuple_costs(self.rows, tuples).sum(), tuples))
        tuples = min(found, key=lambda pair: pair[0])[1]
        return tuples[np.argsort(tuples[:, 0])]

    def _tuples(self, members: Ints) -> Ints:
        columns = []
        for person in members:
            first, end = self.rows.start[person], self.rows.start[person + 1]
            slot = self.room.slot[first:end]
            kept = np.flatnonzero(slot >= 0)
            columns.append(self.order[first + kept[np.argsort(slot[kept])]])
        return np.stack(columns, axis=1)
