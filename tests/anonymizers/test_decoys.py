"""Decoys: hand-worked first, then properties, then the papers' data."""

from dataclasses import replace
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokumei import History, generate, publish, read
from tokumei.anonymizers import Decoys
from tokumei.anonymizers.decoy_rows import (
    camouflaged,
    copies_of_all_rows,
    like_the_paper,
    missing_items,
)
from tokumei.attacks import ExactRow, Jaccard, StripDecoys
from tokumei.contracts import Attack
from tokumei.errors import ParameterError, SchemaError
from tokumei.history import ROW
from tokumei.judges import HitRate
from tokumei.metrics import DecoyViolations, Indistinguishable
from tokumei.tables import table
from tokumei.threats import FullKnowledge

SHOP = generate("shop", customers=40, seed=5)
QUICK = {"seconds": 0.5}


def rate(history: History, anonymized: History, attack: Attack) -> float:
    release = publish(history, anonymized, secret=b"3")
    challenge, answer = FullKnowledge()(history, release, seed=3)
    return HitRate()(attack(challenge, seed=3), answer).value


def paper_example() -> History:
    """Figure 2: u1 {g1, g2}, u2 {g1, g3, g5}, u3 {g4, g5}."""
    rows = [
        ("u1", "100", "g1"), ("u1", "300", "g2"), ("u2", "500", "g1"), ("u2", "500", "g3"),
        ("u2", "600", "g5"), ("u3", "700", "g4"), ("u3", "700", "g5"),
    ]  # fmt: skip
    return read(pl.DataFrame(rows, schema=["customer", "invoice", "item"], orient="row"))


def test_figure_2_of_the_paper() -> None:
    history = paper_example()
    anonymized = Decoys(clusters=1, min_size=3, **QUICK)(history, seed=1)
    assert anonymized.rows - history.rows == 3 + 2 + 3
    bought = anonymized.frame().group_by("person").agg(pl.col("item").unique().sort())
    assert bought["item"].to_list() == [["g1", "g2", "g3", "g4", "g5"]] * 3
    assert (
        DecoyViolations(min_size=3)(
            history, publish(history, anonymized, secret=b"1"), seed=1
        ).value
        == 0
    )


def test_missing_items_are_the_union_less_ones_own() -> None:
    members = pl.DataFrame({"person": ["u1", "u2", "u3"], "_cluster": [0, 0, 1]})
    missing = missing_items(paper_example(), members)
    assert missing.select("person", "item").rows() == [
        ("u1", "g3"), ("u1", "g5"), ("u2", "g2"),
    ]  # fmt: skip


def test_paper_decoys_have_the_papers_prices_and_quantities(fruit: History) -> None:
    members = pl.DataFrame({"person": fruit.persons(), "_cluster": [0, 0, 0, 0]})
    decoys = like_the_paper(fruit, missing_items(fruit, members), seed=1)
    assert decoys["price"].is_between(0.1, 0.9).all()
    assert (decoys["quantity"] == 1).all()
    real = fruit.frame().select("person", "basket", "time").unique()
    assert len(decoys.join(real, on=["person", "basket", "time"], how="anti")) == 0


def test_camouflaged_decoys_copy_real_purchases_of_the_item(fruit: History) -> None:
    members = pl.DataFrame({"person": fruit.persons(), "_cluster": [0, 0, 0, 0]})
    decoys = camouflaged(fruit, missing_items(fruit, members), seed=1)
    real = fruit.frame()
    facts = ["item", "price", "quantity"]
    assert len(decoys.join(real.select(facts), on=facts, how="anti")) == 0
    hosts = real.select("person", "basket", "time").unique()
    assert len(decoys.join(hosts, on=["person", "basket", "time"], how="anti")) == 0


def test_the_nearest_basket_takes_the_decoy(fruit: History) -> None:
    """Bob (Sep 2 and 10) lacks Carol's peach of Sep 2: it goes into his basket of that day."""
    members = pl.DataFrame({"person": ["Bob", "Carol"], "_cluster": [0, 0]})
    decoys = camouflaged(fruit, missing_items(fruit, members), seed=1)
    (peach,) = decoys.filter(person="Bob", item="peach").rows(named=True)
    assert peach["basket"] == "b1"


def test_shared_rows_are_equal_in_every_column(fruit: History) -> None:
    members = pl.DataFrame({"person": fruit.persons(), "_cluster": [0, 0, 1, 1]})
    shared = fruit.add_rows(copies_of_all_rows(fruit, members))
    assert shared.rows == 2 * 3 + 2 * 5
    release = publish(fruit, shared, secret=b"1")
    assert Indistinguishable(by="rows")(fruit, release, seed=1).value == 0.5


def test_a_history_without_time_or_basket_gets_decoys_too() -> None:
    history = read(pl.DataFrame({"customer": ["a", "a", "b", "c"], "item": ["x", "y", "z", "x"]}))
    anonymized = Decoys(clusters=1, min_size=3, **QUICK)(history, seed=1)
    assert (
        Indistinguishable()(history, publish(history, anonymized, secret=b"1"), seed=1).value
        == 1 / 3
    )


