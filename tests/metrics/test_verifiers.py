"""What is left of a guarantee in a release, by hand: cells, rows, groups, and whose they are."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import polars as pl
import pytest

from tokumei import History, Risk, Score, publish
from tokumei.attacks import Random
from tokumei.cells import intervals
from tokumei.contracts import Metric
from tokumei.draws import derive
from tokumei.errors import SchemaError, Unachievable
from tokumei.history import ROW
from tokumei.judges import HitRate
from tokumei.metrics import (
    CellsChanged,
    DecoyViolations,
    IdenticalGroups,
    Indistinguishable,
    NotASubset,
    RowsAdded,
    RowsDeleted,
    UncoveredCells,
)
from tokumei.metrics.identical_groups import group_sizes
from tokumei.metrics.indistinguishable import kinds_of_customers
from tokumei.metrics.kept_rows import kept_rows
from tokumei.registry import spec
from tokumei.tables import frame, table
from tokumei.threats import FullKnowledge


def changed(history: History, *columns: pl.Series | pl.Expr) -> History:
    return history.with_purchases(history.frame().with_columns(*columns))


def invented(history: History) -> History:
    """The same rows, but none of them is one of the original."""
    rows = history.frame()
    return history.add_rows(rows.drop(ROW)).with_purchases(
        history.add_rows(rows.drop(ROW)).frame().filter(pl.col(ROW) < 0)
    )


def twins(history: History) -> History:
    """Bob, and Dan with the rows of Bob."""
    bob = history.with_purchases(history.frame().filter(person="Bob"))
    return bob.add_rows(bob.frame().drop(ROW).with_columns(person=pl.lit("Dan")))


# Cells and rows


def test_the_scores_say_their_direction_their_range_and_of_how_many(fruit: History) -> None:
    release = publish(fruit, fruit, secret=b"1")
    assert [metric(fruit, release, seed=1) for metric in (CellsChanged(), UncoveredCells())] == [
        Score("cells-changed", 0.0, "lower", (0.0, 1.0), 32),
        Score("uncovered-cells", 0.0, "lower", (0.0, 1.0), 32),
    ]
    assert [metric(fruit, release, seed=1) for metric in (RowsAdded(), RowsDeleted())] == [
        Score("rows-added", 0.0, "lower", (0.0, math.inf), 8),
        Score("rows-deleted", 0.0, "lower", (0.0, 1.0), 8),
    ]
    assert NotASubset()(fruit, release, seed=1) == Score("Y1-subset", 0.0, "lower", (0.0, 1.0), 4)
    assert DecoyViolations()(fruit, release, seed=1) == Score(
        "decoy-violations", 0, "lower", (0.0, math.inf), 8
    )


@pytest.mark.parametrize("metric", [CellsChanged(), UncoveredCells()])
def test_a_column_that_is_not_released_is_not_compared(
    fruit: History, metric: CellsChanged | UncoveredCells
) -> None:
    release = publish(fruit, fruit.with_purchases(fruit.frame().drop("price")), secret=b"1")
    score = metric(fruit, release, seed=1)
    assert (score.value, score.n) == (0, 24)


def test_where_no_row_is_kept_no_cell_is_changed(fruit: History) -> None:
    score = CellsChanged()(fruit, publish(fruit, invented(fruit), secret=b"1"), seed=1)
    assert (score.value, score.n) == (0, 0)


def test_a_release_of_which_nothing_can_be_compared_is_not_verified(fruit: History) -> None:
    """A key may call every row invented: 0 uncovered cells of 0 would be no finding."""
    with pytest.raises(Unachievable, match=r"^Nothing can be verified: by the key, no row of"):
        UncoveredCells()(fruit, publish(fruit, invented(fruit), secret=b"1"), seed=1)
    bare = fruit.with_purchases(fruit.frame().select(ROW, "person"))
    with pytest.raises(Unachievable, match=r"^Nothing can be verified: by the key, no column of"):
        UncoveredCells()(fruit, publish(fruit, bare, secret=b"1"), seed=1)


def test_an_interval_without_an_end_covers_nothing(fruit: History) -> None:
    """To a sort NaN is the largest number; 999 does not lie between 1 and NaN."""
    prices = fruit.frame()["price"]
    endless = pl.Series([math.nan] * 8)
    for lo, hi in ((prices, endless), (endless, prices), (endless, endless)):
        release = publish(fruit, changed(fruit, intervals(lo.alias("price"), hi)), secret=b"1")
        assert UncoveredCells()(fruit, release, seed=1).value == 8 / 32


@pytest.mark.parametrize(
    "metric", [UncoveredCells(), CellsChanged(), RowsDeleted(), RowsAdded(), DecoyViolations()]
)
def test_a_key_that_cannot_be_right_is_refused(fruit: History, metric: Metric) -> None:
    """One origin for all rows would hide what is lost; a short key, what is not compared."""
    release = publish(fruit, fruit, secret=b"1")
    rows = frame(release.key.rows)
    one = rows.with_columns(origin=pl.lit(3, pl.Int64))
    for wrong, said in (
        (one, "may be one row of the release; by the key, row 4 is 8"),
        (rows[:5], "The key is for 5 rows, but 8 are public"),
    ):
        with pytest.raises(SchemaError, match=said):
            metric(fruit, replace(release, key=replace(release.key, rows=table(wrong))), seed=1)


def test_a_cell_that_does_not_hold_the_truth_is_uncovered(fruit: History) -> None:
    """Prices that are two dearer lie outside 3 of 8 intervals from 2 to 5, and of 8 exact ones."""
    price = fruit.frame()["price"] + 2
    dearer = publish(fruit, changed(fruit, price), secret=b"1")
    assert UncoveredCells()(fruit, dearer, seed=1).value == 8 / 32
    wide = intervals(pl.Series("price", [2.0] * 8), pl.Series([5.0] * 8))
    release = publish(fruit, changed(fruit, wide), secret=b"1")
    assert UncoveredCells()(fruit, release, seed=1).value == 3 / 32
    assert CellsChanged()(fruit, release, seed=1).value == 8 / 32


def test_kept_rows_stand_in_the_order_of_the_original_beside_what_they_were(fruit: History) -> None:
    """Three rows are deleted and one is invented."""
    some = fruit.with_purchases(fruit.frame().filter(~pl.col(ROW).is_in([1, 4, 6])))
    some = some.add_rows(fruit.frame().filter(person="Dan").head(1).drop(ROW))
    dearer = publish(fruit, changed(some, pl.col("price") + 1), secret=b"1")
    rows = frame(kept_rows(fruit, dearer, ["price"]))
    assert rows["origin"].to_list() == [0, 2, 3, 5, 7]
    assert rows["price/true"].to_list() == [1.2, 4.0, 2.5, 4.0, 4.0]
    assert rows["price"].to_list() == [2.2, 5.0, 3.5, 5.0, 5.0]
    backwards = fruit.with_purchases(fruit.frame().reverse())
    assert frame(kept_rows(backwards, dearer, ["price"])).equals(rows)


# Whose rows they are


@pytest.mark.parametrize(
    ("column", "change", "found"),
    [
        ("item", lambda rows: pl.lit("kiwi").alias("item"), 0.25),
        ("price", lambda rows: pl.col("price") + 1, 0.25),
        ("quantity", lambda rows: pl.col("quantity") + 1, 0.25),
        ("time", lambda rows: pl.col("time") + timedelta(days=1), 0.25),
        ("time within the day", lambda rows: pl.col("time") + timedelta(hours=3), 0.0),
    ],
)
def test_one_changed_cell_makes_a_customer_another(
    fruit: History, column: str, change: Callable[[pl.DataFrame], pl.Expr], found: float
) -> None:
    """The first row is Alice's, one of four customers."""
    rows = fruit.frame().sort(ROW)
    other = pl.concat([rows[:1].with_columns(change(rows)), rows[1:]])
    release = publish(fruit, fruit.with_purchases(other), secret=b"1")
    assert NotASubset()(fruit, release, seed=1) == Score("Y1-subset", found, "lower", (0.0, 1.0), 4)


