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
from tokumei.history import History, months
from tokumei.parameters import Checked
from tokumei.registry import attack
from tokumei.tables import frame, table

TO = "To attack month by month,"


@attack("month-by-month")
@dataclass(frozen=True, kw_only=True)
class MonthByMonth(Checked):
    """Let another attack name the pseudonyms of each month, twice, and believe the surer name.

    Where pseudonyms change with the month, each customer has one pseudonym in a month, so that the
    other attack may name each customer once. It is asked with what is known of that month, and with
    all that is known: dates may have been moved into another month. The weights of both add up.

    Limits: it does not link the months of a customer with each other.
    """

    attack: Annotated[Attack, Doc("The attack that names the pseudonyms of a month.")] = Ensemble()

    def __call__(self, challenge: Challenge, /, *, seed: int) -> Guess:
        said: list[pl.DataFrame] = []
        refusal: SchemaError | None = None
        for month, part in _by_month(challenge):
            try:
                said.append(frame(self.attack(part, seed=derive(seed, month)).pairs))
            except SchemaError as error:  # it may apply to other months
                refusal = error
        if refusal is not None and not said:
            raise refusal
        if not said:
            return Guess.of({})
        pairs = pl.concat(said).group_by("target", "value").agg(pl.col("weight").sum())
        return Guess(pairs.with_columns(pl.col("weight").round(9)))


def _by_month(challenge: Challenge) -> Iterator[tuple[str, Challenge]]:
    """Yield the questions about each month: with the knowledge of the month, and with all of it."""
    if asks_by_month(challenge):
        raise SchemaError(f"{TO} the customer of each pseudonym must be asked.")
    released, asked = challenge.release.frame(), pseudonyms(challenge)
    if "time" not in released.columns or low(released["time"]).null_count():
        raise SchemaError(f"{TO} every released row must have a time.")
    month_of = months(low(released["time"]))
    if released.select("person", month_of).unique()["person"].is_duplicated().any():
        raise SchemaError(f"{TO} every pseudonym must lie in one month; some lie in several.")
    for month in month_of.unique().sort():
        rows = released.filter(month_of == month)
        targets = rows.select(target="person").unique().sort("target")
        targets = targets.filter(pl.col("target").is_in(asked.implode()))
        part = replace(
            challenge, release=challenge.release.with_purchases(rows), targets=table(targets)
        )
        for known in _views(challenge.known, month):
            if known.rows and len(targets):
                yield month, replace(part, known=known)


def _views(known: History, month: str) -> Iterator[History]:
    yield known
    rows = known.frame()
    if "time" in rows.columns and not rows.schema["time"].is_nested():
        yield known.with_purchases(rows.filter(months(rows["time"]) == month))
