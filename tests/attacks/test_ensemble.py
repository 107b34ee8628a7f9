from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokumei import Challenge, Guess, History, publish, read
from tokumei.anonymizers import (
    Chain,
    Decoys,
    DeleteRows,
    Generalize,
    PerturbAmounts,
    PseudonymsOnly,
    ShiftDates,
    Yamaoka,
)
from tokumei.attacks import CustomerAttributes, Ensemble, ensemble
from tokumei.contracts import Answer
from tokumei.draws import repeatable_secret
from tokumei.errors import SchemaError
from tokumei.judges import HitRate
from tokumei.tables import frame, table
from tokumei.threats import FullKnowledge, MonthlyView, PartialRows


@dataclass(frozen=True)
class Says:
    """A member that says what it was told to, or refuses."""

    weights: tuple[tuple[str, str, float], ...] = ()

    def __call__(self, challenge: Challenge, /, *, seed: int) -> Guess:
        if not self.weights:
            raise SchemaError("This member does not apply.")
        names = ["target", "value", "weight"]
        return Guess(pl.DataFrame(list(self.weights), schema=names, orient="row"))


def says(**lines: str) -> Says:
    """`says(p="a9 b1")`: p is Ann with weight 9, or Ben with weight 1."""
    pairs = [
        (target, said[0], float(said[1:]))
        for target, text in lines.items()
        for said in text.split()
    ]
    return Says(tuple(pairs))


@pytest.fixture
def combine(monkeypatch):
    """Ask the given members about the given pseudonyms of Ann, Ben, Cat, …"""

    def run(pseudonyms: str, persons: str, *members: Says) -> dict[str, dict[str, float]]:
        monkeypatch.setattr(ensemble, "members", lambda top: members)
        release, known = (
            read(pl.DataFrame({"person": list(who)})) for who in (pseudonyms, persons)
        )
        challenge = Challenge(
            release=release,
            known=known,
            targets=table(pl.DataFrame({"target": list(pseudonyms)})),
            candidates=table(pl.DataFrame({"value": list(persons)})),
            assumes="",
        )
        result: dict[str, dict[str, float]] = {}
        for target, value, weight in frame(Ensemble()(challenge, seed=1).pairs).iter_rows():
            result.setdefault(target, {})[value] = weight
        return result

    return run


def rates(history: History, anonymized: History, threat) -> tuple[float, float, int]:
    """What the ensemble finds, what the best member finds, and the number of targets."""
    release = publish(history, anonymized, secret=b"2")
    challenge, answer = threat(history, release, seed=3)
    single = []
    for member in ensemble.members(10):
        try:
            single.append(marked(member(challenge, seed=4), answer))
        except SchemaError:
            continue
    together = marked(Ensemble()(challenge, seed=4), answer)
    return together, max(single), len(frame(challenge.targets))


def marked(guess: Guess, answer: Answer) -> float:
    return HitRate()(guess, answer).value


def assert_not_worse(history: History, anonymized: History, threat) -> None:
    together, best, n = rates(history, anonymized, threat)
    noise = np.sqrt(max(best * (1 - best), 1 / n) / n)
    assert together >= best - 2 * noise


def test_one_member_alone_worked_by_hand(combine) -> None:
    """Two targets, each with weight 1 for one of two: in standard deviations 1 and -1.

    The pairs named have mean 1 and variance 0, all pairs variance 1: the voice is 1 / (1/2 + 0.1),
    the odds of the two are 2 / 0.6 apart.
    """
    chance = 1 / (1 + exp(-2 / 0.6))
    assert combine("pq", "ab", says(p="a1", q="b1")) == {
        "p": {"a": pytest.approx(chance, abs=1e-8)},
        "q": {"b": pytest.approx(chance, abs=1e-8)},
    }


def test_each_customer_is_named_once_so_that_the_sum_is_largest(combine) -> None:
    """Both are nearest to Ann; q loses less by taking another."""
    found = combine("pq", "abc", says(p="a9 b1 c2", q="a9 b8 c1"))
    assert {target: set(names) for target, names in found.items()} == {"p": {"a"}, "q": {"b"}}


