"""Recency, frequency and spend of customers on Spark, and what releases keep of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from tokumei.contracts import Release, Score
from tokumei.draws import Floats
from tokumei.errors import SchemaError
from tokumei.history import History
from tokumei.metrics.rfm_cell_shares import BINS
from tokumei.rfm.analysis import TO, cell_parts
from tokumei.spark.frames import mapped, native, remembered
from tokumei.tables import columns

if TYPE_CHECKING:
    from tokumei.metrics.rfm_agreement import RfmAgreement
    from tokumei.metrics.rfm_cell_shares import RfmCellShares

EPSILON = 1e-4
"""How near a quantile is looked for first; the exact one is then among few values."""


def analyze(
    history: History, *, last_day: float | None = None, draws: int | None = None, seed: int = 0
) -> DataFrame:
    """Return person, R, F, M, as `tokumei.rfm.analyze` does."""
    for role in ("time", "price", "quantity"):
        if role not in history.visible:
            history.require(role, to=TO)
    cells = mapped(
        native(history.purchases), lambda block: cell_parts(block, draws=draws, seed=seed)
    )
    ends = cells.agg(
        sf.max("last").alias("last"),
        sf.min("first").alias("first"),
        sf.avg("price").alias("price"),
        sf.avg("quantity").alias("quantity"),
    ).first()
    if ends is None or ends["last"] is None:
        raise SchemaError(f"To {TO}, some dates must be told; all are suppressed.")
    end = float(ends["last"]) if last_day is None else last_day
    price, quantity = (
        sf.coalesce(sf.col(name), sf.lit(ends[name] or 0.0)) for name in ("price", "quantity")
    )
    found = cells.groupBy("person").agg(
        (sf.lit(end) - sf.max("day")).alias("R"),
        # A suppressed date is a date too.
        sf.count_distinct(sf.coalesce("date", sf.lit("*"))).cast("double").alias("F"),
        sf.round(sf.sum(price * quantity), 6).alias("M"),
    )
    middle = (end - float(ends["first"])) / 2
    return found.withColumn("R", sf.coalesce("R", sf.lit(middle)))


def cuts_of(values: DataFrame, name: str, bins: int) -> Floats:
    """Return the quantiles at which values are cut into ranks, exactly as numpy has them.

    Spark finds about where they lie; the values nearby, with their counts, are few.
    """
    shares = np.arange(1, bins) / bins
    n = values.count()
    # So wide that both values between which a quantile lies are inside, however few there are.
    margin = 2 * EPSILON + 2 / max(n, 1)
    near = [float(np.clip(share + side * margin, 0, 1)) for share in shares for side in (-1, 1)]
    edges = values.approxQuantile(name, near, EPSILON)
    pairs = list(zip(edges[::2], edges[1::2], strict=True))
    cell = sf.col(name)
    counted = values.agg(
        *(sf.count_if(cell < low).alias(f"b{at}") for at, (low, _) in enumerate(pairs)),
    ).first()
    assert counted is not None  # noqa: S101 - an aggregate has one row
    nearby = sf.lit(False)  # noqa: FBT003
    for low, high in pairs:
        nearby = nearby | cell.between(low, high)
    found = values.filter(nearby).groupBy(name).count().orderBy(name).collect()
    heads = np.array([row[name] for row in found])
    counts = np.array([row["count"] for row in found])
    cuts = [
        _quantile(share, n, counted[f"b{at}"], heads, counts, low)
        for at, (share, (low, _)) in enumerate(zip(shares, pairs, strict=True))
    ]
    return np.array(cuts)


def _quantile(share: float, n: int, below: int, heads: Floats, counts: Floats, low: float) -> float:
    """Return the value at a share of n sorted ones, between two values on the line, as numpy."""
    place = (n - 1) * share
    floor = int(np.floor(place))
    ends = np.cumsum(counts * (heads >= low)) + below
    first, second = (
        heads[np.searchsorted(ends, min(at, n - 1), side="right")] for at in (floor, floor + 1)
    )
    part = place - floor
    gap = second - first
    return float(second - gap * (1 - part) if part >= 0.5 else first + gap * part)


def rank(name: str, cuts: Floats) -> Column:
    """Return how many cuts lie below a value."""
    lower = [sf.when(sf.col(name) > float(cut), 1).otherwise(0) for cut in cuts]
    total = lower[0]
    for one in lower[1:]:
        total = total + one
    return total


def ranked(analyzed: DataFrame, bins: int) -> DataFrame:
    """Return person and the ranks of R, F and M, cut at the quantiles of the values themselves."""
    # Rounded, so that sums in another order are not cut on the other side of a quantile.
    values = remembered(
        analyzed.select("person", *(sf.round(name, 6).alias(name) for name in "RFM"))
    )
    ranks = [rank(name, cuts_of(values, name, bins)).alias(name) for name in "RFM"]
    return values.select("person", *ranks)


def rfm_agreement(method: RfmAgreement, history: History, release: Release, *, seed: int) -> Score:
    """Count the customers whose ranks agree."""
    if "period" in columns(release.key.pseudonyms):
        raise SchemaError("RFM analysis needs a pseudonym that lasts, not one for each month.")
    history.require("time", "price", "quantity", to=TO)
    before = ranked(analyze(history), method.bins)
    after = ranked(analyze(release.public, draws=method.draws, seed=seed), method.bins)
    owners = native(release.key.pseudonyms).select(
        sf.col("person").alias("owner"), sf.col("pseudonym").alias("person")
    )
    told = after.join(owners, "person").select(
        sf.col("owner").alias("person"), *(sf.col(name).alias(f"{name}_after") for name in "RFM")
    )
    same = sf.lit(True)  # noqa: FBT003
    for name in method.of:
        same = same & (sf.col(name) == sf.col(f"{name}_after"))
    found = (
        before.join(told, "person", "left")
        .agg(sf.count("*").alias("n"), sf.count_if(same).alias("same"))
        .first()
    )
    n, agreeing = (found["n"], found["same"]) if found else (0, 0)
    return Score(f"{method.of}-agreement", agreeing / n, "higher", (0.0, 1.0), n)


def rfm_cell_shares(
    method: RfmCellShares, history: History, release: Release, *, seed: int
) -> Score:
    """Compare the shares of customers in the 125 classes."""
    history.require("time", "price", "quantity", to=TO)
    days = native(history.purchases).agg(sf.unix_date(sf.to_date(sf.max("time")))).first()
    last_day = float(days[0]) if days else 0.0
    before, after = (
        remembered(analyze(part, last_day=last_day)) for part in (history, release.public)
    )
    cuts = {name: cuts_of(before, name, BINS) for name in "RFM"}
    shares = [_shares(of, cuts) for of in (before, after)]
    error = float(np.abs(shares[0] - shares[1]).mean())
    return Score("U3-RFM", error, "lower", (0.0, 2 / BINS**3), before.count())


def _shares(analyzed: DataFrame, cuts: dict[str, Floats]) -> Floats:
    cell = sf.lit(0)
    for name, edges in cuts.items():
        cell = cell * BINS + rank(name, edges)
    counted = analyzed.groupBy(cell.alias("cell")).count().collect()
    shares = np.zeros(BINS**3)
    for row in counted:
        shares[row["cell"]] = row["count"]
    whole: Floats = shares / shares.sum()
    return whole
