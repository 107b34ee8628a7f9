"""Histograms of values, and how likely those of a pseudonym are for each customer."""

from __future__ import annotations

from math import lgamma

import numpy as np
from views import Rows, View

Fits = np.ndarray | None
LITTLE = 1e-6


def numbered(*columns: np.ndarray) -> list[np.ndarray]:
    """Number the values of several columns alike."""
    _, codes = np.unique(np.concatenate(columns), return_inverse=True)
    return np.split(codes, np.cumsum([len(column) for column in columns])[:-1])


def histogram(owner: np.ndarray, codes: np.ndarray, people: int, size: int) -> np.ndarray:
    flat = np.bincount(owner * size + codes, minlength=people * size)
    return flat.reshape(people, size).astype(float)


def likelihood(seen: np.ndarray, known: np.ndarray, kept: float = 1.0) -> np.ndarray:
    """Return the log-likelihood of the values seen, if values are drawn from the known ones.

    A value is drawn from all customers' values with probability 1 - kept, and a little anyway.
    """
    everyone = (known.sum(axis=0) + 0.5) / (known.sum() + 0.5 * known.shape[1])
    share = known / np.maximum(known.sum(axis=1, keepdims=True), LITTLE)
    kept = min(kept, 0.9)
    return seen @ np.log((kept * share + (1 - kept) * everyone) / everyone).T


def by_value(
    view: View, seen: np.ndarray, known: np.ndarray, kept: float = 1.0, width: int = 0
) -> np.ndarray:
    """Compare histograms of a column's values; `width` blurs what is known by a window."""
    people, customers = view.shape
    if width:
        first = int(min(seen.min(), known.min()) - width)
        a, b = (values.astype(np.int64) - first for values in (seen, known))
        size = int(max(a.max(), b.max())) + width + 1
    else:
        a, b = numbered(seen, known)
        size = int(max(a.max(), b.max())) + 1
    shown = histogram(view.public.owner, a, people, size)
    held = histogram(view.known.owner, b, customers, size)
    if width:
        ends = np.pad(held.cumsum(axis=1), ((0, 0), (width + 1, width)), mode="edge")
        ends[:, : width + 1] = 0
        held = ends[:, 2 * width + 1 :] - ends[:, : -2 * width - 1]
    return likelihood(shown, held, kept)


def exact(rows: Rows, name: str) -> bool:
    return name in rows.low and np.array_equal(rows.low[name], rows.high[name])


def thinned(most: int, kept: float) -> np.ndarray:
    """Return the probability that of n rows (row) some (column) are kept."""
    chances = np.zeros((most, most))
    if kept >= 1:
        return np.eye(most)
    for n in range(most):
        for k in range(n + 1):
            choose = lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)
            chances[n, k] = np.exp(choose + k * np.log(kept) + (n - k) * np.log(1 - kept))
    return chances
