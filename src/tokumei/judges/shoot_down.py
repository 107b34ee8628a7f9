"""Whether a guess shoots the release down: the rule of PWSCUP 2018."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import narwhals as nw
from annotated_types import Gt, Interval
from typing_extensions import Doc

from tokumei.contracts import Answer, Guess, Score
from tokumei.parameters import Checked
from tokumei.registry import AS_IT_IS, judge
from tokumei.tables import height
from tokumei.theory.shooting_down import ALPHA, P, threshold


@judge("shoot-down", spark=AS_IT_IS)
@dataclass(frozen=True, kw_only=True)
class ShootDown(Checked):
    """1 if the guess has so many right lines that the release is shot down, otherwise 0.

    A guess of n lines shoots down with r(n) right ones: the smallest k from 1 on for which the sum
    of :math:`C(n, i) p^i` over i = k, ..., n is below alpha, or n + 1 where none is. With the
    defaults, the rule of PWSCUP 2018, all of 7 lines must be right, or 65 of 100.

    The lines are the heaviest values of every target; where several are equally heavy, each is a
    line. A line that is repeated counts once: otherwise one sure line, said seven times, would
    shoot down any release.

    Limits: it says whether, not how many, and of one guess only.
    """

    p: Annotated[
        float,
        Interval(gt=0, lt=1),
        Doc("Chance that a line is right by luck, as the rule sees it."),
    ] = P
    alpha: Annotated[
        float, Gt(0), Doc("The smaller, the more right lines are needed to shoot down.")
    ] = ALPHA

    def count(self, guess: Guess, answer: Answer, /) -> tuple[int, int]:
        """Return the number of lines, and how many of them are right."""
        said = guess.pairs.group_by("target", "value").agg(nw.col("weight").max())
        heaviest = said.group_by("target").agg(heaviest=nw.col("weight").max())
        lines = (
            said.join(heaviest, on="target", how="inner")
            .filter(nw.col("weight") == nw.col("heaviest"))
            .select("target", "value")
        )
        truth = answer.pairs.select("target", "value").unique()
        right = lines.join(truth, on=["target", "value"], how="inner")
        return height(lines), height(right)

    def __call__(self, guess: Guess, answer: Answer, /) -> Score:
        lines, right = self.count(guess, answer)
        shot = right >= threshold(lines, p=self.p, alpha=self.alpha)
        return Score(
            name="shoot-down", value=float(shot), better="lower", range=(0.0, 1.0), n=lines
        )
