"""Comparing what was bought."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from typing_extensions import Doc

from tokumei.attacks.matching import ItemWeights, OneToOne, Top, distinct_items, match
from tokumei.attacks.naming import guess
from tokumei.contracts import Challenge, Guess
from tokumei.errors import ParameterError
from tokumei.parameters import Checked
from tokumei.registry import attack


@attack("jaccard", spark="attacks:jaccard")
@dataclass(frozen=True, kw_only=True)
class Jaccard(Checked):
    """Name the customer whose set of items is most similar to the released one.

    The similarity of two sets is their jaccard coefficient: the items that both have, divided by
    the items that either has, counted by their weights. It is the weight of the guess. Equally
    similar customers stay equally heavy, and where more tie than may be named, the seed draws
    which, each as likely. A target that shares no item with anybody is not named.

    With a and b the items of the two and c those of both, it is :math:`c / (a + b - c)`.

    Limits: prices, quantities and dates are not looked at, and customers with equal item sets
    cannot be told apart.

    References
    ----------
    [harada2017] Algorithm 1. Differs: the paper does not say how ties are broken.

    """

    weights: ItemWeights = "none"
    one_to_one: OneToOne = False
    top: Top = 10
    search: Annotated[
        Literal["exact", "minhash"],
        Doc("Compare all sets, or on Spark only those that MinHash finds alike."),
    ] = "exact"

    def __call__(self, challenge: Challenge, /, *, seed: int) -> Guess:
        if self.search != "exact":
            raise ParameterError("One machine searches exactly; minhash is for Spark tables.")
        released, known = (
            distinct_items(history, to="compare item sets")
            for history in (challenge.release, challenge.known)
        )
        idf = self.weights == "idf"
        pairs = match(
            challenge, released, known, top=self.top, one_to_one=self.one_to_one, idf=idf, seed=seed
        )
        return guess(challenge, pairs)
