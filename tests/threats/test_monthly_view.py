"""The attacker of PWSCUP 2017."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokumei import History, publish
from tokumei.contracts import Guess
from tokumei.errors import SchemaError
from tokumei.history import ROW
from tokumei.judges import WholeHistory
from tokumei.tables import frame
from tokumei.threats import MonthlyView


def test_of_all_rows_the_share_is_known_with_items_cut(fruit: History) -> None:
    view = MonthlyView(share=0.5).view(fruit, seed=1)
    assert view.rows == 4
    assert set(view.frame()["item"]) <= {"pe", "gr"}
    assert set(view.frame()[ROW]) <= set(range(8))


@given(st.floats(0.01, 1))
def test_the_number_of_known_rows_is_rounded(share: float) -> None:
    from tokumei import generate

    shop = generate("shop", customers=3, seed=1)
    assert MonthlyView(share=share).view(shop, seed=1).rows == int(shop.rows * share + 0.5)


def test_every_customer_is_asked_for_in_every_month(fruit: History) -> None:
    """Only Dan bought something in October; the others have no pseudonym there."""
    release = publish(fruit, fruit, secret=b"1", period="month")
    challenge, answer = MonthlyView()(fruit, release, seed=1)
    truth = dict(frame(answer.pairs).select("target", "value").iter_rows())
    assert len(truth) == 4 * 2
    assert [truth[f"{name} 2018-10"] for name in ("Alice", "Bob", "Carol")] == ["DEL"] * 3
    key = frame(release.key.pseudonyms).filter(person="Dan")
    assert truth["Dan 2018-10"] == key.filter(period="2018-10")["pseudonym"].item()
    assert set(frame(challenge.candidates)["value"]) >= set(truth.values())


def test_no_pseudonym_may_be_the_name_of_nobody(fruit: History) -> None:
    release = publish(fruit, fruit, secret=b"1", period="month")
    renamed = release.public.frame().with_columns(person=pl.lit("DEL"))
    odd = replace(release, public=release.public.with_purchases(renamed))
    with pytest.raises(SchemaError, match="No pseudonym may be DEL"):
        MonthlyView()(fruit, odd, seed=1)


def test_a_history_counts_only_whole(fruit: History) -> None:
    release = publish(fruit, fruit, secret=b"1", period="month")
    _, answer = MonthlyView()(fruit, release, seed=1)
    truth = dict(frame(answer.pairs).select("target", "value").iter_rows())
    only_september = {target: value for target, value in truth.items() if target.endswith("09")}
    # Saying nothing about October is right for three customers and wrong for Dan.
    assert WholeHistory()(Guess.of(only_september), answer).value == 3 / 4
    assert WholeHistory()(Guess.of(truth), answer).value == 1
    assert WholeHistory()(Guess.of({}), answer).value == 0
