"""The numbers of baskets in a release tell nothing: neither who shares one nor what is invented."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokumei import History, Release, generate, publish, read
from tokumei.anonymizers import Decoys
from tokumei.anonymizers.decoy_rows import copies_of_all_rows
from tokumei.history import ROW
from tokumei.tables import frame

FACTS = ["item", "time", "price", "quantity"]


def per_customer(history: History) -> History:
    """Number the baskets of each customer 0, 1, 2, … as many shops do."""
    number = pl.col("basket").rank("dense").over("person") - 1
    return history.with_purchases(history.frame().with_columns(basket=number.cast(pl.String)))


def holders(release: Release) -> pl.DataFrame:
    """Return how many pseudonyms each basket number has."""
    shown = release.public.frame().drop_nulls("basket")
    return shown.group_by("basket").agg(pl.col("person").n_unique())


def test_two_customers_with_a_basket_1_get_two_numbers() -> None:
    rows = {"customer": ["a", "a", "b", "b"], "item": ["x"] * 4, "basket": ["1", "1", "1", "2"]}
    history = read(pl.DataFrame(rows))
    release = publish(history, history, secret=b"1")
    assert holders(release)["person"].to_list() == [1, 1, 1]
    assert release.public.frame()["basket"].unique().sort().to_list() == ["B1", "B2", "B3"]


def test_a_basket_of_two_months_does_not_link_them() -> None:
    rows = {
        "customer": ["a", "a", "a"],
        "item": ["x", "y", "z"],
        "basket": ["1", "1", "1"],
        "date": ["2018-09-30", "2018-09-30", "2018-10-01"],
    }
    history = read(pl.DataFrame(rows))
    monthly = publish(history, history, secret=b"1", period="month")
    assert holders(monthly)["person"].to_list() == [1, 1]
    lasting = publish(history, history, secret=b"1")
    assert holders(lasting)["person"].to_list() == [1]


names = st.text(st.sampled_from("a1:\0 "), min_size=1, max_size=4).filter(str.strip)


@given(st.lists(st.tuples(names, names), min_size=1, max_size=12))
def test_a_number_is_for_one_basket_of_one_customer_whatever_they_are_called(
    pairs: list[tuple[str, str]],
) -> None:
    people, baskets = zip(*pairs, strict=True)
    rows = pl.DataFrame({"customer": people, "basket": baskets, "item": ["x"] * len(pairs)})
    history = read(rows)
    release = publish(history, history, secret=b"1")
    origins = frame(release.key.rows).rename({"origin": "_origin"})
    shown = release.public.frame().join(origins, on=ROW).select("basket", row="_origin")
    both = history.frame().select("person", name="basket", row=ROW).join(shown, on="row")
    pairs_of_both = both.select("person", "name", "basket").unique()
    assert len(pairs_of_both) == both.select("person", "name").n_unique()
    assert len(pairs_of_both) == both["basket"].n_unique()


def contents(release: Release) -> dict[str, list[list[tuple[object, ...]]]]:
    """Return the baskets of every pseudonym, each as its sorted rows, sorted."""
    found: dict[str, dict[str, list[tuple[object, ...]]]] = {}
    shown = release.public.frame()
    for person, basket, *cells in shown.select("person", "basket", *shown_facts(shown)).iter_rows():
        found.setdefault(person, {}).setdefault(basket, []).append(tuple(cells))
    return {person: sorted(map(sorted, held.values())) for person, held in found.items()}


def shown_facts(rows: pl.DataFrame) -> list[str]:
    return [name for name in FACTS if name in rows.columns]


@given(
    st.lists(
        st.tuples(st.sampled_from("abcd"), st.sampled_from(["0", "1", "copy 1:a1:01:b", "1:a1:0"])),
        min_size=1,
        max_size=20,
    )
)
def test_members_of_a_cluster_have_the_same_baskets_whatever_the_shop_calls_them(
    pairs: list[tuple[str, str]],
) -> None:
    people, baskets = zip(*pairs, strict=True)
    items = [f"i{number % 3}" for number in range(len(pairs))]
    history = read(pl.DataFrame({"customer": people, "basket": baskets, "item": items}))
    members = pl.DataFrame({"person": history.persons(), "_cluster": 0})
    shared = history.add_rows(copies_of_all_rows(history, members))
    release = publish(history, shared, secret=b"1")
    first, *others = contents(release).values()
    assert all(other == first for other in others)
    assert len(first) == len(set(pairs))
    assert set(holders(release)["person"]) == {1}


def test_rows_without_a_basket_are_copied_without_one(fruit: History) -> None:
    basket = pl.when(pl.col(ROW) > 2).then("basket").alias("basket")
    loose = fruit.with_purchases(fruit.frame().with_columns(basket))
    members = pl.DataFrame({"person": fruit.persons(), "_cluster": 0})
    copies = copies_of_all_rows(loose, members)
    assert copies["basket"].null_count() == 3 * loose.frame()["basket"].null_count()


# An attacker who looks at basket numbers alone


def auc(real: np.ndarray, signal: np.ndarray) -> float:
    """Return how often a real one has the larger signal than a copy; equal ones count half."""
    ranks = pl.Series(signal).rank("average").to_numpy()
    n = int(real.sum())
    return float((ranks[real].sum() - n * (n + 1) / 2) / (n * (len(real) - n)))


def rows_with_signals(release: Release) -> pl.DataFrame:
    number = pl.col("basket").str.slice(1).cast(pl.Int64).alias("number")
    shared = pl.col("person").n_unique().over("basket").cast(pl.Int64).alias("shared")
    real = frame(release.key.rows).select(ROW, real=pl.col("origin").is_not_null())
    return release.public.frame().with_columns(number, shared).join(real, on=ROW)


def found(history: History, release: Release) -> float:
    """Name the customer whose rows stand in the baskets that most pseudonyms have."""
    facts = shown_facts(history.frame())
    known = history.frame().select(*facts, candidate="person").unique()
    sizes = known.group_by("candidate").len("size")
    signals = rows_with_signals(release).select("person", *facts, "shared")
    best = signals.group_by("person", *facts).agg(pl.col("shared").max())
    fits = best.join(known, on=facts, nulls_equal=True).group_by("person", "candidate")
    scored = fits.agg(pl.col("shared").mean(), pl.len()).join(sizes, on="candidate")
    whole = scored.filter(pl.col("len") == pl.col("size"))
    guess = whole.sort("shared", pl.col("candidate").hash(3), descending=True).unique(
        "person", keep="first", maintain_order=True
    )
    truth = frame(release.key.pseudonyms).rename({"person": "truth", "pseudonym": "person"})
    right = guess.join(truth, on="person").filter(pl.col("candidate") == pl.col("truth"))
    return len(right) / len(truth)


def assert_copies_cannot_be_told(history: History, *, clusters: int, size: int) -> None:
    method = Decoys(clusters=clusters, min_size=size, share="rows", seconds=0.2)
    release = publish(history, method(history, seed=1), secret=b"1")
    rows = rows_with_signals(release)
    assert set(rows["shared"]) == {1}
    baskets = rows.unique("basket")
    real = baskets["real"].to_numpy()
    assert auc(real, baskets["number"].to_numpy()) == pytest.approx(0.5, abs=0.08)
    people = len(history.persons())
    chance = clusters / people
    assert found(history, release) <= chance + 3 * (chance * (1 - chance) / people) ** 0.5


@pytest.mark.parametrize(("clusters", "size"), [(30, 2), (15, 4)])
def test_copies_and_real_rows_have_the_same_kind_of_basket_number(clusters: int, size: int) -> None:
    shop = per_customer(generate("shop", customers=60, seed=3))
    assert_copies_cannot_be_told(shop, clusters=clusters, size=size)


@pytest.mark.realdata
def test_copies_of_ta_feng_cannot_be_told_by_their_basket(real_data: Path) -> None:
    rows = pl.read_parquet(real_data / "data/other/tafeng_dnntsp.parquet")
    chosen = rows["customer"].unique().sort().gather_every(50).head(100)
    some = rows.filter(pl.col("customer").is_in(chosen.implode()))
    history = read(some, basket="basket_seq")
    assert_copies_cannot_be_told(history, clusters=50, size=2)


def test_the_attacker_of_these_tests_finds_everybody_where_real_baskets_share_a_number() -> None:
    shop = per_customer(generate("shop", customers=20, seed=3))
    method = Decoys(clusters=10, min_size=2, share="rows", seconds=0.2)
    release = publish(shop, method(shop, seed=1), secret=b"1")
    origins = frame(release.key.rows).join(
        shop.frame().select(origin=ROW, own="basket"), on="origin", how="left"
    )
    told = release.public.frame().join(origins.select(ROW, "own"), on=ROW)
    basket = pl.when(pl.col("own").is_null()).then("basket").otherwise(pl.lit("B") + pl.col("own"))
    public = release.public.with_purchases(told.with_columns(basket=basket).drop("own"))
    assert found(shop, Release(public, release.key)) == 1.0
