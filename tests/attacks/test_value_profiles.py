"""Values that are hidden by one rule for all rows still tell customers apart."""

from __future__ import annotations

import polars as pl
import pytest

from tokumei import History, Risk, generate, publish
from tokumei.attacks import ValueProfiles
from tokumei.threats import FullKnowledge


@pytest.fixture(scope="module")
def shop() -> History:
    return generate("shop", customers=40, seed=5)


def found(shop: History, **changed: pl.Expr) -> float:
    """Keep one column, changed by a rule; draw the others anew, so that they tell nothing."""
    rows = shop.frame()
    drawn = [
        rows[name].shuffle(seed=number)
        for number, name in enumerate(("item", "time", "price", "quantity"))
        if name not in changed
    ]
    hidden = rows.with_columns(**changed).with_columns(drawn).drop("basket")
    known = shop.with_purchases(rows.drop("basket"))
    release = publish(known, known.with_purchases(hidden), secret=b"1")
    return Risk(threat=FullKnowledge(), attack=ValueProfiles())(known, release, seed=1).value


@pytest.mark.parametrize(
    "changed",
    [
        {"price": pl.col("price") * 147.3 + 0.5},
        {"price": pl.col("price") % 1 + pl.int_range(pl.len()).shuffle(seed=3) % 9 + 0.0},
        {"time": pl.col("time") + pl.duration(days=1000)},
        {"time": pl.col("time") + pl.duration(hours=9)},
        {"quantity": pl.col("quantity")},
    ],
    ids=["another currency", "cents kept", "another year", "another clock", "unchanged"],
)
def test_a_rule_for_all_rows_hides_nobody(shop: History, changed: dict[str, pl.Expr]) -> None:
    assert found(shop, **changed) >= 0.8


def test_columns_that_were_drawn_anew_tell_nothing(shop: History) -> None:
    assert found(shop) <= 0.2
