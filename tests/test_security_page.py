"""The tests that the threat model names are there."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_every_test_that_the_security_page_names_is_there() -> None:
    page = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(test_\w+\.py)`", page))
    there = {path.name for path in (ROOT / "tests").rglob("test_*.py")}
    assert len(named) > 20
    assert named <= there


def test_every_boundary_names_a_test() -> None:
    page = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    table = page.partition("### Boundaries")[2].partition("### The sandbox")[0]
    rows = [line for line in table.splitlines() if line.startswith("| ")]
    assert len(rows) > 10
    for row in rows[1:]:
        assert "`test_" in row.split("|")[-2], row
