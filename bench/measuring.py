"""Time and print."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

SHARED = Path(os.environ.get("TOKUMEI_DATA", Path(__file__).parents[2] / "shared"))


def seconds(work: Callable[[], Any], *, repeat: int = 5) -> float:
    """Return the shortest of some runs: what the work takes when nothing disturbs it."""
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def show(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    table = Table(title=title, title_justify="left")
    for position, head in enumerate(heads):
        table.add_column(head, justify="right" if position else "left")
    for row in rows:
        table.add_row(*row)
    Console(width=110).print(table)