def test_two_foreign_rows_of_a_customer_count_as_one_customer(fruit: History) -> None:
    release = publish(fruit, changed(fruit, pl.col("price") + 1), secret=b"1")
    assert NotASubset()(fruit, release, seed=1).value == 1
    dan = pl.when(person="Dan").then(pl.lit("kiwi")).otherwise("item").alias("item")
    release = publish(fruit, changed(fruit, dan), secret=b"1")
    assert NotASubset()(fruit, release, seed=1).value == 0.25


def test_a_row_without_an_owner_is_nobodys(fruit: History) -> None:
    release = publish(fruit, fruit, secret=b"1")
    known = frame(release.key.pseudonyms)[1:]
    lost = replace(release, key=replace(release.key, pseudonyms=table(known)))
    assert NotASubset()(fruit, lost, seed=1).value == 0.25


def test_comparing_rows_needs_their_columns_exact(fruit: History) -> None:
    bare = fruit.with_purchases(fruit.frame().drop("price"))
    price = fruit.frame()["price"]
    wide = changed(fruit, intervals(price, price + 1))
    for history, shown in ((bare, fruit), (fruit, bare), (fruit, wide)):
        release = publish(fruit, shown, secret=b"1")
        with pytest.raises(SchemaError, match="To compare rows"):
            NotASubset()(history, release, seed=1)
    with pytest.raises(SchemaError, match="To compare cells, every price must be exact"):
        UncoveredCells()(wide, publish(fruit, fruit, secret=b"1"), seed=1)


