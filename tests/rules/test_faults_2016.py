"""A check of 2016 finds every fault of the three files, and says in which row and column it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from submissions import (
    COLUMNS_2017,
    T_2017,
    Change,
    Place,
    cell,
    checked_2016,
    faults_of_form,
    line,
    places,
    together,
    with_empty_lines,
    with_mark,
    with_the_last_row_twice,
    without_last_row,
)

from tokumei import rules
from tokumei.errors import ParameterError, ReadError

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
    ("M", cell(3, 3, "1950/01/01"), [(3, "M.birth")]),
    ("M", cell(3, 3, "+1950/1/1"), [(3, "M.birth")]),
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
    ("P", together(line(2, "1,1"), line(3, "1,1")), [(2, "P.whole line"), (3, "P.whole line")]),
    (
        "M",
        together(line(1, "p1"), line(2, "p2")),
        [(1, "M.whole line"), (2, "M.whole line"), *((n, "T.pseudonym") for n in (1, 2, 3, 4, 5))],
    ),
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


def test_problems_of_all_files_of_2016_stand_in_the_order_of_rows(tmp_path: Path) -> None:
    _, entry = checked_2016(tmp_path, together(cell(1, 1, "p0"), cell(3, 2, "x")), "M")
    assert places(entry.report) == [(1, "T.pseudonym"), (2, "T.pseudonym"), (3, "M.sex")]


def test_p_of_2016_has_a_line_for_every_row_of_m(tmp_path: Path) -> None:
    _, entry = checked_2016(tmp_path, without_last_row, "P")
    rule = "mine: A submission must have 4 rows, as M' has, not '3' (row 4, column P.whole line)."
    assert entry.report.sentence() == rule


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
