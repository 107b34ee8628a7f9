"""Rows found again although they were changed, deleted, or hidden among invented ones."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from profiles import found

from tokumei import History, Risk, publish, read
from tokumei.anonymizers import (
    Chain,
    Decoys,
    DeleteRows,
    GeneralizeAtRandom,
    PerturbAmounts,
    ShiftDates,
)
from tokumei.attacks import CandidateIntersection, ExactRow, FuzzyRows, TimeProfile
from tokumei.attacks.row_coding import UNTOLD, coded
from tokumei.attacks.row_noise import CLASSES, COUNT, learn
from tokumei.errors import SchemaError
from tokumei.history import ROW
from tokumei.tables import frame, table
from tokumei.threats import FullKnowledge, ItemSets, PartialRows

NAMES = ["person", "time", "item", "price", "quantity"]


@pytest.fixture
def known() -> History:
    rows = [
        ("Ann", date(2011, 1, 3), "tea", 1.00, 2),
        ("Ann", date(2011, 1, 9), "rice", 4.00, 1),
        ("Ben", date(2011, 3, 4), "tea", 1.50, 3),
        ("Ben", date(2011, 3, 20), "rice", 4.50, 1),
    ]
    return read(pl.DataFrame(rows, schema=NAMES, orient="row"))


def changed(known: History, *cells: pl.Expr, **columns: pl.Expr) -> History:
    return known.with_purchases(known.frame().with_columns(*cells, **columns))


def first(names: dict[str, dict[str, float]]) -> dict[str, str]:
    return {person: max(weights, key=weights.__getitem__) for person, weights in names.items()}


def rate(attack, history: History, anonymized: History, threat=None) -> float:
    release = publish(history, anonymized, secret=b"2")
    return Risk(attack=attack, threat=threat or FullKnowledge())(history, release, seed=3).value


def test_a_cent_and_a_day_more_hide_nobody(known: History) -> None:
    moved = changed(known, pl.col("price") + 0.01, pl.col("time") + pl.duration(days=1))
    assert first(found(known, moved, FuzzyRows())) == {"Ann": "Ann", "Ben": "Ben"}


def test_a_pseudonym_may_have_more_rows_than_the_customer(known: History) -> None:
    rows = known.frame()
    extra = rows.select(pl.exclude(ROW)).with_columns(
        person=pl.col("person").replace({"Ann": "Ben", "Ben": "Ann"}),
        quantity=pl.lit(9, dtype=pl.Int64),
    )
    both = known.add_rows(extra.with_columns(time=pl.lit(date(2011, 2, 4))))
    assert found(known, both, CandidateIntersection()) == {}
    assert first(found(known, both, FuzzyRows())) == {"Ann": "Ann", "Ben": "Ben"}


def test_dates_alone_are_enough(known: History) -> None:
    bare = known.with_purchases(known.frame().select(ROW, "person", "time"))
    moved = changed(bare, pl.col("time") + pl.duration(days=2))
    assert first(found(bare, moved, FuzzyRows())) == {"Ann": "Ann", "Ben": "Ben"}


def test_items_alone_are_enough(known: History) -> None:
    bare = known.with_purchases(
        known.frame().select(ROW, "person", item=pl.Series(["salt", "rice", "tea", "rice"]))
    )
    assert first(found(bare, bare, FuzzyRows())) == {"Ann": "Ann", "Ben": "Ben"}


def test_suppressed_cells_are_coded_as_untold_and_intervals_by_their_ends(known: History) -> None:
    hidden = changed(
        known,
        pl.when(pl.col(ROW) > 0).then("item"),
        pl.struct(lo=pl.col("quantity"), hi=pl.col("quantity") + 1).alias("quantity"),
    )
    challenge, _ = FullKnowledge()(known, publish(known, hidden, secret=b"1"), seed=1)
    targets, persons, released, owned = coded(challenge)
    assert len(targets) == len(persons) == 2
    assert np.diff(released.starts).tolist() == [1, 1, 1, 1]
    # The buckets are rice, tea, and all rows.
    assert sorted(released.buckets.tolist()) == [0, 0, 1, 2]
    assert np.diff(owned.begin).tolist() == [2, 2, 4]
    assert sorted(released.rarity.tolist()) == [1.0, 2.0, 2.0, 2.0]
    assert (released.low[:, 2] < released.high[:, 2]).all()
    assert (released.low != UNTOLD).all()


@given(st.integers(-4096, 4096), st.integers(-4096, 4096))
def test_a_larger_difference_is_never_in_a_lower_class(one: int, two: int) -> None:
    first, second = CLASSES[one + 4096], CLASSES[two + 4096]
    assert (first <= second) if one <= two else (first >= second)
    assert CLASSES[4096 - one] == COUNT - 1 - first
    assert (first == COUNT // 2) == (one == 0)


def test_what_happened_to_the_rows_is_learned(shop: History) -> None:
    """A third of the rows gone; each date up to 3 days off."""
    steps = (DeleteRows(share=1 / 3), ShiftDates(days=3, together="row"))
    anonymized = Chain(steps=steps)(shop, seed=1)
    challenge, _ = FullKnowledge()(shop, publish(shop, anonymized, secret=b"1"), seed=1)
    noise = learn(*coded(challenge)[2:]).noise
    assert noise.lost == pytest.approx(1 / 3, abs=0.03)
    assert noise.invented.max() <= 0.03
    days = noise.ratio[0][CLASSES[4096 + np.array([-20, -3, 0, 3, 20])]]
    assert (days[1:4] > 5).all()
    assert (days[[0, 4]] < 1).all()


def test_dates_that_move_together_are_followed_by_customer(shop: History) -> None:
    """A row for each visit, with the day and the sum spent."""
    price = (pl.col("price") * pl.col("quantity")).sum().round(2)
    visits = shop.frame().group_by("person", time=pl.col("time").cast(pl.Date)).agg(price)
    spent = read(visits.sort("person", "time").rename({"person": "customer"}))
    steps = (ShiftDates(days=30, together="customer"), PerturbAmounts(price=0.3))
    moved = Chain(steps=steps)(spent, seed=1)
    challenge, _ = FullKnowledge()(spent, publish(spent, moved, secret=b"1"), seed=1)
    assert len(learn(*coded(challenge)[2:]).noise.offset) > 1
    assert rate(FuzzyRows(), spent, moved) > 0.75
    assert rate(TimeProfile(one_to_one=True), spent, moved) < 0.7


def test_decoys_and_noise_together_hide_few(shop: History) -> None:
    steps = (
        Decoys(clusters=15, min_size=4, seconds=0.1),
        ShiftDates(days=60, together="row"),
        PerturbAmounts(price=0.9, quantity=0.9),
        DeleteRows(share=0.5),
    )
    anonymized = Chain(steps=steps)(shop, seed=1)
    days = anonymized.with_purchases(anonymized.frame().with_columns(pl.col("time").cast(pl.Date)))
    assert rate(FuzzyRows(), shop, days) > 0.8
    assert rate(FuzzyRows(), shop, days, PartialRows(share=0.5)) > 0.7
    assert rate(CandidateIntersection(), shop, days) < 0.5
    assert rate(ExactRow(), shop, days) < 0.5


def test_generalized_cells_among_decoys_hide_nobody(shop: History) -> None:
    steps = (Decoys(clusters=15, min_size=4, seconds=0.1), GeneralizeAtRandom())
    assert rate(FuzzyRows(), shop, Chain(steps=steps)(shop, seed=1)) > 0.95


def test_an_empty_release_is_answered_with_nothing(fruit: History) -> None:
    challenge, _ = FullKnowledge()(fruit, publish(fruit, fruit, secret=b"1"), seed=1)
    nothing = challenge.release.with_purchases(challenge.release.frame().clear())
    assert frame(FuzzyRows()(replace(challenge, release=nothing), seed=1).pairs).is_empty()


def test_more_pseudonyms_than_customers_may_share_one(fruit: History) -> None:
    """Where pseudonyms change every month, Dan has two."""
    release = publish(fruit, fruit, secret=b"1", period="monthly")
    challenge, _ = FullKnowledge()(fruit, release, seed=1)
    pairs = frame(FuzzyRows(top=1)(challenge, seed=1).pairs)
    assert len(pairs) == len(frame(challenge.targets)) == 5
    assert (pairs["value"] == "Dan").sum() == 2


def test_a_column_must_be_shared(fruit: History) -> None:
    challenge, _ = ItemSets()(fruit, publish(fruit, fruit, secret=b"1"), seed=1)
    bare = challenge.release.frame().select(ROW, "person", "price")
    challenge = replace(challenge, release=replace(challenge.release, purchases=table(bare)))
    with pytest.raises(SchemaError, match="must share a column"):
        FuzzyRows()(challenge, seed=1)


@pytest.mark.realdata
def test_pwscup2016_under_decoys_noise_and_deletion_is_found_by_its_rows(real_data) -> None:
    history = read(real_data / "data/pwscup2016/T.csv", format="pwscup2016")
    history = changed(history, pl.col("time").cast(pl.Date))
    decoys = Decoys(clusters=100, min_size=4, seconds=2)(history, seed=1)
    steps = (
        ShiftDates(days=90, together="row"),
        PerturbAmounts(price=0.9, quantity=0.9),
        DeleteRows(share=0.5),
    )
    blurred = Chain(steps=steps)(decoys, seed=3)
    assert rate(FuzzyRows(), history, blurred) > 0.92
    assert rate(FuzzyRows(), history, GeneralizeAtRandom()(decoys, seed=3)) > 0.98


@pytest.mark.realdata
@pytest.mark.parametrize(
    ("days", "together", "amounts", "least"),
    [(3, "row", 0.05, 0.8), (7, "row", 0.1, 0.64), (7, "customer", 0.1, 0.64),
     (30, "customer", 0.3, 0.49)],
)  # fmt: skip
def test_cdnow_without_items_is_found_by_days_and_amounts(
    real_data, days: int, together, amounts: float, least: float
) -> None:
    rows = pl.read_parquet(real_data / "data/other/cdnow.parquet").filter(
        pl.col("dollar_value") > 0
    )
    rows = rows.rename({"dollar_value": "price", "number_of_cds": "quantity"})
    chosen = rows["customer_id"].unique().sort().sample(1000, seed=1)
    history = read(rows.filter(pl.col("customer_id").is_in(chosen.implode())))
    steps = (
        ShiftDates(days=days, together=together),
        PerturbAmounts(price=amounts, quantity=amounts),
    )
    assert rate(FuzzyRows(), history, Chain(steps=steps)(history, seed=3)) > least
