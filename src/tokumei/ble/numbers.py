"""Numbers as people read them."""

from __future__ import annotations


def number(value: float | None, digits: int) -> str:
    """Write a number for people."""
    return "–" if value is None else f"{value:,.{digits}f}".replace("-", "−")
