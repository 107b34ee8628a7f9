"""Yamaoka anonymization: legal in a contest, and protects nobody."""

from __future__ import annotations

from dataclasses import dataclass

import narwhals as nw
import numpy as np
import polars as pl

from tokumei.draws import keys_of, uniform
from tokumei.errors import Unachievable
from tokumei.history import History
from tokumei.parameters import Checked
from tokumei.registry import anonymizer
from tokumei.tables import Table, settle, table


@anonymizer("yamaoka")
@dataclass(frozen=True, kw_only=True)
class Yamaoka(Checked):
    """Leave the data as it is and hand each customer's history to another name.

    The rules of PWSCUP 2016 allowed to permute the answer. A contest's judge then counts every
    right guess as wrong, while in truth everybody can be found. Here the customers are moved around
    one random circle. It exists so that an audit can show that it is caught.

    References
    ----------
    [harada2017] Section 3.1.

    """

    def __call__(self, history: History, /, *, seed: int) -> History:
        persons = pl.Series("person", history.persons())
        if len(persons) < 2:
            raise Unachievable("Yamaoka anonymization needs at least two customers; there is one.")
        circle = persons[np.argsort(uniform(seed, "yamaoka", keys_of(persons)), kind="stable")]
        moved = table(pl.DataFrame({"person": circle, "_next": circle.gather(_next(len(circle)))}))

        def rename(rows: Table) -> Table:
            names = rows.collect_schema().names()
            joined = rows.join(moved, on="person", how="left")
            return settle(joined.with_columns(person=nw.col("_next")).select(names))

        customers = rename(history.customers) if history.customers is not None else None
        return History(rename(history.purchases), customers, history.source)


def _next(length: int) -> list[int]:
    return [*range(1, length), 0]
