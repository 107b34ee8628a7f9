"""A check of 2017 finds every fault of a file, and says in which row and column it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from submissions import (
    COLUMNS_2017,
    Change,
    Place,
    cell,
    checked,
    faults_of_form,
    line,
    places,
    together,
    with_empty_lines,
    with_the_last_row_twice,
    with_the_row,
    without_last_row,
    without_rows,
)

FAULTS_2017: list[tuple[Change, list[Place]]] = [
    *faults_of_form(8, COLUMNS_2017, 5),
    # Rows
    (without_last_row, [(12, "whole line")]),
    (with_the_last_row_twice, [(13, "whole line")]),
    (without_rows, [(1, "whole line")]),
    (with_empty_lines, [(13, "whole line"), (14, "whole line")]),
    (with_the_row("p9,0,2011/9/9,24:00,22423,1,5"), [(13, "whole line"), (13, "time")]),
    # Deleted rows
    (together(*(line(row, "DEL,,,,,,") for row in (1, 2, 3, 4, 5))), [(9, "pseudonym")]),
    (together(*(line(row, "DEL,,,,,,") for row in (1, 2, 3, 4, 5, 6))), [(7, "pseudonym")]),
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
    (cell(3, 4, "9:055"), [(3, "time")]),
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
