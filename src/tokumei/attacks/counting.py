"""What the attacks on numbers share: how well one count fits another when a share was kept."""

from __future__ import annotations

import numpy as np
import polars as pl

from tokumei.attacks.naming import people, pseudonyms
from tokumei.contracts import Challenge
from tokumei.draws import Floats
from tokumei.history import History

SLACK = 0.25
"""Added to the variance of a count: equal counts fit best even where nothing was deleted."""


def purchases_of(challenge: Challenge) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the rows of the pseudonyms and of the customers that the question is about."""
    return (
        _rows_of(challenge.release, pseudonyms(challenge)),
        _rows_of(challenge.known, people(challenge)),
    )


def _rows_of(history: History, asked: pl.Series) -> pl.DataFrame:
    return history.frame().filter(pl.col("person").is_in(asked.implode()))


def counted(rows: pl.DataFrame) -> tuple[pl.Series, Floats]:
    """Return who has rows, sorted, and how many."""
    counts = rows.group_by("person").len().sort("person")
    return counts["person"], counts["len"].to_numpy().astype(np.float64)


def kept_share(released: Floats, known: Floats) -> float:
    """Return the typical number of released rows for a known one; above 1 where fewer are known.

    The n-th part of the released customers by size is compared with the n-th part of the known
    ones, and the middle of the ratios counts: rows invented for some customers do not move it.
    """
    parts = np.linspace(0, 1, max(len(released), len(known)))
    return float(np.median(np.quantile(released, parts) / np.quantile(known, parts)))


def misfit(released: Floats, known: Floats, share: float) -> Floats:
    """Return half the squared distance of counts from what is expected, in standard deviations.

    If a share below 1 of the known rows was released, each by itself, a count of b becomes a
    binomial one with mean share b. Above 1, the known rows are a share of the released ones.
    """
    if share > 1:
        released, known, share = known, released, 1 / share
    variance = share * (1 - share) * known + SLACK
    distance: Floats = (released - share * known) ** 2 / (2 * variance)
    return distance
