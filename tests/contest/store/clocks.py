"""The time of a test."""

from __future__ import annotations

from tokumei.contest.store import clock


class Clock:
    """A clock that stands still until a test moves it."""

    def __init__(self) -> None:
        self.time = clock.now()

    def __call__(self) -> int:
        return self.time

    def move(self, seconds: float) -> None:
        self.time += round(seconds * clock.SECOND)
