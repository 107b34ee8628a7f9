"""A contest's files are checked, scored, published and marked as the rules do it."""

from __future__ import annotations

import gzip
import importlib.util
import io
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from zipfile import ZipFile

import pytest

from tokumei import rules
from tokumei.contest.evaluating import Evaluation
from tokumei.contest.settings import Phase, Settings
from tokumei.errors import TokumeiError

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
            master="M.csv" if year in ("pwscup2016", "pwscup2017") else None,
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
    assert len(evaluation.publish(path, seed=1)["S.csv"].splitlines()) == 7
    guess.write_text("p1,Alice\np2,Bob\np3,Dan\np4,Dan\n")
    marks = evaluation.mark(path, guess, seed=1)
    assert all(value.value is not None for value in marks)


def test_in_2018_too_a_guess_has_a_share_of_those_it_could_name(
    tmp_path: Path, files: ModuleType
) -> None:
    evaluation = contest(tmp_path, files, "pwscup2018")
    path, guess = tmp_path / "a.csv", tmp_path / "g.csv"
    path.write_text(files.VALID["pwscup2018"])
    texts = (file.read_text().splitlines() for file in (evaluation.original_file, path))
    rows = zip(*texts, strict=True)
    owners = {a.split(",")[0]: t.split(",")[0] for t, a in rows if not a.startswith("*")}
    (first, owner), *others = owners.items()
    guess.write_text(f"{first},{owner}\n{others[0][0]},{owner}\n")
    (mark,) = evaluation.mark(path, guess, seed=1)
    assert (mark.value, mark.n) == (1 / len(owners), len(owners))


def test_risks_are_told_from_utilities(tmp_path: Path, files: ModuleType) -> None:
    evaluation = contest(tmp_path, files, "simplified")
    path = tmp_path / "a.csv"
    path.write_text(files.VALID["simplified"])
    assert {value.title: value.kind for value in evaluation.scores(path, seed=1)} == {
        "deleted": "utility",
        "changed": "utility",
        "utility": "utility",
        "expected": "safety",
        "safety": "safety",
        "total": "total",
    }


def zipped(files: ModuleType, **changed: str) -> bytes:
    packed = io.BytesIO()
    with ZipFile(packed, "w") as archive:
        for name, text in (files.FOLDER | changed).items():
            archive.writestr(f"ours/{name}.csv", text)
    return packed.getvalue()


def test_2016_takes_a_zip_and_scores_it_as_the_folder(tmp_path: Path, files: ModuleType) -> None:
    evaluation = contest(tmp_path, files, "pwscup2016")
    path = tmp_path / "upload"
    path.write_bytes(zipped(files))
    assert evaluation.check(path).valid
    found = {value.title: value.value for value in evaluation.scores(path, seed=3)}
    (tmp_path / "other").mkdir()
    original, entry = files.checked_2016(tmp_path / "other")
    judged = rules.find("pwscup2016").judge(original, entry, seed=3)
    assert found == {score.name: score.value for score in judged.scores}


def test_2016_publishes_both_tables_and_marks_a_single_file(
    tmp_path: Path, files: ModuleType
) -> None:
    evaluation = contest(tmp_path, files, "pwscup2016")
    path, guess = tmp_path / "upload", tmp_path / "Q"
    path.write_bytes(zipped(files))
    public = evaluation.publish(path, seed=1)
    assert public == {"M.csv": files.M_2016, "T.csv": files.T_2016}
    guess.write_text("3\n1\n2\n4\n")
    (mark,) = evaluation.mark(path, guess, seed=1)
    assert (mark.value, mark.n) == (0.75, 4)


def test_2016_names_the_file_in_which_a_problem_is(tmp_path: Path, files: ModuleType) -> None:
    evaluation = contest(tmp_path, files, "pwscup2016")
    path = tmp_path / "upload"
    path.write_bytes(zipped(files, P="3\n1\n2\n6\n"))
    found = evaluation.check(path)
    assert not found.valid
    assert found.report["file"] == "upload"
    assert [(p["row"], p["column"]) for p in found.report["problems"]] == [(4, "P.row")]
    path.write_bytes(b"p1,f,1950/1/1,UK\n")
    (problem,) = evaluation.check(path).report["problems"]
    assert problem["rule"] == "A submission must be a ZIP of M.csv, T.csv and P.csv."


def test_scripts_get_the_purchases_and_never_the_answer(tmp_path: Path, files: ModuleType) -> None:
    evaluation = contest(tmp_path, files, "pwscup2016")
    path = tmp_path / "upload"
    path.write_bytes(zipped(files))
    with evaluation.script_files(path) as (original, submission, master):
        assert original.read_text() == files.ORIGINALS["pwscup2016"]
        assert submission.read_text() == files.T_2016
        assert master.read_text() == files.M
    (tmp_path / "a.csv").write_text(files.VALID["simplified"])
    with contest(tmp_path, files, "simplified").script_files(tmp_path / "a.csv") as found:
        assert found == [tmp_path / "T.csv", tmp_path / "a.csv"]


