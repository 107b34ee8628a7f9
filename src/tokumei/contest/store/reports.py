"""Reports of problems, in the form of the contests' checks."""

from __future__ import annotations

from typing import Any


def one_problem(sentence: str) -> dict[str, Any]:
    """Return the report of a file that cannot be used at all."""
    problem = {"row": None, "column": None, "rule": sentence, "value": "", "severity": "failure"}
    return {
        "valid": False,
        "count": 1,
        "summary": [problem | {"count": 1, "rows": []}],
        "problems": [problem],
    }
