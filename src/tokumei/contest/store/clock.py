"""The time as the store keeps it: microseconds since 1970 in UTC, the same on every database."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

SECOND = 1_000_000
_START = datetime(1970, 1, 1, tzinfo=UTC)


def now() -> int:
    """Return the present time."""
    return time.time_ns() // 1_000


def after(seconds: float) -> int:
    """Return the time so many seconds from now."""
    return now() + round(seconds * SECOND)


def as_datetime(moment: int) -> datetime:
    """Return a stored time for people.

    >>> as_datetime(0).isoformat()
    '1970-01-01T00:00:00+00:00'
    """
    return _START + timedelta(microseconds=moment)


def as_moment(time_with_zone: datetime) -> int:
    """Return a time as the store keeps it.

    >>> as_moment(as_datetime(1_234_567))
    1234567
    """
    return (time_with_zone - _START) // timedelta(microseconds=1)
