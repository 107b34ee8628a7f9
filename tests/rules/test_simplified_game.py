"""The simplified game: a check finds every fault, and Hamada's worked example has its totals."""

from __future__ import annotations

from pathlib import Path

import pytest
from submissions import (
    Change,
    Place,
    cell,
    checked,
    faults_of_form,
    opened,
    places,
    with_empty_lines,
    with_the_last_row_twice,
    with_the_row,
    without_last_row,
)

from tokumei import rules
from tokumei.contracts import Score

FAULTS_SIMPLIFIED: list[tuple[Change, list[Place]]] = [
    *faults_of_form(1, ("pseudonym", "date", "item"), 3),
    (without_last_row, [(8, "whole line")]),
    (with_the_last_row_twice, [(9, "whole line")]),
    (with_empty_lines, [(9, "whole line"), (10, "whole line")]),
    (with_the_row("p4,2018/9/12,"), [(9, "whole line"), (9, "item")]),
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


def test_the_scores_of_the_simplified_game_say_how_to_read_them(tmp_path: Path) -> None:
    original, entry = checked(tmp_path, "simplified")
    (tmp_path / "guess.csv").write_text("p1,Alice\np2,Carol\n")
    contest = rules.find("simplified")
    judgment = contest.judge(original, entry, seed=1, guesses=[tmp_path / "guess.csv"])
    known = "The attacker knows every purchase of every customer."
    assert judgment.scores["changed"] == Score("changed", 2 / 16, "lower", (0.0, 1.0), 16)
    expected = Score("expected", 1.0, "lower", (0.0, 1.0), 4, assumes=known)
    assert judgment.scores["expected"] == expected
    assert judgment.scores["guess:guess.csv"].value == 1 / 4
