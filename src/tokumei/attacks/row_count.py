"""Comparing how many rows customers have."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tokumei.attacks.counting import counted, kept_share, misfit, purchases_of
from tokumei.attacks.matching import OneToOne, Top
from tokumei.attacks.naming import guess
from tokumei.attacks.nearest import nearest
from tokumei.contracts import Challenge, Guess
from tokumei.draws import Floats
from tokumei.parameters import Checked
from tokumei.registry import attack


@attack("row-count")
@dataclass(frozen=True, kw_only=True)
class RowCount(Checked):
    r"""Name the customer whose number of rows fits best.

    It needs no cell of the release: who has 57 rows has 57 rows, whatever is written in them. How
    many rows were deleted, or are unknown to the attacker, is learned from the counts of all
    customers: the typical ratio of released to known rows. A count of a fits one of b if it is
    likely when every row is kept with that ratio as its chance. Where the ratio tells nothing
    because rows were invented, the place among all customers still does.

    With the ratio r and :math:`D = (a - r b)^2 / (2 r (1 - r) b + 1/2)`, the weight is
    :math:`(1 / (1 + D) + 1 - |x - y|^{1/2}) / 2`, where x and y are the places of the two counts
    among all, from 0 to 1.

    Limits: customers with few rows have many others with as many.
    """

    one_to_one: OneToOne = False
    top: Top = 10

    def __call__(self, challenge: Challenge, /, *, seed: int) -> Guess:
        released, known = purchases_of(challenge)
        if released.is_empty() or known.is_empty():
            return Guess.of({})
        (targets, ours), (persons, theirs) = counted(released), counted(known)
        share = kept_share(ours, theirs)
        our_places, their_places = _places(ours), _places(theirs)

        def similarity(block: slice) -> Floats:
            fit = 1 / (1 + misfit(ours[block, np.newaxis], theirs, share))
            apart = np.sqrt(abs(our_places[block, np.newaxis] - their_places))
            similar: Floats = (fit + 1 - apart) / 2
            return similar

        pairs = nearest(
            similarity, targets, persons, top=self.top, one_to_one=self.one_to_one, seed=seed
        )
        return guess(challenge, pairs)


def _places(counts: Floats) -> Floats:
    """Return the place of each count among all, from 0 to 1; equal ones share their middle."""
    below = np.searchsorted(np.sort(counts), counts, side="left")
    upto = np.searchsorted(np.sort(counts), counts, side="right")
    places: Floats = (below + upto) / (2 * len(counts))
    return places
