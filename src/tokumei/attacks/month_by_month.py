"""An attack on pseudonyms that change with the month, one month at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated

import polars as pl
from typing_extensions import Doc

from tokumei.attacks.ensemble import Ensemble
from tokumei.attacks.naming import asks_by_month, pseudonyms
from tokumei.cells import low
from tokumei.contracts import Attack, Challenge, Guess
from tokumei.draws import derive
from tokumei.errors import SchemaError
from tokumei.history import months
from tokumei.parameters import Checked
from tokumei.registry import attack
from tokumei.tables import frame, table

ALONE = "To attack month by month, every pseudonym must lie in one month"


@attack("month-by-month")
@dataclass(frozen=True, kw_only=True)
class MonthByMonth(Checked):
    """Let another attack name the pseudonyms of each month from what is known of that month.

    Where pseudonyms change with the month, a pseudonym shows one month of a customer and is best
    compared with that month; within it each customer has one pseudonym, so that the other attack
    may name each customer once. Knowledge without dates is the same in every month.

    Limits: dates that were moved into another month are compared with the wrong one.
    """

    attack: Annotated[Attack, Doc("The attack that names the pseudonyms of a month.")] = Ensemble()

    def __call__(self, challenge: Challenge, /, *, seed: int) -> Guess:
        said = [
            frame(self.attack(part, seed=derive(seed, month)).pairs)
            for month, part in _by_month(challenge)
        ]
        return Guess(pl.concat(said)) if said else Guess.of({})


def _by_month(challenge: Challenge) -> Iterator[tuple[str, Challenge]]:
    if asks_by_month(challenge):
        raise SchemaError("To attack month by month, the customer of each pseudonym must be asked.")
    released = challenge.release.frame()
    if "time" not in released.columns or low(released["time"]).null_count():
        raise SchemaError(f"{ALONE}; the release has rows without a time.")
    shown = released.select("person", month=months(low(released["time"])))
    lasting = shown.unique().filter(pl.col("person").is_duplicated())
    if len(lasting):
        raise SchemaError(f"{ALONE}; some have rows in several.")
    known = challenge.known.frame()
    dated = "time" in known.columns and not known.schema["time"].is_nested()
    known_months = months(known["time"]) if dated else None
    asked = pseudonyms(challenge)
    for month in shown["month"].unique().sort():
        part = challenge.release.with_purchases(released.filter(shown["month"] == month))
        targets = part.frame()["person"].unique()
        targets = targets.filter(targets.is_in(asked.implode())).sort()
        seen = challenge.known
        if known_months is not None:
            seen = seen.with_purchases(known.filter(known_months == month))
        if targets.is_empty() or not seen.rows:
            continue
        yield (
            month,
            replace(
                challenge,
                release=part,
                known=seen,
                targets=table(targets.alias("target").to_frame()),
            ),
        )
