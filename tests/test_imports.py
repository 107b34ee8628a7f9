"""Imports point upwards in the list of layers, and the core needs no extra."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest
import rustworkx as rx

import tokumei

PROJECT = Path(__file__).parents[1]


@pytest.fixture
def sources(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(PROJECT))
    from tools import imports

    return imports


def test_imports_point_upwards(sources: ModuleType) -> None:
    layer = {part: number for number, row in enumerate(sources.layers()) for part in row}
    for path, part in sources.modules():
        for other in sources.imported(path):
            assert layer[other] <= layer[part], f"{path.name} imports {other}, which stands below"


def test_no_parts_import_each_other(sources: ModuleType) -> None:
    graph = sources.graph()
    rings = [[graph[part] for part in ring] for ring in rx.simple_cycles(graph)]
    assert not rings


def test_both_languages_list_the_same_layers(sources: ModuleType) -> None:
    assert sources.layers(PROJECT / "docs" / "ja" / "architecture.md") == sources.layers()


def test_every_part_has_a_layer(sources: ModuleType) -> None:
    listed = [part for layer in sources.layers() for part in layer]
    assert sorted(listed) == sorted({part for _, part in sources.modules()})


def test_the_picture_of_the_imports_shows_every_part_and_arrow_once(
    sources: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("sphinx", reason="the documentation needs the extra 'dev'")
    monkeypatch.syspath_prepend(str(PROJECT / "docs" / "_extensions"))
    from import_graph import svg

    drawn = svg("imports")
    everywhere, *rows = sources.layers()
    for part in (part for row in rows for part in row):
        assert drawn.count(f">{part}</text>") == 1
    assert f">{' '.join(everywhere)}</text>" in drawn
    wanted = [edge for edge in sources.reduced() if not set(edge) & set(everywhere)]
    assert sorted(re.findall(r'data-import="(\w+) (\w+)"', drawn)) == wanted


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
