from __future__ import annotations

from dataclasses import replace
from math import log

import polars as pl
import pytest
from profiles import found, rate

from tokumei import History, publish, read
from tokumei.anonymizers import Chain, GeneralizeAtRandom, RetainReplace
from tokumei.attacks import CellValues
from tokumei.errors import SchemaError
from tokumei.tables import frame
from tokumei.threats import FullKnowledge


def test_the_weight_worked_by_hand() -> None:
    """Two values, each of one customer and half of all: ln(1 + 1 / (1/2)), forth and back."""
    history = read(pl.DataFrame({"person": ["ann", "ben"], "item": ["tea", "rice"]}))
    weight = pytest.approx(2 * log(3), abs=1e-8)
    assert found(history, history, CellValues()) == {"ann": {"ann": weight}, "ben": {"ben": weight}}


def test_one_column_that_stays_is_enough(shop: History) -> None:
    """All other columns are drawn at random."""
    steps = [
        RetainReplace(columns=name, table="purchases", rho=0.0)
        for name in ("item", "time", "quantity")
    ]
    assert rate(shop, Chain(steps=tuple(steps))(shop, seed=1), CellValues()) > 0.6


def test_who_has_nothing_but_suppressed_cells_is_not_named() -> None:
    history = read(pl.DataFrame({"person": ["ann", "ben"], "item": ["tea", "rice"]}))
    hidden = history.with_purchases(
        history.frame().with_columns(item=pl.when(pl.col("person") == "ann").then("item"))
    )
    named = found(history, hidden, CellValues())
    assert {truth: set(weights) for truth, weights in named.items()} == {"ann": {"ann"}}


def test_a_shared_exact_column_is_needed(fruit: History) -> None:
    wide = GeneralizeAtRandom()(fruit, seed=1)
    challenge, _ = FullKnowledge()(fruit, publish(fruit, wide, secret=b"1"), seed=1)
    with pytest.raises(SchemaError, match="must share an exact column"):
        CellValues()(challenge, seed=1)


def test_without_candidates_nobody_is_named(fruit: History) -> None:
    challenge, _ = FullKnowledge()(fruit, publish(fruit, fruit, secret=b"1"), seed=1)
    nobody = replace(challenge, candidates=challenge.candidates.filter(value="nobody"))
    assert frame(CellValues()(nobody, seed=1).pairs).is_empty()