def test_exchanged_histories_are_found_though_every_row_is_real(fruit: History) -> None:
    names = pl.col("person").replace({"Alice": "Bob", "Bob": "Alice"})
    release = publish(fruit, changed(fruit, names), secret=b"1")
    assert NotASubset()(fruit, release, seed=1).value == 0.5


# Groups


def test_equal_customers_are_one_group(fruit: History) -> None:
    release = publish(fruit, twins(fruit), secret=b"1")
    knows = (
        "The attacker knows every purchase of every customer; pseudonyms, basket numbers and the "
        "order of rows are random."
    )
    assert IdenticalGroups()(fruit, release, seed=1) == Score(
        "identical-groups", 2.0, "higher", (1.0, math.inf), 1, assumes=knows
    )
    assert Indistinguishable(by="rows")(fruit, release, seed=1) == Score(
        "indistinguishable-rows", 0.5, "lower", (0.0, 1.0), 2, assumes=knows
    )
    assert Indistinguishable()(fruit, release, seed=1) == Score(
        "indistinguishable-items",
        0.5,
        "lower",
        (0.0, 1.0),
        2,
        assumes="The attacker looks at item sets alone; the release shows more.",
    )


def test_the_smallest_group_counts(fruit: History) -> None:
    alone = twins(fruit).add_rows(fruit.frame().filter(person="Alice").drop(ROW))
    release = publish(fruit, alone, secret=b"1")
    score = IdenticalGroups()(fruit, release, seed=1)
    assert (score.value, score.n) == (1, 2)


def test_the_sizes_of_groups_rise() -> None:
    items = ["tea"] * 5 + ["rice"] + ["salt"] * 4 + ["milk"] * 2 + ["eggs"] * 3
    rows = pl.DataFrame({"person": [f"c{number}" for number in range(15)], "item": items})
    purchases = rows.with_row_index(ROW).cast({ROW: pl.Int64})
    assert group_sizes(History(table(purchases))).tolist() == [1, 2, 3, 4, 5]


def test_an_item_bought_twice_makes_no_other_set(fruit: History) -> None:
    more = twins(fruit).add_rows(fruit.frame().filter(person="Dan", item="grape").drop(ROW))
    release = publish(fruit, more, secret=b"1")
    assert Indistinguishable(by="items")(fruit, release, seed=1).value == 0.5
    assert Indistinguishable(by="rows")(fruit, release, seed=1).value == 1


def kinds(rows: list[tuple[str, ...]], names: list[str], by: str = "rows") -> int:
    """How many kinds of customers these rows have; the first column is the customer."""
    purchases = pl.DataFrame(rows, schema=names, orient="row").with_row_index(ROW)
    found = kinds_of_customers(History(table(purchases.cast({ROW: pl.Int64}))), by=by)
    assert found["person"].is_unique().all()
    return found["kind"].n_unique()


def test_the_order_of_rows_and_baskets_makes_no_other_customer() -> None:
    ann = [("Ann", "1", "tea"), ("Ann", "1", "rice"), ("Ann", "2", "salt")]
    ben = [("Ben", "3", "salt"), ("Ben", "4", "rice"), ("Ben", "4", "tea")]
    names = ["person", "basket", "item"]
    assert kinds(ann + ben, names) == 1
    assert kinds(ann + ben, names, by="items") == 1
    bare = [(person, item) for person, _, item in ann + ben]
    assert kinds(bare, ["person", "item"]) == 1


