"""The originals of the battery: small samples of generated and of real data, fixed by seeds."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime, timedelta
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl

from tokumei import History, generate, read
from tokumei.tables import frame, table

DATA = Path(os.environ.get("TOKUMEI_DATA", Path(__file__).parents[3] / "shared")) / "data"
FEWEST_ROWS, MOST_ROWS = 3, 90


@cache
def world(name: str) -> History:
    """Return an original."""
    return {**GENERATED, **REAL}[name]()


def changed(history: History, **columns: pl.Expr) -> History:
    """Return the history with other cells."""
    return history.with_purchases(history.frame().with_columns(**columns))


def without(history: History, *columns: str) -> History:
    """Return the history without some columns."""
    return history.with_purchases(history.frame().drop(columns))


def _shop(customers: int = 80, seed: int = 11) -> History:
    rows = generate("shop", customers=customers, seed=seed).frame()
    return read(_usual(rows, "person").drop("row"))


def _usual(rows: pl.DataFrame, person: str) -> pl.DataFrame:
    """Leave out customers with very many rows, who would make the battery slow."""
    count = pl.len().over(person)
    return rows.filter(count >= FEWEST_ROWS, count <= MOST_ROWS)


def _sampled(rows: pl.DataFrame, person: str, customers: int, seed: int) -> pl.DataFrame:
    rows = _usual(rows, person)
    people = rows[person].unique().sort().sample(customers, seed=seed)
    return rows.filter(pl.col(person).is_in(people.implode()))


def _with_attributes(history: History, *, silent: int = 0) -> History:
    """Add a customers table with sex, region and birth; the last `silent` have no purchases."""
    people = [*history.persons(), *(f"silent{number}" for number in range(silent))]
    rng = np.random.default_rng(5)
    days = rng.choice(20_000, len(people), replace=False)
    attributes = pl.DataFrame(
        {
            "person": people,
            "sex": rng.choice(["f", "m"], len(people)),
            "region": rng.choice(["north", "east", "south", "west"], len(people)),
            "birth": [date(1940, 1, 1) + timedelta(days=int(day)) for day in days],
        }
    )
    return replace(history, customers=table(attributes))


def _kiosk_with_silent_customers() -> History:
    """Thirty customers with purchases, and 330 who are known by name only."""
    rows = _kiosk().frame()
    rows = rows.filter(pl.col("person") < "k030").with_columns(pl.int_range(pl.len()).alias("row"))
    kiosk = _kiosk().with_purchases(rows)
    people = [*kiosk.persons(), *(f"silent{number:03d}" for number in range(330))]
    return replace(kiosk, customers=table(pl.DataFrame({"person": people})))


def _kiosk() -> History:
    """Customers with one to three rows of twelve items: many are equal, many have one row."""
    rng = np.random.default_rng(3)
    rows = []
    for person in range(90):
        for _ in range(rng.integers(1, 4)):
            item = int(rng.zipf(1.6)) % 12
            moment = datetime(2024, 5, 1) + timedelta(days=int(rng.integers(0, 28)))
            rows.append((f"k{person:03d}", f"i{item}", moment.date(), 1.0 + item, 1))
    names = ["customer", "item", "date", "price", "quantity"]
    return read(pl.DataFrame(rows, schema=names, orient="row"))


def _pairs() -> History:
    """Forty customers, each with a twin who bought the very same."""
    shop = _shop(46, 17).frame().with_columns(pl.col("time").dt.date())
    people = shop["person"].unique().sort()[:40]
    rows = shop.filter(pl.col("person").is_in(people.implode())).drop("row", "basket")
    return read(pl.concat([rows, rows.with_columns(person="twin " + pl.col("person"))]))


def _by_customer(history: History) -> History:
    """Number the baskets of each customer 1, 2, …, as loyalty programs do."""
    number = pl.col("basket").rank("dense").over("person").cast(pl.Int64).cast(pl.String)
    return changed(history, basket=number)


def _by_day(history: History) -> History:
    """Number the receipts of each day 1, 2, …, as tills do."""
    number = pl.col("basket").rank("dense").over(pl.col("time").dt.date())
    return changed(history, basket=number.cast(pl.Int64).cast(pl.String))


def _retail(file: str, seed: int, customers: int = 80) -> History:
    rows = pl.read_parquet(DATA / "online_retail" / file).drop_nulls("CustomerID")
    rows = rows.filter(pl.col("Quantity") > 0, pl.col("UnitPrice") > 0)
    return read(_sampled(rows, "CustomerID", customers, seed), format="online-retail")


def _pwscup() -> History:
    whole = read(DATA / "pwscup2016" / "T.csv", DATA / "pwscup2016" / "M.csv", format="pwscup2016")
    rows = _sampled(whole.frame(), "person", 80, 23)
    people = frame(whole.customers).filter(pl.col("person").is_in(rows["person"].implode()))
    rows = rows.drop("row").with_row_index("row").with_columns(pl.col("row").cast(pl.Int64))
    return replace(whole.with_purchases(rows), customers=table(people))


def _cdnow() -> History:
    rows = pl.read_parquet(DATA / "other" / "cdnow.parquet")
    rows = rows.with_columns(pl.col("date").dt.date()).filter(pl.col("dollar_value") > 0)
    return read(
        _sampled(rows, "customer_id", 150, 29),
        person="customer_id",
        time="date",
        quantity="number_of_cds",
        price="dollar_value",
    )


def _tafeng() -> History:
    rows = pl.read_parquet(DATA / "other" / "tafeng_dnntsp.parquet")
    return read(
        _sampled(rows, "customer", 80, 31), person="customer", item="item", basket="basket_seq"
    )


def _journey() -> History:
    folder = DATA / "other"
    people = pl.read_parquet(folder / "completejourney_demographics.parquet")
    people = people.select("household_id", "age", "income", "household_size")
    rows = pl.read_parquet(folder / "completejourney_transactions_sample.parquet")
    rows = rows.filter(pl.col("quantity") > 0, pl.col("sales_value") > 0)
    rows = rows.join(people.drop_nulls(), on="household_id", how="semi")
    rows = _sampled(rows, "household_id", 100, 37)
    return read(
        rows,
        people.join(rows, on="household_id", how="semi"),
        person="household_id",
        item="product_id",
        time="transaction_timestamp",
        price="sales_value",
        quantity="quantity",
        basket="basket_id",
        keep=["store_id", "age", "income", "household_size"],
    )


GENERATED: dict[str, Callable[[], History]] = {
    "shop": _shop,
    "another shop": lambda: _shop(90, 42),
    "shop by dates": lambda: changed(_shop(70, 12), time=pl.col("time").dt.date()),
    "shop without baskets": lambda: without(_shop(80, 13), "basket"),
    "shop of small customers": lambda: _shop(70, 14),
    "shop with customers": lambda: _with_attributes(_shop(70, 15)),
    "shop with silent customers": lambda: _with_attributes(_shop(46, 16), silent=30),
    "shop numbered by customer": lambda: _by_customer(_shop(60, 18)),
    "shop numbered by day": lambda: _by_day(_shop(60, 19)),
    "kiosk": _kiosk,
    "kiosk with silent customers": _kiosk_with_silent_customers,
    "pairs": _pairs,
    "transit": lambda: generate("transit", customers=70, seed=20),
}
REAL: dict[str, Callable[[], History]] = {
    "pwscup2016": lambda: replace(_pwscup(), customers=None),
    "pwscup2016 with customers": _pwscup,
    "cdnow": _cdnow,
    "tafeng": _tafeng,
    "retail 2009": lambda: _retail("online_retail_2009_2010.parquet", 41),
    "retail 2010": lambda: _retail("online_retail.parquet", 43),
    "journey": lambda: replace(_journey(), customers=None),
    "journey with customers": _journey,
}
