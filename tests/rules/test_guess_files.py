"""A check of a guess finds every fault of it, and a guess that is only wrong is marked."""

from __future__ import annotations

from pathlib import Path

import pytest
from submissions import (
    P_2016,
    Change,
    Place,
    cell,
    checked,
    checked_2016,
    line,
    places,
    together,
    with_empty_lines,
    with_mark,
    with_returns,
    with_the_last_row_twice,
    without_last_row,
    without_rows,
)

from tokumei import rules
from tokumei.errors import SubmissionError
from tokumei.rules import Report
from tokumei.rules.pwscup2017 import months_of


def read_guess(
    folder: Path, year: str, text: str, change: Change = bytes
) -> tuple[Report, list[float]]:
    """Return the report on a guess, and its scores where it is valid."""
    contest = rules.find(year)
    original, entry = checked_2016(folder) if year == "pwscup2016" else checked(folder, year)
    made = contest.publish(original, entry, secret=b"1")
    path = folder / "guess.csv"
    path.write_bytes(change(text.encode()))
    _, report = contest.read_guess(made, path)
    if not report.valid:
        with pytest.raises(SubmissionError) as caught:
            contest.mark(made, path)
        assert isinstance(caught.value.report, Report)
        return report, []
    return report, [score.value for score in contest.mark(made, path)]


F_2017 = """\
C1,p1,DEL,p2,DEL,DEL,DEL,DEL,DEL,DEL,DEL,DEL,DEL
C2,p3,DEL,p4,DEL,DEL,DEL,DEL,DEL,DEL,DEL,DEL,DEL
C3,DEL,DEL,p5,DEL,DEL,DEL,DEL,DEL,DEL,DEL,DEL,DEL
C4,DEL,DEL,DEL,DEL,p6,DEL,DEL,DEL,DEL,DEL,DEL,DEL
C5,DEL,DEL,DEL,DEL,DEL,DEL,DEL,p7,p8,p9,DEL,DEL
"""


def test_the_answer_of_2017_follows_m(tmp_path: Path) -> None:
    original, entry = checked(tmp_path, "pwscup2017")
    contest = rules.find("pwscup2017")
    assert contest.files(contest.publish(original, entry, secret=b"1"))["secret/F.csv"] == F_2017


def test_the_key_of_2017_has_a_line_for_every_customer_and_month(tmp_path: Path) -> None:
    _, entry = checked(tmp_path, "pwscup2017")
    assert entry.names.select("pseudonym", "person", "period").rows() == [
        ("p1", "C1", "2010/12"),  # two rows
        ("p2", "C1", "2011/2"),
        ("p3", "C2", "2010/12"),
        ("p4", "C2", "2011/2"),
        ("p5", "C3", "2011/2"),
        ("p6", "C4", "2011/4"),
        ("p7", "C5", "2011/7"),
        ("p8", "C5", "2011/8"),
        ("p9", "C5", "2011/9"),
    ]


def test_a_contest_of_2017_on_other_data_has_the_months_of_t(tmp_path: Path) -> None:
    days = ("2019/3/1", "2011/2/3", "2019/3/2")
    rows = (f"C1,1,{day},9:05,22423,2.1,12\n" for day in days)
    (tmp_path / "T.csv").write_text("".join(rows))
    original = rules.find("pwscup2017").read(tmp_path / "T.csv")
    assert months_of(original) == ("2011-02", "2019-03")


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (line(3, "C3,DEL"), [(3, "whole line")]),
        (without_last_row, [(5, "whole line")]),
        (with_the_last_row_twice, [(6, "whole line")]),
        (cell(3, 1, "C9"), [(3, "customer")]),
        (cell(3, 1, "C4"), [(3, "customer")]),
        (cell(3, 1, ""), [(3, "customer")]),
        (with_mark, [(1, "customer")]),
        (with_empty_lines, [(6, "whole line"), (7, "whole line")]),
        (cell(2, 3, " DEL"), [(2, "2011-01")]),
        (cell(2, 3, b"D\0EL"), [(2, "2011-01")]),
        (cell(2, 3, "梨".encode("cp932")), [(2, "2011-01")]),
        (without_rows, [(1, "whole line")]),
    ],
)
def test_a_fault_of_a_guess_of_2017_is_found(
    tmp_path: Path, change: Change, expected: list[Place]
) -> None:
    report, _ = read_guess(tmp_path, "pwscup2017", F_2017, change)
    assert places(report) == expected


@pytest.mark.parametrize(
    ("change", "rate"), [(bytes, 1.0), (cell(1, 2, "p3"), 0.8), (cell(2, 3, "nobody"), 0.8)]
)
def test_a_guess_of_2017_may_be_wrong(tmp_path: Path, change: Change, rate: float) -> None:
    report, scores = read_guess(tmp_path, "pwscup2017", F_2017, change)
    assert report.found.is_empty()
    assert scores == [rate]