def test_who_sends_all_to_the_same_customer_is_hardly_heard(combine) -> None:
    hub = says(p="a9 b1", q="a9 c1", r="a9 c2", s="a9 b2")
    good = says(p="b3 a1", q="c3 a1", r="d3 a1", s="a3 b1")
    found = combine("pqrs", "abcd", hub, hub, good)
    assert {target: set(names) for target, names in found.items()} == {
        "p": {"b"}, "q": {"c"}, "r": {"d"}, "s": {"a"},
    }  # fmt: skip


def test_members_help_each_other_out(combine) -> None:
    """Each sees half of the targets; where one is silent, the other one speaks."""
    left, right = says(p="a5 b1", q="b5 a1"), says(r="c5 d1", s="d5 a1")
    found = combine("pqrs", "abcd", left, right)
    assert {target: set(names) for target, names in found.items()} == {
        "p": {"a"}, "q": {"b"}, "r": {"c"}, "s": {"d"},
    }  # fmt: skip


def test_targets_that_look_alike_share_their_names(combine) -> None:
    found = combine("pqr", "abc", says(p="a2 b2", q="a2 b2", r="c1"))
    assert found["p"] == found["q"]
    assert found["p"]["a"] == found["p"]["b"] < 0.25
    assert set(found["p"]) == {"a", "b"}
    assert set(found["r"]) == {"c"}


def test_with_more_targets_than_customers_each_gets_its_best(combine) -> None:
    found = combine("pqrs", "ab", says(p="a3", q="a2 b1", r="b1", s="b2 a1"))
    assert {target: set(names) for target, names in found.items()} == {
        "p": {"a"}, "q": {"a"}, "r": {"b"}, "s": {"b"},
    }  # fmt: skip


def test_members_that_do_not_apply_are_left_out(combine) -> None:
    speaks = says(p="a1", q="b1")
    assert combine("pq", "ab", Says(), speaks) == combine("pq", "ab", speaks)
    with pytest.raises(SchemaError, match=r"at least one must apply; none does\. This member"):
        combine("pq", "ab", Says(), Says())


def test_strangers_are_not_named(combine) -> None:
    found = combine("pq", "ab", says(p="x9 a1", q="b1", z="a9"))
    assert {target: set(names) for target, names in found.items()} == {"p": {"a"}, "q": {"b"}}


def test_shortlists_are_enough(shop: History, monkeypatch) -> None:
    released = DeleteRows(share=0.8)(shop, seed=1)
    together, _, _ = rates(shop, released, PartialRows(share=0.25))
    monkeypatch.setattr("tokumei.attacks.ensemble.ALL_PAIRS", 3)
    monkeypatch.setattr("tokumei.attacks.voices.ALL_PAIRS", 10)
    monkeypatch.setattr("tokumei.attacks.voices.SHORTLIST", 12)
    monkeypatch.setattr("tokumei.attacks.ensemble.SHORTLIST", 12)
    for module in ("matching", "nearest", "candidate_intersection"):
        monkeypatch.setattr(f"tokumei.attacks.{module}.ALL_PAIRS", 10)
        monkeypatch.setattr(f"tokumei.attacks.{module}.SHORTLIST", 12)
    assert rates(shop, released, PartialRows(share=0.25))[0] == pytest.approx(together, abs=0.06)


CHANGES = [
    PseudonymsOnly(),
    DeleteRows(share=0.3),
    ShiftDates(),
    ShiftDates(together="row"),
    PerturbAmounts(),
    Decoys(clusters=15, grouping="tfidf-kmeans", style="paper"),
    Decoys(clusters=15, seconds=0.1),
    Decoys(clusters=15, seconds=0.1, share="rows"),
    Generalize(seconds=0.1),
    Yamaoka(),
]
THREATS = [FullKnowledge(), PartialRows(share=0.5), PartialRows(share=0.25)]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: type(change).__name__)
def test_it_is_not_worse_than_its_best_member(shop: History, change) -> None:
    for threat in THREATS:
        assert_not_worse(shop, change(shop, seed=5), threat)


