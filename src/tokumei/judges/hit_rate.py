"""The share of targets that were named."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

import narwhals as nw
import polars as pl
from annotated_types import Ge
from typing_extensions import Doc

from tokumei.contracts import Answer, Guess, Score
from tokumei.parameters import Checked
from tokumei.registry import AS_IT_IS, judge
from tokumei.tables import Table, small, totals
from tokumei.theory.intervals import paired


@judge("hit-rate", spark=AS_IT_IS)
@dataclass(frozen=True, kw_only=True)
class HitRate(Checked):
    r"""The share of targets whose right value is among the heaviest guesses.

    With h values heavier than the right one and t as heavy (itself included), a target counts
    :math:`\min(1, \max(0, (top - h) / t))`: the expected hit when ties are broken at random. A
    target without a guess counts nothing. The interval allows for names that are right in pairs.

    Limits: all targets count alike. A low rate can hide that some customers, those with rare
    purchases, are found for sure.
    """

    top: Annotated[int, Ge(1), Doc("How many of the heaviest values count as named.")] = 1

    def __call__(self, guess: Guess, answer: Answer, /) -> Score:
        hits = totals(marks(guess, answer, top=self.top).select("hit"), _sum)["hit"]
        asked = small(answer.pairs.select(nw.col("target").n_unique())).item()
        value = hits / asked if asked else 0.0
        return Score(
            name="hit-rate",
            value=value,
            better="lower",
            range=(0.0, 1.0),
            n=asked,
            interval=paired(value, asked) if asked else None,
        )


def marks(guess: Guess, answer: Answer, *, top: int = 1) -> Table:
    """Return target, hit: the expected hit of every target whose right value is guessed at all."""
    said = guess.pairs.group_by("target", "value").agg(nw.col("weight").max())
    # Of several right values the heaviest counts, and one that is there twice counts once.
    right = (
        said.join(answer.pairs, on=["target", "value"], how="inner")
        .group_by("target")
        .agg(right=nw.col("weight").max())
    )
    places = (
        said.join(right, on="target", how="inner")
        .group_by("target")
        .agg(
            heavier=(nw.col("weight") > nw.col("right")).cast(nw.Int64).sum(),
            tied=(nw.col("weight") == nw.col("right")).cast(nw.Int64).sum(),
        )
    )
    return places.select("target", hit=((top - nw.col("heavier")) / nw.col("tied")).clip(0, 1))


def _sum(hits: pl.DataFrame) -> pl.DataFrame:
    # fsum: the order of rows must not show in the last digit.
    return pl.DataFrame({"hit": [math.fsum(hits["hit"])]})