PAIRS_2018 = "p1,C1\np2,C1\np3,C3\n"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (line(2, "p2"), [(2, "whole line")]),
        (line(2, "p2,C2,C3"), [(2, "whole line")]),
        (line(2, ""), [(2, "whole line")]),
        (with_mark, [(1, "pseudonym")]),
        (with_empty_lines, [(4, "whole line"), (5, "whole line")]),
        (cell(2, 2, "C1 "), [(2, "customer")]),
        (cell(2, 2, b"C\x001"), [(2, "customer")]),
        (cell(2, 2, "梨".encode("cp932")), [(2, "customer")]),
    ],
)
def test_a_fault_of_a_guess_of_2018_is_found(
    tmp_path: Path, change: Change, expected: list[Place]
) -> None:
    report, _ = read_guess(tmp_path, "pwscup2018", PAIRS_2018, change)
    assert places(report) == expected


@pytest.mark.parametrize(
    ("change", "warned", "scores"),
    [
        (bytes, [], [3, 2, 0]),
        (with_returns, [(row, "whole line") for row in (1, 2, 3)], [3, 2, 0]),
        (cell(3, 1, "p9"), [(3, "pseudonym")], [3, 1, 0]),
        (cell(3, 2, "C9"), [(3, "customer")], [3, 1, 0]),
        (with_the_last_row_twice, [(4, "pseudonym")], [3, 2, 0]),
        (without_rows, [], [0, 0, 0]),
    ],
)
def test_a_guess_of_2018_may_have_any_number_of_lines(
    tmp_path: Path, change: Change, warned: list[Place], scores: list[float]
) -> None:
    report, found = read_guess(tmp_path, "pwscup2018", PAIRS_2018, change)
    assert report.valid
    assert places(report, "warning") == warned
    assert found == scores


@pytest.mark.parametrize(
    ("text", "rate"),
    [("p1,Alice\np2,Bob\np3,Carol\np4,Dan\n", 1.0), ("p1,Bob\np2,Bob\n", 0.25), ("", 0.0)],
)
def test_a_guess_of_the_simplified_game_is_marked(tmp_path: Path, text: str, rate: float) -> None:
    report, scores = read_guess(tmp_path, "simplified", text)
    assert report.valid
    assert scores == [rate]


def test_a_line_of_a_guess_of_the_simplified_game_has_two_cells(tmp_path: Path) -> None:
    report, _ = read_guess(tmp_path, "simplified", "p1,Alice\np2\np3\n")
    assert places(report) == [(2, "whole line"), (3, "whole line")]
    assert places(report, "warning") == []


@pytest.mark.parametrize(
    ("year", "text", "rate"),
    [("pwscup2018", PAIRS_2018, 2 / 5), ("simplified", "p1,Alice\np2,Carol\n", 1 / 4)],
)
def test_attackers_are_compared_by_the_share_that_they_name(
    tmp_path: Path, year: str, text: str, rate: float
) -> None:
    original, entry = checked(tmp_path, year)
    contest, path = rules.find(year), tmp_path / "guess.csv"
    made = contest.publish(original, entry, secret=b"1")
    path.write_text(text)
    score = contest.named(made, path)
    assert (score.name, score.value) == ("guess:guess.csv", rate)
    path.write_text("p1,C1,C1\n")
    with pytest.raises(SubmissionError, match="A row must have 2 cells"):
        contest.named(made, path)


def test_the_answer_of_2018_stands_in_the_order_of_the_pseudonyms(tmp_path: Path) -> None:
    """C1, who has three rows, stands once."""
    renamed = together(*(cell(row, 1, "z1") for row in (1, 2, 3)))
    original, entry = checked(tmp_path, "pwscup2018", renamed)
    files = rules.find("pwscup2018").files(
        rules.find("pwscup2018").publish(original, entry, secret=b"1")
    )
    assert files["secret/answer.csv"] == "p2,C2\np3,C3\np4,C4\np5,C5\nz1,C1\n"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (without_last_row, [(4, "whole line")]),
        (with_the_last_row_twice, [(5, "whole line")]),
        (line(2, "6"), [(2, "row")]),
        (line(2, "0"), [(2, "row")]),
        (line(2, "x"), [(2, "row")]),
        (line(2, "1.0"), [(2, "row")]),
        (line(2, "9" * 30), [(2, "row")]),
        (line(2, "１"), [(2, "row")]),
        (line(2, "1,2"), [(2, "whole line")]),
        (with_mark, [(1, "row")]),
        (with_empty_lines, [(5, "whole line"), (6, "whole line")]),
        (without_rows, [(1, "whole line")]),
    ],
)
def test_a_fault_of_a_guess_of_2016_is_found(
    tmp_path: Path, change: Change, expected: list[Place]
) -> None:
    report, _ = read_guess(tmp_path, "pwscup2016", P_2016, change)
    assert places(report) == expected


@pytest.mark.parametrize(("change", "rate"), [(bytes, 1.0), (line(2, "3"), 0.75)])
def test_a_guess_of_2016_may_name_a_row_twice(tmp_path: Path, change: Change, rate: float) -> None:
    report, scores = read_guess(tmp_path, "pwscup2016", P_2016, change)
    assert report.found.is_empty()
    assert scores == [rate]