def test_it_is_better_where_everybody_sees_a_part(shop: History) -> None:
    """Half of the rows, moved days, other amounts: no member reaches 90%."""
    change = Chain(
        steps=(
            DeleteRows(share=0.5),
            ShiftDates(days=5, together="row"),
            PerturbAmounts(price=0.3, quantity=0.3),
        )
    )
    together, best, _ = rates(shop, change(shop, seed=5), PartialRows(share=0.05))
    assert together > 0.95
    assert together > best - 0.02


def test_identical_customers_are_not_told_apart(shop: History) -> None:
    for share in (0.25, 1.0):
        equal = Decoys(clusters=15, seconds=0.1, share="rows")(shop, seed=5)
        assert rates(shop, equal, PartialRows(share=share))[0] == pytest.approx(15 / 60)
        groups = Generalize(k=3, seconds=0.1)(shop, seed=5)
        assert rates(shop, groups, PartialRows(share=share))[0] <= 1 / 3 + 1e-9


def test_months_are_asked_too(shop: History) -> None:
    release = publish(shop, shop, secret=b"2", period="month")
    challenge, answer = MonthlyView(share=0.5, item_characters=9)(shop, release, seed=3)
    by_purchases = [m for m in ensemble.members(10) if not isinstance(m, CustomerAttributes)]
    single = [marked(member(challenge, seed=4), answer) for member in by_purchases]
    assert marked(Ensemble()(challenge, seed=4), answer) >= max(single) - 0.01


def test_an_empty_release_is_answered_with_nothing(fruit: History) -> None:
    challenge, _ = FullKnowledge()(fruit, publish(fruit, fruit, secret=b"1"), seed=1)
    nothing = challenge.release.with_purchases(challenge.release.frame().clear())
    assert frame(Ensemble()(replace(challenge, release=nothing), seed=1).pairs).is_empty()
    nobody = replace(challenge, candidates=challenge.candidates.filter(value="nobody"))
    assert frame(Ensemble()(nobody, seed=1).pairs).is_empty()


purchase = st.tuples(
    st.sampled_from("abcde"),
    st.integers(1, 28).map(lambda day: f"2020-05-{day:02}"),
    st.sampled_from(["tea", "rice", "salt"]),
    st.sampled_from([1.0, 2.5]),
    st.integers(1, 3),
)


@given(st.lists(purchase, min_size=2, max_size=25), st.sampled_from([0.0, 0.5]), st.integers(0, 9))
def test_any_small_history_is_answered_with_chances(rows, deleted: float, seed: int) -> None:
    names = ["customer", "date", "item", "price", "quantity"]
    history = read(pl.DataFrame(rows, schema=names, orient="row"))
    kept = DeleteRows(share=deleted)(history, seed=seed)
    if not kept.rows:
        return
    release = publish(history, kept, secret=repeatable_secret(seed))
    challenge, _ = PartialRows(share=0.5)(history, release, seed=seed)
    pairs = frame(Ensemble()(challenge, seed=seed).pairs)
    assert set(pairs["target"]) == set(frame(challenge.targets)["target"])
    assert set(pairs["value"]) <= set(frame(challenge.candidates)["value"])
    assert pairs["weight"].is_between(0, 1).all()
    assert (pairs.group_by("target").agg(pl.col("weight").sum())["weight"] <= 1 + 1e-9).all()


@pytest.mark.realdata
def test_it_is_not_worse_than_its_best_member_on_pwscup2016(real_data) -> None:
    history = read(real_data / "data/pwscup2016/T.csv", format="pwscup2016")
    changes = [
        Decoys(clusters=100, seconds=0.1, share="rows"),
        ShiftDates(days=7),
        Generalize(seconds=0.1),
    ]
    for change in changes:
        released = change(history, seed=5)
        for threat in (FullKnowledge(), PartialRows(share=0.25)):
            assert_not_worse(history, released, threat)


@pytest.mark.realdata
def test_it_is_as_good_as_its_best_member_on_pwscup2016(real_data) -> None:
    history = read(real_data / "data/pwscup2016/T.csv", format="pwscup2016")
    released = DeleteRows(share=0.8)(history, seed=5)
    together, best, _ = rates(history, released, PartialRows(share=0.25))
    assert together > 0.95
    assert together > best - 0.02
