"""The cells that aligned rows become."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tokumei.alignment.centering import Ends, tight
from tokumei.alignment.rows import Rows

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Cells:
    """One line for each tuple of all groups: ends, the items, and what is suppressed."""

    ends: Ends
    items: list[list[int]]
    suppressed: Flags
    """Date, item, price, quantity."""


def cells_of(
    rows: Rows,
    tuples: Sequence[Ints],
    *,
    ends: Sequence[Ends] | None = None,
    suppressed: Sequence[Flags] | None = None,
) -> Cells:
    """Return the narrowest cells, or those with given ends; nothing is suppressed unless given."""
    ends = ends if ends is not None else [tight(rows, part) for part in tuples]
    flags = suppressed if suppressed is not None else [nothing(part) for part in tuples]
    whole = Ends(
        *(
            np.concatenate([getattr(one, name) for one in ends])
            for name in ("day", "price", "quantity")
        )
    )
    items = [np.unique(line).tolist() for part in tuples for line in rows.item[part]]
    return Cells(whole, items, np.concatenate(flags))


def cheap_cells_of(rows: Rows, tuples: Sequence[Ints]) -> Cells:
    """Return the narrowest cells, suppressed where that loses less."""
    return cells_of(rows, tuples, suppressed=[too_dear(rows, p, tight(rows, p)) for p in tuples])


def nothing(tuples: Ints) -> Flags:
    """Suppress no cell."""
    return np.zeros((len(tuples), 4), dtype=bool)


def group_errors(rows: Rows, tuples: Ints, ends: Ends) -> float:
    """Return the errors of a group's cells, summed over its rows; deleted rows are not in it."""
    items = np.sort(rows.item[tuples], axis=1)
    distinct = 1 + (items[:, 1:] != items[:, :-1]).sum(axis=1)
    total: float = tuples.shape[1] * float((1 - 1 / distinct).sum())
    return total + math.fsum(float(errors.sum()) for _, errors in _errors(rows, tuples, ends))


def too_dear(rows: Rows, tuples: Ints, ends: Ends) -> Flags:
    """Tell which cells lose more as intervals than by silence; a set never does."""
    dear = nothing(tuples)
    for column, errors in _errors(rows, tuples, ends):
        dear[:, column] = errors > tuples.shape[1]
    return dear


def _errors(rows: Rows, tuples: Ints, ends: Ends) -> Iterator[tuple[int, Floats]]:
    """Return the errors of date, price and quantity, summed over the rows of each tuple."""
    columns = (
        (0, rows.day, ends.day),
        (2, rows.price, ends.price),
        (3, rows.quantity, ends.quantity),
    )
    for (column, values, interval), sd in zip(columns, rows.spread, strict=True):
        x = values[tuples].astype(np.float64)
        lo, hi = (interval[:, [end]].astype(np.float64) for end in (0, 1))
        errors = ((lo - x) ** 2 + (hi - x) ** 2 + (hi - lo)) / (2 * sd * (hi - lo + 1))
        yield column, errors.sum(axis=1)
