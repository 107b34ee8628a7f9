"""Confidence intervals."""

from __future__ import annotations

from scipy.special import betaincinv


def paired(share: float, n: int, *, confidence: float = 0.95) -> tuple[float, float]:
    """Return the interval of a share among n that may be right, and wrong, in pairs.

    Where each name is given once, one wrong name makes another wrong, so names are right together
    in pairs at worst: the interval is that of Clopper and Pearson for half as many trials. Among
    customers who look alike no guess varies more than that (`theory/group_guesses.py`).

    >>> low, high = paired(0.25, 400)
    >>> round(low, 3), round(high, 3)
    (0.192, 0.316)
    """
    error, pairs = (1 - confidence) / 2, n / 2
    right = share * pairs
    low = float(betaincinv(right, pairs - right + 1, error)) if share > 0 else 0.0
    high = float(betaincinv(right + 1, pairs - right, 1 - error)) if share < 1 else 1.0
    return min(low, share), max(high, share)
