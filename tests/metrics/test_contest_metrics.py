"""The utilities of PWSCUP 2017 and 2018, by hand."""

from __future__ import annotations

from datetime import date

import polars as pl
import pytest

from tokumei import History, publish, read
from tokumei.anonymizers import GeneralizeAtRandom, PerturbAmounts
from tokumei.cells import covers, intervals
from tokumei.metrics import (
    DateError,
    InformationLoss,
    ItemSimilarity,
    PriceError,
    TopItemsList,
    TopItemsSimilarity,
)


@pytest.fixture
def store() -> History:
    """Two customers; tea and rice by the dozen, salt in single pieces."""
    rows = [
        ("Ann", date(2011, 1, 3), "tea", 1.0, 12),
        ("Ann", date(2011, 1, 3), "rice", 2.0, 24),
        ("Ann", date(2011, 1, 4), "salt", 4.0, 5),
        ("Ben", date(2011, 1, 10), "tea", 1.0, 100),
        ("Ben", date(2011, 1, 20), "salt", 4.0, 1),
    ]
    names = ["person", "time", "item", "price", "quantity"]
    return read(pl.DataFrame(rows, schema=names, orient="row"))


def changed(history: History, *columns: pl.Series | pl.Expr) -> History:
    return history.with_purchases(history.frame().with_columns(*columns))


def test_wholesale_counts_dozens_up_to_six(store: History) -> None:
    """Tea: Ann 1, Ben 6; rice: Ann 2. One pair, cosine 2 / (sqrt(37) 2) = 0.1644."""
    release = publish(store, store, secret=b"1")
    score = ItemSimilarity()(store, release, seed=0)
    assert (score.name, score.value, score.n) == ("E1", 0, 1)
    without_rice = store.with_purchases(store.frame().filter(pl.col("item") != "rice"))
    gone = ItemSimilarity()(store, publish(store, without_rice, secret=b"1"), seed=0)
    assert gone.value == 1
    one_dozen = changed(
        store, pl.when(pl.col("person") == "Ben").then(12).otherwise("quantity").alias("quantity")
    )
    closer = ItemSimilarity()(store, publish(store, one_dozen, secret=b"1"), seed=0)
    # Tea is now (1, 1): cosine 1 / sqrt(2) = 0.7071; the difference exceeds w itself.
    assert closer.value == 1


def test_retail_drops_what_is_bought_by_the_dozen(store: History) -> None:
    """Only salt is bought in pieces: no pair, so nothing can be lost."""
    release = publish(store, store, secret=b"1")
    score = ItemSimilarity(sales="retail")(store, release, seed=0)
    assert (score.name, score.value, score.n) == ("E2", 0, 0)


def test_the_list_of_favorites_prefers_larger_names(store: History) -> None:
    """Tea and salt have two customers, rice one; of two the larger name comes first: tea."""
    swapped = changed(store, pl.col("item").replace({"tea": "salt"}))
    release = publish(store, swapped, secret=b"1")
    assert TopItemsList(k=1)(store, release, seed=0).value == 1
    assert TopItemsList(k=2)(store, release, seed=0).value == 0.5
    assert TopItemsList(k=100)(store, release, seed=0).value == 0


def test_similarity_of_favorites_sees_them_part(store: History) -> None:
    """Tea and salt are bought by both: cosine 1. Without Ben's salt it is 1 / sqrt(2)."""
    apart = store.with_purchases(store.frame()[:4])
    score = TopItemsSimilarity(k=2)(store, publish(store, apart, secret=b"1"), seed=0)
    assert score.value == pytest.approx(1 - 2**-0.5)


def test_a_suppressed_item_is_like_no_other(store: History) -> None:
    """Salt is suppressed: tea (Ann, Ben) and rice (Ann) are left, one pair."""
    hidden = changed(store, pl.col("item").replace({"salt": None}))
    release = publish(hidden, hidden, secret=b"1")
    for metric in (ItemSimilarity(), TopItemsSimilarity()):
        score = metric(hidden, release, seed=0)
        assert (score.value, score.n) == (0, 1)
    assert TopItemsList()(hidden, release, seed=0).n == 2


def test_moved_days_and_changed_prices_are_shared_by_all_rows(store: History) -> None:
    moved = changed(store, pl.col("time") + pl.duration(days=pl.int_range(pl.len())))
    release = publish(store, moved.with_purchases(moved.frame()[1:]), secret=b"1")
    assert DateError()(store, release, seed=0).value == (1 + 2 + 3 + 4) / (31 * 5)
    halved = changed(
        store, pl.when(pl.col("item") == "salt").then(2.0).otherwise("price").alias("price")
    )
    release = publish(store, halved, secret=b"1")
    assert PriceError()(store, release, seed=0).value == pytest.approx(2 * 0.5 / 5)


def test_information_loss_of_each_kind_of_cell(store: History) -> None:
    rows = store.frame()
    lo, hi = rows["quantity"], pl.Series([14, 24, 5, 100, 1])
    wide = changed(
        store,
        intervals(lo, hi).alias("quantity"),
        pl.Series("item", [["tea", "salt"], ["rice"], None, ["tea"], ["salt"]]),
    )
    spread = rows["quantity"].std(ddof=0)
    quantity = ((12 - 12) ** 2 + (14 - 12) ** 2 + 2) / (2 * spread * 3) / 5
    item = (0.5 + 1) / 5
    score = InformationLoss()(store, publish(store, wide, secret=b"1"), seed=0)
    assert score.value == pytest.approx((quantity + item) / 4, abs=1e-12)


def test_a_deleted_row_is_lost_and_a_wrong_value_counts_as_far_as_it_is_off(
    store: History,
) -> None:
    first = store.with_purchases(store.frame()[1:])
    assert InformationLoss()(store, publish(store, first, secret=b"1"), seed=0).value == 1 / 5
    raised = changed(store, pl.col("quantity") + 3)
    spread = store.frame()["quantity"].std(ddof=0)
    value = InformationLoss()(store, publish(store, raised, secret=b"1"), seed=0).value
    assert value == pytest.approx(3 / spread / 4)


def test_random_generalization_keeps_the_truth_in_every_cell(shop: History) -> None:
    wide = GeneralizeAtRandom(suppress=0.2, share=0.7)(shop, seed=4)
    both = shop.frame().sort("row"), wide.frame().sort("row")
    for name in ("time", "item", "price", "quantity"):
        assert covers(both[1][name], both[0][name]).all()
        assert both[1][name].null_count() / shop.rows == pytest.approx(0.2, abs=0.03)
    loss = InformationLoss()(shop, publish(shop, wide, secret=b"1"), seed=0).value
    less = GeneralizeAtRandom(suppress=0.1, share=0.2)(shop, seed=4)
    assert InformationLoss()(shop, publish(shop, less, secret=b"1"), seed=0).value < loss < 1


def test_a_perturbed_release_loses_information_too(shop: History) -> None:
    release = publish(shop, PerturbAmounts(price=0.2)(shop, seed=1), secret=b"1")
    assert 0 < InformationLoss()(shop, release, seed=0).value < 0.1
