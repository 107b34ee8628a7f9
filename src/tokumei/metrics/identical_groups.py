"""k, as it is in the release: how many customers are alike in every cell."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from tokumei.contracts import Release, Score
from tokumei.history import History
from tokumei.metrics.indistinguishable import ASSUMES, kinds_in_release, kinds_of_customers
from tokumei.parameters import Checked
from tokumei.registry import metric


@metric("identical-groups")
@dataclass(frozen=True, kw_only=True)
class IdenticalGroups(Checked):
    """Size of the smallest group of customers whose released rows are all equal.

    Counted in the public part, whatever the method promised; all customers in it count, also those
    without purchases. Only pseudonyms that show purchases of somebody who made none in the original
    make no group larger: an attacker who knows the original rules them out. With groups of at least
    k, and if pseudonyms, basket numbers and the order of rows are random, an attacker names any
    single customer with a probability of at most 1/k, whatever the attacker knows.

    Limits: one customer alone makes it 1; the value does not say how many are alone. That the
    pseudonyms and the order are random cannot be seen in the release.
    """

    def __call__(self, history: History, release: Release, /, *, seed: int) -> Score:
        sizes = _sizes(kinds_in_release(history, release, by="rows"))
        return Score(
            "identical-groups",
            float(sizes.min()),
            "higher",
            (1.0, math.inf),
            len(sizes),
            assumes=ASSUMES["rows"],
        )


def group_sizes(public: History) -> npt.NDArray[np.int64]:
    """Return the sizes of the groups of customers who cannot be told apart, in rising order."""
    return _sizes(kinds_of_customers(public, by="rows"))


def _sizes(kinds: pl.DataFrame) -> npt.NDArray[np.int64]:
    return kinds["kind"].value_counts()["count"].sort().to_numpy().astype(np.int64)
