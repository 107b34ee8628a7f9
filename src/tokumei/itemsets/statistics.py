"""The statistics of a history that the papers print."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import date
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from tokumei.history import History
from tokumei.itemsets.matrix import ItemSets, item_sets
from tokumei.itemsets.search import all_pairs
from tokumei.tables import spark_form


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
    mean_jaccard_interval: tuple[float, float] | None = None
    """Where the mean jaccard lies with 95% confidence, if it was found from a part."""

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values; the period is a pair of ISO dates.

        The interval is there only where the mean jaccard was found from a part.
        """
        found = asdict(self)
        if (interval := found.pop("mean_jaccard_interval")) is not None:
            found["mean_jaccard_interval"] = list(interval)
        return {
            **found,
            "period": [day.isoformat() for day in self.period] if self.period else None,
        }


def statistics(history: History) -> Statistics:
    """Compute the statistics; exact, over all pairs of distinct customers.

    On Spark the mean jaccard is that of a random part of the customers, with its interval.
    """
    if history.on_spark:
        distant: Statistics = spark_form("statistics:statistics")(history)
        return distant
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
    if len(sets.persons) < 2:
        return None, None
    pairs = all_pairs(sets.matrix)
    return pairs.mean, pairs.largest


def jaccard_histogram(sets: ItemSets, *, bins: int = 100) -> npt.NDArray[np.int64]:
    """Count the pairs of distinct customers by jaccard coefficient, in equal bins from 0 to 1.

    A bin holds its lower end, the last one both; pairs that share nothing are in the first.
    """
    if len(sets.persons) < 2:
        return np.zeros(bins, dtype=np.int64)
    return all_pairs(sets.matrix, bins=bins).counts
