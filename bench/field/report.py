"""Lines and growth as `bench/RESULTS.md`."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from bench.field.comparing import PEERS, ROOT, Comparison, Measured
from bench.growth import HEADS, Growth, cells

FILE, CHART = ROOT / "bench/RESULTS.md", ROOT / "bench/results.svg"
OURS = ("numba", "numpy", "polars", "rustworkx", "scikit-learn", "scipy")
WHAT_THEY_NEED = "# What"
"""Begins the second part of a file of peers."""


@dataclass(frozen=True)
class Line:
    """A comparison and what came of it: numbers, or the reason why there are none."""

    comparison: Comparison
    outcome: Measured | str


@dataclass(frozen=True)
class Topic:
    """Comparisons of one kind of work."""

    name: str
    title: str
    about: str
    lines: list[Line]


def written(topics: Sequence[Topic], growths: Sequence[Growth]) -> str:
    """Return the whole page."""
    lines = [line for topic in topics for line in topic.lines]
    parts = [
        "# Results of `make bench`",
        "Written by `make bench`; do not edit. What is measured and how to read it: "
        "[docs/benchmarks.md](../docs/benchmarks.md).",
        *_marked("machine", machine()),
        "![Ratios of all comparisons](results.svg)",
        "## Targets",
        *_marked("targets", targets(lines)),
        "## Slower than a peer",
        *_marked("slower", slower(lines)),
        "## Not measured",
        *_marked("missing", missing(lines)),
    ]
    for topic in topics:
        parts += [f"## {topic.title}", f"<!-- about {topic.name} -->", topic.about]
        parts += [*_marked(topic.name, compared(topic.lines))]
    parts += ["## Growth", *_marked("growth", growth(growths))]
    parts += ["## Versions", *_marked("versions", versions())]
    return "\n\n".join(parts) + "\n"


def _marked(mark: str, text: str) -> tuple[str, str, str]:
    """Put marks around a part, by which the documentation includes it."""
    return f"<!-- {mark} -->", text, f"<!-- end of {mark} -->"


def targets(lines: Sequence[Line]) -> str:
    rows = []
    for line in lines:
        told, outcome = line.comparison, line.outcome
        if told.goal is not None:
            target, measured = f"{told.goal:,.0f}x", _ratio(outcome)
        elif told.near is not None:
            target = f"within {told.near:.0%}"
            measured = outcome.quality if isinstance(outcome, Measured) else ""
        else:
            continue
        rows.append((told.work, told.data, told.peer, target, measured, _verdict(line)))
    return _table(("work", "data", "peer", "target", "measured", "met"), rows)


def _verdict(line: Line) -> str:
    outcome, goal = line.outcome, line.comparison.goal
    if isinstance(outcome, str):
        return "not measured"
    return "yes" if outcome.kept and (goal is None or outcome.ratio >= goal) else "**no**"


def slower(lines: Sequence[Line]) -> str:
    found = [line for line in lines if not isinstance(line.outcome, str) and line.outcome.ratio < 1]
    return compared(found) if found else "Nothing that was measured."


def missing(lines: Sequence[Line]) -> str:
    rows = [
        (line.comparison.work, line.comparison.data, line.comparison.peer, line.outcome)
        for line in lines
        if isinstance(line.outcome, str)
    ]
    return _table(("work", "data", "peer", "reason"), rows) if rows else "Nothing."


def compared(lines: Sequence[Line]) -> str:
    rows = []
    for line in lines:
        told = line.comparison
        outcome = line.outcome
        if isinstance(outcome, str):
            rows.append((told.work, told.data, told.peer, "", "", "", f"not measured: {outcome}"))
            continue
        quality = outcome.quality if outcome.kept else f"{outcome.quality} (**not as it must be**)"
        rows.append(
            (told.work, told.data, told.peer, _time(outcome.ours), _time(outcome.theirs),
             _ratio(outcome), quality)
        )  # fmt: skip
    heads = ("work", "data", "peer", "ours, s", "peer, s", "ratio", "quality")
    return _table(heads, rows, right=range(3, 6))


def growth(growths: Sequence[Growth]) -> str:
    return _table(HEADS, [cells(found) for found in growths], right=range(2, len(HEADS)))


def machine() -> str:
    """Say on what it ran."""
    memory = Path("/proc/meminfo")
    parts = [_processor(), f"Python {platform.python_version()}", platform.system()]
    if memory.is_file():
        kilobytes = int(memory.read_text().split()[1])
        parts.insert(1, f"{kilobytes / 2**20:.0f} GB of memory")
    return f"Machine: {', '.join(parts)}. Everything ran on one core; seconds are processor time."


def _processor() -> str:
    cores = Path("/proc/cpuinfo")
    if not cores.is_file():
        return platform.processor() or platform.machine()
    names = [
        line.partition(":")[2].strip()
        for line in cores.read_text().splitlines()
        if line.startswith("model name")
    ]
    return f"{len(names)} cores of {names[0]}" if names else platform.machine()


def versions() -> str:
    """List the packages that took part; those of the peers as they were installed."""
    rows = [(name, version(name), "") for name in ("tokumei", *OURS)]
    for file in sorted((ROOT / "bench/peers").glob("*.txt")):
        peers = file.read_text().partition(WHAT_THEY_NEED)[0]
        pins = [line for line in peers.splitlines() if "==" in line]
        rows += [(*pin.split("=="), f"`{PEERS.name}/{file.stem}`") for pin in pins]
    return _table(("package", "version", "of the peers in"), rows)


def _time(value: float) -> str:
    if value < 0.001:
        return f"{value:.6f}"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _ratio(outcome: Measured | str) -> str:
    if isinstance(outcome, str):
        return ""
    ratio = outcome.ratio
    return f"{ratio:,.0f}x" if ratio >= 10 else f"{ratio:.2g}x"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]], right: range = range(0)) -> str:
    rule = ["---:" if place in right else "---" for place in range(len(heads))]
    return "\n".join(f"| {' | '.join(row)} |" for row in (heads, rule, *rows))
