import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokumei import Answer, Guess, Score, registry
from tokumei.errors import ParameterError
from tokumei.judges import ShootDown

NAMES = [f"P{number}" for number in range(100)]
TRUTH = {name: name.lower() for name in NAMES}
ANSWER = Answer(pl.DataFrame({"target": NAMES, "value": list(TRUTH.values())}))


def guess(*pairs: tuple[str, str, float]) -> Guess:
    schema = {"target": pl.String, "value": pl.String, "weight": pl.Float64}
    return Guess(pl.DataFrame(pairs, schema=schema, orient="row"))


def lines(total: int, right: int) -> Guess:
    """So many lines, so many of them right."""
    return Guess.of(
        {name: TRUTH[name] if i < right else "x" for i, name in enumerate(NAMES[:total])}
    )


@pytest.mark.parametrize(
    ("total", "right", "value"),
    [(0, 0, 0), (6, 6, 0), (7, 7, 1), (7, 6, 0), (11, 10, 1), (100, 65, 1), (100, 64, 0)],
)
def test_a_release_is_shot_down_by_enough_right_lines(total: int, right: int, value: int) -> None:
    score = ShootDown()(lines(total, right), ANSWER)
    assert score == Score("shoot-down", value, "lower", (0.0, 1.0), total)
    assert ShootDown().count(lines(total, right), ANSWER) == (total, right)


def test_saying_one_sure_line_seven_times_shoots_nothing_down() -> None:
    said = guess(*[("P1", "p1", 1.0)] * 7)
    assert ShootDown().count(said, ANSWER) == (1, 1)
    assert ShootDown()(said, ANSWER).value == 0


def test_only_the_heaviest_values_of_a_target_are_lines() -> None:
    said = guess(("P1", "p1", 1.0), ("P1", "x", 2.0), ("P2", "p2", 2.0), ("P2", "x", 1.0))
    assert ShootDown().count(said, ANSWER) == (2, 1)


def test_every_tied_value_is_a_line() -> None:
    said = guess(("P1", "p1", 1.0), ("P1", "x", 1.0), ("P1", "y", 1.0), ("P2", "p2", 5.0))
    assert ShootDown().count(said, ANSWER) == (4, 2)


def test_a_repeated_line_has_the_largest_of_its_weights() -> None:
    said = guess(("P1", "p1", 1.0), ("P1", "p1", 3.0), ("P1", "x", 2.0))
    assert ShootDown().count(said, ANSWER) == (1, 1)


def test_a_repeated_answer_counts_once() -> None:
    twice = Answer(pl.DataFrame({"target": ["P1", "P1"], "value": ["p1", "p1"]}))
    assert ShootDown().count(Guess.of({"P1": "p1"}), twice) == (1, 1)


def test_a_line_about_an_unknown_target_is_a_wrong_line() -> None:
    assert ShootDown().count(Guess.of({"Q": "p1"}), ANSWER) == (1, 0)


def test_an_easier_rule_needs_fewer_right_lines() -> None:
    assert ShootDown(alpha=0.5)(lines(1, 1), ANSWER).value == 1
    assert ShootDown(p=0.9)(lines(7, 7), ANSWER).value == 0


@pytest.mark.parametrize("wrong", [{"p": 0.0}, {"p": 1.0}, {"alpha": 0.0}, {"alpha": -1.0}])
def test_a_rule_outside_its_range_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        ShootDown(**wrong)


def test_it_is_found_by_its_name() -> None:
    assert registry.find("judge", "shoot-down") is ShootDown


said_pairs = st.lists(
    st.tuples(st.sampled_from(NAMES[:4]), st.sampled_from(["p0", "p1", "p2", "x"]), st.just(1.0))
    | st.tuples(st.sampled_from(NAMES[:4]), st.sampled_from(["p0", "p1", "x"]), st.just(2.0))
)


@given(said_pairs)
def test_the_lines_are_their_definition(pairs: list[tuple[str, str, float]]) -> None:
    top = {name: max((w for t, _, w in pairs if t == name), default=0.0) for name in NAMES[:4]}
    said = {(target, value) for target, value, weight in pairs if weight == top[target]}
    right = sum(TRUTH[target] == value for target, value in said)
    assert ShootDown().count(guess(*pairs), ANSWER) == (len(said), right)
