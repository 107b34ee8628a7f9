from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from tokumei import Challenge, History, Risk, publish, read
from tokumei.anonymizers import DeleteRows, PseudonymsOnly
from tokumei.attacks import Jaccard, MultisetJaccard
from tokumei.contracts import Answer
from tokumei.errors import ParameterError, SchemaError
from tokumei.judges import HitRate
from tokumei.tables import frame
from tokumei.threats import FullKnowledge, PartialRows


def asked(known: History, release: History) -> tuple[Challenge, Answer]:
    return FullKnowledge()(known, publish(known, release, secret=b"1"), seed=1)


def basket(**items: str) -> pl.DataFrame:
    """One row for every letter: `basket(ann="ab")` is Ann's purchase of a and b."""
    rows = [(person, item) for person, letters in items.items() for item in letters]
    return pl.DataFrame(rows, schema=["person", "item"], orient="row")


def named(guess, answer: Answer) -> dict[str, dict[str, float]]:
    """The guess with targets as their customers: truth → value → weight."""
    truth = dict(frame(answer.pairs).select("target", "value").iter_rows())
    result: dict[str, dict[str, float]] = {}
    for target, value, weight in frame(guess.pairs).iter_rows():
        result.setdefault(truth[target], {})[value] = weight
    return result


def test_the_weights_are_jaccard_coefficients() -> None:
    """Known: Ann {a, b, c}, Ben {c, d}. Released: Ann {a, b}, Ben {c, d}."""
    history = read(basket(ann="abc", ben="cd"))
    rows = history.frame()
    released = history.with_purchases(
        rows.filter(~((pl.col("person") == "ann") & (pl.col("item") == "c")))
    )
    challenge, answer = asked(history, released)
    assert named(Jaccard()(challenge, seed=1), answer) == {
        "ann": {"ann": 2 / 3},
        "ben": {"ben": 1.0, "ann": 1 / 4},
    }


def test_rare_items_count_more_with_idf() -> None:
    """Of four customers all buy a, and only Ann and Ben share b: ln(4 / 2) + 1 against 1."""
    history = read(basket(ann="ab", ben="abc", cat="ad", dan="ae"))
    challenge, answer = asked(history, history)
    found = named(Jaccard(weights="idf")(challenge, seed=1), answer)["ann"]
    b, single = np.log(2) + 1, np.log(4) + 1
    assert found["ann"] == 1
    assert found["ben"] == pytest.approx((1 + b) / (1 + b + single), abs=1e-8)
    assert found["cat"] == pytest.approx(1 / (1 + b + single), abs=1e-8)


def test_one_to_one_gives_each_customer_one_pseudonym() -> None:
    """Both released sets are nearest to Ann (ac: 2/3, b: 1/3); Ben is second for the first."""
    history = read(basket(ann="abc", ben="acd"))
    rows = history.frame()
    ann, ben = (pl.col("person") == name for name in ("ann", "ben"))
    items = pl.col("item")
    released = history.with_purchases(
        rows.filter((ann & items.is_in(["b"])) | (ben & items.is_in(["a", "c"])))
    )
    challenge, answer = asked(history, released)
    assert named(Jaccard(one_to_one=True)(challenge, seed=1), answer) == {
        "ann": {"ann": 1 / 3},
        "ben": {"ben": 2 / 3},
    }


def test_one_to_one_leaves_alone_whom_nobody_resembles(shop: History) -> None:
    """Three pseudonyms and one candidate: two go without."""
    history = read(basket(ann="a", ben="a", cat="a"))
    challenge, _ = asked(history, history)
    only = replace(challenge, candidates=challenge.candidates.filter(value="ann"))
    assert len(frame(Jaccard(one_to_one=True)(only, seed=1).pairs)) == 1
    assert len(frame(Jaccard()(only, seed=1).pairs)) == 3


def test_one_to_one_on_shortlists_is_that_on_all_pairs(shop: History, monkeypatch) -> None:
    released = DeleteRows(share=0.7)(shop, seed=1)
    challenge, _ = asked(shop, released)
    everything = frame(Jaccard(one_to_one=True)(challenge, seed=1).pairs).sort("target")
    monkeypatch.setattr("tokumei.attacks.matching.ALL_PAIRS", 10)
    monkeypatch.setattr("tokumei.attacks.matching.SHORTLIST", 40)
    shortlist = frame(Jaccard(one_to_one=True)(challenge, seed=1).pairs).sort("target")
    assert everything["value"].n_unique() == len(everything) > 50
    assert shortlist["weight"].sum() == pytest.approx(everything["weight"].sum())