@given(
    st.integers(2, 20),
    st.sampled_from(["search", "tfidf-kmeans"]),
    st.sampled_from(["camouflage", "paper"]),
)
def test_every_promise_is_kept(clusters: int, grouping: str, style: str) -> None:
    method = Decoys(clusters=clusters, min_size=2, grouping=grouping, style=style, seconds=0.05)  # type: ignore[arg-type]
    release = publish(SHOP, method(SHOP, seed=1), secret=b"1")
    assert DecoyViolations(min_size=2)(SHOP, release, seed=1).value == 0
    assert Indistinguishable()(SHOP, release, seed=1).value <= clusters / 40


def test_rows_in_common_protect_against_every_attack() -> None:
    anonymized = Decoys(clusters=10, min_size=4, share="rows", **QUICK)(SHOP, seed=1)
    release = publish(SHOP, anonymized, secret=b"1")
    assert Indistinguishable(by="rows")(SHOP, release, seed=1).value == 10 / 40
    for attack in (ExactRow(), Jaccard(), StripDecoys()):
        assert rate(SHOP, anonymized, attack) <= 10 / 40 + 0.15


def test_attributes_are_left_out_when_rows_are_shared(fruit: History, caplog) -> None:
    people = table(pl.DataFrame({"person": fruit.persons(), "age": [1, 2, 3, 4]}))
    history = replace(fruit, customers=people)
    assert Decoys(clusters=2, share="rows", **QUICK)(history, seed=1).customers is None
    assert "would tell members apart" in caplog.text


def test_deletions_save_decoys(caplog) -> None:
    plain = Decoys(clusters=10, min_size=4, **QUICK)(SHOP, seed=1)
    both = Decoys(clusters=10, min_size=4, delete=1.0, **QUICK)(SHOP, seed=1)
    kept = set(both.frame()[ROW]) & set(SHOP.frame()[ROW])
    deleted, added = SHOP.rows - len(kept), (both.frame()[ROW] < 0).sum()
    assert deleted > 0
    assert added + deleted < plain.rows - SHOP.rows
    release = publish(SHOP, both, secret=b"1")
    assert Indistinguishable()(SHOP, release, seed=1).value <= 10 / 40
    assert set(both.persons()) == set(SHOP.persons())


def test_without_a_number_the_theory_chooses(caplog) -> None:
    caplog.set_level("INFO")
    anonymized = Decoys(**QUICK)(SHOP, seed=1)
    kinds = Indistinguishable()(SHOP, publish(SHOP, anonymized, secret=b"1"), seed=1)
    assert 0 < kinds.value <= 0.5
    assert "clusters cost" in caplog.text


def test_pairs_are_matched_exactly(caplog) -> None:
    caplog.set_level("INFO")
    anonymized = Decoys(clusters=20, min_size=2)(SHOP, seed=1)
    added = anonymized.rows - SHOP.rows
    assert f"20 clusters cost {added:,}, at least {added:,}" in caplog.text


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"clusters": 41}, "41"),
        ({"clusters": 10, "min_size": 5}, "5"),
        ({"clusters": 0}, "clusters must be at least 1, not 0"),
        ({"clusters": 4, "delete": 1.0, "share": "rows"}, "delete goes with share items"),
    ],
)
def test_impossible_settings_are_refused(settings: dict, sentence: str) -> None:
    with pytest.raises(ParameterError, match=sentence):
        Decoys(**settings, **QUICK)(SHOP, seed=1)


def test_equal_customers_need_no_decoys() -> None:
    rows = pl.DataFrame({"customer": list("aabbcc"), "item": ["x", "y"] * 3})
    history = read(rows)
    assert Decoys(clusters=1, min_size=3, **QUICK)(history, seed=1).rows == 6


def test_one_customer_stays_as_they_are() -> None:
    history = read(pl.DataFrame({"customer": ["a", "a"], "item": ["x", "y"]}))
    assert Decoys(clusters=1, min_size=1, **QUICK)(history, seed=1).rows == 2


def test_items_are_needed() -> None:
    history = read(pl.DataFrame({"customer": ["a", "b"], "date": ["2020-01-01"] * 2}))
    with pytest.raises(SchemaError, match="To add decoys, the history needs a column for item"):
        Decoys(clusters=1)(history, seed=1)


@pytest.mark.realdata
def test_decoys_of_the_paper_can_be_stripped_and_camouflage_cannot(real_data) -> None:
    history = read(real_data / "data/pwscup2016/T.csv", format="pwscup2016")
    found = {}
    for style in ("paper", "camouflage"):
        method = Decoys(clusters=100, min_size=4, grouping="tfidf-kmeans", style=style)  # type: ignore[arg-type]
        anonymized = method(history, seed=1)
        found[style] = rate(history, anonymized, StripDecoys())
        assert rate(history, anonymized, Jaccard(top=1)) == pytest.approx(0.25, abs=0.01)
    assert found["paper"] > 0.95
    assert found["camouflage"] <= 0.25 + 0.02


@pytest.mark.parametrize("grouping", ["search", "tfidf-kmeans", "jaccard-kmeans"])
def test_a_suppressed_item_is_none_and_stays(grouping: Any) -> None:
    rows = pl.DataFrame(
        {"person": ["a", "a", "b", "c", "c", "d"], "item": ["x", None, "x", "y", "y", None]}
    ).with_row_index("row")
    history = History(table(rows.with_columns(pl.col("row").cast(pl.Int64))))
    method = Decoys(clusters=2, min_size=2, grouping=grouping, style="paper", delete=0.5)
    made = method(history, seed=1).frame()
    assert made.filter(pl.col("item").is_null())["person"].to_list() == ["a", "d"]
