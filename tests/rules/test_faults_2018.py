"""A check of 2018 finds every fault of a file, and says in which row and column it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from submissions import (
    Change,
    Place,
    cell,
    checked,
    faults_of_form,
    line,
    places,
    with_empty_lines,
    with_the_last_row_twice,
    with_the_row,
    without_last_row,
    without_rows,
)

COLUMNS_2018 = ("pseudonym", "date", "item", "price", "quantity")
FAULTS_2018: list[tuple[Change, list[Place]]] = [
    *faults_of_form(8, COLUMNS_2018, 3),
    # Rows
    (without_last_row, [(10, "whole line")]),
    (with_the_last_row_twice, [(11, "whole line")]),
    (without_rows, [(1, "whole line")]),
    (with_empty_lines, [(11, "whole line"), (12, "whole line")]),
    (with_the_row("p5,2011/7/4,22728,3.75,x"), [(11, "whole line"), (11, "quantity")]),
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
    (cell(8, 2, "+2011/4/30"), [(8, "date")]),
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
    (cell(8, 3, "{22423;{M}"), [(8, "item")]),
    (cell(8, 3, "{22423;M}}"), [(8, "item")]),
    (cell(8, 3, ""), [(8, "item")]),
    # Prices
    (cell(8, 4, "0"), [(8, "price")]),
    (cell(8, 4, "10.96"), [(8, "price")]),
    (cell(8, 4, "10.950"), [(8, "price")]),
    (cell(8, 4, "+10.95"), [(8, "price")]),
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
    (cell(8, 5, "+1"), [(8, "quantity")]),
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
