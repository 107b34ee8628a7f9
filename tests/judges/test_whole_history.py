import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokumei import Answer, Guess, Score
from tokumei.judges import WholeHistory
from tokumei.theory.intervals import paired

TRUTH = {
    ("Ann", "Ann 2011-01"): "p1",
    ("Ann", "Ann 2011-02"): "p2",
    ("Ben", "Ben 2011-01"): "p3",
    ("Ben", "Ben 2011-02"): "DEL",
}
PEOPLE, TARGETS = zip(*TRUTH, strict=True)
ANSWER = Answer(
    pl.DataFrame({"person": PEOPLE, "target": TARGETS, "value": list(TRUTH.values())}),
)
ALL_RIGHT = {target: value for (_, target), value in TRUTH.items()}


def guess(*pairs: tuple[str, str, float]) -> Guess:
    schema = {"target": pl.String, "value": pl.String, "weight": pl.Float64}
    return Guess(pl.DataFrame(pairs, schema=schema, orient="row"))


def share(said: dict[str, str]) -> float:
    return WholeHistory()(Guess.of(said), ANSWER).value


def test_a_customer_counts_when_every_month_is_right() -> None:
    assert share(ALL_RIGHT) == 1
    assert share(ALL_RIGHT | {"Ann 2011-02": "p9"}) == 0.5
    assert share(ALL_RIGHT | {"Ann 2011-02": "p9", "Ben 2011-01": "p9"}) == 0


def test_the_score_says_of_how_many_customers_it_is_a_share() -> None:
    assert WholeHistory()(Guess.of(ALL_RIGHT), ANSWER) == Score(
        "whole-history", 1.0, "lower", (0.0, 1.0), 2, interval=paired(1.0, 2)
    )


def test_saying_nothing_says_that_the_customer_is_absent() -> None:
    silent = {target: value for target, value in ALL_RIGHT.items() if value != "DEL"}
    assert share(silent) == 1
    assert share({"Ann 2011-01": "p1", "Ann 2011-02": "p2"}) == 0.5
    assert WholeHistory(absent="-")(Guess.of(silent), ANSWER).value == 0.5


@pytest.mark.parametrize(
    ("rivals", "right"),
    [
        ([("p1", 2.0), ("p9", 1.0)], True),
        ([("p9", 1.0), ("p1", 2.0)], True),
        ([("p1", 1.0), ("p9", 2.0)], False),
        ([("p9", 1.0), ("p1", 1.0)], True),
        ([("p0", 1.0), ("p1", 1.0)], False),
    ],
)
def test_the_heaviest_value_is_the_guess_and_of_equals_the_first_by_name(
    rivals: list[tuple[str, float]], right: bool
) -> None:
    said = guess(
        *(("Ann 2011-01", value, weight) for value, weight in rivals), ("Ann 2011-02", "p2", 1.0)
    )
    assert WholeHistory()(said, ANSWER).value == (0.5 if right else 0)


def test_where_no_customers_are_told_every_target_is_one() -> None:
    pairs = pl.DataFrame({"target": TARGETS, "value": list(TRUTH.values())})
    score = WholeHistory()(Guess.of(ALL_RIGHT | {"Ann 2011-02": "p9"}), Answer(pairs))
    assert (score.value, score.n) == (0.75, 4)


def test_an_answer_about_nobody_has_no_share() -> None:
    nobody = Answer(pl.DataFrame(schema={"target": pl.String, "value": pl.String}))
    score = WholeHistory()(Guess.of({"Ann 2011-01": "p1"}), nobody)
    assert score == Score("whole-history", 0.0, "lower", (0.0, 1.0), 0)


said_pairs = st.dictionaries(
    st.tuples(st.sampled_from(TARGETS), st.sampled_from(["p1", "p2", "p3", "DEL"])),
    st.integers(1, 3).map(float),
)


@given(said_pairs)
def test_the_share_is_its_definition(pairs: dict[tuple[str, str], float]) -> None:
    def named(target: str) -> str:
        rivals = [(-weight, value) for (t, value), weight in pairs.items() if t == target]
        return min(rivals)[1] if rivals else "DEL"

    whole = {
        person: all(named(t) == v for (p, t), v in TRUTH.items() if p == person)
        for person in PEOPLE
    }
    said = guess(*((target, value, weight) for (target, value), weight in pairs.items()))
    assert WholeHistory()(said, ANSWER).value == sum(whole.values()) / 2
