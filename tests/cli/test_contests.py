"""check, judge, publish and convert, as a user types them."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from typing_commands import Captured, printed

from tokumei.cli.main import _run


@pytest.fixture
def contest(tmp_path: Path) -> Path:
    """T and AT of a small shop."""
    shop = str(tmp_path / "shop.csv")
    assert _run(["data", "shop", "-n", "25", "--seed", "3", "-o", shop]) == 0
    for year in ("pwscup2016", "pwscup2017", "pwscup2018", "simplified"):
        assert _run(["convert", shop, "--to", year, "-o", str(tmp_path / f"{year}.csv")]) == 0
    words = ["--format", "pwscup2017", "--as", "pwscup2017", "--share", "0.3", "--seed", "5"]
    original, entry = str(tmp_path / "pwscup2017.csv"), str(tmp_path / "AT.csv")
    assert _run(["anonymize", "delete-rows", original, *words, "-o", entry]) == 0
    return tmp_path


def run(*words: object, code: int = 0) -> None:
    assert _run([str(word) for word in words]) == code


def files(folder: Path, submission: str = "AT.csv") -> list[object]:
    return ["--original", folder / "pwscup2017.csv", "--submission", folder / submission]


def test_a_valid_submission_is_judged(capsys: Captured, contest: Path) -> None:
    shown = printed(capsys, "judge", "pwscup2017", *files(contest))
    assert "PWSCUP 2017: AT.csv" in shown
    assert "S6" in shown
    told = json.loads(printed(capsys, "judge", "pwscup2017", *files(contest), "--json"))
    assert told["values"]["total"] == told["total"]
    utilities = [told["values"][name] for name in ("E1", "E2", "E3.list", "E3.similarity")]
    assert told["values"]["utility"] == max(*utilities, told["values"]["E6"])
    assert len([name for name in told["values"] if "@" in name]) == 24


def test_an_invalid_submission_has_no_score_but_all_problems(
    capsys: Captured, contest: Path
) -> None:
    lines = (contest / "AT.csv").read_text().splitlines()
    kept = [number for number, line in enumerate(lines) if not line.startswith("DEL")][:2]
    lines[kept[0]] = lines[kept[0]].rsplit(",", 1)[0] + ",1.5"
    lines[kept[1]] = "no," + lines[kept[1]].split(",", 1)[1].replace(",", ";", 1)
    (contest / "bad.csv").write_text("\n".join(lines) + "\n")
    for command in ("check", "judge"):
        words = [command, "pwscup2017", *files(contest, "bad.csv")]
        shown = printed(capsys, *words, "--lang", "ja", code=2)
        assert "規則違反があります" in shown
        assert "数量は 1 桁から 6 桁の自然数" in shown
        told = json.loads(printed(capsys, *words, "--json", code=2))
        report = told if command == "check" else told["check"]
        assert {(problem["row"], problem["column"]) for problem in report["problems"]} >= {
            (kept[0] + 1, "quantity"),
            (kept[1] + 1, "whole line"),
        }
    run("publish", "pwscup2017", *files(contest, "bad.csv"), "-o", contest / "out", code=2)
    assert not (contest / "out").exists()


def test_published_files_are_judged_as_they_were_handed_out(
    capsys: Captured, contest: Path
) -> None:
    out = contest / "out"
    run("publish", "pwscup2017", *files(contest), "-o", out, "--make-views", "--seed", "9")
    assert sorted(path.name for path in out.rglob("*.csv")) == [
        "F.csv", "S.csv", "T100.csv", "T25.csv", "T50.csv", "T75.csv",
    ]  # fmt: skip
    handed_out = ["--published", out / "public/S.csv", "--views", out / "views"]
    perfect = ["--guess", out / "secret/F.csv", "--json"]
    told = json.loads(
        printed(capsys, "judge", "pwscup2017", *files(contest), *handed_out, *perfect)
    )
    assert told["values"]["guess:F.csv"] == 1
    assert told["values"]["risk"] == 1


def test_generalized_cells_survive_parquet(capsys: Captured, contest: Path) -> None:
    original, entry = contest / "pwscup2018.csv", contest / "A.csv"
    year = ["--format", "pwscup2018"]
    steps = ["--as", "pwscup2018", "--then", "delete-rows --share 0.2", "--seed", "4"]
    run("anonymize", "generalize-at-random", original, *year, *steps, "-o", entry)
    run("convert", entry, *year, "-o", contest / "A.parquet")
    assert pl.read_parquet(contest / "A.parquet")["item"].dtype == pl.List(pl.String)
    run("convert", contest / "A.parquet", "--to", "pwscup2018", "-o", contest / "again.csv")
    assert (contest / "again.csv").read_text() == entry.read_text()
    told = json.loads(
        printed(
            capsys, "judge", "pwscup2018", "--original", original, "--submission", entry, "--json"
        )
    )
    assert told["values"]["exact_row.correct"] <= told["values"]["exact_row.guesses"]
    assert 0 < told["values"]["information_loss"] < 1


def test_formats_of_the_years_become_each_other(capsys: Captured, contest: Path) -> None:
    """2018 has no invoices and times, so what comes back has none: all else is equal."""
    run(
        "convert",
        contest / "AT.csv",
        "--format",
        "pwscup2017",
        "--to",
        "pwscup2018",
        "-o",
        contest / "b.csv",
    )
    run(
        "convert",
        contest / "b.csv",
        "--format",
        "pwscup2018",
        "--to",
        "pwscup2017",
        "-o",
        contest / "c.csv",
    )
    first, last = (
        [line.split(",") for line in (contest / name).read_text().splitlines()]
        for name in ("AT.csv", "c.csv")
    )
    assert [(row[0], row[2], *row[4:]) for row in first] == [
        (row[0], row[2], *row[4:]) for row in last
    ]


def test_a_method_that_invents_rows_cannot_enter(capsys: Captured, contest: Path) -> None:
    words = ["--format", "pwscup2018", "--as", "pwscup2018", "--clusters", "5", "--seconds", "0.1"]
    original = contest / "pwscup2018.csv"
    capsys.readouterr()
    run("anonymize", "decoys", original, *words, "-o", contest / "A.csv", code=2)
    assert "the method invented" in capsys.readouterr().err
    assert not (contest / "A.csv").exists()


def test_a_submission_of_2016_is_a_folder(capsys: Captured, contest: Path) -> None:
    original, people = contest / "pwscup2016.csv", contest / "M.csv"
    persons = sorted({line.split(",")[0] for line in original.read_text().splitlines()})
    people.write_text("".join(f"{name},m,1970/1/1,Japan\n" for name in persons))
    words = ["--format", "pwscup2016", "--customers", people, "--as", "pwscup2016"]
    run("anonymize", "yamaoka", original, *words, "-o", contest / "entry")
    judged = ["judge", "pwscup2016", "--original", original, "--master", people]
    told = json.loads(printed(capsys, *judged, "--submission", contest / "entry", "--json"))
    assert told["values"]["Y1-subset"] == 1
    assert told["values"]["E"] == 0
    assert told["total"] == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--views", "views"], "Only pwscup2017 has views of the attackers, not simplified."),
        (["--published", "nowhere.csv"], "There is no file"),
        (["--guess", "nowhere.csv"], "There is no file"),
    ],
)
def test_what_does_not_fit_is_said_in_one_sentence(
    capsys: Captured, contest: Path, words: list[str], said: str
) -> None:
    original, entry = contest / "simplified.csv", contest / "S.csv"
    year = ["--format", "simplified", "--as", "simplified"]
    run("anonymize", "pseudonyms-only", original, *year, "-o", entry)
    capsys.readouterr()
    judged = ["judge", "simplified", "--original", original, "--submission", entry]
    run(*judged, *words, code=2)
    shown = capsys.readouterr().err
    assert said in shown
    assert "Traceback" not in shown
