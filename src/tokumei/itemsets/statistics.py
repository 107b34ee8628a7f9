"""The statistics of a history that the papers print."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import date
from typing import Any

import numpy as np
import polars as pl

from tokumei.history import History
from tokumei.itemsets.matrix import ItemSets, item_sets
from tokumei.progress import track

BLOCK = 256


@dataclass(frozen=True)
class Statistics:
    """Sizes, ranges and similarity of a history; None where its columns do not tell."""

    customers: int
    rows: int
    baskets: int | None
    items: int | None
    mean_items_per_customer: float | None
    mean_jaccard: float | None
    max_jaccard: float | None
    mean_shared_items: float | None
    price_min: float | None
    price_max: float | None
    quantity_min: int | None
    quantity_max: int | None
    period: tuple[date, date] | None

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values; the period is a pair of ISO dates."""
        period = [day.isoformat() for day in self.period] if self.period else None
        return {**asdict(self), "period": period}


def statistics(history: History) -> Statistics:
    """Compute the statistics; exact, over all pairs of distinct customers."""
    rows = history.frame()

    def ends(column: str) -> tuple[Any, Any]:
        if column not in rows.columns:
            return None, None
        history.require(column, to="compute its range")
        return rows[column].min(), rows[column].max()

    sets = item_sets(history) if "item" in rows.columns else None
    mean_jaccard, max_jaccard = jaccard_over_pairs(sets) if sets else (None, None)
    times = ends("time")
    return Statistics(
        customers=rows["person"].n_unique(),
        rows=len(rows),
        baskets=rows["basket"].n_unique() if "basket" in rows.columns else None,
        items=len(sets.items) if sets else None,
        mean_items_per_customer=float(sets.sizes.mean()) if sets else None,
        mean_jaccard=mean_jaccard,
        max_jaccard=max_jaccard,
        mean_shared_items=mean_shared_items(sets) if sets else None,
        price_min=ends("price")[0],
        price_max=ends("price")[1],
        quantity_min=ends("quantity")[0],
        quantity_max=ends("quantity")[1],
        period=(_day(times[0]), _day(times[1])) if times[0] else None,
    )


def _day(moment: Any) -> date:
    return pl.Series([moment]).cast(pl.Date)[0]  # type: ignore[no-any-return]


def mean_shared_items(sets: ItemSets) -> float | None:
    """Return the mean number of items that two customers share.

    An item bought by d customers is shared by d (d - 1) / 2 pairs, so no pair need be formed.
    """
    n = len(sets.persons)
    if n < 2:
        return None
    buyers = np.bincount(sets.matrix.indices, minlength=len(sets.items)).astype(np.float64)
    return float((buyers * (buyers - 1)).sum() / (n * (n - 1)))


def jaccard_over_pairs(sets: ItemSets) -> tuple[float, float] | tuple[None, None]:
    """Return the mean and the largest jaccard coefficient over all pairs of distinct customers."""
    n = len(sets.persons)
    if n < 2:
        return None, None
    total, largest = 0.0, 0.0
    sizes = sets.sizes
    by_item = sets.matrix.T.tocsr()
    starts = range(0, n, BLOCK)
    for start in track(starts, len(starts), "jaccard of all pairs"):
        shared = (sets.matrix[start : start + BLOCK] @ by_item).tocoo()
        first, second = shared.coords[0] + start, shared.coords[1]
        once = first < second
        common = shared.data[once]
        jaccard = common / (sizes[first[once]] + sizes[second[once]] - common)
        total += float(jaccard.sum())
        largest = max(largest, float(jaccard.max(initial=0.0)))
    return total / (n * (n - 1) / 2), largest
