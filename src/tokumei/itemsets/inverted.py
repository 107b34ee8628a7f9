"""The values that the compiled loops of the item-set search share, and the index they read."""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
import numpy.typing as npt
from numba.core import cgutils, types
from numba.extending import intrinsic

from tokumei.itemsets.compiling import compiled

Ints = npt.NDArray[np.int64]


PLANES = 22  # 16 for numbers up to 65,535, and 6 to work in


class Rows(NamedTuple):
    """Item sets in the order of the search, the items of each from the rarest to the commonest."""

    starts: Ints
    items: npt.NDArray[np.int32]
    values: Ints
    """How much of each item; empty where everything counts 1."""
    totals: Ints


class Postings(NamedTuple):
    """Who has an item, block after block of the base.

    A rare item lists places within the block. A common one has a bit for every place: place j is
    bit j // lanes of byte j % lanes, with lanes = block / 8, so that eight runs of places unpack
    side by side.
    """

    cells: Ints
    """Where the places of item i in block b start: element i * blocks + b."""
    places: npt.NDArray[np.uint16]
    values: Ints
    bits: npt.NDArray[np.uint64]
    """Block after block a line of words for every common item, and a line of zeros."""
    block: int
    blocks: int
    first_common: int
    common: int


class Scratch(NamedTuple):
    """Room to work in, one for each thread."""

    sums: Any
    """The overlap of the query with every place of the block, so far."""
    marks: Ints
    """How much of each item the query has."""
    digits: Any
    """Binary numbers, one for each place: bits of plane p are the digits 2^p."""
    fields: Any
    """The same memory, byte by byte."""


@intrinsic
def pointer(_context, address):  # type: ignore[no-untyped-def]
    """Turn an address into a pointer."""

    def generate(_, builder, _signature, values):  # type: ignore[no-untyped-def]
        return builder.inttoptr(values[0], cgutils.voidptr_t)

    return types.voidptr(address), generate


@compiled
def lend(array: Any) -> Any:
    """Return a view that keeps nothing alive.

    numba counts references to arrays whenever they are passed on, which took a third of the time.
    Whoever calls a loop from Python holds the arrays while it runs.
    """
    return numba.carray(  # type: ignore[attr-defined]
        pointer(array.ctypes.data),  # type: ignore[call-arg]
        array.shape,
        array.dtype,
    )


@compiled
def lend_rows(rows: Rows) -> Any:
    """Lend all arrays of item sets."""
    return Rows(lend(rows.starts), lend(rows.items), lend(rows.values), lend(rows.totals))


@compiled
def lend_postings(postings: Postings) -> Any:
    """Lend all arrays of an index."""
    return Postings(
        lend(postings.cells), lend(postings.places), lend(postings.values), lend(postings.bits),
        postings.block, postings.blocks, postings.first_common, postings.common,
    )  # fmt: skip


@compiled
def lend_scratch(work: Scratch) -> Any:
    """Lend all arrays to work in."""
    return Scratch(lend(work.sums), lend(work.marks), lend(work.digits), lend(work.fields))


@compiled
def arrange(starts: Ints, items: Any, values: Ints, order: Ints, rank: Any, width: int) -> Any:
    """Take the rows in the given order and sort their items by rank, by counting."""
    n = len(order)
    ends = np.zeros(n + 1, np.int64)
    first = np.zeros(width + 1, np.int64)
    for row in range(n):
        left, right = starts[order[row]], starts[order[row] + 1]
        ends[row + 1] = ends[row] + right - left
        for k in range(left, right):
            first[rank[items[k]] + 1] += 1
    for item in range(width):
        first[item + 1] += first[item]
    owners = np.empty(ends[n], np.int32)
    amounts = np.empty(ends[n] if len(values) else 0, np.int64)
    cursor = first[:-1].copy()
    for row in range(n):
        for k in range(starts[order[row]], starts[order[row] + 1]):
            item = rank[items[k]]
            owners[cursor[item]] = row
            if len(values):
                amounts[cursor[item]] = values[k]
            cursor[item] += 1
    sorted_items = np.empty(ends[n], np.int32)
    sorted_values = np.empty(len(amounts), np.int64)
    cursor = ends[:-1].copy()
    for item in range(width):
        for k in range(first[item], first[item + 1]):
            row = owners[k]
            sorted_items[cursor[row]] = item
            if len(values):
                sorted_values[cursor[row]] = amounts[k]
            cursor[row] += 1
    return ends, sorted_items, sorted_values


@compiled
def invert(rows: Rows, width: int, block: int, blocks: int) -> Any:
    """List, for every item and block, the places and values of the rows that have it."""
    n = len(rows.totals)
    cells = np.zeros(width * blocks + 1, np.int64)
    for row in range(n):
        for k in range(rows.starts[row], rows.starts[row + 1]):
            cells[rows.items[k] * blocks + row // block + 1] += 1
    for cell in range(width * blocks):
        cells[cell + 1] += cells[cell]
    cursor = cells[:-1].copy()
    places = np.empty(len(rows.items), np.uint16)
    values = np.empty(len(rows.values), np.int64)
    for row in range(n):
        for k in range(rows.starts[row], rows.starts[row + 1]):
            cell = rows.items[k] * blocks + row // block
            places[cursor[cell]] = row % block
            if len(values):
                values[cursor[cell]] = rows.values[k]
            cursor[cell] += 1
    return cells, places, values


@compiled
def pack(rows: Rows, block: int, blocks: int, first: int, width: int) -> Any:
    """Write who has the common items, those from `first` on, as bits."""
    lanes = block // 8
    packed = np.zeros((blocks, width - first + 1, lanes), np.uint8)
    for row in range(len(rows.totals)):
        lines, place = packed[row // block], row % block
        lane, bit = place % lanes, np.uint8(1 << (place // lanes))
        k = rows.starts[row + 1] - 1
        while k >= rows.starts[row] and rows.items[k] >= first:
            lines[rows.items[k] - first, lane] |= bit
            k -= 1
    return packed
