"""A check finds every problem of a file in one pass, and its report stays short and harmless."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest
from submissions import (
    COLUMNS_2017,
    VALID,
    Change,
    cell,
    checked,
    checked_2016,
    line,
    places,
    together,
    with_empty_lines,
    with_mark,
    without_last_row,
)

from tokumei import rules
from tokumei.errors import ReadError, SubmissionError
from tokumei.rules import Entry, Original, Report
from tokumei.rules.lines import WHOLE, read_cells, refuse_long
from tokumei.rules.problems import Problems, Severity


def test_all_faults_at_once_are_found_in_one_pass(tmp_path: Path) -> None:
    """Every customer has one row, so that no fault leads to another."""
    rows = 80
    M = "".join(f"C{n},f,1950/1/1,UK\n" for n in range(1, rows + 1))
    T = "".join(f"C{n},1,2011/2/3,9:05,22423,2.1,12\n" for n in range(1, rows + 1))
    valid = "".join(f"p{n},0,2011/2/3,9:05,22423,2.1,12\n" for n in range(1, rows + 1)).encode()
    # A column and a value that it may not have, each in a row of its own from the second on.
    values = [
        *((1, value) for value in ("p 2", "", "C4")),
        *((2, value) for value in ("", "a/b")),
        *((3, value) for value in ("2011/3/3", "2011/2/30", "2011/02/03")),
        *((4, value) for value in ("24:00", "9:5")),
        *((5, value) for value in ("99999", "", b"\x002242", "22423 ")),
        *((6, value) for value in ("0", "123456", "2.105", "-2.1", "nan")),
        *((7, value) for value in ("0", "1.5", "-1", "1234567", "１２")),
    ]
    changes: list[Change] = [with_mark]
    expected = [(1, "pseudonym")]
    for row, (column, value) in enumerate(values, start=2):
        changes.append(cell(row, column, value))
        expected.append((row, COLUMNS_2017[column - 1]))
        if value == b"\x002242":  # without the zero byte it is no item
            expected.append((row, COLUMNS_2017[column - 1]))
    row = len(expected)
    changes += [line(row, "too,few"), cell(row + 1, 5, "梨".encode("cp932"))]
    expected += [(row, "whole line"), (row + 1, "item"), (row + 1, "item")]
    changes += [line(number, "DEL,,,,,,") for number in range(rows // 2, rows + 1)]
    changes += [line(rows // 2, "DEL,,,,,,7")]
    expected += [(rows // 2, "pseudonym"), (rows, "pseudonym")]
    changes += [lambda data: data + b"extra,0,2011/2/3,9:05,22423,2.1,12\r\n", with_empty_lines]
    expected += [(rows + 1, "whole line"), (rows + 2, "whole line"), (rows + 3, "whole line")]
    (tmp_path / "T.csv").write_text(T)
    (tmp_path / "M.csv").write_text(M)
    (tmp_path / "AT.csv").write_bytes(together(*changes)(valid))
    year = rules.find("pwscup2017")
    entry = year.check(year.read(tmp_path / "T.csv", tmp_path / "M.csv"), tmp_path / "AT.csv")
    assert places(entry.report) == expected
    assert places(entry.report, "warning") == [(rows + 1, "whole line")]


def test_many_problems_are_summarised(tmp_path: Path) -> None:
    rows = 12_000
    T = "".join(f"C{n},2011/2/3,22423,{n % 7 + 1},12\n" for n in range(rows))
    A = "".join(f"p{n},2011/2/30,22423,0,[5;3]\n" for n in range(rows))
    (tmp_path / "T.csv").write_text(T)
    (tmp_path / "A.csv").write_text(A)
    year = rules.find("pwscup2018")
    entry = year.check(year.read(tmp_path / "T.csv"), tmp_path / "A.csv")
    report = entry.report
    assert len(report.found) == 3 * rows
    summary = report.summary()
    assert [(part.column, part.count) for part in summary] == [
        ("date", rows),
        ("price", rows),
        ("quantity", rows),
    ]
    assert summary[0].rows == (1, 2, 3, 4, 5)
    assert summary[0].value == "2011/2/30"
    assert len(report.sentence()) < 250
    assert report.sentence().endswith("There are 35,999 more problems.")
    figures = report.to_json()
    assert figures["count"] == 3 * rows
    assert len(figures["problems"]) == 1_000
    assert figures["problems"][0]["row"] == 1
    assert len(json.dumps(figures)) < 300_000


def test_a_long_or_strange_value_is_shown_short_and_harmless(tmp_path: Path) -> None:
    _, entry = checked(tmp_path, "pwscup2017", cell(3, 1, "\x1b[31m" + "x" * 100_000))
    (value,) = entry.report.found["value"]
    assert len(value) < 70
    assert "\x1b" not in value
    assert "\x1b" not in entry.report.sentence()


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, ""),
        ("x" * 60, "x" * 60),
        ("x" + "y" * 60, "x" + "y" * 59 + "…"),
        ("a\tb\u202e", "a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}"),
    ],
)
def test_60_characters_of_a_value_are_shown(value: str | None, shown: str) -> None:
    problems = Problems("A.csv")
    problems.breaks("A rule", "price", [3], [value])
    assert problems.report().found["value"].to_list() == [shown]


def test_a_summary_has_failures_first_each_with_its_first_value() -> None:
    problems = Problems("A.csv")
    severities: list[Severity] = ["warning", "failure"]
    for number in range(40):
        rows, values = [number + 9, number + 1], ["later", f"at {number}"]
        problems.breaks(f"Rule {number}", "price", rows, values, severities[number % 2])
    found = [(part.rule, part.severity, part.value) for part in problems.report().summary()]
    assert found == [
        *((f"Rule {number}", "failure", f"at {number}") for number in range(1, 40, 2)),
        *((f"Rule {number}", "warning", f"at {number}") for number in range(0, 40, 2)),
    ]


def test_the_sentence_names_the_first_failure_and_counts_the_others() -> None:
    problems = Problems("A.csv")
    problems.breaks("A line should end in LF", "whole line", [1], [None], "warning")
    assert problems.report().sentence() == "A.csv keeps the rules."
    problems.breaks("A price must be above zero", "price", [3], ["0"])
    first = "A.csv: A price must be above zero, not '0' (row 3, column price)."
    assert problems.report().sentence() == first
    problems.breaks("A row must end", "whole line", [4], [None])
    assert problems.report().sentence() == f"{first} There is 1 more problem."
    problems.breaks("A row must end", "whole line", [2], [None])
    more = "A.csv: A row must end (row 2, column whole line). There are 2 more problems."
    assert problems.report().sentence() == more


def test_of_a_second_customer_with_a_pseudonym_the_first_row_is_noted(tmp_path: Path) -> None:
    change = together(*(cell(row, 1, "p1") for row in (4, 5, 10)))
    _, entry = checked(tmp_path, "pwscup2018", change)
    assert places(entry.report) == [(4, "pseudonym"), (10, "pseudonym")]
    assert "Two customers must not share a pseudonym, not 'p1'" in entry.report.sentence()
    _, entry = checked(tmp_path, "pwscup2017", cell(4, 1, "p1"))
    (found,) = entry.report.summary()
    assert found.rule == "Two customers should not share a pseudonym"


@pytest.mark.parametrize(
    ("year", "deleted"),
    [("pwscup2017", "DEL,,,,,,"), ("pwscup2018", "*,*,*,*,*"), ("simplified", "DEL,,")],
)
def test_the_rule_on_deleted_rows_shows_one(tmp_path: Path, year: str, deleted: str) -> None:
    _, entry = checked(tmp_path, year, line(3, deleted + "x"))
    assert f"A deleted row must be {deleted}, not" in entry.report.sentence()


def test_the_number_of_rows_is_told(tmp_path: Path) -> None:
    _, entry = checked(tmp_path, "simplified", lambda data: data * 125)
    told = "A submission must have 8 rows, as T.csv has, not '1,000' (row 9, column whole line)."
    assert told in entry.report.sentence()


def test_the_number_of_deleted_rows_is_told(tmp_path: Path) -> None:
    (tmp_path / "T.csv").write_text("C1,1,2011/2/3,9:05,22423,2.1,12\n" * 1_000)
    (tmp_path / "AT.csv").write_text("DEL,,,,,,\n" * 1_000)
    year = rules.find("pwscup2017")
    entry = year.check(year.read(tmp_path / "T.csv"), tmp_path / "AT.csv")
    told = "At most half of the rows may be deleted, not '1,000' (row 501, column pseudonym)."
    assert told in entry.report.sentence()


def test_a_file_with_more_lines_than_any_contest_is_refused(tmp_path: Path) -> None:
    refuse_long(b"\n" * 5_000_000, "A.csv")
    with pytest.raises(ReadError, match="has 5,000,001 lines; a contest file may have 5,000,000"):
        checked(tmp_path, "pwscup2018", lambda _: b"\n" * 5_000_001)


def test_a_zero_byte_is_noted_in_its_cell_or_in_the_last(tmp_path: Path) -> None:
    problems = Problems("A.csv")
    (tmp_path / "A.csv").write_bytes(b",a\0,\n1,2,3,\0\n")
    rows = read_cells(tmp_path / "A.csv", ("x", "y", "z"), problems)
    assert rows.rows() == [("", "a", "", 1, True), (None, None, None, 2, False)]
    found = problems.report().found.select("row", "column", "value").rows()
    assert found == [(1, "y", ""), (2, "z", ""), (2, "whole line", "4")]


@pytest.mark.parametrize(("text", "kept", "empty"), [("a\n\n", 1, [2]), ("\n\n", 0, [1, 2])])
def test_empty_lines_at_the_end_are_no_rows(
    tmp_path: Path, text: str, kept: int, empty: list[int]
) -> None:
    problems = Problems("A.csv")
    (tmp_path / "A.csv").write_text(text)
    assert read_cells(tmp_path / "A.csv", ("x",), problems)[WHOLE].to_list() == [True] * kept
    assert places(problems.report()) == [(row, "whole line") for row in empty]


def test_an_invalid_entry_is_neither_published_nor_judged(tmp_path: Path) -> None:
    for year in VALID:
        original, entry = checked(tmp_path, year, without_last_row)
        assert_refused(year, original, entry)
    (tmp_path / "2016").mkdir()
    original, entry = checked_2016(tmp_path / "2016", without_last_row, "P")
    assert_refused("pwscup2016", original, entry)


def assert_refused(year: str, original: Original, entry: Entry) -> None:
    contest = rules.find(year)
    for act in (partial(contest.judge, seed=1), contest.publish):
        with pytest.raises(SubmissionError) as caught:
            act(original, entry)
        assert isinstance(caught.value.report, Report)
        assert places(caught.value.report)
        assert str(caught.value) == entry.report.sentence()
