from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from tokumei import History, Risk, publish, read
from tokumei.anonymizers import DeleteRows, PerturbAmounts
from tokumei.attacks import Jaccard, StripDecoys
from tokumei.attacks.strip_decoys import readings
from tokumei.errors import SchemaError
from tokumei.tables import frame
from tokumei.threats import FullKnowledge, PartialRows

NAMES = ["person", "item", "price", "quantity"]


def with_decoys(history: History, *, size: int = 4) -> History:
    """Give each customer what the others of a group bought, at prices from 0.10 to 0.90."""
    rows = history.frame()
    persons = rows["person"].unique().sort()
    groups = pl.DataFrame({"person": persons, "group": np.arange(len(persons)) // size})
    rows = rows.join(groups, on="person")
    lacking = (
        groups.join(rows.select("group", "item").unique(), on="group")
        .join(rows, on=["person", "item"], how="anti")
        .sort("person", "item")
    )
    prices = np.random.default_rng(3).uniform(0.1, 0.9, len(lacking)).round(2)
    own = rows.sort("row").unique("person", keep="first").drop("row", "item", "group")
    invented = lacking.drop("group").join(own, on="person", maintain_order="left")
    return history.add_rows(
        invented.with_columns(price=pl.Series(prices), quantity=pl.lit(1, dtype=pl.Int64))
    )


def rate(attack, history: History, anonymized: History, threat=None) -> float:
    release = publish(history, anonymized, secret=b"2")
    return Risk(attack=attack, threat=threat or FullKnowledge())(history, release, seed=3).value


def test_readings_grow_stricter() -> None:
    """Tea is known at 2.00 (1 or 3 pieces) and 3.00 (1 piece), rice at 1.00."""
    known = [
        ("k", "tea", 2.0, 1),
        ("k", "tea", 2.0, 3),
        ("k", "tea", 3.0, 1),
        ("k", "rice", 1.0, 1),
    ]
    released = [
        ("p", "tea", 0.5, 1),  # outside the range of prices
        ("p", "tea", 3.2, 1),  # outside by less than 10%
        ("p", "tea", 2.5, 1),  # in the range, never seen
        ("p", "tea", 3.0, 3),  # a known price, not for three
        ("p", "tea", 2.0, 3),  # known
        ("p", "salt", 9.9, 1),  # of salt nothing is known
        ("q", "rice", 7.7, 1),  # the only row of q
    ]
    one, two = (read(pl.DataFrame(rows, schema=NAMES, orient="row")) for rows in (released, known))
    kept = [reading.frame()["row"].to_list() for reading in readings(one, two)]
    assert kept == [[0, 1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6], [3, 4, 5, 6], [4, 5, 6]]


def test_quantities_are_not_needed() -> None:
    rows = [("p", "tea", 2.0, 1), ("p", "tea", 1.0, 1)]
    history = read(pl.DataFrame(rows, schema=NAMES, orient="row").drop("quantity"))
    dear = history.with_purchases(history.frame().filter(pl.col("price") > 1.5))
    assert [len(reading.frame()) for reading in readings(history, dear)] == [2, 1, 1, 1]


def test_decoys_with_made_up_prices_hide_nobody(shop: History) -> None:
    decoys = with_decoys(shop)
    assert rate(Jaccard(), shop, decoys) == pytest.approx(1 / 4, abs=0.1)
    assert rate(StripDecoys(), shop, decoys) > 0.95
    assert rate(StripDecoys(), shop, PerturbAmounts()(decoys, seed=1)) > 0.8
    assert rate(StripDecoys(), shop, DeleteRows(share=0.3)(decoys, seed=1)) > 0.9


def test_where_all_amounts_were_changed_nothing_is_thrown_out(shop: History) -> None:
    doubled = shop.with_purchases(shop.frame().with_columns(pl.col("price") * 3 + 0.007))
    assert rate(StripDecoys(), shop, doubled) == rate(Jaccard(), shop, doubled) == 1


def test_suppressed_prices_keep_their_rows(fruit: History) -> None:
    hidden = fruit.with_purchases(fruit.frame().with_columns(price=pl.lit(None, dtype=pl.Float64)))
    assert [reading.rows for reading in readings(hidden, fruit)] == [8, 8, 8, 8]


def test_an_empty_release_is_answered_with_nothing(fruit: History) -> None:
    challenge, _ = FullKnowledge()(fruit, publish(fruit, fruit, secret=b"1"), seed=1)
    nothing = challenge.release.with_purchases(challenge.release.frame().clear())
    challenge = replace(challenge, release=nothing)
    assert frame(StripDecoys()(challenge, seed=1).pairs).is_empty()


def test_prices_are_needed(fruit: History) -> None:
    without = fruit.with_purchases(fruit.frame().drop("price"))
    challenge, _ = FullKnowledge()(without, publish(without, without, secret=b"1"), seed=1)
    with pytest.raises(SchemaError, match="needs a column for price"):
        StripDecoys()(challenge, seed=1)


@pytest.mark.realdata
def test_decoys_of_pwscup2016_are_recognized(real_data) -> None:
    history = read(real_data / "data/pwscup2016/T.csv", format="pwscup2016")
    decoys = with_decoys(history)
    assert rate(Jaccard(), history, decoys) == pytest.approx(0.25, abs=0.02)
    assert rate(StripDecoys(), history, decoys) > 0.95
    assert rate(StripDecoys(), history, decoys, PartialRows(share=0.25)) > 0.9