def test_of_more_ties_than_names_the_seed_draws() -> None:
    history = read(basket(**{f"p{number}": "a" for number in range(20)}))
    challenge, answer = asked(history, history)
    guess = Jaccard(top=3)(challenge, seed=1)
    assert frame(guess.pairs).group_by("target").len()["len"].unique().to_list() == [3]
    assert (
        not frame(guess.pairs)
        .sort("target", "value")
        .equals(frame(Jaccard(top=3)(challenge, seed=2).pairs).sort("target", "value"))
    )
    rates = [HitRate()(Jaccard(top=1)(challenge, seed=seed), answer).value for seed in range(50)]
    assert np.mean(rates) == pytest.approx(1 / 20, abs=0.03)


def test_suppressed_items_tell_nothing(fruit: History) -> None:
    hidden = fruit.with_purchases(
        fruit.frame().with_columns(item=pl.when(person="Dan").then(None).otherwise("item"))
    )
    challenge, answer = asked(fruit, hidden)
    assert set(named(Jaccard()(challenge, seed=1), answer)) == {"Alice", "Bob", "Carol"}
    assert set(named(MultisetJaccard()(challenge, seed=1), answer)) == {"Alice", "Bob", "Carol"}


def test_an_empty_release_is_answered_with_nothing(fruit: History) -> None:
    challenge, _ = asked(fruit, fruit)
    nothing = challenge.release.with_purchases(challenge.release.frame().clear())
    challenge = replace(challenge, release=nothing)
    for attack in (Jaccard(), Jaccard(one_to_one=True, weights="idf"), MultisetJaccard()):
        assert frame(attack(challenge, seed=1).pairs).is_empty()


def test_known_items_are_needed_and_exact(fruit: History) -> None:
    without = fruit.with_purchases(fruit.frame().drop("item"))
    challenge, _ = asked(without, without)
    with pytest.raises(SchemaError, match="needs a column for item"):
        Jaccard()(challenge, seed=1)
    general = fruit.frame().with_columns(item=pl.concat_list("item", pl.lit("fig")))
    challenge, _ = asked(fruit, fruit)
    blurred = replace(challenge, release=challenge.release.with_purchases(general))
    with pytest.raises(SchemaError, match="every item must be exact"):
        Jaccard()(blurred, seed=1)


def test_quantities_are_summed_over_the_rows_of_an_item(fruit: History) -> None:
    """Bob has 1 pear, 1 grape; Dan 5 pears, 3 grapes; Alice 2 pears."""
    challenge, answer = asked(fruit, fruit)
    found = named(MultisetJaccard()(challenge, seed=1), answer)
    assert found["Bob"] == {"Bob": 1.0, "Dan": 2 / 8, "Alice": 1 / 3, "Carol": 1 / 5}


def test_returned_goods_do_not_count(fruit: History) -> None:
    rows = fruit.frame()
    back = rows.filter(person="Carol", item="peach").with_columns(
        quantity=-pl.col("quantity"), row=pl.lit(99, dtype=pl.Int64)
    )
    returned = fruit.with_purchases(pl.concat([rows, back.select(rows.columns)]))
    challenge, answer = asked(returned, returned)
    assert named(MultisetJaccard()(challenge, seed=1), answer)["Carol"]["Bob"] == 1 / 2


def test_quantities_may_be_fractions(fruit: History) -> None:
    thirds = fruit.with_purchases(fruit.frame().with_columns(pl.col("quantity") / 3))
    challenge, answer = asked(thirds, thirds)
    found = named(MultisetJaccard()(challenge, seed=1), answer)
    assert found["Bob"]["Dan"] == pytest.approx(1 / 4, abs=1e-3)


def test_quantities_are_needed(fruit: History) -> None:
    without = fruit.with_purchases(fruit.frame().drop("quantity"))
    challenge, _ = asked(without, without)
    with pytest.raises(SchemaError, match="needs a column for quantity"):
        MultisetJaccard()(challenge, seed=1)


def test_parameters_are_checked() -> None:
    with pytest.raises(ParameterError, match="weights must be none or idf, not 'tf'"):
        Jaccard(weights="tf")
    with pytest.raises(ParameterError, match="top must be at least 1"):
        Jaccard(top=0)


@pytest.mark.realdata
def test_pseudonyms_alone_hide_nobody_of_pwscup2016(real_data) -> None:
    history = read(real_data / "data/pwscup2016/T.csv", format="pwscup2016")
    release = publish(history, PseudonymsOnly()(history, seed=1), secret=b"1")
    for attack in (Jaccard(), Jaccard(weights="idf", one_to_one=True), MultisetJaccard()):
        assert Risk(attack=attack)(history, release, seed=1).value == 1
    partly = Risk(attack=Jaccard(weights="idf"), threat=PartialRows(share=0.25))
    assert partly(history, release, seed=1).value > 0.95
