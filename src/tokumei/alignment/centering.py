"""Intervals that hold every value of a group and whose middles tell the leader's R, F and M.

An interval may be wider than it must be. Widened to one side its middle moves, and the middle is
what RFM analysis reads. So the released group has the last purchase, the number of dates and the
spend of its leader, while the true values of all stay inside.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tokumei.alignment.rows import Rows

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
LEAST = 1
"""The smallest price in hundredths, and the smallest quantity."""


@dataclass(frozen=True, eq=False)
class Ends:
    """Lower and upper ends of the cells of a group's tuples."""

    day: Ints
    """One line for each tuple: lo, hi; likewise below."""
    price: Ints
    quantity: Ints


def tight(rows: Rows, tuples: Ints) -> Ends:
    """Return the narrowest intervals that hold the values of all members."""
    day, price, quantity = (
        np.column_stack([values[tuples].min(axis=1), values[tuples].max(axis=1)])
        for values in (rows.day, rows.price, rows.quantity)
    )
    return Ends(day, price, quantity)


def centered(
    rows: Rows, tuples: Ints, target: tuple[float, int, float], period: tuple[int, int]
) -> tuple[Ints, Ends]:
    """Widen the intervals so that they tell the target: last day, number of dates, spend.

    Returned are the tuples that are kept, and their ends: tuples go where even the lowest middles
    would tell too much. The first tuple holds the last purchase of everyone.
    """
    last_day, dates, spend = target
    ends = tight(rows, tuples)
    kept = _affordable(ends, spend, dates)
    price, quantity = _amounts(ends.price[kept], ends.quantity[kept], spend)
    day = _dates(ends.day[kept], last_day, min(dates, len(kept)), period)
    return tuples[kept], Ends(day, price, quantity)


def _dates(day: Ints, last: float, dates: int, period: tuple[int, int]) -> Ints:
    """Give the tuples so many different intervals; the first has the last middle."""
    day = day.copy()
    rest = np.arange(1, len(day)) if dates > 1 else np.zeros(0, dtype=np.int64)
    head = np.setdiff1d(np.arange(len(day)), rest)
    lo, hi = _with_middle(int(day[head, 0].min()), int(day[head, 1].max()), last, period)
    day[head] = (lo, hi)
    seen = {(lo, hi)}
    for part in _runs(day[rest], dates - 1):
        low, high = int(day[rest[part], 0].min()), int(day[rest[part], 1].max())
        low = max(min(low, lo + hi - high), period[0])
        # Equal intervals would be taken for one date.
        while (low, high) in seen:
            low, high = (low - 1, high) if low > period[0] else (low, high + 1)
        seen.add((low, high))
        day[rest[part]] = (low, high)
    return day


def _runs(day: Ints, count: int) -> list[Ints]:
    """Cut the tuples, in order of their middles, into so many runs, where they are far apart."""
    if not count:
        return []
    order = np.lexsort((day[:, 0], day.sum(axis=1)))
    gaps = np.diff(day.sum(axis=1)[order])
    cuts = np.sort(np.lexsort((np.arange(len(gaps)), -gaps))[: count - 1]) + 1
    return np.split(order, cuts)


def _with_middle(lo: int, hi: int, middle: float, period: tuple[int, int]) -> tuple[int, int]:
    """Widen an interval until its middle is there, or as near as the period allows."""
    if lo + hi < 2 * middle:
        return lo, min(int(2 * middle) - lo, period[1])
    return max(int(2 * middle) - hi, period[0]), hi


def _affordable(ends: Ends, spend: float, dates: int) -> Ints:
    """Return the tuples that can tell the spend; the dearest go first, but not the dates."""
    least = (ends.price[:, 1] + LEAST) * (ends.quantity[:, 1] + LEAST) / 4
    kept = np.arange(len(least))
    order = 1 + np.argsort(-least[1:], kind="stable")
    excess = least.sum() - spend
    gone = 0
    while excess > 0 and gone < len(least) - max(dates, 1):
        excess -= least[order[gone]]
        gone += 1
    return np.setdiff1d(kept, order[:gone])


def _amounts(price: Ints, quantity: Ints, spend: float) -> tuple[Ints, Ints]:
    """Widen prices, and if need be quantities, until the middles sum up to the spend."""
    price, quantity = price.copy(), quantity.copy()
    for cells, other in ((price, quantity), (quantity, price)):
        told = (cells.sum(axis=1) * other.sum(axis=1)).sum() / 4
        if told < spend:
            more = cells.sum(axis=1) * (spend / told - 1)
            cells[:, 1] += np.round(more).astype(np.int64)
            break
        cells[:, 0] = _lowered(cells, other.sum(axis=1) / 2, spend)
    return price, quantity


def _lowered(cells: Ints, other: Floats, spend: float) -> Ints:
    """Return lower ends that bring the sum of middles times others down to the spend."""
    low, high = 0.0, 1.0

    def lower(share: float) -> Ints:
        return np.round(cells[:, 0] - share * (cells[:, 0] - LEAST)).astype(np.int64)

    for _ in range(40):
        share = (low + high) / 2
        told = ((lower(share) + cells[:, 1]) / 2 * other).sum()
        low, high = (share, high) if told > spend else (low, share)
    return lower(high)
