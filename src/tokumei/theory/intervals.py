"""Confidence intervals."""

from __future__ import annotations

import math

NORMAL_95 = 1.959963984540054


def wilson(share: float, n: int) -> tuple[float, float]:
    """Return the 95% interval of a share among n by Wilson's score method.

    >>> low, high = wilson(0.25, 400)
    >>> round(low, 3), round(high, 3)
    (0.21, 0.295)
    """
    z2 = NORMAL_95**2
    center = (share + z2 / (2 * n)) / (1 + z2 / n)
    spread = NORMAL_95 * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n)) / (1 + z2 / n)
    # At a share of 0 or 1 an end lies on the share itself, but for rounding.
    return max(0.0, min(share, center - spread)), min(1.0, max(share, center + spread))
