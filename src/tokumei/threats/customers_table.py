"""The attacker who knows who the customers are, and no purchase."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from tokumei.contracts import Answer, Challenge, Release
from tokumei.errors import SchemaError
from tokumei.history import ROW, History
from tokumei.parameters import Checked
from tokumei.registry import threat
from tokumei.tables import table
from tokumei.threats.asking import who_is_who


@threat("customers-table")
@dataclass(frozen=True, kw_only=True)
class CustomersTable(Checked):
    """The attacker knows the attributes of every customer (sex, birth date, …), and no purchase.

    Such tables are bought and leaked; PWSCUP gave its attackers one.

    Limits: nothing is said of attackers who know a purchase.
    """

    def __call__(
        self, history: History, release: Release, /, *, seed: int
    ) -> tuple[Challenge, Answer]:
        if history.customers is None:
            raise SchemaError("To know attributes, the history needs a customers table.")
        persons = pl.DataFrame({"person": history.persons()})
        rows = persons.with_columns(pl.int_range(pl.len(), dtype=pl.Int64).alias(ROW))
        known = History(table(rows), history.customers, history.source)
        return who_is_who(
            history, release, known, "The attacker knows the attributes of every customer."
        )
