"""A published file has the rows of the submission, and views are read with the same care."""

from __future__ import annotations

from pathlib import Path

import pytest
from submissions import (
    M_2016,
    P_2016,
    T_2016,
    T_2017,
    VALID,
    Change,
    cell,
    checked,
    checked_2016,
    line,
    opened,
    places,
    together,
    with_mark,
)

from tokumei import rules
from tokumei.errors import ParameterError, ReadError, SubmissionError, TokumeiError
from tokumei.history import ROW
from tokumei.rules import Report
from tokumei.rules.pwscup2017 import Pwscup2017


def published(year: str, text: str) -> str:
    mark = "*" if year == "pwscup2018" else "DEL"
    return "".join(row for row in text.splitlines(keepends=True) if not row.startswith(mark))


@pytest.mark.parametrize("year", VALID)
def test_a_published_file_has_the_rows_of_the_submission(tmp_path: Path, year: str) -> None:
    original, entry = checked(tmp_path, year)
    rows = published(year, VALID[year]).splitlines(keepends=True)
    (tmp_path / "S.csv").write_text("".join(reversed(rows)))
    made = rules.find(year).publish(original, entry, secret=b"1", published=tmp_path / "S.csv")
    assert made.lines == "".join(reversed(rows))


@pytest.mark.parametrize("year", VALID)
def test_a_foreign_row_of_a_published_file_is_named(tmp_path: Path, year: str) -> None:
    original, entry = checked(tmp_path, year)
    rows = published(year, VALID[year]).splitlines(keepends=True)
    name, rest = rows[2].split(",", 1)
    changes = {
        "cut elsewhere": [*rows[:2], f"{name}{rest[0]},{rest[1:]}", *rows[3:]],
        "instead of another": [*rows[:2], rows[2].replace("p", "q", 1), *rows[3:]],
        "beside the others": [*rows[:2], rows[2].replace("p", "q", 1), *rows[2:]],
        "twice": [*rows[:2], rows[0], *rows[2:]],
    }
    for lines in changes.values():
        (tmp_path / "S.csv").write_text("".join(lines))
        with pytest.raises(SubmissionError) as caught:
            rules.find(year).judge(original, entry, seed=1, published=tmp_path / "S.csv")
        assert isinstance(caught.value.report, Report)
        found = places(caught.value.report)
        assert [place for place in found if place[1] == "pseudonym"] == [(3, "pseudonym")]


@pytest.mark.parametrize(("year", "row"), [("pwscup2017", 4), ("pwscup2018", 4), ("simplified", 5)])
def test_a_missing_row_of_a_published_file_is_named(tmp_path: Path, year: str, row: int) -> None:
    original, entry = checked(tmp_path, year)
    rows = published(year, VALID[year]).splitlines(keepends=True)
    (tmp_path / "S.csv").write_text("".join(rows[:3] + rows[4:]))
    with pytest.raises(SubmissionError) as caught:
        rules.find(year).judge(original, entry, seed=1, published=tmp_path / "S.csv")
    assert isinstance(caught.value.report, Report)
    assert caught.value.report.found["row"].to_list() == [row]  # of the submission


@pytest.mark.parametrize(
    ("year", "change"),
    [("pwscup2018", cell(8, 3, '{22423;"}')), ("simplified", cell(7, 3, 'a "pear"'))],
)
def test_what_is_published_can_be_given_back(tmp_path: Path, year: str, change: Change) -> None:
    original, entry = checked(tmp_path, year, change)
    assert entry.report.found.is_empty()
    made = rules.find(year).publish(original, entry, secret=b"1")
    (tmp_path / "S.csv").write_text(made.lines)
    again = rules.find(year).publish(original, entry, secret=b"2", published=tmp_path / "S.csv")
    assert again.lines == made.lines
    assert set(made.lines.splitlines()) <= set(change(VALID[year].encode()).decode().splitlines())


