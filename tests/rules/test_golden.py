"""Our judge gives every figure of the contests' own programs."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tokumei import rules
from tokumei.rules import Entry, Judgment, Original, Rules

PERCENTS = ("25", "50", "75", "100")
UTILITIES = ("E1", "E2", "E3.list", "E3.similarity", "E4", "E5", "E6")
SUBMISSIONS = {
    "AT_price": "golden/pwscup2017/AT_price.csv.gz",
    "AT_mixed": "golden/pwscup2017/AT_mixed.csv.gz",
    "AT_sample": "data/pwscup2017/AT_sample.csv",
    "A_random": "golden/pwscup2018/A_random.csv.gz",
    "A_wide": "golden/pwscup2018/A_wide.csv.gz",
}
OF_2017 = [name for name in SUBMISSIONS if name.startswith("AT_")]
OF_2018 = [name for name in SUBMISSIONS if name.startswith("A_")]

pytestmark = pytest.mark.realdata


def expected(real_data: Path, year: str, submission: str) -> dict[str, Any]:
    text = (real_data / "golden" / year / "expected.json").read_text()
    figures: dict[str, Any] = json.loads(text)[submission]
    return figures


def published(real_data: Path, name: str) -> Path:
    if name in OF_2018:
        return real_data / f"golden/pwscup2018/{name}_published.csv.gz"
    return real_data / f"golden/pwscup2017/S_{name.removeprefix('AT_')}.csv.gz"


@pytest.fixture(scope="module")
def contest_2017(real_data: Path) -> tuple[Rules, Original]:
    contest = rules.find("pwscup2017")
    folder = real_data / "data/pwscup2017"
    return contest, contest.read(folder / "T.csv", folder / "M.csv")


@pytest.fixture(scope="module")
def contest_2018(real_data: Path) -> tuple[Rules, Original]:
    contest = rules.find("pwscup2018")
    return contest, contest.read(real_data / "data/pwscup2018/T.csv")


@pytest.fixture(scope="module")
def entries(
    real_data: Path, contest_2017: tuple[Rules, Original], contest_2018: tuple[Rules, Original]
) -> dict[str, Entry]:
    found = {}
    for name, path in SUBMISSIONS.items():
        contest, original = contest_2017 if name in OF_2017 else contest_2018
        found[name] = contest.check(original, real_data / path)
    return found


@pytest.fixture(scope="module")
def judged(
    real_data: Path,
    contest_2017: tuple[Rules, Original],
    contest_2018: tuple[Rules, Original],
    entries: dict[str, Entry],
) -> dict[str, Judgment]:
    """Judge each submission in the order in which the contest published it."""
    found = {}
    for name, entry in entries.items():
        contest, original = contest_2017 if name in OF_2017 else contest_2018
        views = real_data / "data/pwscup2017" if name in OF_2017 else None
        found[name] = contest.judge(
            original, entry, seed=1, published=published(real_data, name), views=views
        )
    return found


def value(judgment: Judgment, name: str) -> float:
    return judgment.scores[name].value


@pytest.mark.parametrize("name", SUBMISSIONS)
def test_the_contests_own_files_break_no_rule(entries: dict[str, Entry], name: str) -> None:
    report = entries[name].report
    assert report.valid
    # The contest of 2017 wrote its sample with CR LF, the programs behind golden wrote LF.
    warned = {part.rule for part in report.summary()}
    assert warned == ({"A line should end in LF, not in CR LF"} if name == "AT_sample" else set())


@pytest.mark.parametrize("name", OF_2017)
def test_the_utilities_of_2017_have_every_digit(
    real_data: Path, judged: dict[str, Judgment], name: str
) -> None:
    figures = expected(real_data, "pwscup2017", name)["utility"]
    assert tuple(figures) == UTILITIES
    assert {title: value(judged[name], title) for title in UTILITIES} == figures


@pytest.mark.parametrize("name", OF_2017)
def test_the_rates_of_2017_have_every_digit(
    real_data: Path, judged: dict[str, Judgment], name: str
) -> None:
    figures = expected(real_data, "pwscup2017", name)["reidentification"]
    ours = {
        attack: {percent: value(judged[name], f"{attack}@{percent}") for percent in PERCENTS}
        for attack in ("S1", "S2", "S3", "S4", "S5", "S6")
    }
    assert ours == figures


@pytest.mark.parametrize("name", OF_2017)
def test_the_total_of_2017_adds_the_worst_loss_and_the_worst_rate(
    real_data: Path, judged: dict[str, Judgment], name: str
) -> None:
    figures = expected(real_data, "pwscup2017", name)
    rates = [rate for by_view in figures["reidentification"].values() for rate in by_view.values()]
    assert judged[name].total == max(figures["utility"].values()) + max(rates)


@pytest.mark.parametrize("name", OF_2017)
def test_the_utilities_of_2017_need_no_published_file(
    contest_2017: tuple[Rules, Original],
    entries: dict[str, Entry],
    judged: dict[str, Judgment],
    name: str,
) -> None:
    contest, original = contest_2017
    ours = contest.judge(original, entries[name], seed=2)
    for title in UTILITIES:
        assert value(ours, title) == value(judged[name], title)


def test_the_answer_to_the_sample_is_the_contests_own(
    real_data: Path, contest_2017: tuple[Rules, Original], entries: dict[str, Entry]
) -> None:
    contest, original = contest_2017
    made = contest.files(contest.publish(original, entries["AT_sample"], secret=b"1"))
    golden = gzip.decompress(
        (real_data / "golden/pwscup2017/F_sample.csv.gz").read_bytes()
    ).decode()
    assert made["secret/F.csv"] == golden.replace("\r\n", "\n")


@pytest.mark.parametrize("name", SUBMISSIONS)
def test_we_publish_the_rows_that_the_contest_published(
    real_data: Path,
    contest_2017: tuple[Rules, Original],
    contest_2018: tuple[Rules, Original],
    entries: dict[str, Entry],
    name: str,
) -> None:
    contest, original = contest_2017 if name in OF_2017 else contest_2018
    made = contest.files(contest.publish(original, entries[name], secret=b"1"))
    (public,) = (text for path, text in made.items() if path.startswith("public/"))
    theirs = gzip.decompress(published(real_data, name).read_bytes()).decode().split()
    assert sorted(public.split()) == sorted(theirs)
    assert public.split() != theirs


def test_the_answer_as_a_guess_is_right_throughout(
    tmp_path: Path, contest_2017: tuple[Rules, Original], entries: dict[str, Entry]
) -> None:
    contest, original = contest_2017
    made = contest.publish(original, entries["AT_sample"], secret=b"1")
    guess = tmp_path / "F.csv"
    guess.write_text(contest.files(made)["secret/F.csv"])
    assert [score.value for score in contest.mark(made, guess)] == [1.0]


@pytest.mark.parametrize("name", OF_2018)
def test_the_information_loss_of_2018_has_12_digits(
    real_data: Path, judged: dict[str, Judgment], name: str
) -> None:
    figure = expected(real_data, "pwscup2018", name)["information_loss"]
    assert f"{value(judged[name], 'information_loss'):.12g}" == f"{figure:.12g}"


@pytest.mark.parametrize("name", OF_2018)
def test_the_exact_row_attack_of_2018_names_as_many(
    real_data: Path, judged: dict[str, Judgment], name: str
) -> None:
    figures = expected(real_data, "pwscup2018", name)["exact_row_attack"]
    ours = {part: value(judged[name], f"exact_row.{part}") for part in ("guesses", "correct")}
    assert ours == figures


@pytest.mark.parametrize("name", OF_2018)
def test_the_information_loss_of_2018_needs_no_published_file(
    contest_2018: tuple[Rules, Original],
    entries: dict[str, Entry],
    judged: dict[str, Judgment],
    name: str,
) -> None:
    contest, original = contest_2018
    ours = value(contest.judge(original, entries[name], seed=2), "information_loss")
    assert ours == pytest.approx(value(judged[name], "information_loss"), rel=1e-12)
