"""Finding known rows again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import narwhals as nw
from annotated_types import Ge
from typing_extensions import Doc

from tokumei.attacks.naming import guess
from tokumei.contracts import Challenge, Guess
from tokumei.errors import SchemaError
from tokumei.history import History
from tokumei.parameters import Checked
from tokumei.registry import AS_IT_IS, attack
from tokumei.tables import Table, settle

# A name or number that publishing replaces links nothing.
REPLACED = ("person", "basket")


@attack("exact-row", spark=AS_IT_IS)
@dataclass(frozen=True, kw_only=True)
class ExactRow(Checked):
    """Find the known purchases in the release, equal in every column.

    A released row that equals known rows votes for their customers: one vote, shared when it fits
    several. A pseudonym is guessed to be the customer with the most votes; where no row fits, the
    attack says nothing.

    Limits: a column in which every row was changed, by a cent or a minute, leaves no equal row.
    """

    top: Annotated[int, Ge(1), Doc("How many customers to name for each target at most.")] = 10

    def __call__(self, challenge: Challenge, /, *, seed: int) -> Guess:
        shared = comparable(challenge.release, challenge.known)
        released = challenge.release.purchases.select("person", *shared).rename(
            {"person": "pseudonym"}
        )
        known = challenge.known.purchases.select("person", *shared)
        owners = known.unique().with_columns(weight=1.0 / nw.len().over(*shared))
        votes = (
            released.join(owners, on=list(shared), how="inner")
            .group_by("pseudonym", "person")
            # Rounded, so that equal votes tie whatever the order in which they were added.
            .agg(nw.col("weight").sum().round(9))
        )
        return guess(challenge, settle(_heaviest(votes, self.top)))


def comparable(release: History, known: History) -> tuple[str, ...]:
    """Return the exact columns that release and knowledge share."""
    theirs, ours = release.purchases.collect_schema(), known.purchases.collect_schema()
    shared = tuple(
        name
        for name in release.visible
        if name not in REPLACED and theirs[name] == ours.get(name) and not theirs[name].is_nested()
    )
    if not shared:
        raise SchemaError("To find rows again, release and knowledge must share an exact column.")
    return shared


def _heaviest(votes: Table, top: int) -> Table:
    rank = nw.col("weight").rank("min", descending=True).over("pseudonym")
    return votes.with_columns(_rank=rank).filter(nw.col("_rank") <= top).drop("_rank")
