"""Comparing how customers fill their baskets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from tokumei.attacks.counting import counted, kept_share, misfit, purchases_of
from tokumei.attacks.matching import OneToOne, Top
from tokumei.attacks.naming import guess
from tokumei.attacks.nearest import nearest
from tokumei.contracts import Challenge, Guess
from tokumei.draws import Floats
from tokumei.parameters import Checked
from tokumei.registry import attack

BASKETS = 100
"""How many baskets of a customer are compared, the largest first."""
CAP = 8.0
"""The most that one basket counts against a pair: four standard deviations."""


@attack("basket-sizes")
@dataclass(frozen=True, kw_only=True)
class BasketSizes(Checked):
    r"""Name the customer whose baskets have the sizes that fit best.

    Publishing gives baskets new numbers, but which rows lie in one basket stays visible. The
    baskets of a pseudonym and of a customer are put in order of their number of rows, and compared
    one by one, up to the hundredth; a missing one has no rows. Rows that were deleted, or that the
    attacker does not know, are allowed for as in row-count. The misfit of one basket counts up to
    four standard deviations, so that a basket too many does not rule a customer out.

    With the misfits :math:`D_i` of the baskets, the weight is :math:`1 / (1 + \sum D_i)`.

    Limits: customers with one or two small baskets have many others like them.
    """

    one_to_one: OneToOne = False
    top: Top = 10

    def __call__(self, challenge: Challenge, /, *, seed: int) -> Guess:
        for history in (challenge.release, challenge.known):
            history.require("basket", to="compare the sizes of baskets")
        released, known = purchases_of(challenge)
        if released.is_empty() or known.is_empty():
            return Guess.of({})
        (targets, ours), (persons, theirs) = counted(released), counted(known)
        share = kept_share(ours, theirs)
        our_sizes, their_sizes = _sizes(released, targets), _sizes(known, persons)
        compared = max(our_sizes.shape[1], their_sizes.shape[1])
        our_sizes, their_sizes = (_padded(part, compared) for part in (our_sizes, their_sizes))

        def similarity(block: slice) -> Floats:
            total = np.zeros((len(our_sizes[block]), len(persons)))
            for ours, theirs in zip(our_sizes[block].T, their_sizes.T, strict=True):
                total += np.minimum(misfit(ours[:, np.newaxis], theirs, share), CAP)
            similar: Floats = 1 / (1 + total)
            return similar

        pairs = nearest(
            similarity, targets, persons, top=self.top, one_to_one=self.one_to_one, seed=seed
        )
        return guess(challenge, pairs)


def _sizes(rows: pl.DataFrame, names: pl.Series) -> Floats:
    """Return a line for each customer: the sizes of the baskets, the largest first."""
    sizes = (
        rows.group_by("person", "basket")
        .len()
        .sort("person", "len", descending=[False, True])
        .with_columns(place=pl.int_range(pl.len()).over("person"))
        .filter(pl.col("place") < BASKETS)
    )
    who = sizes["person"].cast(pl.Enum(names)).to_physical().to_numpy()
    places = sizes["place"].to_numpy()
    lines = np.zeros((len(names), int(places.max()) + 1))
    lines[who, places] = sizes["len"].to_numpy()
    return lines


def _padded(lines: Floats, width: int) -> Floats:
    return np.pad(lines, ((0, 0), (0, width - lines.shape[1])))
