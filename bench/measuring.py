"""Time, fit and print."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

SHARED = Path(os.environ.get("TOKUMEI_DATA", Path(__file__).parents[2] / "shared"))
THREADS = (
    "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS",
    "POLARS_MAX_THREADS",
)  # fmt: skip


def one_core() -> None:
    """Let this process and its children use one core; call it before numpy and polars come."""
    os.environ.update(dict.fromkeys(THREADS, "1"))
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def seconds(work: Callable[[], Any], *, repeat: int = 5) -> float:
    """Return the shortest of some runs: what the work takes when nothing disturbs it."""
    return _shortest(work, repeat, time.perf_counter)


def core_seconds(work: Callable[[], Any], *, repeat: int = 5) -> float:
    """Return the least processor time of some runs, which waiting for a core does not add to."""
    return _shortest(work, repeat, time.process_time)


def _shortest(work: Callable[[], Any], repeat: int, clock: Callable[[], float]) -> float:
    times = []
    for _ in range(repeat):
        start = clock()
        work()
        times.append(clock() - start)
    return min(times)


def exponent(sizes: Sequence[float], taken: Sequence[float]) -> float:
    """Fit time = a n^b by least squares of the logarithms; return b."""
    if len(sizes) < 2:
        return math.nan
    xs, ys = [math.log(size) for size in sizes], [math.log(value) for value in taken]
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    over = sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True))
    return over / sum((x - mean_x) ** 2 for x in xs)


def show(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    table = Table(title=title, title_justify="left")
    for position, head in enumerate(heads):
        table.add_column(head, justify="right" if position else "left")
    for row in rows:
        table.add_row(*row)
    Console(width=110).print(table)
