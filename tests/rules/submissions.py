"""Small valid submissions to every contest, changes of them, and what a check then finds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from tokumei import rules
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
COLUMNS_2017 = ("pseudonym", "invoice", "date", "time", "item", "price", "quantity")


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


def with_the_row(text: str) -> Change:
    return lambda data: data + text.encode() + b"\n"


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
