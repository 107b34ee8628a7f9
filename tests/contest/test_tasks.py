"""A task and its outcome are plain data: they survive JSON, and need no database and no network."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from tokumei.contest import sandbox
from tokumei.contest.evaluating import Checked, Evaluation, Value
from tokumei.contest.settings import Phase, Settings
from tokumei.contest.tasks import OUTCOME, TASK, Outcome, ScriptSaid, Task, perform
from tokumei.draws import derive
from tokumei.errors import ParameterError, SubmissionError

ORIGINAL = "Alice,2018/9/7,pear\nBob,2018/9/2,pear\nBob,2018/9/10,grape\nDan,2018/9/2,grape\n"
FILES = {
    "valid": "p1,2018/9/7,pear\np2,2018/9/2,pear\nDEL,,\np3,2018/9/2,grape\n",
    "broken": "p1,2018/9/7,pear\n",
    "guess": "p1,Alice\np2,Bob\np3,Bob\n",
    "script": "import json, sys; print(json.dumps({'files': len(sys.argv) - 1}))",
}
SECRET = "lease-secret"
TASKS = {
    "check": Task(1, "check", SECRET, 30.0, 99, "valid"),
    "score": Task(2, "score", SECRET, 30.0, 99, "valid", seed=derive(5, "valid")),
    "script": Task(
        3, "script", SECRET, 30.0, 99, "valid", script="script", script_language="python"
    ),
    "publish": Task(4, "publish", SECRET, 30.0, 99, "valid", seed=derive(5, "valid")),
    "guess": Task(5, "guess", SECRET, 30.0, 99, "valid", guess="guess", seed=derive(5, "valid")),
}


@pytest.fixture
def evaluation(tmp_path: Path) -> Evaluation:
    (tmp_path / "T.csv").write_text(ORIGINAL)
    settings = Settings(
        title={"en": "x", "ja": "x"},
        rules="simplified",
        original="T.csv",
        phases=(Phase("anonymize", datetime(2026, 1, 1, tzinfo=UTC)),),
    )
    return Evaluation(tmp_path, settings)


@pytest.fixture
def file(tmp_path: Path) -> Callable[[str], Path]:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return lambda name: tmp_path / name


def through_json(outcome: Outcome) -> Outcome:
    return OUTCOME.validate_json(OUTCOME.dump_json(outcome))


@pytest.mark.parametrize("kind", TASKS)
def test_a_task_gives_the_part_of_its_kind_and_survives_json(
    kind: str, evaluation: Evaluation, file: Callable[[str], Path]
) -> None:
    if kind == "script" and sandbox.available() is None:
        pytest.skip("no sandbox on this machine")
    task = TASKS[kind]
    assert TASK.validate_json(TASK.dump_json(task)) == task
    outcome = perform(task, evaluation, file)
    assert through_json(outcome) == outcome
    filled = {name for name, part in json.loads(OUTCOME.dump_json(outcome)).items() if part}
    part = {"check": "checked", "score": "values", "publish": "release", "guess": "marks"}
    assert filled == {part.get(kind, kind)}


def test_what_a_task_gives_is_what_the_rules_say(
    evaluation: Evaluation, file: Callable[[str], Path]
) -> None:
    path, seed = file("valid"), derive(5, "valid")
    assert perform(TASKS["check"], evaluation, file).checked == evaluation.check(path)
    assert perform(TASKS["score"], evaluation, file).values == evaluation.scores(path, seed=seed)
    (mark,) = perform(TASKS["guess"], evaluation, file).marks
    assert (mark.value, mark.n) == (pytest.approx(2 / 3), 3)


def test_the_marked_data_is_what_was_published(
    evaluation: Evaluation, file: Callable[[str], Path]
) -> None:
    release = perform(TASKS["publish"], evaluation, file).release
    assert release == evaluation.publish(file("valid"), seed=TASKS["guess"].seed)


def test_a_broken_file_is_a_finding_of_a_check_and_a_fault_elsewhere(
    evaluation: Evaluation, file: Callable[[str], Path]
) -> None:
    found = perform(replace(TASKS["check"], submission="broken"), evaluation, file)
    assert found.checked is not None
    assert not found.checked.valid
    for kind in ("score", "publish", "guess"):
        with pytest.raises(SubmissionError):
            perform(replace(TASKS[kind], submission="broken"), evaluation, file)


def test_a_task_that_lacks_something_is_refused(
    evaluation: Evaluation, file: Callable[[str], Path]
) -> None:
    for task in (
        replace(TASKS["score"], seed=None),
        replace(TASKS["guess"], guess=None),
        replace(TASKS["script"], script=None),
    ):
        with pytest.raises(ParameterError, match="does not say what it is about"):
            perform(task, evaluation, file)


def test_a_task_shows_no_secret_and_names_all_its_files() -> None:
    task = TASKS["guess"]
    assert SECRET not in repr(task)
    assert str(task.seed) not in repr(task)
    assert task.files == ("valid", "guess")
    assert TASKS["script"].files == ("valid", "script")


numbers = st.none() | st.floats(allow_nan=False, allow_infinity=False)
values = st.lists(
    st.builds(
        Value,
        st.text(),
        st.sampled_from(["utility", "safety", "total"]),
        numbers,
        st.sampled_from(["lower", "higher"]),
        st.integers(0, 10**9),
        st.none() | st.text(),
    ),
    max_size=3,
)


@given(
    st.builds(
        Outcome,
        st.none() | st.builds(Checked, st.booleans(), st.dictionaries(st.text(), st.text())),
        values,
        st.none() | st.builds(ScriptSaid, numbers, st.none() | st.text(), st.text()),
        st.none() | st.dictionaries(st.text(), st.text()),
        values,
    )
)
def test_every_outcome_survives_json(outcome: Outcome) -> None:
    assert through_json(outcome) == outcome


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"[]",
        b"{",
        b'{"values": [{"title": "a"}]}',
        b'{"script": {"value": NaN, "problem": null, "stderr": ""}}',
        b'{"script": {"value": 1e999, "problem": null, "stderr": ""}}',
        b'{"values": [{"title":"","kind":"total","value":Infinity,"better":"lower","n":1}]}',
        b'{"marks": [{"title": "a", "kind": "worst", "value": 1, "better": "lower", "n": 1}]}',
    ],
)
def test_what_is_no_outcome_is_refused(said: bytes) -> None:
    with pytest.raises(ValidationError):
        OUTCOME.validate_json(said)
