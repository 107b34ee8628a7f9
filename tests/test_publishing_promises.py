"""What publishing refuses, and what the names and the order of a release may not tell."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

import tokumei
from tokumei import History, publish, read
from tokumei.errors import SchemaError
from tokumei.history import ROW
from tokumei.publishing import SECRET_BYTES
from tokumei.tables import frame, table


def without(history: History, row: int) -> History:
    return history.with_purchases(history.frame().filter(pl.col(ROW) != row))


def test_a_row_that_is_neither_kept_nor_invented_is_refused(fruit: History) -> None:
    for row in (0, 5):
        with pytest.raises(SchemaError, match=f"row {row} is neither"):
            publish(without(fruit, row), fruit, secret=b"1")


def test_a_customer_whom_the_original_does_not_have_is_refused(fruit: History) -> None:
    person = pl.when(pl.col(ROW) == 3).then(pl.lit("Zoe")).otherwise("person")
    strange = fruit.with_purchases(fruit.frame().with_columns(person=person))
    with pytest.raises(SchemaError, match="Customer 'Zoe' of the anonymized history"):
        publish(fruit, strange, secret=b"1")


def test_the_row_that_is_there_twice_is_named(fruit: History) -> None:
    twice = pl.concat([fruit.frame(), fruit.frame().filter(pl.col(ROW) == 3)])
    with pytest.raises(SchemaError, match="; 3 occurs twice"):
        publish(fruit, fruit.with_purchases(twice), secret=b"1")


def test_pseudonyms_and_baskets_are_numbered_without_gaps(shop: History) -> None:
    release = publish(shop, shop, secret=b"1")
    names = frame(release.key.pseudonyms)["pseudonym"].to_list()
    assert names == [f"P{number:02d}" for number in range(1, 61)]
    baskets = release.public.frame()["basket"].unique().sort().to_list()
    count = shop.frame()["basket"].n_unique()
    width = len(str(count))
    assert shop.rows > count
    assert baskets == [f"B{number:0{width}d}" for number in range(1, count + 1)]


def test_a_purchase_without_a_basket_gets_none(fruit: History) -> None:
    basket = pl.when(pl.col(ROW) != 3).then("basket").alias("basket")
    loose = fruit.with_purchases(fruit.frame().with_columns(basket))
    baskets = publish(loose, loose, secret=b"1").public.frame()["basket"]
    assert baskets.null_count() == 1
    assert sorted(baskets.drop_nulls()) == [f"B{number}" for number in range(1, 8)]


@pytest.mark.parametrize(
    ("names", "prefix"),
    [(["x", "y"], "P"), (["P1", "y"], "A"), (["P1", "A1"], "B"), (["xP", "yP"], "P")],
)
def test_no_customer_begins_as_pseudonyms_do(names: list[str], prefix: str) -> None:
    history = read(pl.DataFrame({"customer": names, "item": ["tea", "tea"]}))
    key = frame(publish(history, history, secret=b"1").key.pseudonyms)
    assert key["pseudonym"].to_list() == [f"{prefix}1", f"{prefix}2"]


def test_the_order_of_the_customers_table_tells_nothing(shop_with_customers: History) -> None:
    release = publish(shop_with_customers, shop_with_customers, secret=b"1")
    assert release.public.customers is not None
    assert frame(release.public.customers)["person"].is_sorted()
    backwards = replace(
        shop_with_customers,
        purchases=table(shop_with_customers.frame().reverse()),
        customers=table(frame(shop_with_customers.customers).reverse()),  # type: ignore[arg-type]
    )
    again = publish(backwards, backwards, secret=b"1")
    assert frame(again.key.pseudonyms).equals(frame(release.key.pseudonyms))
    assert frame(again.public.customers).equals(frame(release.public.customers))  # type: ignore[arg-type]


def test_only_monthly_pseudonyms_have_a_period_and_a_warning(
    shop_with_customers: History, caplog: pytest.LogCaptureFixture
) -> None:
    whole = publish(shop_with_customers, shop_with_customers, secret=b"1")
    assert frame(whole.key.pseudonyms).columns == ["pseudonym", "person"]
    assert caplog.text == ""
    monthly = publish(shop_with_customers, shop_with_customers, secret=b"1", period="month")
    assert frame(monthly.key.pseudonyms).columns == ["pseudonym", "person", "period"]
    assert "the customers table is not published" in caplog.text


def test_only_publishing_draws_with_the_secret() -> None:
    """The forms for Spark and for contests draw by the functions of publishing."""
    source = Path(tokumei.__file__).parent
    drawing = {
        path.relative_to(source).as_posix()
        for path in source.rglob("*.py")
        if "hidden_uniform" in path.read_text(encoding="utf-8")
    }
    assert drawing == {"draws.py", "publishing.py"}


def test_every_release_has_a_secret_of_its_own(shop: History) -> None:
    one, two = publish(shop, shop), publish(shop, shop)
    assert one.key.secret != two.key.secret
    assert len(one.key.secret or b"") == SECRET_BYTES
    assert not frame(one.key.pseudonyms).equals(frame(two.key.pseudonyms))
    again = publish(shop, shop, secret=one.key.secret)
    assert frame(again.key.pseudonyms).equals(frame(one.key.pseudonyms))
    assert again.public.frame().equals(one.public.frame())
