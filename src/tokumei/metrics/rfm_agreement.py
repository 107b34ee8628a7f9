"""Whether RFM analysis still says the same about customers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import polars as pl
from annotated_types import Ge
from typing_extensions import Doc

from tokumei.contracts import Release, Score
from tokumei.errors import SchemaError
from tokumei.history import History
from tokumei.parameters import Checked
from tokumei.registry import metric
from tokumei.rfm import analyze, ranks
from tokumei.tables import columns, frame


@metric("rfm-agreement", spark="rfm:rfm_agreement")
@dataclass(frozen=True, kw_only=True)
class RfmAgreement(Checked):
    """Share of customers who have the same rank of R, F and M before and after.

    R is the days since the last purchase, F the number of purchase dates, M the spend. Each is cut
    into ranks by the quantiles of its own data: the original by those of the original, the release
    by its own. Generalized cells stand for the middle of their interval, or for the mean of values
    drawn from it. A customer without a row in the release agrees in nothing.

    Limits: only ranks are compared. What shifts all customers alike is not seen.

    References
    ----------
    [kobayashi2019] Section 4.1. Differs: the expectation instead of 100 draws, unless asked for.

    """

    of: Annotated[
        Literal["R", "F", "M", "RFM"], Doc("Which rank must agree, or all three at once.")
    ] = "RFM"
    bins: Annotated[int, Ge(2), Doc("How many ranks each of them has.")] = 10
    draws: Annotated[
        int | None, Ge(1), Doc("Average so many values drawn from every interval.")
    ] = None

    def __call__(self, history: History, release: Release, /, *, seed: int) -> Score:
        if "period" in columns(release.key.pseudonyms):
            raise SchemaError("RFM analysis needs a pseudonym that lasts, not one for each month.")
        history.require("time", "price", "quantity", to="analyze recency, frequency and spend")
        before = self._ranked(analyze(history))
        after = self._ranked(analyze(release.public, draws=self.draws, seed=seed))
        owners = frame(release.key.pseudonyms).rename({"pseudonym": "person", "person": "owner"})
        after = after.join(owners, on="person").drop("person").rename({"owner": "person"})
        both = before.join(after, on="person", how="left", suffix="_after")
        same = pl.all_horizontal(pl.col(name) == pl.col(f"{name}_after") for name in self.of)
        agreeing = int(both.select(same.fill_null(value=False).sum()).item())
        n = len(before)
        return Score(f"{self.of}-agreement", agreeing / n, "higher", (0.0, 1.0), n)

    def _ranked(self, table: pl.DataFrame) -> pl.DataFrame:
        ranked = {name: ranks(table[name].to_numpy(), self.bins) for name in "RFM"}
        return pl.DataFrame({"person": table["person"], **ranked})
