"""How likely it is that an item of a pseudonym is real: what the release itself tells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from tokumei.cells import high, kind, low, widened
from tokumei.draws import Floats

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

BINS = 10
"""Every feature is cut into so many classes of about equal size."""
SWEEPS = 8
"""How often the classes of each feature are fitted."""
RIDGE = 5.0
"""As many items as this must speak for a class to be believed half."""
MOST = 6.0
"""No class of one feature counts more than this."""
UNSURE = 0.05
"""The least variance of a pseudonym's own amounts."""


@dataclass(frozen=True, eq=False)
class ReleasedItems:
    """The distinct items of each pseudonym, and what their rows look like."""

    who: Ints
    """The pseudonym of each item."""
    item: Ints
    """The number of each item."""
    rows: Ints
    """How many rows it has."""
    cell_of_row: Ints
    """Which of the items each row is."""
    plain: Mapping[str, Ints]
    """The class of each item by each feature that no other item's reality changes."""
    amounts: Mapping[str, Floats]
    """What of each row is compared with the pseudonym's own; not a number where untold."""

    def features(self, odds: Floats) -> list[Ints]:
        """Return all features, where likely items say what is the pseudonym's own."""
        weights = (1 / (1 + np.exp(-odds)))[self.cell_of_row]
        who = self.who[self.cell_of_row]
        own = [self._unlike(values, weights, who) for values in self.amounts.values()]
        return [*self.plain.values(), *own]

    def _unlike(self, values: Floats, weights: Floats, who: Ints) -> Ints:
        """Return the class of each item by how far its rows are from the pseudonym's own mean."""
        told = np.isfinite(values)
        weights, known = weights * told, np.where(told, values, 0)
        total = np.maximum(np.bincount(who, weights), 1e-9)
        mean = np.bincount(who, weights * known) / total
        variance = np.bincount(who, weights * (known - mean[who]) ** 2) / total + UNSURE
        return classes(self.mean(abs(values - mean[who]) / np.sqrt(variance[who])))

    def mean(self, values: Floats) -> Floats:
        """Return the mean of the rows of each item; not a number where none is told."""
        return _mean(values, self.cell_of_row, len(self.who))


def released_items(rows: pl.DataFrame, targets: pl.Series, items: pl.Series) -> ReleasedItems:
    """Describe the items of each pseudonym by their rows; the items of a set all count."""
    rows = _described(rows, targets, items)
    keys = rows["_who"].to_numpy() * len(items) + rows["_item"].to_numpy()
    cells, cell_of_row, counts = np.unique(keys, return_inverse=True, return_counts=True)
    who, item = np.divmod(cells, max(len(items), 1))
    plain = {
        name[1:]: classes(_mean(rows[name].to_numpy(), cell_of_row, len(cells)))
        for name in rows.columns
        if name.startswith("=")
    }
    plain["rows"] = classes(np.minimum(counts, BINS))
    plain["buyers"] = classes(np.bincount(item, minlength=len(items))[item])
    amounts = {name: rows[name].to_numpy() for name in rows.columns if name.startswith("~")}
    return ReleasedItems(who, item, counts, cell_of_row, plain, amounts)


def _described(rows: pl.DataFrame, targets: pl.Series, items: pl.Series) -> pl.DataFrame:
    """Return a row for each item of each row: = a feature, ~ an amount like the pseudonym's own."""
    sets = widened(rows["item"], "set")
    rows = rows.with_columns(sets, sets.list.len().alias("=others")).explode("item")
    rows = rows.drop_nulls("item").with_columns(
        _who=pl.col("person").cast(pl.Enum(targets)).to_physical().cast(pl.Int64),
        _item=pl.col("item").cast(pl.Enum(items)).to_physical().cast(pl.Int64),
    )
    told = [name for name in ("price", "quantity") if _is_number(rows, name)]
    for name in told:
        usual = pl.col(name) - pl.col(name).median().over("_item")
        rows = rows.with_columns(pl.Series(name, _logarithm(rows[name]))).with_columns(
            pl.col(name).alias(f"={name}"), usual.alias(f"={name} of item"),
            pl.col(name).alias(f"~{name}"), usual.alias(f"~{name} of item"),
        )  # fmt: skip
    if told:
        # A row copied from another's has a twin.
        twins = pl.len().over("_item", *told) - pl.len().over("_who", "_item", *told)
        rows = rows.with_columns(twins.alias("=twins"))
    together = next((name for name in ("basket", "time") if name in rows.columns), None)
    if together:
        rows = rows.with_columns(pl.len().over("_who", together).alias("=basket"))
    described = [name for name in rows.columns if name[0] in "=~"]
    return rows.select("_who", "_item", pl.col(described).cast(pl.Float64).fill_null(np.nan))


def _is_number(rows: pl.DataFrame, name: str) -> bool:
    return name in rows.columns and kind(rows.schema[name]) != "set"


def _logarithm(amounts: pl.Series) -> Floats:
    """Return the logarithms of amounts, of an interval the mean of its ends'."""
    ends = (part(amounts).cast(pl.Float64).fill_null(np.nan).to_numpy() for part in (low, high))
    first, last = (np.arcsinh(100 * end) for end in ends)
    result: Floats = ((first + last) / 2).round(9)
    return result


def _mean(values: Floats, groups: Ints, count: int) -> Floats:
    told = np.isfinite(values)
    sums = np.bincount(groups[told], values[told], count)
    sizes = np.bincount(groups[told], minlength=count)
    result: Floats = np.divide(sums, sizes, where=sizes > 0, out=np.full(count, np.nan))
    return result.round(9)


def classes(values: npt.ArrayLike) -> Ints:
    """Return the class of each value, from 1; 0 where it is not told."""
    numbers = np.asarray(values, dtype=np.float64)
    told = np.isfinite(numbers)
    if not told.any():
        return np.zeros(len(numbers), dtype=np.int64)
    ends = np.unique(np.quantile(numbers[told], np.arange(1, BINS) / BINS))
    return np.where(told, np.searchsorted(ends, numbers) + 1, 0)


def additive_log_odds(features: list[Ints], real: Mask, asked: Mask) -> Floats:
    """Return the log-odds of being real as a sum over features, learned from the items asked.

    It is logistic regression on the classes of each feature, fitted by one after the other.
    """
    parts = [np.zeros(feature.max(initial=0) + 1) for feature in features]
    odds = np.full(len(real), base_log_odds(real, asked))
    for _ in range(SWEEPS):
        for feature, part in zip(features, parts, strict=True):
            chance = 1 / (1 + np.exp(-odds))
            slope = np.bincount(feature, asked * (real - chance), len(part)) - RIDGE * part
            curve = np.bincount(feature, asked * chance * (1 - chance), len(part)) + RIDGE
            step = np.clip(part + slope / curve, -MOST, MOST) - part
            part += step
            odds += step[feature]
    return odds


def base_log_odds(real: Mask, asked: Mask) -> float:
    """Return the log-odds of the share of the items asked that is real."""
    count = real[asked].sum()
    return float(np.log((count + 1) / (asked.sum() - count + 1)))
