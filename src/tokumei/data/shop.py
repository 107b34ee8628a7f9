"""Synthetic purchase records of an online gift wholesaler, of any size.

The catalog (items, prices, departments) is drawn once from the seed; customers are drawn block
after block, each block from its own random stream, so that a million customers need no more
memory than five thousand and the first blocks do not depend on how many follow.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

BLOCK = 5_000  # customers generated at once
BASKET_NUMBERS = 100_000  # invoice numbers set aside for each block, which uses about 22,000

CATALOG_STREAM, CUSTOMER_STREAM = 0, 1

FIRST_DAY, LAST_DAY = np.datetime64("2010-12-01"), np.datetime64("2011-11-30")
MONTHLY_SALES = [0.70, 0.65, 0.80, 0.75, 0.90, 0.85, 0.80, 0.85, 1.20, 1.40, 1.80, 1.00]
WEEKDAY_SALES = [1.0, 1.1, 1.1, 1.2, 1.0, 0.0, 0.6]  # from Monday
OPENING, LUNCH, CLOSING = 8 * 60, 12 * 60 + 30, 20 * 60  # minutes after midnight

PLAIN_DESIGNS, COLORED_DESIGNS, COLORS = 2_800, 125, "ABCD"
DEPARTMENTS = 30
TRADES = 12  # florists, toy shops, tea rooms, ...: customers of a trade have similar tastes
CHRISTMAS, EASTER, SUMMER = range(9, 13), range(2, 5), range(4, 9)  # months
SEASONS = {0: CHRISTMAS, 1: CHRISTMAS, 2: EASTER, 3: SUMMER}  # by department; others: all year
PACK_SIZES = np.array([1, 2, 3, 4, 6, 8, 10, 12, 24])
BULK_PACKS = 4  # packs of an item at which its bulk price starts

WHOLESALERS = 0.03  # share of the customers
REPURCHASE = 0.13  # share of the rows, after the first basket, that repeat an earlier purchase

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class _Catalog:
    """All items, sorted by department; arrays have one element per item unless said otherwise."""

    codes: pl.Series
    department: Integers
    shelf_ends: Floats  # running total of popularity
    department_ends: Floats  # the same at the department borders: DEPARTMENTS + 1 elements
    taste_of_trade: Floats  # TRADES x DEPARTMENTS
    retail_price: Floats
    bulk_price: Floats
    pack: Integers


@dataclass(frozen=True)
class _Baskets:
    """Baskets sorted by customer, then time; one element per basket."""

    customer: Integers
    month: Integers  # 0 is January
    time: npt.NDArray[np.datetime64]


def shop_blocks(customers: int, *, seed: int) -> Iterator[pl.DataFrame]:
    """Yield the purchases of `customers` customers, `BLOCK` customers per frame.

    A row is one item in one basket. Rows of a frame are ordered by time, then customer, as in the
    log of a shop. The frame depends only on the seed, its position, and its number of customers.
    """
    catalog = _catalog(_stream(seed, CATALOG_STREAM))
    for block, first in enumerate(range(0, customers, BLOCK)):
        rng = _stream(seed, CUSTOMER_STREAM, block)
        yield _block(rng, catalog, block, min(BLOCK, customers - first))


def _stream(seed: int, *key: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))


def _catalog(rng: np.random.Generator) -> _Catalog:
    designs = PLAIN_DESIGNS + COLORED_DESIGNS
    numbers = np.sort(rng.choice(np.arange(10_000, 100_000), designs, replace=False))
    colored = rng.permutation(designs) < COLORED_DESIGNS
    design = np.repeat(np.arange(designs), np.where(colored, len(COLORS), 1))
    codes = [
        f"{number}{color}"
        for number, in_colors in zip(numbers, colored, strict=True)
        for color in (COLORS if in_colors else [""])
    ]

    department = (rng.permutation(designs) % DEPARTMENTS)[design]
    base_price = rng.lognormal(np.log(2.1), 1.0, designs)[design]
    retail_price = np.round(np.maximum(base_price, 0.10) * 20) / 20  # shops like 0.05 steps
    discount = rng.choice([1.0, 0.9, 0.85, 0.8], designs, p=[0.4, 0.2, 0.3, 0.1])[design]
    cheapness = np.log(30 / base_price) / np.log(1.6) + rng.normal(0, 1.5, designs)[design]
    pack = PACK_SIZES[np.clip(cheapness.astype(np.int64), 0, len(PACK_SIZES) - 1)]

    # Zipf's law, flattened at the top: no gift is in every basket.
    popularity = 1 / (rng.permutation(len(codes)) + 55.0) ** 1.25
    by_department = np.argsort(department, kind="stable")
    department = department[by_department]
    shelf_ends = np.cumsum(popularity[by_department])
    borders = np.searchsorted(department, np.arange(1, DEPARTMENTS + 1))
    return _Catalog(
        codes=pl.Series(codes)[by_department],
        department=department,
        shelf_ends=shelf_ends,
        department_ends=np.concatenate([[0.0], shelf_ends[borders - 1]]),
        taste_of_trade=rng.gamma(0.18, size=(TRADES, DEPARTMENTS)),
        retail_price=np.round(retail_price, 2)[by_department],
        bulk_price=np.round(retail_price * discount, 2)[by_department],
        pack=pack[by_department],
    )


def _block(rng: np.random.Generator, catalog: _Catalog, block: int, customers: int) -> pl.DataFrame:
    rows = _activity(rng, customers)
    baskets = _baskets(rng, rows)
    basket_of_row = _fill(rng, rows, baskets)
    item_of_row = _choose_items(rng, catalog, baskets, basket_of_row, customers)

    # One sort puts the rows in log order and merges the rows of one item in one basket.
    log_order = np.lexsort((baskets.customer, baskets.time))
    rank = np.argsort(log_order)
    items = len(catalog.codes)
    line = np.unique(rank[basket_of_row] * items + item_of_row)
    item = line % items
    basket = log_order[line // items]
    customer = baskets.customer[basket]

    wholesaler = (rng.permutation(customers) < round(WHOLESALERS * customers))[customer]
    few_packs = rng.choice([1, 2, 3, BULK_PACKS], len(line), p=[0.8, 0.12, 0.04, 0.04])
    many_packs = BULK_PACKS + rng.lognormal(np.log(6), 1.0, len(line)).astype(np.int64)
    packs = np.where(wholesaler, many_packs, few_packs)
    broken_pack = ~wholesaler & (rng.random(len(line)) < 0.3)
    pack = catalog.pack[item]
    quantity = np.where(broken_pack, rng.integers(1, pack + 1), packs * pack)
    price = np.where(
        quantity >= BULK_PACKS * pack, catalog.bulk_price[item], catalog.retail_price[item]
    )

    lines = pl.DataFrame(
        {
            "customer": block * BLOCK + customer,
            "basket": block * BASKET_NUMBERS + rank[basket],
            "time": baskets.time[basket],
            "item": catalog.codes.gather(item),
            "price": price,
            "quantity": quantity,
        }
    )
    return lines.with_columns(
        pl.format("C{}", pl.col("customer").cast(pl.String).str.zfill(7)).alias("customer"),
        pl.col("basket").cast(pl.String).str.zfill(8),
    )


def _activity(rng: np.random.Generator, customers: int) -> Integers:
    """How many rows each customer buys in the year: log-logistic, its far tail cut off.

    One draw from each of `customers` equal slices of the distribution rather than independent
    draws: otherwise a few heavy buyers decide the mean of a small data set.
    """
    quantile = (rng.permutation(customers) + rng.random(customers)) / customers
    quantile = 0.002 + 0.996 * quantile
    return np.ceil(52 * (quantile / (1 - quantile)) ** 0.68).astype(np.int64)


def _baskets(rng: np.random.Generator, rows: Integers) -> _Baskets:
    basket_size = rng.lognormal(np.log(32), 0.5, len(rows))
    customer = np.repeat(np.arange(len(rows)), np.ceil(rows / basket_size).astype(np.int64))

    days = np.arange(FIRST_DAY, LAST_DAY + 1)
    month = days.astype("datetime64[M]").astype(np.int64) % 12
    weekday = (days.astype(np.int64) + 3) % 7  # 1970-01-01 was a Thursday
    sales = np.array(MONTHLY_SALES)[month] * np.array(WEEKDAY_SALES)[weekday]
    sales[(days >= np.datetime64("2010-12-24")) & (days <= np.datetime64("2011-01-03"))] = 0
    day = rng.choice(len(days), len(customer), p=sales / sales.sum())
    minute = rng.triangular(OPENING, LUNCH, CLOSING, len(customer)).astype(np.int64)
    order = np.lexsort((minute, day, customer))
    time = days[day].astype("datetime64[m]") + minute
    return _Baskets(customer, month[day][order], time[order].astype("datetime64[us]"))


def _fill(rng: np.random.Generator, rows: Integers, baskets: _Baskets) -> Integers:
    """Choose the basket of each row, rows being sorted by customer, then time."""
    ends = np.cumsum(rng.lognormal(0, 1.0, len(baskets.customer)))
    last = np.searchsorted(baskets.customer, np.arange(len(rows)), side="right") - 1
    borders = np.concatenate([[0.0], ends[last]])
    customer = np.repeat(np.arange(len(rows)), rows)
    return np.sort(_pick(rng, ends, borders[customer], borders[customer + 1]))


def _pick(rng: np.random.Generator, ends: Floats, left: Floats, right: Floats) -> Integers:
    """Pick one of the intervals between `left` and `right`, each as often as it is long."""
    interval = np.searchsorted(ends, rng.uniform(left, right), side="right")
    return np.minimum(interval, len(ends) - 1)  # rounding can carry a draw to the very end


def _choose_items(
    rng: np.random.Generator,
    catalog: _Catalog,
    baskets: _Baskets,
    basket_of_row: Integers,
    customers: int,
) -> Integers:
    """Choose the item of each row: to the customer's taste and the season, or one bought before."""
    in_season = np.ones((12, DEPARTMENTS))
    for seasonal, months in SEASONS.items():
        in_season[:, seasonal] = [1.5 * (month in months) for month in range(1, 13)]

    trade = rng.permutation(customers) % TRADES
    taste = catalog.taste_of_trade[trade] * rng.gamma(1.6, size=(customers, DEPARTMENTS)) + 0.04
    taste *= np.diff(catalog.department_ends)
    by_month = np.cumsum(taste[:, np.newaxis, :] * in_season, axis=2)
    by_month /= by_month[:, :, -1:]
    by_month += np.arange(customers * 12).reshape(customers, 12, 1)

    customer, month = baskets.customer[basket_of_row], baskets.month[basket_of_row]
    wish = customer * 12 + month + rng.random(len(customer))
    department = np.searchsorted(by_month.ravel(), wish, side="right") % DEPARTMENTS
    left, right = catalog.department_ends[department], catalog.department_ends[department + 1]
    fresh = _pick(rng, catalog.shelf_ends, left, right)

    # A repeated row points at a row of an earlier basket, which may itself be a repetition.
    first_row = np.searchsorted(customer, customer)
    earlier = np.searchsorted(basket_of_row, basket_of_row) - first_row
    repeats = (rng.random(len(customer)) < REPURCHASE) & (earlier > 0)
    source = np.where(
        repeats, first_row + rng.integers(0, np.maximum(earlier, 1)), np.arange(len(customer))
    )
    while np.any(source != source[source]):
        source = source[source]
    again = fresh[source]
    return np.where(in_season[month, catalog.department[again]] > 0, again, fresh)
