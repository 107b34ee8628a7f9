"""Y1-subset: whether a customer's rows are its own."""

from __future__ import annotations

from dataclasses import dataclass

import narwhals as nw

from tokumei.contracts import Release, Score
from tokumei.history import History
from tokumei.parameters import Checked
from tokumei.registry import AS_IT_IS, metric
from tokumei.tables import Table, small

COMPARED = ("item", "price", "quantity")


@metric("not-a-subset", spark=AS_IT_IS)
@dataclass(frozen=True, kw_only=True)
class NotASubset(Checked):
    """Share of released customers with a row that the customer behind the pseudonym never had.

    Rows are compared by item, price, quantity and day. It catches Yamaoka anonymization, in which
    every history stands under another name. After Y1-subset of PWSCUP 2016.

    Limits: one changed cell makes a customer count as much as an exchanged history does.
    """

    def __call__(self, history: History, release: Release, /, *, seed: int) -> Score:
        history.require(*COMPARED, "time", to="compare rows")
        release.public.require(*COMPARED, "time", to="compare rows")
        names = release.key.pseudonyms.select("pseudonym", owner=nw.col("person"))
        released = _by_day(release.public.purchases).join(
            names, left_on="person", right_on="pseudonym", how="left"
        )
        own = _by_day(history.purchases).rename({"person": "owner"}).unique()
        foreign = released.join(own, on=["owner", *COMPARED, "_day"], how="anti")
        found, asked = (
            small(part.select(nw.col("person").n_unique())).item() for part in (foreign, released)
        )
        return Score("Y1-subset", found / asked, "lower", (0.0, 1.0), asked)


def _by_day(purchases: Table) -> Table:
    day = nw.col("time").cast(nw.Date)
    return purchases.with_columns(_day=day).select("person", *COMPARED, "_day")
