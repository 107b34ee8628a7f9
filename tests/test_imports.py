"""Imports point upwards in the list of layers, and the core needs no extra."""

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import tokumei

SOURCE = Path(tokumei.__file__).parent
PROJECT = Path(__file__).parents[1]

# As in the design: a module may import from its own layer and from those above it.
LAYERS = [
    {"errors", "words", "draws", "progress", "parameters", "tables", "cells"},
    {"history"},
    {"contracts", "attributes"},
    {"registry", "publishing"},
    {"theory"},
    {"data"},
    {"rfm"},
    {"itemsets"},
    {"alignment"},
    {"equalizing"},
    {"pk"},
    {"mining"},
    {"anonymizers"},
    {"threats"},
    {"attacks"},
    {"judges"},
    {"metrics"},
    {"spark"},
    {"rules"},
    {"papers"},
    {"report"},
    {"audit"},
    {"arena"},
    {"contest"},
    {"ble"},
    {"cli"},
]
ENTRANCES = {"__init__", "__main__"}


def layer(module: str) -> int:
    part = module.removeprefix("tokumei.").split(".")[0]
    return next(number for number, names in enumerate(LAYERS) if part in names)


def imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            found.add(node.module)
        elif isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
    return {name for name in found if name.startswith("tokumei.")}


MODULES = [
    path
    for path in sorted(SOURCE.rglob("*.py"))
    if path.relative_to(SOURCE).with_suffix("").as_posix() not in ENTRANCES
]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(SOURCE).as_posix())
def test_imports_point_upwards(path: Path) -> None:
    own = layer(path.relative_to(SOURCE).with_suffix("").as_posix().replace("/", "."))
    for name in imports(path):
        assert layer(name) <= own, f"{path.name} imports {name}, which stands below it"


def test_the_core_imports_without_any_extra() -> None:
    """In a fresh interpreter that cannot import anything outside the plain dependencies."""
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [
        requirement.split(">")[0].split("<")[0].split("[")[0].replace("-", "_")
        for name, requirements in project["optional-dependencies"].items()
        for requirement in requirements
        if name != "all" and not requirement.startswith("tokumei")
    ]
    blocked = sorted({*extras, "fim", "duckdb", "pandas"})
    script = f"""
import sys
for name in {blocked!r}:
    sys.modules[name] = None
import tokumei
from tokumei import registry
for name in tokumei.__all__:
    getattr(tokumei, name)
for family in registry.FAMILIES:
    assert registry.names(family)
from tokumei.cli import anonymize, attack, data, demo, methods, score, stats
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_version_is_told_without_loading_tables() -> None:
    script = """
import sys
from tokumei.cli.main import _run
assert _run(["--version"]) == 0
heavy = {"polars", "narwhals", "numpy", "scipy", "pyarrow", "rich", "jinja2"} & set(sys.modules)
assert not heavy, heavy
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("tokumei ")


def test_every_public_name_can_be_imported() -> None:
    assert set(tokumei.__all__) == set(tokumei._HOMES)
    for name in tokumei.__all__:
        assert getattr(tokumei, name).__name__ == name
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = tokumei.nothing