def test_values_are_not_run_together() -> None:
    """Joined without a mark between them, a + bc and ab + c would be the same."""
    apart = [("Ann", "a"), ("Ann", "bc"), ("Ben", "ab"), ("Ben", "c")]
    assert kinds(apart, ["person", "item"], by="items") == 2
    assert kinds(apart, ["person", "item"]) == 2
    in_baskets = [(person, person, item) for person, item in apart]
    assert kinds(in_baskets, ["person", "basket", "item"]) == 2
    in_a_row = [("Ann", "a", "bc"), ("Ben", "ab", "c")]
    assert kinds(in_a_row, ["person", "item", "shop"]) == 2


@pytest.mark.parametrize("mark", "\x1b\x1c\x1d\x1e\x1f")
def test_a_value_may_hold_a_mark_that_stands_between_values(mark: str) -> None:
    one = [("Ann", f"a{mark}b"), ("Ben", "a"), ("Ben", "b")]
    assert kinds(one, ["person", "item"], by="items") == 2
    assert kinds(one, ["person", "item"]) == 2
    in_a_row = [("Ann", f"a{mark}b", "c"), ("Ben", "a", f"b{mark}c")]
    assert kinds(in_a_row, ["person", "item", "shop"]) == 2
    escaped = [("Ann", "\x1b4"), ("Ben", "\x1f"), ("Cem", "\x1b\x1f"), ("Dan", "\x1b3")]
    assert kinds(escaped, ["person", "item"], by="items") == 4


def test_customers_without_any_column_are_all_alike() -> None:
    assert kinds([("Ann",), ("Ben",)], ["person"]) == 1


def kinds_with(people: dict[str, list[str | None]], items: dict[str, str]) -> int:
    """How many kinds customers are who bought one item each and have attributes."""
    rows = pl.DataFrame({"person": list(items), "item": list(items.values())})
    purchases = rows.with_row_index(ROW).cast({ROW: pl.Int64})
    history = History(table(purchases), table(pl.DataFrame(people)))
    found = kinds_of_customers(history, by="rows")
    assert sorted(found["person"]) == sorted(items)
    return found["kind"].n_unique()


def test_attributes_are_not_run_together() -> None:
    apart: dict[str, list[str | None]] = {
        "person": ["Ann", "Ben"],
        "a": ["a", "ab"],
        "b": ["bc", "c"],
    }
    assert kinds_with(apart, {"Ann": "tea", "Ben": "tea"}) == 2
    after_rows: dict[str, list[str | None]] = {"person": ["Ann", "Ben"], "a": ["bc", "c"]}
    assert kinds_with(after_rows, {"Ann": "a", "Ben": "ab"}) == 2


def test_customers_who_are_not_in_the_table_are_told_apart_by_that() -> None:
    people: dict[str, list[str | None]] = {"person": ["Ann"], "a": ["x"]}
    assert kinds_with(people, {"Ann": "tea", "Ben": "tea"}) == 2
    assert kinds_with(people, {"Ann": "tea", "Ben": "tea", "Cat": "rice"}) == 3
    assert kinds_with(people, {"Ann": "tea", "Ben": "tea", "Cat": "tea"}) == 2
    assert kinds_with({"person": ["Ann"]}, {"Ann": "tea", "Ben": "tea"}) == 2
    assert kinds_with({"person": ["Ann", "Ben"]}, {"Ann": "tea", "Ben": "tea"}) == 1


@pytest.mark.parametrize("column", ["price", "quantity", "item", "time"])
def test_any_column_tells_customers_apart(fruit: History, column: str) -> None:
    other = fruit.frame().filter(person="Carol")[column][0]
    cell = pl.when(pl.col("person") == "Dan").then(pl.lit(other)).otherwise(column).alias(column)
    release = publish(fruit, changed(twins(fruit), cell), secret=b"1")
    assert Indistinguishable(by="rows")(fruit, release, seed=1).value == 1


def test_customers_alone_with_their_names_are_all_alike(fruit: History) -> None:
    rows = fruit.frame().select("person", ROW).unique("person")
    release = publish(fruit, fruit.with_purchases(rows), secret=b"1")
    assert IdenticalGroups()(fruit, release, seed=1).value == 4
    with pytest.raises(SchemaError, match="compare item sets"):
        Indistinguishable(by="items")(fruit, release, seed=1)


