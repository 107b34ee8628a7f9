from dataclasses import replace

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from tokumei import History, publish, read
from tokumei.draws import repeatable_secret
from tokumei.errors import SchemaError, Unachievable
from tokumei.history import ROW
from tokumei.tables import frame, table

KEPT = ["item", "time", "price", "quantity"]


def test_a_release_says_the_same_under_other_names(fruit: History) -> None:
    release = publish(fruit, fruit, secret=b"1")
    public = release.public.frame()
    origins = frame(release.key.rows).join(public, on=ROW).sort("origin")
    assert_frame_equal(origins.select(KEPT), fruit.frame().select(KEPT))
    names = dict(frame(release.key.pseudonyms).select("pseudonym", "person").iter_rows())
    assert [names[p] for p in origins["person"]] == fruit.frame()["person"].to_list()


def test_pseudonyms_and_baskets_share_nothing_with_the_original(fruit: History) -> None:
    public = publish(fruit, fruit, secret=b"1").public.frame()
    assert not set(public["person"]) & set(fruit.persons())
    assert not set(public["basket"]) & set(fruit.frame()["basket"])
    assert public["basket"].n_unique() == 8


def test_public_rows_are_shuffled_and_numbered_anew(shop: History) -> None:
    release = publish(shop, shop, secret=b"1")
    assert release.public.frame()[ROW].to_list() == list(range(shop.rows))
    origins = frame(release.key.rows)["origin"].to_list()
    assert origins != sorted(origins)
    assert sorted(origins) == list(range(shop.rows))


def test_the_number_of_a_pseudonym_does_not_follow_the_name(shop: History) -> None:
    pairs = frame(publish(shop, shop, secret=b"1").key.pseudonyms)
    assert pairs.sort("pseudonym")["person"].to_list() != pairs["person"].sort().to_list()


def test_the_seed_decides_the_pseudonyms(shop: History) -> None:
    one, same, other = (
        frame(publish(shop, shop, secret=repeatable_secret(s)).key.pseudonyms) for s in (1, 1, 2)
    )
    assert one.equals(same)
    assert not one.equals(other)


def test_monthly_pseudonyms_change_with_the_month(fruit: History) -> None:
    key = frame(publish(fruit, fruit, secret=b"1", period="month").key.pseudonyms)
    assert key.filter(person="Dan")["period"].sort().to_list() == ["2018-09", "2018-10"]
    assert key["pseudonym"].n_unique() == 5


def test_monthly_pseudonyms_need_a_time(fruit: History) -> None:
    timeless = fruit.with_purchases(fruit.frame().drop("time"))
    with pytest.raises(Unachievable, match="Monthly pseudonyms need a time"):
        publish(timeless, timeless, secret=b"1", period="month")


def test_invented_rows_have_no_origin(fruit: History) -> None:
    more = fruit.add_rows(fruit.frame().drop(ROW).head(2))
    rows = frame(publish(fruit, more, secret=b"1").key.rows)
    assert rows["origin"].null_count() == 2


def test_customers_are_published_under_their_pseudonyms(fruit: History) -> None:
    people = pl.DataFrame(
        {"person": ["Alice", "Bob", "Carol", "Dan", "Eve"], "age": [1, 2, 3, 4, 5]}
    )
    history = replace(fruit, customers=table(people))
    release = publish(history, history, secret=b"1")
    assert release.public.customers is not None
    shown = frame(release.public.customers)
    names = dict(frame(release.key.pseudonyms).select("pseudonym", "person").iter_rows())
    ages = dict(people.iter_rows())
    assert len(shown) == 5
    assert all(ages[names[row["person"]]] == row["age"] for row in shown.iter_rows(named=True))


def test_customers_are_not_published_under_monthly_pseudonyms(fruit: History, caplog) -> None:
    people = pl.DataFrame({"person": fruit.persons(), "birth": [1, 2, 3, 4]})
    history = replace(fruit, customers=table(people))
    assert publish(history, history, secret=b"1", period="month").public.customers is None
    assert "the customers table is not published" in caplog.text


def test_the_key_does_not_show_itself(fruit: History) -> None:
    assert "Alice" not in repr(publish(fruit, fruit, secret=b"1"))
    assert "Key(secret)" in repr(publish(fruit, fruit, secret=b"1"))


def test_a_release_of_nothing_is_refused(fruit: History) -> None:
    with pytest.raises(Unachievable, match="Nothing is left to publish"):
        publish(fruit, fruit.with_purchases(fruit.frame().head(0)), secret=b"1")


def test_a_row_twice_is_refused(fruit: History) -> None:
    twice = fruit.with_purchases(pl.concat([fruit.frame(), fruit.frame().head(1)]))
    with pytest.raises(SchemaError, match="may use a row id once; 0 occurs twice"):
        publish(fruit, twice, secret=b"1")


def test_a_column_called_period_survives(fruit: History) -> None:
    rows = fruit.to_native().with_columns(period=pl.lit("spring"), pseudonym=pl.lit("x"))
    history = read(rows, keep=["period", "pseudonym"])
    public = publish(history, history, secret=b"1", period="month").public.frame()
    assert public["period"].unique().to_list() == ["spring"]
    assert public["pseudonym"].unique().to_list() == ["x"]


@given(st.lists(st.text("PAB1", min_size=1, max_size=3), min_size=1, max_size=12))
def test_no_pseudonym_equals_a_customer_whatever_they_are_called(names: list[str]) -> None:
    history = read(pl.DataFrame({"customer": names, "item": ["x"] * len(names)}))
    key = frame(publish(history, history, secret=b"1").key.pseudonyms)
    assert not set(key["pseudonym"]) & set(names)
    assert set(key["person"]) == set(names)
