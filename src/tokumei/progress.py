"""How long work reports its progress without drawing anything itself.

A loop that may take over a second wraps its steps in `track`; the command installs a drawer with
`reporting`, a library user may install their own, and without one nothing happens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")

Reporter = Callable[[str, int, int], None]
"""Called with (what is done, steps done, steps in all)."""

_reporter: ContextVar[Reporter | None] = ContextVar("tokumei_progress", default=None)


@contextmanager
def reporting(reporter: Reporter) -> Iterator[None]:
    """Send the progress of everything inside to `reporter`."""
    token = _reporter.set(reporter)
    try:
        yield
    finally:
        _reporter.reset(token)


def track(steps: Iterable[T], total: int, task: str) -> Iterator[T]:
    """Yield the steps and report each when it is done."""
    reporter = _reporter.get()
    for done, step in enumerate(steps):
        if reporter is not None:
            reporter(task, done, total)
        yield step
    if reporter is not None:
        reporter(task, total, total)
