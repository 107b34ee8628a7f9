"""Singular descriptions: what is rare in a release, and whether it is less than before."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from tokumei.audit.criteria import Criterion, Sentence
from tokumei.audit.law_counts import Extreme, alone_in_attributes, extreme, lone_values
from tokumei.audit.law_rules import SINGULAR
from tokumei.contracts import Release
from tokumei.history import History
from tokumei.tables import frame

Found = tuple[Sentence, Sentence | None]
"""A number of the release, and what the release did if it lowered it.

The number before is not told: the largest amount of the original is one customer's own.
"""


def singular(original: History, release: Release) -> Criterion:
    """Return the fourth standard with what was found."""
    before, now = original.frame(), release.public.frame()
    found = [
        _items(before, now),
        _prices(_extreme(before, "price"), _extreme(now, "price")),
        _quantities(_extreme(before, "quantity"), _extreme(now, "quantity")),
        _longest(before, now),
    ]
    evidence = [pair[0] for pair in found if pair]
    if release.public.customers is not None:
        people = frame(release.public.customers)
        evidence.append(
            Sentence(
                "Customers who share all their attributes with nobody: {alone:,} of {customers:,}",
                {"alone": alone_in_attributes(people), "customers": len(people)},
            )
        )
    if any(dtype.is_nested() for dtype in now.dtypes):
        evidence.append(
            Sentence(
                "A set counts for each of its items, an interval by its upper end, a suppressed "
                "cell not at all."
            )
        )
    lowered = tuple(pair[1] for pair in found if pair and pair[1])
    return replace(
        SINGULAR,
        did=lowered or (Sentence("What is rare was left as it is, or has become rarer."),),
        evidence=tuple(evidence),
        finding="measured",
        decide=(
            Sentence(
                "How rare may an item, an amount or an attribute be before it points to one person?"
            ),
            Sentence("Is something in the data known to the public, such as an unusual order?"),
        ),
    )


def _items(before: pl.DataFrame, now: pl.DataFrame) -> Found | None:
    if "item" not in before.columns or "item" not in now.columns:
        return None
    lone, lone_before = lone_values(now, "item"), lone_values(before, "item")
    said = Sentence(
        "Items that one customer alone bought: {items:,}; customers with such an item: "
        "{customers:.1%} (original {customers_before:.1%})",
        {
            "items": len(lone),
            "customers": _share(lone, now),
            "customers_before": _share(lone_before, before),
        },
    )
    fewer = Sentence("There are fewer items that one customer alone bought.")
    return said, fewer if len(lone) < len(lone_before) else None


def _share(some: pl.DataFrame, rows: pl.DataFrame) -> float:
    return some["person"].n_unique() / rows["person"].n_unique()


def _extreme(rows: pl.DataFrame, column: str) -> Extreme | None:
    return extreme(rows[column]) if column in rows.columns else None


def _prices(before: Extreme | None, now: Extreme | None) -> Found | None:
    if before is None or now is None:
        return None
    said = Sentence(
        "Largest price: {largest:,.2f}, {times:.1f} times the 99.9 percentile", _values(now)
    )
    lower = Sentence("The largest price was lowered.")
    return said, lower if now.largest < before.largest else None


def _quantities(before: Extreme | None, now: Extreme | None) -> Found | None:
    if before is None or now is None:
        return None
    said = Sentence(
        "Largest quantity: {largest:,.0f}, {times:.1f} times the 99.9 percentile", _values(now)
    )
    lower = Sentence("The largest quantity was lowered.")
    return said, lower if now.largest < before.largest else None


def _longest(before: pl.DataFrame, now: pl.DataFrame) -> Found:
    longest, longest_before = _rows_of_longest(now), _rows_of_longest(before)
    said = Sentence(
        "Most rows of one customer: {largest:,.0f}, {times:.1f} times the median", _values(longest)
    )
    lower = Sentence("The longest history was shortened.")
    return said, lower if longest.largest < longest_before.largest else None


def _rows_of_longest(rows: pl.DataFrame) -> Extreme:
    lengths = rows["person"].value_counts()["count"].to_numpy()
    return Extreme(float(lengths.max()), float(lengths.max() / np.median(lengths)))


def _values(now: Extreme) -> dict[str, float]:
    return {"largest": now.largest, "times": now.times}
