"""An own metric in one file: how far the mean price of the release is off.

Run it with `python own_metric.py`. To use it as `tokumei score` uses ours, let your package name
this module in the entry point group `tokumei.methods`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import tokumei
from tokumei import History, Release, Score
from tokumei.anonymizers import PerturbAmounts
from tokumei.parameters import Checked
from tokumei.registry import metric


@metric("mean-price-error")
@dataclass(frozen=True, kw_only=True)
class MeanPriceError(Checked):
    """Relative error of the mean price."""

    def __call__(self, history: History, release: Release, /, *, seed: int) -> Score:
        before, after = (part.frame()["price"].mean() for part in (history, release.public))
        error = abs(after - before) / before
        return Score("mean-price-error", error, "lower", (0.0, math.inf), history.rows)


if __name__ == "__main__":
    shop = tokumei.generate("shop", customers=100, seed=0)
    release = tokumei.publish(shop, PerturbAmounts(price=0.3)(shop, seed=1))
    print(MeanPriceError()(shop, release, seed=1))
