"""The list of modules that mutation testing breaks: it is run by hand, and must not go stale."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "tokumei"
LIST: dict[str, Any] = tomllib.loads((ROOT / "tools" / "mutate.toml").read_text(encoding="utf-8"))
MODULES = [module for group in LIST["group"] for module in group["modules"]]


@pytest.fixture(scope="module")
def changes() -> Any:
    """Return what lists the changes of a module; tools are not installed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT)
        from tools.mutations import changes

        return changes


def test_every_module_is_listed_once_with_tests_that_are_there() -> None:
    assert len(set(MODULES)) == len(MODULES)
    for group in LIST["group"]:
        tests = [test.removeprefix("--ignore=") for test in group["tests"]]
        assert all((ROOT / test).exists() for test in tests)
    assert set(LIST["equivalent"]) <= set(MODULES)


@pytest.mark.parametrize("module", MODULES)
def test_every_change_that_changes_nothing_is_still_made(module: str, changes: Any) -> None:
    made = {change.text for change in changes(ast.parse((SOURCE / module).read_text()))}
    assert made
    assert set(LIST["equivalent"].get(module, {})) <= made
