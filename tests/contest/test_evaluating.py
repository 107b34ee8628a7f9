"""A contest's files are checked, scored, published and marked as the rules do it."""

from __future__ import annotations

import importlib.util
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType

import pytest

from tokumei import rules
from tokumei.contest.evaluating import Evaluation
from tokumei.contest.settings import Phase, Settings

YEARS = ("pwscup2017", "pwscup2018", "simplified")


@pytest.fixture(scope="module")
def files() -> ModuleType:
    """The small submissions of the rules' own tests."""
    path = Path(__file__).parents[1] / "rules/submissions.py"
    spec = importlib.util.spec_from_file_location("submissions", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def contest(folder: Path, files: ModuleType, year: str) -> Evaluation:
    (folder / "T.csv").write_text(files.ORIGINALS[year])
    (folder / "M.csv").write_text(files.M)
    return Evaluation(
        folder,
        Settings(
            title={"en": "x", "ja": "x"},
            rules=year,
            original="T.csv",
            master="M.csv" if year == "pwscup2017" else None,
            phases=(Phase("anonymize", datetime(2026, 1, 1, tzinfo=UTC)),),
        ),
    )


@pytest.mark.parametrize("year", YEARS)
def test_scores_are_those_of_the_rules(tmp_path: Path, files: ModuleType, year: str) -> None:
    evaluation = contest(tmp_path, files, year)
    path = tmp_path / "a.csv"
    path.write_text(files.VALID[year])
    assert evaluation.check(path).valid
    found = {value.title: value.value for value in evaluation.scores(path, seed=3)}
    of = rules.find(year)
    original = of.read(tmp_path / "T.csv", tmp_path / "M.csv" if year == "pwscup2017" else None)
    judged = of.judge(original, of.check(original, path), seed=3)
    assert found == {score.name: score.value for score in judged.scores}
    assert list(found)[-1] == "total"


@pytest.mark.parametrize("year", YEARS)
def test_a_broken_file_is_reported_and_not_scored(
    tmp_path: Path, files: ModuleType, year: str
) -> None:
    evaluation = contest(tmp_path, files, year)
    path = tmp_path / "a.csv"
    for content in (b"", b"\0\0", b"a,b\n", b"\xff" * 100, files.VALID[year].encode()[:-30]):
        path.write_bytes(content)
        found = evaluation.check(path)
        assert not found.valid
        assert found.report["count"] >= 1
        assert found.report["problems"][0]["rule"]


def test_a_guess_is_marked_against_what_was_published(tmp_path: Path, files: ModuleType) -> None:
    evaluation = contest(tmp_path, files, "simplified")
    path, guess = tmp_path / "a.csv", tmp_path / "g.csv"
    path.write_text(files.VALID["simplified"])
    assert len(evaluation.publish(path, seed=1).splitlines()) == 7
    guess.write_text("p1,Alice\np2,Bob\np3,Dan\np4,Dan\n")
    marks = evaluation.mark(path, guess, seed=1)
    assert all(value.value is not None for value in marks)


def test_a_custom_contest_checks_the_columns(tmp_path: Path, files: ModuleType) -> None:
    evaluation = contest(tmp_path, files, "simplified")
    custom = Settings(
        title={"en": "x", "ja": "x"},
        rules="custom",
        original="rides.csv",
        phases=evaluation.settings.phases,
        columns={"card": "person", "station": "item"},
    )
    (tmp_path / "rides.csv").write_text("card,station\n1,Tokyo\n")
    evaluation = Evaluation(tmp_path, custom)
    (tmp_path / "good.csv").write_text("card,station\nx,Ueno\ny,Tokyo\n")
    (tmp_path / "bad.csv").write_text("card,place\nx,Ueno\n")
    assert evaluation.check(tmp_path / "good.csv").valid
    found = evaluation.check(tmp_path / "bad.csv")
    assert not found.valid
    assert "must be card, station, not card, place" in found.report["problems"][0]["rule"]
