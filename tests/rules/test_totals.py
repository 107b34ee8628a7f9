"""The titles and totals of the contests, worked by hand from given scores."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import polars as pl
import pytest

from tokumei import rules
from tokumei.contracts import Answer, Guess, Score
from tokumei.rules.contract import titled


def score(name: str, value: float, most: float = inf) -> Score:
    return Score(name, value, "lower", (0.0, most), 1)


RISKS = [score("one", 0.25, 1.0), score("two", 0.75, 1.0), score("three", 0.5, 1.0)]


def test_a_title_keeps_what_a_score_assumes() -> None:
    known = Score("hit-rate", 0.123456789, "lower", (0.0, 1.0), 9, assumes="All is known.")
    assert titled(known, "S1", 6) == replace(known, name="S1", value=0.123457)
    assert titled(known, "S1", assumes="Half.") == replace(known, name="S1", assumes="Half.")


def test_2016_takes_the_mean_of_the_mean_loss_and_the_largest_rate() -> None:
    # As shares of their ranges, of which no more than 1 counts: 0.5, 0.25, 1, 0.25.
    losses = [score("a", 0.125, 0.25), score("b", 0.25, 1.0), score("c", 3), score("d", 0.25)]
    total = rules.find("pwscup2016").total(losses, RISKS)
    assert total == [score("U", 0.5), score("E", 0.75), score("total", 0.625)]


def test_the_scores_of_2017_have_the_digits_that_the_contest_gave() -> None:
    digits = {utility.title: utility.digits for utility in rules.find("pwscup2017").utilities}
    assert digits == {
        "E1": 6,
        "E2": 6,
        "E3.list": 6,
        "E3.similarity": 6,
        "E4": 10,
        "E5": 10,
        "E6": 4,
    }
    guess = Guess.of({"a": "x", "b": "x", "c": "x"})
    truth = {"target": ["a", "b", "c"], "value": ["x", "y", "z"], "person": ["a", "b", "c"]}
    (rate,) = rules.find("pwscup2017").marked("S1", guess, Answer(pl.DataFrame(truth)))
    assert rate.value == 0.333333


def test_2017_adds_the_largest_loss_and_the_largest_rate() -> None:
    total = rules.find("pwscup2017").total([score("a", 0.125), score("b", 0.5)], RISKS)
    assert total == [score("utility", 0.5), score("risk", 0.75), score("total", 1.25)]


@pytest.mark.parametrize(("shot", "total"), [((0, 0), 0.5), ((0, 1), 9999), ((1, 0), 9999)])
def test_2018_takes_the_information_loss_unless_a_guess_shoots_down(
    shot: tuple[int, int], total: float
) -> None:
    risks = [
        score(f"{title}.{part}", value)
        for title, value_of_shot in zip(("exact_row", "guess:a.csv"), shot, strict=True)
        for part, value in (("guesses", 9), ("correct", 8), ("shot_down", value_of_shot))
    ]
    shot_down = Score("shot_down", max(shot), "lower", (0.0, 1.0), 2)
    found = rules.find("pwscup2018").total([score("information_loss", 0.5)], risks)
    assert found == [shot_down, score("total", total)]


def test_the_simplified_game_adds_the_losses_and_the_largest_rate() -> None:
    total = rules.find("simplified").total([score("a", 0.125), score("b", 0.25)], RISKS)
    assert total == [score("utility", 0.375), score("safety", 0.75), score("total", 1.125)]
