"""Whole histories, as PWSCUP 2017 counted them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import polars as pl
from typing_extensions import Doc

from tokumei.contracts import Answer, Guess, Score
from tokumei.parameters import Checked
from tokumei.registry import judge
from tokumei.tables import frame
from tokumei.theory.intervals import paired


@judge("whole-history")
@dataclass(frozen=True, kw_only=True)
class WholeHistory(Checked):
    """The share of customers of whom every target is named rightly.

    Where a threat asks for months, a customer counts when all months are right; where it asks for
    one thing only, this is the share of right targets. The heaviest value is the guess, of equally
    heavy ones the first by name; a target without a guess is taken as absent.

    Limits: one wrong month counts as all wrong. A low share can hide that most months are known.
    """

    absent: Annotated[str, Doc("What saying nothing means.")] = "DEL"

    def __call__(self, guess: Guess, answer: Answer, /) -> Score:
        truth = frame(answer.pairs)
        if "person" not in truth.columns:
            truth = truth.with_columns(person="target")
        said = frame(guess.pairs)
        if said["target"].n_unique() < len(said):
            said = said.sort("weight", "value", descending=[True, False])
            said = said.unique("target", keep="first")
        marked = truth.join(said.select("target", said="value"), on="target", how="left")
        wrong = marked.filter(pl.col("said").fill_null(self.absent) != pl.col("value"))
        n = truth["person"].n_unique()
        value = (n - wrong["person"].n_unique()) / n if n else 0.0
        interval = paired(value, n) if n else None
        return Score("whole-history", value, "lower", (0.0, 1.0), n, interval=interval)
