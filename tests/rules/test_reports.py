"""A check finds every problem of a file in one pass, and its report stays short and harmless."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from submissions import (
    COLUMNS_2017,
    VALID,
    Change,
    cell,
    checked,
    line,
    places,
    together,
    with_empty_lines,
    with_mark,
    without_last_row,
)

from tokumei import rules
from tokumei.errors import SubmissionError
from tokumei.rules import Report


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
    assert len(json.dumps(figures)) < 300_000


def test_a_long_or_strange_value_is_shown_short_and_harmless(tmp_path: Path) -> None:
    _, entry = checked(tmp_path, "pwscup2017", cell(3, 1, "\x1b[31m" + "x" * 100_000))
    (value,) = entry.report.found["value"]
    assert len(value) < 70
    assert "\x1b" not in value
    assert "\x1b" not in entry.report.sentence()


def test_an_invalid_entry_is_neither_published_nor_judged(tmp_path: Path) -> None:
    for year in VALID:
        original, entry = checked(tmp_path, year, without_last_row)
        for act in (rules.find(year).judge, rules.find(year).publish):
            with pytest.raises(SubmissionError) as caught:
                act(original, entry, seed=1)
            assert isinstance(caught.value.report, Report)
            assert places(caught.value.report)
            assert str(caught.value) == entry.report.sentence()
