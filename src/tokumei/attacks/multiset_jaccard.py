"""Comparing how much was bought."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from tokumei.attacks.matching import OneToOne, Top, match
from tokumei.attacks.naming import guess
from tokumei.contracts import Challenge, Guess
from tokumei.history import History
from tokumei.parameters import Checked
from tokumei.registry import attack

GRAIN = 1_000
"""Quantities that are not whole numbers are compared to thousandths."""


@attack("multiset-jaccard")
@dataclass(frozen=True, kw_only=True)
class MultisetJaccard(Checked):
    r"""Name the customer who bought most nearly the same items in the same quantities.

    With :math:`a_j` and :math:`b_j` the quantity of item j in all rows, the similarity is
    :math:`\sum_j \min(a_j, b_j) / \sum_j \max(a_j, b_j)`. Items whose quantities sum to 0 or less
    (returned goods) are left out. Ties are treated as by jaccard.

    Limits: an item bought by the thousand outweighs all others.

    References
    ----------
    [harada2016] Section 3.2.

    """

    one_to_one: OneToOne = False
    top: Top = 10

    def __call__(self, challenge: Challenge, /, *, seed: int) -> Guess:
        both = (challenge.release, challenge.known)
        for history in both:
            history.require("item", "quantity", to="compare quantities of items")
        schemas = (history.purchases.collect_schema() for history in both)
        grain = 1 if all(schema["quantity"].is_integer() for schema in schemas) else GRAIN
        released, known = (_quantities(history, grain) for history in both)
        pairs = match(
            challenge, released, known, top=self.top, one_to_one=self.one_to_one, seed=seed
        )
        return guess(challenge, pairs)


def _quantities(history: History, grain: int) -> pl.DataFrame:
    rows = history.frame().select("person", "item", "quantity").drop_nulls()
    amount = (pl.col("quantity").sum() * grain).round().cast(pl.Int64)
    return rows.group_by("person", "item").agg(amount=amount).filter(pl.col("amount") > 0)
