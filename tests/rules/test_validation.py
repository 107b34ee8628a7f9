"""A check finds every problem of a file in one pass, and says in which row and column it is."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tokumei import rules
from tokumei.errors import ParameterError, ReadError, SubmissionError, TokumeiError, Unachievable
from tokumei.rules import Entry, Original, Report

Place = tuple[int, str]
Change = Callable[[bytes], bytes]

M = "".join(f"{name},f,1950/1/1,UK\n" for name in ("C1", "C2", "C3", "C4", "C5"))
# C1 has two rows of December; everyone else has one row in a month. February is for days that do
# not exist.
T_2017 = """\
C1,1,2010/12/1,8:26,22423,12.75,6
C1,1,2010/12/1,8:26,22728,3.75,12
C1,2,2011/2/3,9:05,85099B,2.1,1
C2,3,2010/12/6,10:00,22423,12.75,24
C2,4,2011/2/8,23:59,M,50,2
C3,5,2011/2/28,0:00,22728,4.25,72
C3,6,2011/3/1,7:30,85099C,1.95,10
C4,7,2011/4/30,12:00,22423,10.95,1
C4,8,2011/11/30,16:45,POST,18,3
C5,9,2011/7/4,11:11,22728,3.75,13
C5,10,2011/8/15,14:02,85099B,2.08,100
C5,11,2011/9/9,9:09,22423,0.01,5
"""
AT_2017 = """\
p1,0,2010/12/2,8:26,22423,12.75,6
p1,0,2010/12/1,8:26,22728,3.7,12
p2,0,2011/2/3,9:05,85099B,2.10,1
p3,0,2010/12/31,10:00,POST,12.75,24
p4,0,2011/2/8,23:59,M,99999.99,2
p5,0,2011/2/28,0:00,22728,4.25,999999
DEL,,,,,,
p6,0,2011/4/1,12:00,22423,10.95,1
DEL,,,,,,
p7,0,2011/7/4,11:11,22728,3.75,13
p8,x-_9,2011/8/15,14:02,85099B,2.08,100
p9,0,2011/9/9,9:09,22423,0.01,5
"""
T_2018 = """\
C1,2010/12/1,22423,12.75,6
C1,2010/12/1,22728,3.75,12
C1,2011/2/3,85099B,2.1,1
C2,2010/12/6,22423,12.75,24
C2,2011/2/8,M,50,2
C3,2011/2/28,22728,4.25,72
C3,2011/3/1,85099C,1.95,10
C4,2011/4/30,22423,10.95,1
C4,2011/11/30,POST,18,3
C5,2011/7/4,22728,3.75,13
"""
A_2018 = """\
p1,2010/12/1,22423,12.75,6
p1,[2010/12/1;2010/12/3],{22728;M},[3.5;4],[5;12]
p1,*,*,*,*
p2,[2010/11/1;2010/12/6],*,12.75,24
p2,2011/2/8,M,50,[2;2]
p3,2011/2/28,{22728},[4.25;4.25],72
*,*,*,*,*
p4,2011/4/30,22423,10.95,1
*,*,*,*,*
p5,2011/7/4,22728,3.75,13
"""
T_SIMPLIFIED = """\
Alice,2018/9/7,pear
Bob,2018/9/2,pear
Bob,2018/9/10,grape
Carol,2018/9/2,peach
Carol,2018/9/12,grape
Dan,2018/9/2,grape
Dan,2018/9/5,pear
Dan,2018/9/12,grape
"""
A_SIMPLIFIED = """\
p1,2018/9/7,pear
p2,2018/9/2,pear
DEL,,
p3,2018/9/2,peach
p3,2018/9/13,grape
p4,2018/9/2,grape
p4,2018/9/5,apple
p4,2018/9/12,grape
"""
M_2016 = "".join(f"{name},f,1950/1/1,UK\n" for name in ("p1", "p2", "p3", "p4"))
P_2016 = "3\n1\n2\n5\n"
T_2016 = """\
p1,1,2011/2/28,0:00,22728,4.25,72
p1,1,2011/3/1,7:30,85099C,1.95,10
p2,2,2010/12/1,8:26,22423,12.75,6
p2,3,2010/12/1,8:26,22728,3.75,12
p2,4,2011/2/3,9:05,85099B,2.1,1
p3,5,2010/12/6,10:00,22423,12.75,24
p3,6,2011/11/30,23:59,M,50,2
p4,7,2011/7/4,11:11,22728,3.75,13
p4,8,2011/8/15,14:02,85099B,2.08,100
p4,9,2011/9/9,9:09,22423,0.01,5
"""

ORIGINALS = {"pwscup2016": T_2017, "pwscup2017": T_2017, "pwscup2018": T_2018} | {
    "simplified": T_SIMPLIFIED
}
VALID = {"pwscup2017": AT_2017, "pwscup2018": A_2018, "simplified": A_SIMPLIFIED}
FOLDER = {"M": M_2016, "T": T_2016, "P": P_2016}


# Changes of a valid file


def cell(row: int, column: int, value: str | bytes) -> Change:
    """Put a value into a cell; rows and columns are counted from 1."""
    new = value if isinstance(value, bytes) else value.encode()

    def change(data: bytes) -> bytes:
        lines = [line.split(b",") for line in data.split(b"\n")]
        lines[row - 1][column - 1] = new
        return b"\n".join(b",".join(line) for line in lines)

    return change


def line(row: int, text: str) -> Change:
    def change(data: bytes) -> bytes:
        lines = data.split(b"\n")
        lines[row - 1] = text.encode()
        return b"\n".join(lines)

    return change


def together(*changes: Change) -> Change:
    def change(data: bytes) -> bytes:
        for part in changes:
            data = part(data)
        return data

    return change


def without_last_row(data: bytes) -> bytes:
    return data[: data.rstrip(b"\n").rindex(b"\n") + 1]


def with_the_last_row_twice(data: bytes) -> bytes:
    return data + data.rstrip(b"\n").rsplit(b"\n", 1)[1] + b"\n"


def with_mark(data: bytes) -> bytes:
    return b"\xef\xbb\xbf" + data


def with_returns(data: bytes) -> bytes:
    return data.replace(b"\n", b"\r\n")


def with_empty_lines(data: bytes) -> bytes:
    return data + b"\n \n"


def without_last_break(data: bytes) -> bytes:
    return data.removesuffix(b"\n")


def without_rows(data: bytes) -> bytes:
    return b""


# Checks


def opened(folder: Path, year: str) -> Original:
    (folder / "T.csv").write_text(ORIGINALS[year])
    (folder / "M.csv").write_text(M)
    with_master = year in ("pwscup2016", "pwscup2017")
    return rules.find(year).read(folder / "T.csv", folder / "M.csv" if with_master else None)


def checked(folder: Path, year: str, change: Change = bytes) -> tuple[Original, Entry]:
    original = opened(folder, year)
    path = folder / "submission.csv"
    path.write_bytes(change(VALID[year].encode()))
    return original, rules.find(year).check(original, path)


def checked_2016(folder: Path, change: Change = bytes, name: str = "") -> tuple[Original, Entry]:
    original = opened(folder, "pwscup2016")
    (folder / "mine").mkdir()
    for part, text in FOLDER.items():
        data = change(text.encode()) if part == name else text.encode()
        (folder / "mine" / f"{part}.csv").write_bytes(data)
    return original, rules.find("pwscup2016").check(original, folder / "mine")


def places(report: Report, severity: str = "failure") -> list[Place]:
    return report.found.filter(severity=severity).select("row", "column").rows()


# What concerns every kind of file, given the place of a cell with a text in it
def faults_of_form(row: int, columns: Sequence[str], item: int) -> list[tuple[Change, list[Place]]]:
    first, name, width = columns[0], columns[item - 1], len(columns)
    return [
        (line(row, ",".join(["x"] * (width - 1))), [(row, "whole line")]),
        (line(row, ",".join(["x"] * (width + 1))), [(row, "whole line")]),
        (line(row, ""), [(row, "whole line")]),
        (with_mark, [(1, first)]),
        (cell(row, item, b"\0" + b"22423"), [(row, name)]),
        (cell(row, item, "22423 "), [(row, name)]),
        (cell(row, item, " 22423"), [(row, name)]),
        (cell(row, item, "22423\t"), [(row, name)]),
        (cell(row, item, "22423\N{IDEOGRAPHIC SPACE}"), [(row, name)]),
    ]


COLUMNS_2017 = ("pseudonym", "invoice", "date", "time", "item", "price", "quantity")
FAULTS_2017: list[tuple[Change, list[Place]]] = [
    *faults_of_form(8, COLUMNS_2017, 5),
    # Rows
    (without_last_row, [(12, "whole line")]),
    (with_the_last_row_twice, [(13, "whole line")]),
    (without_rows, [(1, "whole line")]),
    (with_empty_lines, [(13, "whole line"), (14, "whole line")]),
    # Deleted rows
    (together(*(line(row, "DEL,,,,,,") for row in (1, 2, 3, 4, 5))), [(9, "pseudonym")]),
    (cell(7, 7, "1"), [(7, "pseudonym")]),
    (cell(7, 2, "0"), [(7, "pseudonym")]),
    # Pseudonyms
    (cell(3, 1, "p 2"), [(3, "pseudonym")]),
    (cell(3, 1, "p.2"), [(3, "pseudonym")]),
    (cell(3, 1, "ｐ２"), [(3, "pseudonym")]),
    (cell(3, 1, ""), [(3, "pseudonym")]),
    (cell(3, 1, "*"), [(3, "pseudonym")]),
    (cell(3, 1, "C4"), [(3, "pseudonym")]),
    (cell(2, 1, "p0"), [(2, "pseudonym")]),
    # Invoices
    (cell(3, 2, ""), [(3, "invoice")]),
    (cell(3, 2, "a/b"), [(3, "invoice")]),
    # Dates
    (cell(3, 3, "2011/3/3"), [(3, "date")]),
    (cell(3, 3, "2012/2/3"), [(3, "date")]),
    (cell(3, 3, "2011/2/30"), [(3, "date")]),
    (cell(3, 3, "2011/2/29"), [(3, "date")]),
    (cell(3, 3, "2011/2/0"), [(3, "date")]),
    (cell(3, 3, "2011/13/1"), [(3, "date")]),
    (cell(3, 3, "2011/02/03"), [(3, "date")]),
    (cell(3, 3, "2011-2-3"), [(3, "date")]),
    (cell(3, 3, "2011/2/３"), [(3, "date")]),
    (cell(3, 3, ""), [(3, "date")]),
    # Times
    (cell(3, 4, "24:00"), [(3, "time")]),
    (cell(3, 4, "9:5"), [(3, "time")]),
    (cell(3, 4, "09:05"), [(3, "time")]),
    (cell(3, 4, "9:60"), [(3, "time")]),
    (cell(3, 4, ""), [(3, "time")]),
    # Items
    (cell(3, 5, "99999"), [(3, "item")]),
    (cell(3, 5, "85099b"), [(3, "item")]),
    (cell(3, 5, ""), [(3, "item")]),
    (cell(3, 5, "{22423;M}"), [(3, "item")]),
    # Prices
    (cell(3, 6, "0"), [(3, "price")]),
    (cell(3, 6, "0.00"), [(3, "price")]),
    (cell(3, 6, "123456"), [(3, "price")]),
    (cell(3, 6, "100000.00"), [(3, "price")]),
    (cell(3, 6, "2.105"), [(3, "price")]),
    (cell(3, 6, "2."), [(3, "price")]),
    (cell(3, 6, ".5"), [(3, "price")]),
    (cell(3, 6, "-2.1"), [(3, "price")]),
    (cell(3, 6, "1e2"), [(3, "price")]),
    (cell(3, 6, "nan"), [(3, "price")]),
    (cell(3, 6, "inf"), [(3, "price")]),
    (cell(3, 6, "２"), [(3, "price")]),
    (cell(3, 6, "[1;3]"), [(3, "price")]),
    (cell(3, 6, ""), [(3, "price")]),
    # Quantities
    (cell(3, 7, "0"), [(3, "quantity")]),
    (cell(3, 7, "000"), [(3, "quantity")]),
    (cell(3, 7, "1.5"), [(3, "quantity")]),
    (cell(3, 7, "1.0"), [(3, "quantity")]),
    (cell(3, 7, "-1"), [(3, "quantity")]),
    (cell(3, 7, "1234567"), [(3, "quantity")]),
    (cell(3, 7, "1" * 400), [(3, "quantity")]),
    (cell(3, 7, "１２"), [(3, "quantity")]),
    (cell(3, 7, ""), [(3, "quantity")]),
    # Shift_JIS: a line that is not UTF-8, and an item that T does not have
    (cell(3, 5, "梨".encode("cp932")), [(3, "item"), (3, "item")]),
    (cell(3, 5, b"\xff\xfe"), [(3, "item"), (3, "item")]),
]


@pytest.mark.parametrize(("change", "expected"), FAULTS_2017)
def test_a_fault_of_2017_is_found_in_its_row_and_column(
    tmp_path: Path, change: Change, expected: list[Place]
) -> None:
    _, entry = checked(tmp_path, "pwscup2017", change)
    assert places(entry.report) == expected
    assert places(entry.report, "warning") == []


COLUMNS_2018 = ("pseudonym", "date", "item", "price", "quantity")
FAULTS_2018: list[tuple[Change, list[Place]]] = [
    *faults_of_form(8, COLUMNS_2018, 3),
    # Rows
    (without_last_row, [(10, "whole line")]),
    (with_the_last_row_twice, [(11, "whole line")]),
    (without_rows, [(1, "whole line")]),
    (with_empty_lines, [(11, "whole line"), (12, "whole line")]),
    # Deleted rows
    (cell(7, 5, "10"), [(7, "pseudonym")]),
    (line(7, "*,,,,"), [(7, "pseudonym")]),
    # A pseudonym DEL is none that is forbidden, but its row has no cells.
    (line(10, "DEL,,,,"), [(10, "date"), (10, "item"), (10, "price"), (10, "quantity")]),
    # Pseudonyms
    (cell(10, 1, "p;5"), [(10, "pseudonym")]),
    (cell(10, 1, ""), [(10, "pseudonym")]),
    (cell(10, 1, "C5"), [(10, "pseudonym")]),
    (cell(10, 1, "C9"), []),
    (cell(2, 1, "p0"), [(2, "pseudonym")]),
    (cell(10, 1, "p1"), [(10, "pseudonym")]),
    # Dates
    (cell(8, 2, "2011/2/30"), [(8, "date")]),
    (cell(8, 2, "2011/5/1"), [(8, "date")]),
    (cell(8, 2, "[2011/4/1;2011/4/31]"), [(8, "date")]),
    (cell(8, 2, "[2011/5/1;2011/4/1]"), [(8, "date")]),
    (cell(8, 2, "[2011/5/1;2011/6/1]"), [(8, "date")]),
    (cell(8, 2, "{2011/4/30;2011/5/1}"), [(8, "date")]),
    (cell(8, 2, ""), [(8, "date")]),
    # Items
    (cell(8, 3, "22728"), [(8, "item")]),
    (cell(8, 3, "{22728;M}"), [(8, "item")]),
    (cell(8, 3, "{}"), [(8, "item")]),
    (cell(8, 3, "{22423;}"), [(8, "item")]),
    (cell(8, 3, "{22423;22423}"), [(8, "item")]),
    (cell(8, 3, "{22423;M"), [(8, "item")]),
    (cell(8, 3, "22423;M"), [(8, "item")]),
    (cell(8, 3, "[22423;22424]"), [(8, "item")]),
    (cell(8, 3, "{22423;*}"), [(8, "item")]),
    (cell(8, 3, ""), [(8, "item")]),
    # Prices
    (cell(8, 4, "0"), [(8, "price")]),
    (cell(8, 4, "10.96"), [(8, "price")]),
    (cell(8, 4, "10.950"), [(8, "price")]),
    (cell(8, 4, "[10;10.955]"), [(8, "price")]),
    (cell(8, 4, "[11;10]"), [(8, "price")]),
    (cell(8, 4, "[11;12]"), [(8, "price")]),
    (cell(8, 4, "[10.95]"), [(8, "price")]),
    (cell(8, 4, "[10;11;12]"), [(8, "price")]),
    (cell(8, 4, "[10;inf]"), [(8, "price")]),
    (cell(8, 4, "[;11]"), [(8, "price")]),
    (cell(8, 4, "(10;11)"), [(8, "price")]),
    # Quantities
    (cell(8, 5, "[5;3]"), [(8, "quantity")]),
    (cell(8, 5, "[3;5]"), [(8, "quantity")]),
    (cell(8, 5, "[0.5;3]"), [(8, "quantity")]),
    (cell(8, 5, "[-1;3]"), [(8, "quantity")]),
    (cell(8, 5, "[1; 3]"), [(8, "quantity")]),
    (cell(8, 5, "{1;2}"), [(8, "quantity")]),
    (cell(8, 5, "0"), [(8, "quantity")]),
    (cell(8, 5, "1.5"), [(8, "quantity")]),
    (cell(8, 5, "1.0"), [(8, "quantity")]),
    (cell(8, 5, "-1"), [(8, "quantity")]),
    (cell(8, 5, "1234567"), [(8, "quantity")]),
    (cell(8, 5, "1" * 400), [(8, "quantity")]),
    (cell(8, 5, "**"), [(8, "quantity")]),
    (cell(8, 3, "梨".encode("cp932")), [(8, "item"), (8, "item")]),
]


@pytest.mark.parametrize(("change", "expected"), FAULTS_2018)
def test_a_fault_of_2018_is_found_in_its_row_and_column(
    tmp_path: Path, change: Change, expected: list[Place]
) -> None:
    _, entry = checked(tmp_path, "pwscup2018", change)
    assert places(entry.report) == expected
    assert places(entry.report, "warning") == []


FAULTS_SIMPLIFIED: list[tuple[Change, list[Place]]] = [
    *faults_of_form(1, ("pseudonym", "date", "item"), 3),
    (without_last_row, [(8, "whole line")]),
    (with_the_last_row_twice, [(9, "whole line")]),
    (with_empty_lines, [(9, "whole line"), (10, "whole line")]),
    (cell(3, 3, "pear"), [(3, "pseudonym")]),
    (cell(1, 1, "p/1"), [(1, "pseudonym")]),
    (cell(1, 1, "Dan"), [(1, "pseudonym")]),
    (cell(5, 1, "p0"), [(5, "pseudonym")]),
    (cell(2, 1, "p1"), [(2, "pseudonym")]),
    (cell(1, 2, "2018/2/30"), [(1, "date")]),
    (cell(1, 2, "*"), [(1, "date")]),
    (cell(1, 3, ""), [(1, "item")]),
    (cell(1, 3, "梨".encode("cp932")), [(1, "item")]),
]


@pytest.mark.parametrize(("change", "expected"), FAULTS_SIMPLIFIED)
def test_a_fault_of_the_simplified_game_is_found_in_its_row_and_column(
    tmp_path: Path, change: Change, expected: list[Place]
) -> None:
    _, entry = checked(tmp_path, "simplified", change)
    assert places(entry.report) == expected
    assert places(entry.report, "warning") == []


FAULTS_2016: list[tuple[str, Change, list[Place]]] = [
    *(
        ("T", change, [(row, f"T.{column}") for row, column in expected])
        for change, expected in faults_of_form(8, COLUMNS_2017, 5)
    ),
    ("M", with_mark, [(1, "M.pseudonym")]),
    ("M", line(3, "p3,f,1950/1/1"), [(3, "M.whole line"), (6, "T.pseudonym"), (7, "T.pseudonym")]),
    ("M", cell(3, 1, "p 3"), [(3, "M.pseudonym"), (6, "T.pseudonym"), (7, "T.pseudonym")]),
    ("M", line(3, "p1,f,1950/1/1,UK"), [(3, "M.pseudonym"), *((n, "T.pseudonym") for n in (6, 7))]),
    ("M", cell(3, 2, "x"), [(3, "M.sex")]),
    ("M", cell(3, 3, "1950/2/30"), [(3, "M.birth")]),
    ("M", cell(3, 4, ""), [(3, "M.country")]),
    ("M", with_empty_lines, [(5, "M.whole line"), (6, "M.whole line")]),
    ("P", without_last_row, [(4, "P.whole line")]),
    ("P", with_the_last_row_twice, [(5, "P.whole line"), (5, "P.row")]),
    ("P", line(2, "6"), [(2, "P.row")]),
    ("P", line(2, "0"), [(2, "P.row")]),
    ("P", line(2, "-1"), [(2, "P.row")]),
    ("P", line(2, "1.0"), [(2, "P.row")]),
    ("P", line(2, "C1"), [(2, "P.row")]),
    ("P", line(2, "3"), [(2, "P.row")]),
    ("P", line(2, "9" * 30), [(2, "P.row")]),
    ("P", line(2, "1,1"), [(2, "P.whole line")]),
    ("P", with_mark, [(1, "P.row")]),
    ("T", with_empty_lines, [(11, "T.whole line"), (12, "T.whole line")]),
    ("T", cell(8, 1, "p9"), [(8, "T.pseudonym")]),
    ("T", cell(8, 1, "C1"), [(8, "T.pseudonym")]),
    ("T", line(8, "DEL,,,,,,"), [(8, f"T.{name}") for name in COLUMNS_2017]),
    ("T", cell(8, 2, "a b"), [(8, "T.invoice")]),
    ("T", cell(8, 3, "2011/2/30"), [(8, "T.date")]),
    ("T", cell(8, 3, "2011/12/1"), [(8, "T.date")]),
    ("T", cell(8, 3, "2010/11/30"), [(8, "T.date")]),
    ("T", cell(8, 4, "25:00"), [(8, "T.time")]),
    ("T", cell(8, 5, "99999"), [(8, "T.item")]),
    ("T", cell(8, 6, "0"), [(8, "T.price")]),
    ("T", cell(8, 6, "123456"), [(8, "T.price")]),
    ("T", cell(8, 6, "1.234"), [(8, "T.price")]),
    ("T", cell(8, 7, "0"), [(8, "T.quantity")]),
    ("T", cell(8, 7, "1.5"), [(8, "T.quantity")]),
    ("T", cell(8, 7, "-1"), [(8, "T.quantity")]),
    ("T", cell(8, 7, "1234567"), [(8, "T.quantity")]),
    ("T", cell(8, 5, "梨".encode("cp932")), [(8, "T.item"), (8, "T.item")]),
]


@pytest.mark.parametrize(("name", "change", "expected"), FAULTS_2016)
def test_a_fault_of_2016_is_found_in_its_file_row_and_column(
    tmp_path: Path, name: str, change: Change, expected: list[Place]
) -> None:
    _, entry = checked_2016(tmp_path, change, name)
    assert sorted(places(entry.report)) == sorted(expected)
    assert places(entry.report, "warning") == []


@pytest.mark.parametrize("name", ["M", "T", "P"])
def test_a_folder_of_2016_needs_all_three_files(tmp_path: Path, name: str) -> None:
    original, _ = checked_2016(tmp_path)
    (tmp_path / "mine" / f"{name}.csv").unlink()
    with pytest.raises(ReadError, match=f"has no {name}.csv"):
        rules.find("pwscup2016").check(original, tmp_path / "mine")


def test_2016_needs_the_customers(tmp_path: Path) -> None:
    (tmp_path / "T.csv").write_text(T_2017)
    with pytest.raises(ParameterError, match="needs the customers table M"):
        rules.find("pwscup2016").read(tmp_path / "T.csv")


# Valid files


@pytest.mark.parametrize("year", VALID)
@pytest.mark.parametrize("change", [bytes, without_last_break, gzip.compress])
def test_a_valid_file_has_an_empty_report(tmp_path: Path, year: str, change: Change) -> None:
    _, entry = checked(tmp_path, year, change)
    assert entry.report.valid
    assert entry.report.found.is_empty()
    assert entry.report.summary() == []
    assert entry.report.sentence() == "submission.csv keeps the rules."
    assert entry.report.to_json()["problems"] == []


def test_a_valid_folder_of_2016_has_an_empty_report(tmp_path: Path) -> None:
    original, entry = checked_2016(tmp_path)
    assert entry.report.found.is_empty()
    judgment = rules.find("pwscup2016").judge(original, entry, seed=1)
    assert 0 <= judgment.total <= 1


@pytest.mark.parametrize("year", VALID)
def test_cr_lf_is_a_warning_because_the_contests_wrote_it(tmp_path: Path, year: str) -> None:
    _, entry = checked(tmp_path, year, with_returns)
    assert entry.report.valid
    rows = VALID[year].count("\n")
    assert places(entry.report, "warning") == [(row + 1, "whole line") for row in range(rows)]


@pytest.mark.parametrize("name", ["M", "T", "P"])
def test_cr_lf_is_a_warning_in_2016_as_well(tmp_path: Path, name: str) -> None:
    _, entry = checked_2016(tmp_path, with_returns, name)
    assert entry.report.valid
    rows = FOLDER[name].count("\n")
    expected = [(row + 1, f"{name}.whole line") for row in range(rows)]
    assert places(entry.report, "warning") == expected


def test_two_customers_with_one_pseudonym_are_a_warning_in_2017(tmp_path: Path) -> None:
    _, entry = checked(tmp_path, "pwscup2017", cell(4, 1, "p1"))
    assert entry.report.valid
    assert places(entry.report, "warning") == [(4, "pseudonym")]


def test_one_pseudonym_may_serve_several_months_in_2017(tmp_path: Path) -> None:
    _, entry = checked(tmp_path, "pwscup2017", cell(3, 1, "p1"))
    assert entry.report.found.is_empty()


def test_half_of_the_rows_may_be_deleted_in_2017(tmp_path: Path) -> None:
    change = together(*(line(row, "DEL,,,,,,") for row in (1, 2, 3, 4)))
    _, entry = checked(tmp_path, "pwscup2017", change)
    assert entry.report.found.is_empty()


def test_a_release_without_rows_cannot_be_judged(tmp_path: Path) -> None:
    for year, mark in (("pwscup2018", "*,*,*,*,*"), ("simplified", "DEL,,")):
        rows = VALID[year].count("\n")
        change = together(*(line(row + 1, mark) for row in range(rows)))
        original, entry = checked(tmp_path, year, change)
        with pytest.raises(Unachievable, match="every row is deleted"):
            rules.find(year).judge(original, entry, seed=1)


# Many problems


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


# Published files


def published(year: str, text: str) -> str:
    mark = "*" if year == "pwscup2018" else "DEL"
    return "".join(row for row in text.splitlines(keepends=True) if not row.startswith(mark))


@pytest.mark.parametrize("year", VALID)
def test_a_published_file_has_the_rows_of_the_submission(tmp_path: Path, year: str) -> None:
    original, entry = checked(tmp_path, year)
    rows = published(year, VALID[year]).splitlines(keepends=True)
    (tmp_path / "S.csv").write_text("".join(reversed(rows)))
    made = rules.find(year).publish(original, entry, seed=1, published=tmp_path / "S.csv")
    assert made.lines == "".join(reversed(rows))


@pytest.mark.parametrize("year", VALID)
def test_a_foreign_row_of_a_published_file_is_named(tmp_path: Path, year: str) -> None:
    original, entry = checked(tmp_path, year)
    rows = published(year, VALID[year]).splitlines(keepends=True)
    changes = {
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
    made = rules.find(year).publish(original, entry, seed=1)
    (tmp_path / "S.csv").write_text(made.lines)
    again = rules.find(year).publish(original, entry, seed=2, published=tmp_path / "S.csv")
    assert again.lines == made.lines
    assert set(made.lines.splitlines()) <= set(change(VALID[year].encode()).decode().splitlines())


@pytest.mark.parametrize("year", VALID)
def test_a_published_file_that_breaks_the_form_is_refused(tmp_path: Path, year: str) -> None:
    original, entry = checked(tmp_path, year)
    (tmp_path / "S.csv").write_bytes(with_mark(published(year, VALID[year]).encode()))
    with pytest.raises(SubmissionError, match="byte order mark") as caught:
        rules.find(year).judge(original, entry, seed=1, published=tmp_path / "S.csv")
    assert isinstance(caught.value.report, Report)


def test_2016_publishes_what_was_submitted(tmp_path: Path) -> None:
    original, entry = checked_2016(tmp_path)
    with pytest.raises(ParameterError, match="publishes M' and T' as they are submitted"):
        rules.find("pwscup2016").judge(original, entry, seed=1, published=tmp_path / "T.csv")
    files = rules.find("pwscup2016").files(
        rules.find("pwscup2016").publish(original, entry, seed=1)
    )
    assert files == {"public/M.csv": M_2016, "public/T.csv": T_2016, "secret/P.csv": P_2016}


def test_only_2017_has_views(tmp_path: Path) -> None:
    original, entry = checked(tmp_path, "pwscup2018")
    with pytest.raises(ParameterError, match="Only pwscup2017 has views"):
        rules.find("pwscup2018").judge(original, entry, seed=1, views=tmp_path)


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


# Guesses


def read_guess(
    folder: Path, year: str, text: str, change: Change = bytes
) -> tuple[Report, list[float]]:
    """Return the report on a guess, and its scores where it is valid."""
    contest = rules.find(year)
    original, entry = checked_2016(folder) if year == "pwscup2016" else checked(folder, year)
    made = contest.publish(original, entry, seed=1)
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
    assert contest.files(contest.publish(original, entry, seed=1))["secret/F.csv"] == F_2017


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
    report, _ = read_guess(tmp_path, "simplified", "p1,Alice\np2\n")
    assert places(report) == [(2, "whole line")]


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


# Hamada's worked example

EVERYONE_ALIKE = """\
p3,2018/9/2,pear
p1,2018/9/2,pear
DEL,,
p4,2018/9/2,pear
DEL,,
p2,2018/9/2,pear
DEL,,
DEL,,
"""
TWO_PAIRS = """\
p3,2018/9/2,pear
p1,2018/9/2,pear
DEL,,
p4,2018/9/2,grape
p4,2018/9/12,grape
p2,2018/9/2,grape
DEL,,
p2,2018/9/12,grape
"""
ALICE_ALONE = """\
p3,2018/9/7,pear
p1,2018/9/2,pear
p1,2018/9/12,grape
p4,2018/9/2,pear
p4,2018/9/12,grape
p2,2018/9/2,pear
DEL,,
p2,2018/9/12,grape
"""


@pytest.mark.parametrize(
    ("text", "deleted", "changed", "safety", "total"),
    [
        (EVERYONE_ALIKE, 4, 3, 1 / 4, 0.9375),
        (TWO_PAIRS, 2, 2, 2 / 4, 0.875),
        (ALICE_ALONE, 1, 3, 2 / 4, 0.8125),
    ],
    ids=["figure 2", "figure 4", "figure 5"],
)
def test_the_worked_example_of_hamada_has_its_totals(
    tmp_path: Path, text: str, deleted: int, changed: int, safety: float, total: float
) -> None:
    original = opened(tmp_path, "simplified")
    (tmp_path / "A.csv").write_text(text)
    contest = rules.find("simplified")
    entry = contest.check(original, tmp_path / "A.csv")
    assert entry.report.found.is_empty()
    judgment = contest.judge(original, entry, seed=1)
    found = {name: judgment.scores[name].value for name in ("deleted", "changed", "safety")}
    assert found == {"deleted": deleted / 8, "changed": changed / 16, "safety": safety}
    assert judgment.total == total
