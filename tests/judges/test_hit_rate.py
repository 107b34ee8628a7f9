import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokumei import Answer, Guess, Score
from tokumei.errors import SchemaError
from tokumei.judges import HitRate
from tokumei.theory.intervals import paired

ANSWER = Answer(pl.DataFrame({"target": ["P1", "P2", "P3", "P4"], "value": ["a", "b", "c", "d"]}))


def guess(*pairs: tuple[str, str, float]) -> Guess:
    schema = {"target": pl.String, "value": pl.String, "weight": pl.Float64}
    return Guess(pl.DataFrame(pairs, schema=schema, orient="row"))


def test_half_of_the_targets_named_is_a_half() -> None:
    assert HitRate()(Guess.of({"P1": "a", "P2": "b", "P3": "x"}), ANSWER).value == 0.5


def test_the_score_says_of_how_many_targets_it_is_a_share() -> None:
    assert HitRate()(Guess.of({"P1": "a"}), ANSWER) == Score(
        "hit-rate", 0.25, "lower", (0.0, 1.0), 4, interval=paired(0.25, 4)
    )


def test_an_answer_without_targets_has_no_share() -> None:
    nothing = Answer(pl.DataFrame(schema={"target": pl.String, "value": pl.String}))
    score = HitRate()(Guess.of({"P1": "a"}), nothing)
    assert score == Score("hit-rate", 0.0, "lower", (0.0, 1.0), 0)


def test_the_heaviest_value_counts() -> None:
    said = guess(("P1", "a", 1.0), ("P1", "x", 2.0), ("P2", "b", 2.0), ("P2", "x", 1.0))
    assert HitRate()(said, ANSWER).value == 0.25
    assert HitRate(top=2)(said, ANSWER).value == 0.5


def test_ties_count_what_a_random_choice_would_hit() -> None:
    said = guess(("P1", "a", 1.0), ("P1", "x", 1.0), ("P1", "y", 1.0), ("P1", "z", 1.0))
    assert HitRate()(said, ANSWER).value == pytest.approx(1 / 16)
    assert HitRate(top=2)(said, ANSWER).value == pytest.approx(2 / 16)
    assert HitRate(top=4)(said, ANSWER).value == pytest.approx(4 / 16)


def test_saying_a_thing_twice_does_not_help() -> None:
    said = guess(("P1", "x", 2.0), ("P1", "x", 2.0), ("P1", "a", 3.0), ("P1", "a", 3.0))
    assert HitRate()(said, ANSWER).value == 0.25


def test_a_value_that_is_said_twice_has_the_larger_weight() -> None:
    said = guess(("P1", "a", 1.0), ("P1", "x", 2.0), ("P1", "a", 3.0))
    assert HitRate()(said, ANSWER).value == 0.25


def test_a_repeated_answer_counts_once() -> None:
    twice = Answer(pl.DataFrame({"target": ["P1", "P1"], "value": ["a", "a"]}))
    assert HitRate()(Guess.of({"P1": "a"}), twice).value == 1


def test_of_several_right_values_the_heaviest_counts() -> None:
    either = Answer(pl.DataFrame({"target": ["P1", "P1"], "value": ["a", "b"]}))
    said = guess(("P1", "a", 1.0), ("P1", "b", 3.0), ("P1", "x", 2.0))
    score = HitRate()(said, either)
    assert (score.value, score.n) == (1, 1)


def test_targets_nobody_asked_for_do_not_count() -> None:
    assert HitRate()(Guess.of({"P9": "a"}), ANSWER).value == 0


def test_a_guess_needs_its_columns() -> None:
    with pytest.raises(SchemaError, match="A guess needs the columns target, value, weight"):
        Guess(pl.DataFrame({"target": ["P1"], "value": ["a"]}))


weights = st.integers(1, 3).map(float)
said_pairs = st.dictionaries(
    st.tuples(st.sampled_from(["P1", "P2", "P3", "P4"]), st.sampled_from("abcdxy")), weights
)


def literal(pairs: dict[tuple[str, str], float], top: int) -> float:
    """The definition, word by word."""
    truth = {"P1": "a", "P2": "b", "P3": "c", "P4": "d"}
    total = 0.0
    for target, value in truth.items():
        if (target, value) in pairs:
            own = pairs[target, value]
            rivals = [weight for (t, _), weight in pairs.items() if t == target]
            heavier = sum(weight > own for weight in rivals)
            total += min(1, max(0, (top - heavier) / sum(weight == own for weight in rivals)))
    return total / 4


@given(said_pairs, st.integers(1, 4))
def test_the_rate_is_its_definition(pairs: dict[tuple[str, str], float], top: int) -> None:
    said = guess(*((target, value, weight) for (target, value), weight in pairs.items()))
    assert HitRate(top=top)(said, ANSWER).value == pytest.approx(literal(pairs, top))
