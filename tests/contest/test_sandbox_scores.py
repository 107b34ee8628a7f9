"""What a script prints becomes scores only when it is exactly what it must be."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokumei.contest.sandbox.scores import BadScores, parse_scores


@pytest.mark.parametrize(
    ("output", "scores"),
    [
        (b'{"loss": 0.5}', {"loss": 0.5}),
        (b' \n{"a": 1, "b": -2e3}\r\n', {"a": 1, "b": -2000}),
        (b'{"\xe6\x90\x8d\xe5\xa4\xb1": 1}', {"損失": 1}),
        (b'{"loss": 1.23456789}', {"loss": 1.23457}),
        (b'{"loss": 123456789}', {"loss": 123457000}),
        (b'{"loss": 1e-300}', {"loss": 1e-300}),
        (b'{"two words": 1}', {"two words": 1}),
    ],
)
def test_scores_are_read_in_six_digits(output: bytes, scores: dict[str, float]) -> None:
    assert parse_scores(output) == scores


def test_zero_has_no_sign() -> None:
    """Not even one bit more than the digits is to be carried out."""
    assert math.copysign(1, parse_scores(b'{"loss": -0.0}')["loss"]) == 1


@pytest.mark.parametrize(
    ("output", "problem"),
    [
        (b"", "printed nothing"),
        (b" \n", "printed nothing"),
        (b"loss 0.5", "not JSON"),
        (b'{"loss": 0.5} ok', "not JSON"),
        (b"{'loss': 0.5}", "not JSON"),
        (b'\xef\xbb\xbf{"loss": 1}', "not JSON"),
        (b"0.5", "not one object"),
        (b'[{"loss": 0.5}]', "not one object"),
        (b"null", "not one object"),
        (b"{}", "no scores"),
        (b'{"loss": "0.5"}', "'loss' is not a number"),
        (b'{"loss": true}', "'loss' is not a number"),
        (b'{"loss": null}', "'loss' is not a number"),
        (b'{"loss": [1]}', "'loss' is not a number"),
        (b'{"loss": {"mean": 1}}', "'loss' is not a number"),
        (b'{"loss": NaN}', "finite"),
        (b'{"loss": -Infinity}', "finite"),
        (b'{"loss": 1e400}', "finite"),
        (b'{"loss": 1' + b"0" * 400 + b"}", "finite"),
        (b'{"loss": 1, "loss": 2}', "the same name"),
        (b'{"": 1}', "name must be"),
        (b'{" a": 1}', "name must be"),
        (b'{"a\\u0000": 1}', "name must be"),
        (b'{"a\\u202eb": 1}', "name must be"),
        (b'{"a\\ud800": 1}', "name must be"),
        (b'{"' + b"a" * 41 + b'": 1}', "name must be"),
        (b'{"\xff": 1}', "UTF-8"),
        (b"[" * 30_000, "nested too deeply"),
    ],
)
def test_anything_else_is_a_problem_in_one_sentence(output: bytes, problem: str) -> None:
    with pytest.raises(BadScores, match=problem) as caught:
        parse_scores(output)
    assert str(caught.value).count(". ") == 0
    assert str(caught.value).endswith((".", "}."))


def test_at_most_twenty_scores() -> None:
    assert len(parse_scores(json.dumps({f"s{n}": n for n in range(20)}).encode())) == 20
    with pytest.raises(BadScores, match="gave 21 scores, but may give 20"):
        parse_scores(json.dumps({f"s{n}": n for n in range(21)}).encode())


@given(st.binary(max_size=200))
def test_no_output_breaks_the_reader(output: bytes) -> None:
    try:
        scores = parse_scores(output)
    except BadScores:
        return
    assert all(math.isfinite(score) for score in scores.values())
