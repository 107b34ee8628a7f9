"""The tests that the threat model names are there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from tokumei import generate, publish
from tokumei.audit.auditing import audit
from tokumei.audit.figure import Figure
from tokumei.audit.figures import figures

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


def listed_parts() -> dict[str, set[str]]:
    """What the page says a report contains: parts of the JSON and figures, with their values."""
    page = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    section = page.partition("### What a report contains about the original")[2]
    found: dict[str, set[str]] = {}
    values: set[str] = set()
    for line in section.partition("\n### ")[0].splitlines():
        if not line.startswith("| ") or line.startswith("| part"):
            continue
        part, described, about = (cell.strip() for cell in line.strip("|").split("|"))
        assert about, line
        values = values if described == "as above" else set(re.findall(r"`([\w-]+)`", described))
        for name in re.findall(r"`([\w-]+)`", part):
            found[f"figure {name}" if part.startswith("figure") else name] = values
    return found


def fields(value: Any) -> set[str]:
    """The names of the values in a part of a report, or in the entries of its list."""
    entries = value if isinstance(value, list) else [value]
    return {name for entry in entries if isinstance(entry, dict) for name in entry}


def test_the_page_lists_what_a_report_contains_about_the_original() -> None:
    """Who adds to a report must say in both languages what it tells about the original."""
    shop = generate("shop", customers=30, seed=1)
    found = audit(shop, publish(shop, shop, secret=b"1"), seed=1)
    contained = {part: fields(value) for part, value in found.to_json().items()}
    for figure in figures(found, str):
        assert isinstance(figure, Figure), figure
        contained[f"figure {figure.name}"] = set(figure.data.columns)
    listed = listed_parts()
    assert set(listed) == set(contained), "docs/security.md lists other parts than a report has"
    for part, names in contained.items():
        assert listed[part] == names, f"docs/security.md lists other values of {part}"
