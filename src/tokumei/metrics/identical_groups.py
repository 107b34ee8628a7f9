"""k, as it is in the release: how many customers are alike in every cell."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tokumei.contracts import Release, Score
from tokumei.history import History
from tokumei.metrics.indistinguishable import kinds_of_customers
from tokumei.parameters import Checked
from tokumei.registry import metric


@metric("identical-groups")
@dataclass(frozen=True, kw_only=True)
class IdenticalGroups(Checked):
    """Size of the smallest group of customers whose released rows are all equal.

    Computed from the public part alone, whatever the method promised. In groups of at least k an
    attacker who knows everything about everybody names a customer rightly with probability 1/k at
    most.

    Limits: a single customer who stands alone makes it 1; how many there are, indistinguishable
    tells.
    """

    def __call__(self, history: History, release: Release, /, *, seed: int) -> Score:
        sizes = group_sizes(release.public)
        return Score(
            "identical-groups",
            float(sizes.min()),
            "higher",
            (1.0, math.inf),
            len(sizes),
            assumes="The attacker knows every purchase of every customer.",
        )


def group_sizes(public: History) -> npt.NDArray[np.int64]:
    """Return the sizes of the groups of customers who cannot be told apart, in rising order."""
    kinds = kinds_of_customers(public, by="rows")
    return kinds["kind"].value_counts()["count"].sort().to_numpy().astype(np.int64)
