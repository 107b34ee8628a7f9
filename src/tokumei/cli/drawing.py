"""What the command draws: progress, notes, tables and JSON."""

from __future__ import annotations

import json
import logging
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.table import Table

from tokumei.progress import reporting

PATIENCE = 1.0
"""Seconds after which a task shows how long it will take."""


class _Notes(logging.Handler):
    """Prints what the library says; a command that does a thing five times says it once."""

    def __init__(self) -> None:
        super().__init__()
        self.said: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        label = "note" if record.levelno <= logging.INFO else "warning"
        line = f"{label}: {record.getMessage()}"
        if line not in self.said:
            self.said.add(line)
            click.echo(line, err=True)


class _Bars:
    """Progress bars that appear when a task takes longer than one's patience."""

    def __init__(self) -> None:
        self.progress: Progress | None = None
        self.started: dict[str, float] = {}
        self.bars: dict[str, TaskID] = {}

    def __call__(self, task: str, done: int, total: int) -> None:
        begun = self.started.setdefault(task, time.monotonic())
        if time.monotonic() - begun < PATIENCE and task not in self.bars:
            return
        if self.progress is None:
            columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
            console = Console(stderr=True)
            self.progress = Progress(*columns, console=console, transient=True)
            self.progress.start()
        if task not in self.bars:
            self.bars[task] = self.progress.add_task(task, total=total)
        self.progress.update(self.bars[task], completed=done)

    def stop(self) -> None:
        if self.progress is not None:
            self.progress.stop()


@contextmanager
def drawing() -> Iterator[None]:
    """Show notes and progress of everything inside."""
    handler, logger, bars = _Notes(), logging.getLogger("tokumei"), _Bars()
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        with reporting(bars):
            yield
    finally:
        bars.stop()
        logger.removeHandler(handler)
        logger.setLevel(level)


def print_json(content: Any) -> None:
    """Print one JSON document."""
    click.echo(json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False))


def print_table(
    title: str, heads: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: Sequence[int] = ()
) -> None:
    """Print a table; the columns listed in `numbers` are aligned to the right."""
    shown = Table(title=title, title_justify="left", title_style="bold")
    for position, head in enumerate(heads):
        justify: Literal["right", "left"] = "right" if position in numbers else "left"
        shown.add_column(head, justify=justify, overflow="fold")
    for row in rows:
        shown.add_row(*row)
    console = Console(file=sys.stdout)
    if not console.is_terminal:
        console.width = 120
    console.print(shown)
