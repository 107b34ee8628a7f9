"""Guessing without looking."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import polars as pl
from annotated_types import Ge
from typing_extensions import Doc

from tokumei.contracts import Challenge, Guess
from tokumei.draws import integers, keys_of
from tokumei.parameters import Checked
from tokumei.registry import attack
from tokumei.tables import frame


@attack("random", spark="attacks:random_names")
@dataclass(frozen=True, kw_only=True)
class Random(Checked):
    """Name customers drawn at random for every target.

    The baseline: an attack that does no better has learned nothing.

    With n customers it is right with probability 1/n.
    """

    names: Annotated[int, Ge(1), Doc("How many customers to name for each target, all alike.")] = 1

    def __call__(self, challenge: Challenge, /, *, seed: int) -> Guess:
        targets = frame(challenge.targets)["target"].sort()
        candidates = frame(challenge.candidates)["value"].sort()
        if self.names >= len(candidates):
            pairs = targets.to_frame().join(candidates.to_frame(), how="cross")
            return Guess(pairs.with_columns(weight=pl.lit(1.0)))
        keys, last = keys_of(targets), len(candidates) - 1
        drawn = [integers(seed, f"random/{name}", keys, 0, last) for name in range(self.names)]
        pairs = pl.concat(
            pl.DataFrame({"target": targets, "value": candidates.gather(numbers)})
            for numbers in drawn
        )
        return Guess(pairs.unique().with_columns(weight=pl.lit(1.0)))
