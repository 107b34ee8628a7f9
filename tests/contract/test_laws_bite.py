"""The laws catch methods that are broken on purpose."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

import laws
import polars as pl
import pytest

from tokumei import Answer, Challenge, Guess, History, Release, Score, publish
from tokumei.errors import SchemaError
from tokumei.history import ROW
from tokumei.parameters import Checked
from tokumei.tables import frame
from tokumei.threats import FullKnowledge


class UnseededDeletion:
    def __call__(self, history: History, /, *, seed: int) -> History:
        return history.map_rows(lambda rows: rows.sample(fraction=0.5))


class KeepsTheFirstRows:
    def __call__(self, history: History, /, *, seed: int) -> History:
        return history.map_rows(lambda rows: rows.head(10))


class RenumbersRows:
    def __call__(self, history: History, /, *, seed: int) -> History:
        return history.map_rows(lambda rows: rows.with_columns(pl.col(ROW) + 1_000_000))


class WritesIntoItsInput:
    def __call__(self, history: History, /, *, seed: int) -> History:
        changed = history.with_purchases(history.frame().with_columns(price=pl.lit(1.0)))
        object.__setattr__(history, "purchases", changed.purchases)
        return changed


class InventsCustomers:
    def __call__(self, history: History, /, *, seed: int) -> History:
        return history.map_rows(lambda rows: rows.with_columns(person=pl.lit("nobody")))


@pytest.mark.parametrize(
    ("method", "law", "error"),
    [
        (UnseededDeletion(), laws.anonymizer_repeats_itself, AssertionError),
        (KeepsTheFirstRows(), laws.anonymizer_ignores_the_order_of_rows, AssertionError),
        (RenumbersRows(), laws.anonymizer_output_can_be_published, SchemaError),
        (InventsCustomers(), laws.anonymizer_output_can_be_published, SchemaError),
        (WritesIntoItsInput(), laws.anonymizer_leaves_its_input_alone, AssertionError),
    ],
)
def test_a_broken_anonymizer_is_caught(method, law, error, shop: History) -> None:
    own = replace(shop)  # one of them changes it, and other tests use the same shop
    with pytest.raises(error):
        law(method, own)


class TellsTheKey:
    """Puts the row origins into the challenge."""

    def __call__(
        self, history: History, release: Release, /, *, seed: int
    ) -> tuple[Challenge, Answer]:
        challenge, answer = FullKnowledge()(history, release, seed=seed)
        origins = frame(release.key.rows)["origin"]
        leaked = challenge.release.frame().with_columns(origin=origins)
        return replace(challenge, release=challenge.release.with_purchases(leaked)), answer


def test_a_threat_that_tells_the_key_is_caught(shop: History) -> None:
    release = publish(shop, shop, secret=b"1")
    with pytest.raises(AssertionError):
        laws.challenge_holds_nothing_secret(TellsTheKey(), shop, release)


class GuessesByPosition:
    def __call__(self, challenge: Challenge, /, *, seed: int) -> Guess:
        first = challenge.release.frame()["person"][0]
        return Guess.of({first: frame(challenge.candidates)["value"].sort()[0]})


class GuessesSomebodyElse:
    def __call__(self, challenge: Challenge, /, *, seed: int) -> Guess:
        return Guess.of({"nobody": "noone"})


class GuessesAtRandom:
    def __call__(self, challenge: Challenge, /, *, seed: int) -> Guess:
        values = frame(challenge.candidates)["value"].to_list()
        targets = frame(challenge.targets)["target"].to_list()
        return Guess.of({target: random.choice(values) for target in targets})


@pytest.mark.parametrize(
    ("method", "law"),
    [
        (GuessesByPosition(), laws.attack_ignores_the_order_of_rows),
        (GuessesSomebodyElse(), laws.attack_stays_within_the_question),
        (GuessesAtRandom(), laws.attack_repeats_itself),
    ],
)
def test_a_broken_attack_is_caught(method, law, shop: History) -> None:
    challenge, _ = FullKnowledge()(shop, publish(shop, shop, secret=b"1"), seed=1)
    with pytest.raises(AssertionError):
        law(method, challenge)


class CountsGuesses:
    """Rewards saying much: an all-empty guess gets nothing, but so may a right one."""

    def __call__(self, guess: Guess, answer: Answer, /) -> Score:
        said = len(frame(guess.pairs))
        return Score("counts", said / 1000, "lower", (0.0, 1.0), said)


def test_a_broken_judge_is_caught() -> None:
    answer = Answer(pl.DataFrame({"target": ["P1", "P2"], "value": ["Alice", "Bob"]}))
    with pytest.raises(AssertionError):
        laws.judge_marks_a_perfect_guess_best_and_an_empty_one_worst(CountsGuesses(), answer)


class OutOfRange:
    def __call__(self, history: History, release: Release, /, *, seed: int) -> Score:
        return Score("rows", release.public.rows, "lower", (0.0, 1.0), 1)


class PrefersChange:
    def __call__(self, history: History, release: Release, /, *, seed: int) -> Score:
        return Score("change", 0.5, "lower", (0.0, 1.0), 1)


class ReadsTheFirstRow:
    def __call__(self, history: History, release: Release, /, *, seed: int) -> Score:
        return Score("first", history.frame()[ROW][0] / history.rows, "lower", (0.0, 1.0), 1)


def test_a_broken_metric_is_caught(shop: History) -> None:
    release = publish(shop, shop, secret=b"1")
    with pytest.raises(AssertionError):
        laws.metric_lies_in_its_range(OutOfRange(), shop, release)
    with pytest.raises(AssertionError):
        laws.no_anonymization_has_the_best_utility(PrefersChange(), shop)
    with pytest.raises(AssertionError):
        laws.metric_ignores_the_order_of_rows(ReadsTheFirstRow(), shop, release)


@dataclass(frozen=True, kw_only=True)
class Undocumented(Checked):
    share: float = 0.1


def test_an_undocumented_method_is_caught() -> None:
    with pytest.raises(AssertionError):
        laws.is_documented(Undocumented)
