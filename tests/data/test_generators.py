"""The synthetic shop and the synthetic train cards: shape, repeatability and statistics."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date, time

import numpy as np
import numpy.typing as npt
import polars as pl
import pytest
from polars.testing import assert_frame_equal
from scipy.sparse import csr_array

from tokumei.data import shop, transit
from tokumei.data.shop import shop_blocks
from tokumei.data.transit import transit_blocks

Blocks = Callable[..., Iterator[pl.DataFrame]]
GENERATORS = pytest.mark.parametrize("blocks", [shop_blocks, transit_blocks])
ENDS = (
    pl.min_horizontal("entry", "exit").alias("one"),
    pl.max_horizontal("entry", "exit").alias("other"),
)


@pytest.fixture(scope="module")
def purchases() -> pl.DataFrame:
    return pl.concat(shop_blocks(1_000, seed=1))


@pytest.fixture(scope="module")
def rides() -> pl.DataFrame:
    return pl.concat(transit_blocks(1_000, seed=1))


def jaccards(rows: pl.DataFrame) -> npt.NDArray[np.float64]:
    """Return the Jaccard coefficient of the item sets of every pair of customers."""
    bought = rows.select("customer", "item").unique()
    customer, item = (bought[name].rank("dense").to_numpy() - 1 for name in bought.columns)
    matrix = csr_array((np.ones(len(bought)), (customer, item)))
    common = (matrix @ matrix.T).toarray()
    size = common.diagonal()
    jaccard: npt.NDArray[np.float64] = common / (size[:, np.newaxis] + size - common)
    return jaccard[np.triu_indices(len(size), 1)]


def test_three_customers_of_the_shop_have_the_first_three_numbers() -> None:
    [frame] = shop_blocks(3, seed=1)
    assert set(frame["customer"]) == {"C0000000", "C0000001", "C0000002"}


def test_three_cards_have_the_first_three_numbers() -> None:
    [frame] = transit_blocks(3, seed=1)
    assert set(frame["card"]) == {"T0000000", "T0000001", "T0000002"}


@GENERATORS
def test_nobody_gives_no_frames_and_a_negative_seed_is_refused(blocks: Blocks) -> None:
    assert list(blocks(0, seed=1)) == []
    with pytest.raises(ValueError, match="non-negative"):
        next(blocks(1, seed=-1))


def test_shop_columns_have_the_agreed_names_and_types(purchases: pl.DataFrame) -> None:
    assert purchases.schema == {
        "customer": pl.String,
        "basket": pl.String,
        "time": pl.Datetime("us"),
        "item": pl.String,
        "price": pl.Float64,
        "quantity": pl.Int64,
    }
    assert purchases.null_count().sum_horizontal().item() == 0


def test_transit_columns_have_the_agreed_names_and_types(rides: pl.DataFrame) -> None:
    assert rides.schema == {
        "card": pl.String,
        "time": pl.Datetime("us"),
        "entry": pl.String,
        "exit": pl.String,
        "fare": pl.Int64,
    }
    assert rides.null_count().sum_horizontal().item() == 0


@GENERATORS
def test_the_same_seed_gives_the_same_frame_and_another_seed_another(blocks: Blocks) -> None:
    [first], [again], [other] = blocks(50, seed=7), blocks(50, seed=7), blocks(50, seed=8)
    assert_frame_equal(first, again)
    assert not first.equals(other)


@GENERATORS
def test_full_blocks_do_not_depend_on_how_many_follow(
    blocks: Blocks, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (shop, transit):
        monkeypatch.setattr(module, "BLOCK", 100)
    short, long = list(blocks(200, seed=3)), list(blocks(250, seed=3))
    assert [frame[:, 0].n_unique() for frame in short] == [100, 100]
    assert [frame[:, 0].n_unique() for frame in long] == [100, 100, 50]
    for few, many in zip(short, long, strict=False):
        assert_frame_equal(few, many)


@GENERATORS
def test_blocks_have_different_people_who_do_different_things(
    blocks: Blocks, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (shop, transit):
        monkeypatch.setattr(module, "BLOCK", 100)
    first, second = blocks(200, seed=3)
    assert set(first[:, 0]).isdisjoint(second[:, 0])
    assert not first["time"].equals(second["time"])
    if "basket" in first.columns:
        assert set(first["basket"]).isdisjoint(second["basket"])


@GENERATORS
def test_rows_are_in_the_order_of_a_log(blocks: Blocks) -> None:
    [frame] = blocks(300, seed=2)
    person = frame.columns[0]
    assert_frame_equal(frame, frame.sort("time", person, maintain_order=True))


def test_prices_are_positive_with_two_decimals(purchases: pl.DataFrame) -> None:
    price = purchases["price"]
    assert (price > 0).all()
    assert price.equals(price.round(2))


def test_an_item_has_a_retail_price_and_at_most_one_lower_bulk_price(
    purchases: pl.DataFrame,
) -> None:
    assert purchases.group_by("item").agg(pl.col("price").n_unique())["price"].max() == 2
    dearest = pl.col("price") == pl.col("price").max().over("item")
    two_prices = purchases.filter(pl.col("price").n_unique().over("item") == 2)
    quantities = two_prices.group_by("item").agg(
        retail=pl.col("quantity").filter(dearest).max(),
        bulk=pl.col("quantity").filter(~dearest).min(),
    )
    assert (quantities["retail"] < quantities["bulk"]).all()


def test_items_are_five_digits_and_some_have_the_letter_of_a_color(
    purchases: pl.DataFrame,
) -> None:
    items = purchases["item"].unique()
    assert items.str.contains(r"^\d{5}[A-D]?$").all()
    assert 0.05 < items.str.contains("[A-D]$").sum() / len(items) < 0.25


def test_a_basket_has_one_customer_one_time_and_each_item_once(purchases: pl.DataFrame) -> None:
    per_basket = purchases.group_by("basket").agg(pl.col("customer", "time").n_unique())
    assert per_basket.select(pl.col("customer", "time").max()).row(0) == (1, 1)
    assert not purchases.select("basket", "item").is_duplicated().any()


def test_the_shop_sells_in_its_hours_and_never_on_saturdays(purchases: pl.DataFrame) -> None:
    when = purchases["time"]
    assert when.dt.date().is_between(date(2010, 12, 1), date(2011, 11, 30)).all()
    assert when.dt.time().is_between(time(8), time(19, 59)).all()
    assert when.equals(when.dt.truncate("1m"))
    assert 6 not in when.dt.weekday()


def test_autumn_is_the_busy_season_and_has_items_of_its_own(purchases: pl.DataFrame) -> None:
    autumn = pl.col("time").dt.month().is_between(9, 12)
    spring = pl.col("time").dt.month().is_between(2, 5)
    assert len(purchases.filter(autumn)) > 1.4 * len(purchases.filter(spring))
    items = purchases.group_by("item").agg(rows=pl.len(), only_then=autumn.all())
    assert items.filter(pl.col("rows") >= 20, pl.col("only_then")).height >= 20


def test_a_few_per_cent_of_the_customers_are_wholesalers(purchases: pl.DataFrame) -> None:
    usual = purchases.group_by("customer").agg(pl.col("quantity").median())["quantity"]
    assert 0.01 < (usual >= 36).sum() / len(usual) < 0.06
    assert purchases["quantity"].min() == 1
    assert (purchases["quantity"] >= 500).any()


def test_customers_buy_again_what_they_bought_before(purchases: pl.DataFrame) -> None:
    regulars = purchases.filter(pl.col("basket").n_unique().over("customer") >= 5)
    baskets = regulars.group_by("customer", "item").len()["len"]
    assert (baskets > 1).sum() / len(baskets) > 0.2


@pytest.mark.parametrize("seed", range(5))
def test_shop_of_400_has_the_papers_statistics(seed: int) -> None:
    rows = pl.concat(shop_blocks(400, seed=seed))
    customers = rows.group_by("customer").agg(pl.col("item", "basket").n_unique())
    sizes, baskets = customers["item"].to_numpy(), customers["basket"].to_numpy()
    pairs = jaccards(rows)
    assert len(customers) == 400
    assert 60 <= sizes.mean() <= 70
    assert 35 <= np.median(sizes) <= 48
    assert 300 <= sizes.max() <= 1_500
    assert 34_000 <= len(rows) <= 44_000
    assert 2_300 <= rows["item"].n_unique() <= 3_200
    assert 3.9 <= baskets.mean() <= 4.9
    assert np.median(baskets) <= 3
    assert 0.025 <= pairs.mean() <= 0.035
    assert 0.2 <= pairs.max() <= 0.7
    assert np.quantile(pairs, 0.99) > 3 * pairs.mean()  # some customers are alike in taste


def test_a_larger_shop_has_item_sets_of_the_same_size() -> None:
    rows = pl.concat(shop_blocks(4_000, seed=0))
    sizes = rows.group_by("customer").agg(pl.col("item").n_unique())["item"].to_numpy()
    assert 60 <= sizes.mean() <= 70


def test_a_ride_ends_at_another_station_within_the_three_months(rides: pl.DataFrame) -> None:
    assert (rides["entry"] != rides["exit"]).all()
    assert rides["time"].dt.date().is_between(date(2016, 4, 1), date(2016, 6, 30)).all()
    assert rides["time"].equals(rides["time"].dt.truncate("1m"))


def test_the_network_has_120_stations(rides: pl.DataFrame) -> None:
    assert rides["entry"].n_unique() == rides["exit"].n_unique() == 120


def test_a_fare_is_the_same_in_both_directions(rides: pl.DataFrame) -> None:
    assert rides.group_by(ENDS).agg(pl.col("fare").n_unique())["fare"].max() == 1
    assert set(rides["fare"]) <= set(transit.FARES)


def test_every_ride_starts_where_the_last_one_of_the_card_ended(rides: pl.DataFrame) -> None:
    before = pl.col("exit").shift().over("card", order_by="time")
    assert rides.select((before == pl.col("entry")).all()).item()


def test_most_rides_of_a_commuter_are_between_the_same_two_stations(rides: pl.DataFrame) -> None:
    per_pair = rides.group_by("card", *ENDS).len()
    cards = per_pair.group_by("card").agg(
        rides=pl.col("len").sum(), share=pl.col("len").max() / pl.col("len").sum()
    )
    commuters = cards.filter(pl.col("rides").is_between(90, 130), pl.col("share") > 0.5)
    assert commuters.height >= 250


def test_commuters_fill_the_trains_in_the_morning_of_working_days(rides: pl.DataFrame) -> None:
    hour, working = pl.col("time").dt.hour(), pl.col("time").dt.weekday() <= 5
    morning = rides.filter(hour.is_in([7, 8, 9]))
    assert morning.select(working.mean()).item() > 0.9


def test_rides_per_card_are_many_in_the_mean_and_unequal(rides: pl.DataFrame) -> None:
    count = rides.group_by("card").len()["len"].to_numpy()
    assert 60 <= count.mean() <= 90
    assert np.quantile(count, 0.1) < 20
    assert count.max() > 300
