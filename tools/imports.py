"""Which part of the package imports which, and the layers that the architecture page lists."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import rustworkx as rx

import tokumei

SOURCE = Path(tokumei.__file__).parent
DOCS = Path(__file__).parents[1] / "docs"
ENTRANCES = {"__init__", "__main__"}
"""They may import anything, and nothing imports them."""


def layers(page: Path = DOCS / "architecture.md") -> list[list[str]]:
    """Return the parts by layer: the table there is where the layers are defined."""
    table = page.read_text(encoding="utf-8").partition("<!-- layers -->\n")[2].partition("\n\n")[0]
    return [re.findall(r"`(\w+)`", row.split("|")[1]) for row in table.splitlines()[2:]]


def modules() -> Iterator[tuple[Path, str]]:
    """Give every module with the part that it belongs to."""
    for path in sorted(SOURCE.rglob("*.py")):
        part = path.relative_to(SOURCE).with_suffix("").parts[0]
        if part not in ENTRANCES:
            yield path, part


@cache
def imported(path: Path) -> frozenset[str]:
    """Return the parts that a module imports, wherever in the file."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module == "tokumei":
            found.update(f"tokumei.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            found.add(node.module)
        elif isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
    return frozenset(name.split(".")[1] for name in found if name.startswith("tokumei."))


def graph() -> rx.PyDiGraph[str, None]:
    """Return the parts, with an edge from each to those that it imports."""
    made: rx.PyDiGraph[str, None] = rx.PyDiGraph(multigraph=False)
    number = {part: made.add_node(part) for layer in layers() for part in layer}
    for path, part in modules():
        for other in imported(path) - {part}:
            made.add_edge(number[part], number[other], None)
    return made


def reduced() -> list[tuple[str, str]]:
    """Return the edges that do not follow from others, in a fixed order."""
    whole = graph()
    less, _ = rx.transitive_reduction(whole)
    return sorted((less[one], less[other]) for one, other in less.edge_list())
