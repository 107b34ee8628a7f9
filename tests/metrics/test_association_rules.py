"""The share of association rules that a release still has."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

from tokumei import History, publish
from tokumei.cells import widened
from tokumei.errors import ParameterError, SchemaError, Unachievable
from tokumei.metrics.association_rules import AssociationRules
from tokumei.tables import table

STRONG = AssociationRules(columns="item, quantity", support=0.3, confidence=0.6)
"""Of eight purchases three are one grape; grapes occur four times, and so does a quantity of one:
`item=grape → quantity=1` and back, each with support 3/8 and confidence 3/4."""


def scored(metric: AssociationRules, history: History, **cells: pl.Expr) -> float:
    changed = history.with_purchases(history.frame().with_columns(**cells))
    return metric(history, publish(history, changed, secret=b"1"), seed=1).value


def test_an_unchanged_release_has_all_rules(fruit: History) -> None:
    score = STRONG(fruit, publish(fruit, fruit, secret=b"1"), seed=1)
    assert (score.name, score.value, score.n) == ("association-rules", 1.0, 2)
    assert (score.better, score.range) == ("higher", (0.0, 1.0))


def test_a_rule_that_lost_its_confidence_is_lost(fruit: History) -> None:
    """Six purchases of one, three of them grapes: a quantity of one now says grape in 3/6."""
    several = pl.col("item").is_in(["pear", "peach"]) & (pl.col("quantity") < 5)
    ones = pl.when(several).then(1).otherwise("quantity")
    assert scored(STRONG, fruit, quantity=ones) == 1 / 2


def test_no_rule_is_left_where_the_values_are_others(fruit: History) -> None:
    assert scored(STRONG, fruit, item=pl.col("item") + "?") == 0.0
    assert scored(STRONG, fruit, item=pl.lit(None, pl.String)) == 0.0


def with_customers(history: History, sexes: list[str]) -> History:
    attributes = pl.DataFrame(
        {
            "person": ["Alice", "Bob", "Carol", "Dan"],
            "sex": sexes,
            "country": ["Japan", "France", "Japan", "Japan"],
        }
    )
    return replace(history, customers=table(attributes))


@pytest.fixture
def people(fruit: History) -> History:
    return with_customers(fruit, ["f", "m", "f", "m"])


def test_customers_are_records_too(people: History) -> None:
    """The rule of most support and confidence is sex=f → country=Japan."""
    metric = AssociationRules(columns="sex,country", table="customers", confidence=0.6, top=1)
    assert metric(people, publish(people, people, secret=b"1"), seed=1).value == 1.0
    swapped = with_customers(people, ["f", "f", "m", "m"])
    assert metric(people, publish(people, swapped, secret=b"1"), seed=1).value == 0.0


def test_what_is_missing_is_named(fruit: History, people: History) -> None:
    release = publish(people, people, secret=b"1")
    with pytest.raises(SchemaError, match="the purchases need a column 'sex'; they have item, ti"):
        AssociationRules(columns="item,sex")(people, release, seed=1)
    with pytest.raises(SchemaError, match="customers need a column 'item'; they have sex, country"):
        AssociationRules(columns="sex,item", table="customers")(people, release, seed=1)
    with pytest.raises(SchemaError, match="needs a customers table"):
        AssociationRules(columns="sex,country", table="customers")(fruit, release, seed=1)


def test_generalized_cells_are_refused(fruit: History) -> None:
    rows = fruit.frame()
    sets = fruit.with_purchases(rows.with_columns(widened(rows["item"], "set")))
    with pytest.raises(SchemaError, match="every item must be exact"):
        STRONG(fruit, publish(fruit, sets, secret=b"1"), seed=1)


def test_an_original_without_rules_cannot_be_judged(fruit: History) -> None:
    metric = AssociationRules(columns="item,price", support=0.9)
    with pytest.raises(Unachievable, match="no association rule"):
        metric(fruit, publish(fruit, fruit, secret=b"1"), seed=1)


@pytest.mark.parametrize("columns", ["", "item", "item,item", "item,,price"])
def test_two_columns_are_needed(columns: str) -> None:
    with pytest.raises(ParameterError, match="columns must name two or more different columns"):
        AssociationRules(columns=columns)


@pytest.mark.parametrize("name", ["row", "person", "basket"])
def test_what_publishing_renames_is_refused(name: str) -> None:
    with pytest.raises(ParameterError, match=f"columns may not have '{name}'"):
        AssociationRules(columns=f"item,{name}")