@pytest.mark.parametrize("year", VALID)
def test_a_published_file_that_breaks_the_form_is_refused(tmp_path: Path, year: str) -> None:
    """What follows from it, as a row that is in no submission, is not told as well."""
    original, entry = checked(tmp_path, year)
    change = together(line(2, "p1"), with_mark)
    (tmp_path / "S.csv").write_bytes(change(published(year, VALID[year]).encode()))
    with pytest.raises(SubmissionError, match="byte order mark") as caught:
        rules.find(year).judge(original, entry, seed=1, published=tmp_path / "S.csv")
    assert isinstance(caught.value.report, Report)
    assert places(caught.value.report) == [(1, "pseudonym"), (2, "whole line")]


def test_2016_publishes_what_was_submitted(tmp_path: Path) -> None:
    original, entry = checked_2016(tmp_path)
    with pytest.raises(ParameterError, match="publishes M' and T' as they are submitted"):
        rules.find("pwscup2016").judge(original, entry, seed=1, published=tmp_path / "T.csv")
    files = rules.find("pwscup2016").files(
        rules.find("pwscup2016").publish(original, entry, secret=b"1")
    )
    assert files == {"public/M.csv": M_2016, "public/T.csv": T_2016, "secret/P.csv": P_2016}


def test_only_2017_has_views(tmp_path: Path) -> None:
    original, entry = checked(tmp_path, "pwscup2018")
    with pytest.raises(ParameterError, match="Only pwscup2017 has views"):
        rules.find("pwscup2018").judge(original, entry, seed=1, views=tmp_path)


def test_the_views_of_2017_show_a_quarter_to_all_of_the_rows(tmp_path: Path) -> None:
    T = "".join(f"C1,{n},2011/2/3,9:05,22423,2.1,12\n" for n in range(100))
    (tmp_path / "T.csv").write_text(T)
    contest = rules.find("pwscup2017")
    files = contest.view_files(contest.read(tmp_path / "T.csv"), seed=1)
    assert {text.count("\n") for text in files.values()} == {100}
    known = {name: 100 - text.count("DEL,,,,,,\n") for name, text in files.items()}
    assert known == {f"views/T{percent}.csv": percent for percent in (25, 50, 75, 100)}


def test_the_views_of_2017_are_read_as_they_were_drawn(tmp_path: Path) -> None:
    original, contest = opened(tmp_path, "pwscup2017"), Pwscup2017()
    for name, text in contest.view_files(original, seed=1).items():
        (tmp_path / Path(name).name).write_text(text)
    drawn, read = (contest.views(original, seed=1, folder=place) for place in (None, tmp_path))
    assert set(drawn) == {25, 50, 75, 100}
    for percent, view in drawn.items():
        known = view.in_row_order().select(ROW, "person", "time", "item").rows()
        assert read[percent].frame().select(ROW, "person", "time", "item").rows() == known


def test_only_2017_writes_views(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="Only pwscup2017 has views"):
        rules.find("pwscup2018").view_files(opened(tmp_path, "pwscup2018"), seed=1)


def test_a_missing_view_is_told(tmp_path: Path) -> None:
    original, entry = checked(tmp_path, "pwscup2017")
    with pytest.raises(ReadError, match=r"must have the view T25\.csv"):
        rules.find("pwscup2017").judge(original, entry, seed=1, views=tmp_path)


@pytest.mark.parametrize("date", ["2011/2/30", "2011/2/3 ", "x"])
def test_a_view_with_an_impossible_date_is_refused(tmp_path: Path, date: str) -> None:
    original, entry = checked(tmp_path, "pwscup2017")
    for percent in (25, 50, 75, 100):
        (tmp_path / f"T{percent}.csv").write_text(T_2017.replace("2011/2/3", date))
    with pytest.raises(TokumeiError, match="row 3"):
        rules.find("pwscup2017").judge(original, entry, seed=1, views=tmp_path)
