"""Numbers as people read them."""

from __future__ import annotations


def percent(share: float | None, digits: int = 0) -> str:
    """Write a share for people."""
    return "–" if share is None else f"{100 * share:.{digits}f} %"


def number(value: float | None, digits: int) -> str:
    """Write a number for people."""
    return "–" if value is None else f"{value:,.{digits}f}".replace("-", "−")
