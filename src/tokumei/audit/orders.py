"""Whether one order follows another beyond chance: tests against a random order."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy import stats
from scipy.special import gammaln

LEVEL = 1e-6
"""So seldom a random order may be taken for one that follows another."""
EXACT = 1e-4
"""The same for an order that is kept, or reversed, to the last place."""

Values = npt.NDArray[Any]


@dataclass(frozen=True)
class Agreement:
    """How far an order follows another."""

    correlation: float
    """Of the ranks: 1 where the order is kept, -1 where it is reversed."""
    closer: float
    """By how much neighbors are closer in the other order than by chance: 0 nothing, 1 always."""


def agreement(one: Values, other: Values, blocks: pl.Series | None = None) -> Agreement | None:
    """Return how two orders of the same things agree; None where chance would do as much.

    With `blocks`, orders are compared within each block only. Ranks show an order that is kept in
    the large, neighbors one that is kept in pieces, turned around or cut and put together again.
    """
    correlation, kept = _ranks(one, other, blocks)
    closer, near = (0.0, False) if blocks is not None else _neighbors(one, other)
    return Agreement(correlation, closer) if kept or near else None


def same_order(one: Values, other: Values) -> Agreement | None:
    """Return the agreement of two orders that are the same, or each other's reverse."""
    steps = np.diff(other[np.argsort(one, kind="stable")])
    if math.lgamma(len(one) + 1) < math.log(2 / EXACT):
        return None
    if (steps > 0).all():
        return Agreement(1.0, 1.0)
    return Agreement(-1.0, 1.0) if (steps < 0).all() else None


def heads(order: Values, groups: pl.Series) -> Values:
    """Return, in an order, the first of those in a row that belong to one group.

    In a file that is sorted by customer, rows come together and are placed by chance together: such
    a run counts once.
    """
    places = np.argsort(order, kind="stable")
    first: Values = places[groups.gather(places).rle_id().diff().fill_null(1).to_numpy() > 0]
    return first


def _paired(one: Values, other: Values, blocks: pl.Series | None) -> pl.DataFrame:
    """Return both values, their block, and their places around the middle of the block."""
    block = blocks.alias("block") if blocks is not None else pl.lit(0).alias("block")
    pairs = pl.DataFrame({"one": one, "other": other}).with_columns(block)
    return pairs.with_columns(
        (pl.col(name).rank() - (pl.len() + 1) / 2).over("block").alias(f"{name}_place")
        for name in ("one", "other")
    )


def _ranks(one: Values, other: Values, blocks: pl.Series | None) -> tuple[float, bool]:
    """Return Spearman's coefficient and whether it is beyond chance."""
    pairs = _paired(one, other, blocks)
    sums = (
        pairs.group_by("block")
        .agg(
            n=pl.len(),
            both=(pl.col("one_place") * pl.col("other_place")).sum(),
            spread=pl.col("one_place").pow(2).sum(),
            other_spread=pl.col("other_place").pow(2).sum(),
        )
        .filter(pl.col("n") > 1)
    )
    both, spread, other_spread = (
        sums[name].to_numpy() for name in ("both", "spread", "other_spread")
    )
    free = sums["n"].to_numpy() - 1.0
    if not spread @ other_spread:
        return 0.0, False
    correlation = float(both.sum() / math.sqrt(spread.sum() * other_spread.sum()))
    orders = min(_log_orders(pairs, "one"), _log_orders(pairs, "other"))
    rarest = math.log(2) - orders  # the chance of an order that agrees to the last place
    if abs(correlation) > 1 - 1e-12:
        return correlation, rarest <= math.log(EXACT)
    if len(sums) == 1:
        chance = stats.t.logsf(
            abs(correlation) * math.sqrt((free[0] - 1) / (1 - correlation**2)), free[0] - 1
        )
    else:
        chance = stats.norm.logsf(abs(both.sum()) / math.sqrt((spread * other_spread / free).sum()))
    return correlation, max(math.log(2) + float(chance), rarest) <= math.log(LEVEL)


def _log_orders(pairs: pl.DataFrame, name: str) -> float:
    """Return the logarithm of the number of orders that can be told apart."""
    sizes = pairs.group_by("block").len()["len"].to_numpy()
    ties = pairs.group_by("block", name).len()["len"].to_numpy()
    return float(_log_factorials(sizes).sum() - _log_factorials(ties).sum())


def _log_factorials(numbers: Values) -> Values:
    logarithms: Values = gammaln(numbers + 1.0)
    return logarithms


def _neighbors(one: Values, other: Values) -> tuple[float, bool]:
    """Return Chatterjee's coefficient, the larger of both directions, and whether it is rare.

    Also beyond chance: neighbors that mostly rise, or mostly fall, however far.

    The sum of the steps between the ranks of neighbors has, in a random order, the mean
    (n² - 1) / 3 and the variance (n - 2)(n + 1)(4n - 7) / 90.
    """
    n = len(one)
    if n < 3 or len(np.unique(one)) < n or len(np.unique(other)) < n:
        return 0.0, False
    mean, variance = (n**2 - 1) / 3, (n - 2) * (n + 1) * (4 * n - 7) / 90
    first, second = (np.argsort(np.argsort(values)) for values in (one, other))
    steps = min(
        int(np.abs(np.diff(ranks[np.argsort(by)])).sum())
        for by, ranks in ((first, second), (second, first))
    )
    # Of the steps, half go up, with the variance (n + 1) / 12.
    ups = int((np.diff(second[np.argsort(first)]) > 0).sum())
    beyond = max(
        (mean - steps) / math.sqrt(variance), abs(ups - (n - 1) / 2) / math.sqrt((n + 1) / 12)
    )
    return 1 - steps / mean, math.log(4) + float(stats.norm.logsf(beyond)) <= math.log(LEVEL)


def side(positions: Values, other: Values, blocks: pl.Series | None = None) -> Agreement | None:
    """Return how positions that are spread differently follow an order; None if by chance.

    The middle of many rows lies near the middle of a shuffled file, that of one row anywhere. On
    which side it lies is chance for both, so only the signs are taken as random.
    """
    pairs = _paired(positions, other, blocks)
    ranks, others = (pairs[name].to_numpy() for name in ("one_place", "other_place"))
    products = ranks * others
    scale = math.sqrt(float(products @ products))
    if not scale:
        return None
    beyond = float(products.sum()) / scale
    correlation = float(products.sum() / math.sqrt((ranks @ ranks) * (others @ others)))
    # An exact bound for sums of random signs, whatever their sizes.
    chance = math.log(2) - beyond**2 / 2
    return Agreement(correlation, 0.0) if chance <= math.log(LEVEL) else None
