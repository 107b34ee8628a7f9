"""Groups of k customers with the same generalized rows."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from tokumei import History, publish, read
from tokumei.anonymizers import Generalize
from tokumei.attacks import CandidateIntersection
from tokumei.draws import repeatable_secret
from tokumei.errors import ParameterError, SchemaError, Unachievable
from tokumei.history import ROW
from tokumei.judges import HitRate
from tokumei.metrics import IdenticalGroups, InformationLoss, RfmAgreement, UncoveredCells
from tokumei.threats import FullKnowledge

WAYS: list[dict[str, Any]] = [
    {"seconds": 0.2},
    {"seconds": 0.2, "k": 5},
    {"grouping": "row-count", "alignment": "order", "objective": "none"},
    {"grouping": "row-count"},
    {"grouping": "rfm", "k": 4},
    {"objective": "rfm"},
    {"objective": "mixed", "seconds": 0.2},
]


@pytest.mark.parametrize("options", WAYS)
def test_every_release_keeps_its_promise(shop: History, options: dict[str, Any]) -> None:
    method = Generalize(**options)
    release = publish(shop, method(shop, seed=2), secret=b"3")
    assert IdenticalGroups()(shop, release, seed=0).value >= method.k
    assert UncoveredCells()(shop, release, seed=0).value == 0
    assert release.public.customers is None
    assert "basket" not in release.public.visible


def test_no_attack_names_more_than_one_of_k_on_average(shop: History) -> None:
    """Right names come in whole groups, so that single releases vary: sd 0.08 here."""
    made = Generalize(k=3, seconds=0.2)(shop, seed=2)
    rates = []
    for seed in range(20):
        challenge, answer = FullKnowledge()(
            shop, publish(shop, made, secret=repeatable_secret(seed)), seed=1
        )
        rates.append(HitRate()(CandidateIntersection()(challenge, seed=seed), answer).value)
    assert sum(rates) / len(rates) == pytest.approx(1 / 3, abs=0.06)


def test_objectives_pull_in_their_direction(shop: History) -> None:
    scores = {}
    for objective in ("information-loss", "rfm"):
        method = Generalize(k=2, objective=objective, seconds=0.5)  # type: ignore[arg-type]
        release = publish(shop, method(shop, seed=2), secret=b"3")
        scores[objective] = (
            InformationLoss()(shop, release, seed=0).value,
            RfmAgreement()(shop, release, seed=0).value,
        )
    assert scores["information-loss"][0] < scores["rfm"][0]
    assert scores["information-loss"][1] < scores["rfm"][1]


def test_hand_worked_groups_of_two() -> None:
    """Ann and Ben have two rows, Cay and Dan one: they are paired by their row counts."""
    rows = [
        ("Ann", "2011-01-03", "tea", 1.0, 2),
        ("Ann", "2011-01-09", "rice", 4.0, 1),
        ("Ben", "2011-01-04", "tea", 1.5, 3),
        ("Ben", "2011-01-20", "salt", 4.0, 1),
        ("Cay", "2011-02-01", "tea", 2.0, 1),
        ("Dan", "2011-02-03", "tea", 2.0, 5),
    ]
    names = ["person", "time", "item", "price", "quantity"]
    history = read(pl.DataFrame(rows, schema=names, orient="row"))
    method = Generalize(k=2, grouping="row-count", alignment="order", objective="none")
    made = method(history, seed=0).frame().sort(ROW)
    assert made["item"].to_list()[:4] == [["tea"], ["rice", "salt"]] * 2
    assert made["quantity"].to_list() == [
        {"lo": 2, "hi": 3}, {"lo": 1, "hi": 1}, {"lo": 2, "hi": 3}, {"lo": 1, "hi": 1},
        {"lo": 1, "hi": 5}, {"lo": 1, "hi": 5},
    ]  # fmt: skip
    assert made["price"].to_list()[0] == {"lo": 1.0, "hi": 1.5}
    ends = made["time"].struct.unnest().cast(pl.String).rows()
    assert ends[0][0].startswith("2011-01-03")
    assert ends[0][1].startswith("2011-01-04")


def test_bad_input_is_refused(fruit: History) -> None:
    with pytest.raises(ParameterError, match="k must be at least 2, not 1"):
        Generalize(k=1)
    with pytest.raises(Unachievable, match="Groups of 5 need as many customers; there are 4"):
        Generalize(k=5)(fruit, seed=1)
    wide = Generalize(k=2, seconds=0.1)(fruit, seed=1)
    with pytest.raises(SchemaError, match="must be exact; some are generalized"):
        Generalize(k=2)(wide, seed=1)
    bare = fruit.with_purchases(fruit.frame().select(ROW, "person"))
    with pytest.raises(SchemaError, match="needs a time, item, price or quantity"):
        Generalize(k=2)(bare, seed=1)
    undated = fruit.with_purchases(fruit.frame().drop("time"))
    with pytest.raises(SchemaError, match="needs a column for time"):
        Generalize(k=2, objective="rfm")(undated, seed=1)


@pytest.mark.parametrize("missing", ["time", "price", "quantity", "item"])
def test_a_column_may_be_missing(shop: History, missing: str) -> None:
    history = shop.with_purchases(shop.frame().drop(missing))
    release = publish(history, Generalize(seconds=0.1)(history, seed=1), secret=b"1")
    assert IdenticalGroups()(history, release, seed=0).value == 3
    assert missing not in release.public.visible


def test_a_customer_with_one_row_is_in_a_group_of_one_row(fruit: History) -> None:
    """Alice has one row, so her group keeps one."""
    made = Generalize(k=4, seconds=0.1)(fruit, seed=1)
    assert made.rows == 4
