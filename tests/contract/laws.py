"""The laws that every registered method obeys; `test_laws.py` applies them to all.

A law is a plain function that asserts, so that `test_laws_bite.py` can show it on broken methods.
"""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any

import polars as pl
from polars.testing import assert_frame_equal

from tokumei import Answer, Challenge, Guess, History, Release, Score, publish, registry
from tokumei.history import ROW
from tokumei.tables import Table, frame, table


def shuffled(history: History) -> History:
    """The same history with its rows in another order."""
    customers = history.customers
    if customers is not None:
        customers = table(frame(customers).reverse())
    mixed = history.frame().sample(fraction=1.0, shuffle=True, seed=5)
    return replace(history, purchases=table(mixed), customers=customers)


def snapshot(history: History) -> list[pl.DataFrame]:
    tables = [history.purchases, *([history.customers] if history.customers is not None else [])]
    return [frame(part).clone() for part in tables]


def assert_same(first: Table | pl.DataFrame, second: Table | pl.DataFrame) -> None:
    """Equal but for the order of rows."""
    left, right = (
        (part if isinstance(part, pl.DataFrame) else frame(part)) for part in (first, second)
    )
    assert left.columns == right.columns
    assert_frame_equal(left, right, check_row_order=False, check_exact=False, abs_tol=1e-12)


def assert_score(score: Score) -> None:
    low, high = score.range
    assert low <= score.value <= high, f"{score.name} = {score.value} lies outside {score.range}"
    assert score.n >= 0
    assert score.better in ("higher", "lower")
    if score.interval is not None:
        assert low <= score.interval[0] <= score.value <= score.interval[1] <= high


def spec_makes_the_same_object(method: Any, family: registry.Family) -> None:
    assert registry.build(family, registry.spec(method)) == method


def pickles(method: Any) -> None:
    assert pickle.loads(pickle.dumps(method)) == method


def is_documented(method: type) -> None:
    assert (method.__doc__ or "").strip().split("\n\n")[0].rstrip().endswith(".")
    from tokumei.parameters import parameters

    for parameter in parameters(method):
        assert parameter.doc, f"{method.__name__}.{parameter.name} has no Doc(…)"


def anonymizer_repeats_itself(method: Any, history: History) -> None:
    assert_same(method(history, seed=1).purchases, method(history, seed=1).purchases)


def anonymizer_ignores_the_order_of_rows(method: Any, history: History) -> None:
    assert_same(method(history, seed=1).purchases, method(shuffled(history), seed=1).purchases)


def anonymizer_leaves_its_input_alone(method: Any, history: History) -> None:
    before = snapshot(history)
    method(history, seed=1)
    for then, now in zip(before, snapshot(history), strict=True):
        assert_frame_equal(then, now)


def anonymizer_output_can_be_published(method: Any, history: History) -> None:
    """Row ids are the input's or negative, and unique; customers are the input's."""
    result = method(history, seed=1)
    release = publish(history, result, secret=b"2")
    assert release.public.rows == result.rows
    ids = set(history.frame()[ROW])
    assert all(row in ids or row < 0 for row in result.frame()[ROW])


def threat_answers_its_own_question(method: Any, history: History, release: Release) -> None:
    challenge, answer = method(history, release, seed=1)
    asked = set(frame(challenge.targets)["target"])
    answered = frame(answer.pairs)
    assert set(answered["target"]) == asked
    assert set(answered["value"]) <= set(frame(challenge.candidates)["value"])
    assert challenge.assumes.endswith(".")


def threat_repeats_itself(method: Any, history: History, release: Release) -> None:
    first, second = (method(history, release, seed=1) for _ in range(2))
    assert_same(first[0].known.purchases, second[0].known.purchases)
    assert_same(first[1].pairs, second[1].pairs)


def challenge_holds_nothing_secret(method: Any, history: History, release: Release) -> None:
    """A challenge does not change when the key is another one."""
    other = publish(history, history, secret=b"99")
    swapped = replace(release, key=replace(release.key, rows=other.key.rows))
    first, second = (method(history, one, seed=1)[0] for one in (release, swapped))
    assert_same(first.known.purchases, second.known.purchases)
    assert_same(first.release.purchases, second.release.purchases)
    assert_same(first.targets, second.targets)


def attack_repeats_itself(method: Any, challenge: Challenge) -> None:
    assert_same(method(challenge, seed=1).pairs, method(challenge, seed=1).pairs)


def attack_ignores_the_order_of_rows(method: Any, challenge: Challenge) -> None:
    other = replace(
        challenge,
        release=shuffled(challenge.release),
        known=shuffled(challenge.known),
        targets=table(frame(challenge.targets).reverse()),
        candidates=table(frame(challenge.candidates).reverse()),
    )
    assert_same(method(challenge, seed=1).pairs, method(other, seed=1).pairs)


def attack_stays_within_the_question(method: Any, challenge: Challenge) -> None:
    guess = frame(method(challenge, seed=1).pairs)
    assert set(guess["target"]) <= set(frame(challenge.targets)["target"])
    assert set(guess["value"]) <= set(frame(challenge.candidates)["value"])
    assert guess["weight"].is_finite().all()
    assert not guess.select("target", "value").is_duplicated().any()


def judge_marks_a_perfect_guess_best_and_an_empty_one_worst(method: Any, answer: Answer) -> None:
    """Best for the attacker: `better` takes the other side, that of the data's owner."""
    truth = frame(answer.pairs).select("target", "value").with_columns(weight=pl.lit(1.0))
    perfect, empty = method(Guess(truth), answer), method(Guess(truth.clear()), answer)
    assert perfect.value == perfect.worst
    assert empty.value == empty.best
    assert_score(perfect)
    assert_score(empty)


def judge_ignores_the_order_of_rows(method: Any, guess: Guess, answer: Answer) -> None:
    turned = Guess(frame(guess.pairs).reverse()), Answer(frame(answer.pairs).reverse())
    assert method(guess, answer) == method(*turned)


def metric_repeats_itself(method: Any, history: History, release: Release) -> None:
    assert method(history, release, seed=1) == method(history, release, seed=1)


def metric_ignores_the_order_of_rows(method: Any, history: History, release: Release) -> None:
    mixed = replace(release, public=shuffled(release.public))
    first, second = (
        method(history, release, seed=1),
        method(shuffled(history), mixed, seed=1),
    )
    assert first.name == second.name
    assert abs(first.value - second.value) < 1e-12


def metric_lies_in_its_range(method: Any, history: History, release: Release) -> None:
    assert_score(method(history, release, seed=1))


def no_anonymization_has_the_best_utility(method: Any, history: History) -> None:
    """A score that assumes an attacker is a risk; every other one is a utility."""
    score = method(history, publish(history, history, secret=b"3"), seed=1)
    if not score.assumes:
        assert score.value == score.best
