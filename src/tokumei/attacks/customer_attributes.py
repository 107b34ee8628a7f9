"""Comparing what is known about the customers themselves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from tokumei.attacks.matching import Top
from tokumei.attacks.naming import guess, people, pseudonyms
from tokumei.attacks.nearest import nearest
from tokumei.contracts import Challenge, Guess
from tokumei.draws import Floats
from tokumei.errors import SchemaError
from tokumei.parameters import Checked
from tokumei.registry import attack
from tokumei.tables import frame

Ints = npt.NDArray[np.int64]


@attack("customer-attributes")
@dataclass(frozen=True, kw_only=True)
class CustomerAttributes(Checked):
    """Name the customer whose attributes agree most with those in the released customers table.

    A birth date, a sex and a country name most people. A value that d of n customers have counts as
    ln(n / d) where it agrees, and nothing where it differs; the sum is the weight. Customers with
    the same attributes stay equally heavy.

    Limits: a value that was changed or generalized counts as different, even if it is only a day
    off.
    """

    top: Top = 10

    def __call__(self, challenge: Challenge, /, *, seed: int) -> Guess:
        released, known, shared = _tables(challenge)
        columns = [_coded(released[name], known[name]) for name in shared]

        def similarity(block: slice) -> Floats:
            found: Floats = np.zeros((len(released[block]), len(known)))
            for theirs, ours, worth in columns:
                found += (theirs[block, np.newaxis] == ours) * worth
            return found

        pairs = nearest(similarity, released["person"], known["person"], top=self.top, seed=seed)
        return guess(challenge, pairs)


def _coded(released: pl.Series, known: pl.Series) -> tuple[Ints, Ints, Floats]:
    """Return a number for every value, of both sides, and what it is worth that a known one agrees.

    A suppressed value agrees with nothing.
    """
    values = pl.concat([released, known]).drop_nulls().unique().sort()
    numbers = pl.int_range(len(values), eager=True)
    theirs, ours = (
        column.replace_strict(values, numbers, default=missing, return_dtype=pl.Int64).to_numpy()
        for column, missing in ((released, -1), (known, -2))
    )
    present = ours[ours >= 0]
    buyers = np.bincount(present, minlength=len(values))
    worth = np.zeros(len(ours))
    worth[ours >= 0] = np.log(len(ours) / buyers[present])
    return theirs, ours, worth


def _tables(challenge: Challenge) -> tuple[pl.DataFrame, pl.DataFrame, list[str]]:
    if challenge.release.customers is None or challenge.known.customers is None:
        raise SchemaError(
            "To compare attributes of customers, release and knowledge need a customers table."
        )
    released, known = frame(challenge.release.customers), frame(challenge.known.customers)
    shared = [
        name
        for name in released.columns
        if name != "person"
        and released[name].dtype == known.schema.get(name)
        and not released[name].dtype.is_nested()
    ]
    if not shared:
        raise SchemaError(
            "To compare attributes of customers, both customers tables must share an exact column."
        )
    asked = pseudonyms(challenge).implode(), people(challenge).implode()
    return (
        released.filter(pl.col("person").is_in(asked[0])),
        known.filter(pl.col("person").is_in(asked[1])),
        shared,
    )
