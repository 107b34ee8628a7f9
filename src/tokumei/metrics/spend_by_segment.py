"""U1-cMAE and U2-cMAE: what groups of customers spend."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tokumei.contracts import Release, Score
from tokumei.history import History
from tokumei.metrics.after_pwscup2016 import segment_error
from tokumei.parameters import Checked
from tokumei.registry import metric


@metric("spend-by-sex-and-country")
@dataclass(frozen=True, kw_only=True)
class SpendBySexAndCountry(Checked):
    r"""Mean relative error of the mean spend per customer over sex and country.

    :math:`|m - m'| / m` averaged over the segments, with :math:`m` and :math:`m'` the mean spend of
    a segment's customers in the original and in the release. After U1-cMAE of PWSCUP 2016.

    Limits: a segment of one customer counts as much as the largest.
    """

    def __call__(self, history: History, release: Release, /, *, seed: int) -> Score:
        error, segments = segment_error(history, release, ("sex", "country"))
        return Score("U1-cMAE", error, "lower", (0.0, math.inf), segments)


@metric("spend-by-decade-and-country")
@dataclass(frozen=True, kw_only=True)
class SpendByDecadeAndCountry(Checked):
    """Mean relative error of the mean spend per customer over decade of birth and country.

    As spend-by-sex-and-country. After U2-cMAE of PWSCUP 2016.
    """

    def __call__(self, history: History, release: Release, /, *, seed: int) -> Score:
        error, segments = segment_error(history, release, ("decade", "country"))
        return Score("U2-cMAE", error, "lower", (0.0, math.inf), segments)