@pytest.mark.parametrize(
    ("sexes", "kinds"), [(["f", "f"], 1), (["f", "m"], 2), (["f", None], 2), ([None, None], 1)]
)
def test_attributes_tell_customers_apart(
    fruit: History, sexes: list[str | None], kinds: int
) -> None:
    people = pl.DataFrame(
        {"person": ["Bob", "Dan"], "sex": sexes, "country": ["UK", "UK"]},
        schema_overrides={"sex": pl.String},
    )
    named = replace(twins(fruit), customers=table(people))
    release = publish(fruit, named, secret=b"1")
    assert Indistinguishable(by="rows")(fruit, release, seed=1).value == kinds / 2
    assert Indistinguishable(by="items")(fruit, release, seed=1).value == 1 / 2


# Decoys


def with_a_decoy(history: History, basket: str | None) -> History:
    """Alice gets a grape."""
    grape = history.frame().filter(person="Alice").drop(ROW)
    return history.add_rows(
        grape.with_columns(pl.lit(basket, pl.String).alias("basket"), item=pl.lit("grape"))
    )


def stray(history: History, release_of: History, **settings: str) -> int | None:
    release = publish(history, release_of, secret=b"1")
    found = DecoyViolations(**settings).counts(history, release)  # type: ignore[arg-type]
    return found.get("decoys outside a real basket")


def test_a_decoy_must_lie_in_a_basket_of_its_own_customer(fruit: History) -> None:
    assert stray(fruit, with_a_decoy(fruit, "a1")) == 0
    assert stray(fruit, with_a_decoy(fruit, "b1")) == 1
    assert stray(fruit, with_a_decoy(fruit, "new")) == 1
    assert stray(fruit, with_a_decoy(fruit, None)) == 1


def test_purchases_without_a_basket_are_no_decoys(fruit: History) -> None:
    loose = changed(fruit, pl.lit(None, pl.String).alias("basket"))
    assert stray(loose, loose) == 0


def test_baskets_are_not_looked_at_where_rows_are_shared_or_there_are_none(fruit: History) -> None:
    assert stray(fruit, with_a_decoy(fruit, "new"), share="rows") is None
    bare = fruit.with_purchases(fruit.frame().drop("basket"))
    assert stray(bare, bare) is None


def test_violations_of_all_kinds_are_added(fruit: History) -> None:
    """Alice loses her only purchase and gets a decoy; a price changes; all four stand alone."""
    rows = with_a_decoy(fruit, "new").frame().filter(pl.col(ROW) != 0)
    price = pl.when(pl.col(ROW) == 3).then(9.99).otherwise("price").alias("price")
    release = publish(fruit, fruit.with_purchases(rows.with_columns(price)), secret=b"1")
    metric = DecoyViolations(min_size=3)
    assert metric.counts(fruit, release) == {
        "customers in a group that is too small": 4,
        "original purchases missing": 1,
        "original purchases under another customer": 0,
        "cells of original purchases changed": 1,
        "decoys outside a real basket": 1,
    }
    assert metric(fruit, release, seed=1).value == 7


def test_purchases_under_another_customer_are_violations(fruit: History) -> None:
    """Alice and Bob exchange their histories: 1 and 2 purchases."""
    names = pl.col("person").replace({"Alice": "Bob", "Bob": "Alice"})
    release = publish(fruit, changed(fruit, names), secret=b"1")
    found = DecoyViolations().counts(fruit, release)
    assert {name: count for name, count in found.items() if count} == {
        "original purchases under another customer": 3
    }


# Risk


def test_the_baseline_of_a_risk_is_a_blind_guess(fruit: History) -> None:
    score = Risk(attack=Random())(fruit, publish(fruit, fruit, secret=b"1"), seed=1)
    assert score.baseline == pytest.approx(1 / 4)
    assert (score.better, score.range, score.n) == ("lower", (0.0, 1.0), 4)


@pytest.mark.parametrize(("pairs", "names"), [(4, 1), (8, 2), (11, 2), (1, 1)])
def test_a_blind_guess_of_many_targets_names_fewer_customers(
    fruit: History, monkeypatch: pytest.MonkeyPatch, pairs: int, names: int
) -> None:
    monkeypatch.setattr("tokumei.metrics.question.BASELINE_PAIRS", pairs)
    release = publish(fruit, fruit, secret=b"1")
    for seed in range(5):
        challenge, answer = FullKnowledge()(
            fruit, release, seed=derive(seed, f"threat/{spec(FullKnowledge())}")
        )
        blind = Random(names=names)(challenge, seed=derive(seed, "baseline"))
        assert Risk()(fruit, release, seed=seed).baseline == HitRate()(blind, answer).value