@pytest.mark.parametrize("year", YEARS)
def test_a_file_packed_by_gzip_is_refused(tmp_path: Path, files: ModuleType, year: str) -> None:
    evaluation = contest(tmp_path, files, year)
    path = tmp_path / "a.csv"
    path.write_bytes(gzip.compress(files.VALID[year].encode()))
    (problem,) = evaluation.check(path).report["problems"]
    assert "gzip" in problem["rule"]


def test_broken_data_of_the_contest_is_nobodys_problem(tmp_path: Path, files: ModuleType) -> None:
    evaluation = contest(tmp_path, files, "simplified")
    (tmp_path / "T.csv").write_text("a\n")
    (tmp_path / "a.csv").write_text(files.VALID["simplified"])
    with pytest.raises(TokumeiError):
        evaluation.check(tmp_path / "a.csv")


def test_two_contests_have_one_fingerprint_only_where_they_are_the_same(
    tmp_path: Path, files: ModuleType
) -> None:
    prints = []
    for name, settings, data in (
        ("a", "x", "1"),
        ("b", "x", "1"),
        ("c", "y", "1"),
        ("d", "x", "2"),
    ):
        (tmp_path / name).mkdir()
        evaluation = contest(tmp_path / name, files, "simplified")
        (tmp_path / name / "contest.toml").write_text(settings)
        evaluation.original_file.write_text(data)
        prints.append(evaluation.fingerprint)
    assert prints[0] == prints[1]
    assert len(set(prints)) == 3


RIDES = """\
card,station,at,yen,rides,note
1,"Tokyo, Marunouchi",2026-04-01 08:05,210,1,
2,Ueno,2026-04-01 09:10,180,2,late
"""


@pytest.fixture
def custom(tmp_path: Path) -> Evaluation:
    roles = {"card": "person", "station": "item", "at": "time", "yen": "price"}
    settings = Settings(
        title={"en": "x", "ja": "x"},
        rules="custom",
        original="rides.csv",
        phases=(Phase("anonymize", datetime(2026, 1, 1, tzinfo=UTC)),),
        columns={**roles, "rides": "quantity", "note": ""},
    )
    (tmp_path / "rides.csv").write_text(RIDES)
    return Evaluation(tmp_path, settings)


def check(custom: Evaluation, content: str | bytes) -> list[tuple[int | None, str | None, str]]:
    path = custom.folder / "a.csv"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    found = custom.check(path)
    problems = [(one["row"], one["column"], one["rule"]) for one in found.report["problems"]]
    assert found.valid == (not problems)
    assert found.report["count"] == len(problems)
    return problems


def test_a_custom_contest_takes_its_own_data_and_suppressed_cells(custom: Evaluation) -> None:
    assert check(custom, RIDES) == []
    assert check(custom, RIDES.replace("\n", "\r\n")) == []
    assert check(custom, "\ufeff" + RIDES) == []
    assert check(custom, "card,station,at,yen,rides,note\nx,,,,,\n") == []


def test_a_custom_contest_names_every_cell_that_does_not_fit(custom: Evaluation) -> None:
    rows = """\
card,station,at,yen,rides,note
a,Ueno,2026-04-01 08:05,210,1,
,Ueno,2026-04-01 08:05,210,1,
b,Ueno,yesterday,cheap,1.5,
c,Ueno,2026-02-30 08:05,nan,2.0,
d,Ueno,2026-04-01 08:05
e,Ueno,2026-04-01 08:05,1e3,-1,,
"""
    when = "A time must be a date such as 2011-02-28 or 2011/2/28 13:05"
    assert check(custom, rows) == [
        (3, "card", "Every purchase needs a customer"),
        (4, "at", when),
        (4, "yen", "A price must be a number"),
        (4, "rides", "A quantity must be a whole number"),
        (5, "at", when),
        (5, "yen", "A price must be a number"),
        (6, "whole line", "A row must have 6 cells"),
        (7, "whole line", "A row must have 6 cells"),
    ]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("card,place\nx,Ueno\n", "must be card, station, at, yen, rides, note, not card, place."),
        ("", "at least one row"),
        ("card,station,at,yen,rides,note\n", "at least one row"),
        (b"card,station,at,yen,rides,note\n\xff,,,,,\n", "UTF-8 text; row 2 is not"),
        (b"\0\0", "zero byte"),
        ('card,station,at,yen,rides,note\n"a,b,c,d,e,f\n', "Line 2 cannot be read as CSV"),
        ("x" * 2_000_000, "longer than"),
    ],
)
def test_a_file_that_is_no_such_table_has_one_problem(
    custom: Evaluation, content: str | bytes, said: str
) -> None:
    (problem,) = check(custom, content)
    assert said in problem[2]
    assert len(problem[2]) < 400


def test_a_problem_is_found_far_down(custom: Evaluation) -> None:
    head, row, _ = RIDES.splitlines()
    lines = [head, *[row] * 120_000, "x,Ueno,,much,1,", row]
    assert check(custom, "\n".join(lines)) == [(120_002, "yen", "A price must be a number")]
