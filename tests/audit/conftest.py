"""A small shop with hostile names, and its releases."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import polars as pl
import pytest

from tokumei import History, Release, generate, publish, read
from tokumei.anonymizers import Decoys, Generalize, PseudonymsOnly, Yamaoka
from tokumei.audit.auditing import Audit, audit
from tokumei.contracts import Anonymizer

HOSTILE = "<script>alert(1)</script>"
COLUMN = "<b onclick=steal()>note"
"""A column that the user keeps, with marks in its name."""
METHODS: dict[str, Anonymizer] = {
    "pseudonyms": PseudonymsOnly(),
    "yamaoka": Yamaoka(),
    "rows": Decoys(clusters=6, min_size=4, share="rows", seconds=0.1),
    "generalized": Generalize(seconds=0.1),
}
Audited = Callable[[str], Audit]


def hostile_shop() -> History:
    """Customers, items and a column are called by what a page must not believe."""
    rows = generate("shop", customers=30, seed=3).frame().drop("row")
    common = rows["item"].value_counts(sort=True)["item"][0]
    return read(
        rows.with_columns(
            ("<script>steal('kundin-" + pl.col("person") + "')</script>").alias("person"),
            pl.col("item").replace({common: HOSTILE}),
            (pl.col("quantity") % 3).cast(pl.String).alias(COLUMN),
        ),
        person="person",
        keep=[COLUMN],
    )


@pytest.fixture(scope="session")
def audited() -> Audited:
    """Return the audit of a release by the name of its method; each is made once."""
    shop = hostile_shop()

    @cache
    def of(name: str) -> Audit:
        return audit(shop, released(shop, METHODS[name]), seed=2, command="tokumei audit …")

    return of


def released(shop: History, method: Anonymizer) -> Release:
    return publish(shop, method(shop, seed=1), secret=b"1")
