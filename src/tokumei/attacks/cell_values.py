"""Comparing the values of each column by itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tokumei.attacks.counting import purchases_of
from tokumei.attacks.exact_row import comparable
from tokumei.attacks.gaining import gains
from tokumei.attacks.matching import OneToOne, Top
from tokumei.attacks.naming import guess
from tokumei.attacks.nearest import nearest
from tokumei.contracts import Challenge, Guess
from tokumei.draws import Floats
from tokumei.parameters import Checked
from tokumei.registry import attack


@attack("cell-values")
@dataclass(frozen=True, kw_only=True)
class CellValues(Checked):
    """Name the customer whose cells hold the same values, each column by itself.

    A price, a shop or a card that few customers have in their rows tells who it is, whatever the
    other cells of the row say. For every column that release and knowledge share, the weight adds
    the logarithm of how much likelier the customer makes the pseudonym's values if half of them are
    the customer's own and half are anybody's, averaged over them; plus the same with the two
    exchanged. Rare values count most.

    Limits: a value that was changed by a cent is another value.
    """

    one_to_one: OneToOne = False
    top: Top = 10

    def __call__(self, challenge: Challenge, /, *, seed: int) -> Guess:
        released, known = purchases_of(challenge)
        names = comparable(challenge.release, challenge.known)
        if released.is_empty() or known.is_empty():
            return Guess.of({})
        targets, persons = (rows["person"].unique().sort() for rows in (released, known))
        columns = [gains(released, known, name, targets, persons) for name in names]

        def similarity(block: slice) -> Floats:
            similar: Floats = np.sum([column(block) for column in columns], axis=0)
            return similar

        pairs = nearest(
            similarity, targets, persons, top=self.top, one_to_one=self.one_to_one, seed=seed
        )
        return guess(challenge, pairs)
