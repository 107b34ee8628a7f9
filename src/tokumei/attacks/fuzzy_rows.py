"""Finding rows again that were changed, deleted, or hidden among invented ones."""

from __future__ import annotations

from dataclasses import dataclass

from tokumei.attacks.matching import OneToOne, Top
from tokumei.attacks.naming import guess
from tokumei.attacks.nearest import nearest
from tokumei.attacks.row_coding import coded
from tokumei.contracts import Challenge, Guess
from tokumei.parameters import Checked
from tokumei.registry import attack


@attack("fuzzy-rows")
@dataclass(frozen=True, kw_only=True)
class FuzzyRows(Checked):
    r"""Name the customer from whose purchases the released rows most likely came.

    Every released row either was made from one of the customer's rows, by noise on its cells, or
    was invented; every known row either left such a row or was deleted. How often rows are
    invented and deleted, and how far dates, times of day, prices and quantities move, is learned
    from the release and the knowledge alone: customers are named by what agrees, the differences
    between their rows are counted, and they are named again, five times in all. A generalized
    cell counts by whether the value lies in it and by its width, a suppressed one not at all.

    Dates may move row by row or together by customer. Both are learned, and the attack believes
    the one under which more pseudonyms and customers are each other's best.

    A released row r and a customer with n known rows k count as the logarithm of :math:`d + (1 - d)
    \sum_k q(r, k) / n`, where d is the share of invented rows and q tells how much likelier the
    differences are between a row and its origin than between any two rows. The known rows count
    likewise. The weight is the mean over all rows of both, above that of the least likely customer.

    Limits: a row whose item was replaced counts as invented. Of very many rows that may be the
    origin, only those nearest in time are compared.
    """

    one_to_one: OneToOne = True
    top: Top = 10

    def __call__(self, challenge: Challenge, /, *, seed: int) -> Guess:
        # The compiled loops are loaded only when they run.
        from tokumei.attacks.row_noise import learn

        targets, persons, released, known = coded(challenge)
        if targets.is_empty() or persons.is_empty():
            return Guess.of({})
        likelihood = learn(released, known)
        pairs = nearest(
            likelihood.similarity,
            targets,
            persons,
            top=self.top,
            # Where pseudonyms change over time, a customer has several.
            one_to_one=self.one_to_one and len(targets) <= len(persons),
            seed=seed,
        )
        return guess(challenge, pairs)
