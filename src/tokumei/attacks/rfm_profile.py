"""Comparing how recently, how often and how much customers bought."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from tokumei.attacks.matching import OneToOne, Top
from tokumei.attacks.naming import guess, people, pseudonyms
from tokumei.attacks.nearest import nearest
from tokumei.contracts import Challenge, Guess
from tokumei.draws import Floats
from tokumei.history import History
from tokumei.parameters import Checked
from tokumei.registry import attack
from tokumei.rfm import analyze


@attack("rfm-profile")
@dataclass(frozen=True, kw_only=True)
class RfmProfile(Checked):
    r"""Name the customer whose recency, frequency and spend are nearest.

    In each of the three, the customers of the release have places from 0 to 1, and so have those of
    the knowledge: whoever knows only some of the purchases, whose sums are all smaller, still finds
    the places. The weight is 1 minus the mean of the square roots of the three differences: two
    places that agree count more than three that nearly do. Generalized cells stand for the middle
    of their interval.

    With the places x of the released and y of the known customer, it is :math:`1 - \sum |x -
    y|^{1/2} / 3`.

    Limits: the more customers there are, the fewer are told apart by three numbers.
    """

    one_to_one: OneToOne = False
    top: Top = 10

    def __call__(self, challenge: Challenge, /, *, seed: int) -> Guess:
        targets, released = _places(challenge.release, pseudonyms(challenge))
        persons, known = _places(challenge.known, people(challenge))

        def similarity(block: slice) -> Floats:
            roots: list[Floats] = [
                np.sqrt(abs(ours[block, np.newaxis] - theirs))
                for ours, theirs in zip(released.T, known.T, strict=True)
            ]
            similar: Floats = 1 - np.mean(roots, axis=0)
            return similar

        pairs = nearest(
            similarity, targets, persons, top=self.top, one_to_one=self.one_to_one, seed=seed
        )
        return guess(challenge, pairs)


def _places(history: History, asked: pl.Series) -> tuple[pl.Series, Floats]:
    """Return who has purchases, and the rank of each in R, F and M, from 0 to 1."""
    found = analyze(history).filter(pl.col("person").is_in(asked.implode()))
    # Equal customers share the middle of their places, whether two or a hundred are equal.
    places = found.select((pl.col("R", "F", "M").rank("average") - 0.5) / pl.len())
    return found["person"], places.to_numpy()
