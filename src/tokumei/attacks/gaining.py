"""What the attacks on values share: how much more likely a customer makes the values of another."""

from __future__ import annotations

import numpy as np
import polars as pl
from scipy import sparse

from tokumei.attacks.nearest import Similarity
from tokumei.draws import Floats

STRANGE = 0.5
"""The chance that a value has nothing to do with the customer: changed, invented or not known."""


def gains(
    released: pl.DataFrame, known: pl.DataFrame, value: str, targets: pl.Series, persons: pl.Series
) -> Similarity:
    """Compare the values of the targets (lines) and persons (columns); both are sorted.

    A line is read as values drawn one by one: half of them as the customer's own are spread, half
    as those of all customers are. The similarity is the logarithm of how much likelier this makes
    them, averaged over the values, plus the same with released and known exchanged. Rare values
    count most. A value counts by the logarithm of its rows + 1: the rows of one basket come
    together.
    """
    values = pl.concat([released[value], known[value]]).drop_nulls().unique().sort()
    ours, theirs = (
        _shares(rows, value, values, names)
        for rows, names in ((released, targets), (known, persons))
    )
    # Everybody counts alike, and no value has the frequency 0.
    common = np.asarray(theirs.sum(axis=0)).ravel() + np.asarray(ours.sum(axis=0)).ravel()
    frequency = common / common.sum()
    our_gains, their_gains = _gains(ours, frequency), _gains(theirs, frequency)

    def similarity(block: slice) -> Floats:
        forth = ours[block] @ their_gains.T
        back = our_gains[block] @ theirs.T
        similar: Floats = (forth + back).toarray()
        return similar

    return similarity


def _shares(
    rows: pl.DataFrame, value: str, values: pl.Series, persons: pl.Series
) -> sparse.csr_array:
    """Return a line for each customer: how its rows are shared among the values."""
    counts = rows.drop_nulls(value).group_by("person", value).len().sort("person", value)
    weights = np.log1p(counts["len"].to_numpy())
    who = counts["person"].cast(pl.Enum(persons)).to_physical().to_numpy()
    which = values.search_sorted(counts[value]).to_numpy()
    sums = np.bincount(who, weights, len(persons))
    shape = len(persons), len(values)
    return sparse.csr_array((weights / sums[who], (who, which)), shape=shape)


def _gains(shares: sparse.csr_array, frequency: Floats) -> sparse.csr_array:
    """Return the logarithm of how much likelier a customer makes each value; 0 for others."""
    odds = (1 - STRANGE) * shares.data / (STRANGE * frequency[shares.indices])
    parts = np.log1p(odds), shares.indices, shares.indptr
    return sparse.csr_array(parts, shape=shares.shape)
