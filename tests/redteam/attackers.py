"""Attackers in plain numpy, who share no line with `tokumei.attacks`.

Each takes a `View` and returns how well each pseudonym (row) fits each customer (column), or None
where the release has nothing of what it looks at. They hold the public part, the original by name,
and the method with its parameters; never a seed, the secret or the key.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from histograms import LITTLE, Fits, by_value, histogram, likelihood, numbered, thinned
from single_columns import COLUMNS
from views import Rows, View

Attacker = Callable[[View], Fits]
NEAR = 8  # places in a catalog


def single_items(rows: Rows) -> np.ndarray | None:
    if rows.items is None or any(cell is None or len(cell) != 1 for cell in rows.items):
        return None
    return np.array([next(iter(cell)) for cell in rows.items if cell])


def _set_matrix(rows: Rows, vocabulary: dict[str, int]) -> np.ndarray:
    matrix = np.zeros((len(rows.names), len(vocabulary)))
    for owner, cell in zip(rows.owner, rows.items or [], strict=True):
        for item in cell or ():
            matrix[owner, vocabulary[item]] += 1
    return matrix


def item_matrices(view: View) -> tuple[np.ndarray, np.ndarray] | None:
    """Return how often each item stands with each pseudonym, and with each customer."""
    if view.public.items is None or view.known.items is None:
        return None
    cells = {item for rows in (view.public, view.known) for cell in rows.items or [] if cell
             for item in cell}  # fmt: skip
    vocabulary = {item: place for place, item in enumerate(sorted(cells))}
    return _set_matrix(view.public, vocabulary), _set_matrix(view.known, vocabulary)


def item_jaccard(view: View) -> Fits:
    """Item sets, rare items counting more."""
    matrices = item_matrices(view)
    if matrices is None:
        return None
    shown, held = (matrix > 0 for matrix in matrices)
    rarity = np.log((1 + len(held)) / (0.5 + held.sum(axis=0)))
    common = (shown * rarity) @ held.T.astype(float)
    return common / (shown @ rarity[:, None] + (held @ rarity)[None, :] - common + LITTLE)


def item_counts(view: View) -> Fits:
    """How often each item was bought, given how many items were drawn anew."""
    matrices = item_matrices(view)
    return None if matrices is None else likelihood(*matrices, kept=view.noise.item_kept)


def exact_rows(view: View) -> Fits:
    """Rows that are the same in every cell, rare rows counting more."""
    columns = []
    for rows in (view.public, view.known):
        parts = [rows.low[name].astype(str) for name in view.public.low if name in rows.low]
        items = single_items(rows)
        parts += [] if items is None else [items]
        if not parts:
            return None
        columns.append(np.array(["|".join(cells) for cells in zip(*parts, strict=True)]))
    codes = numbered(*columns)
    size = int(max(code.max() for code in codes)) + 1
    shown = histogram(view.public.owner, codes[0], view.shape[0], size)
    held = histogram(view.known.owner, codes[1], view.shape[1], size)
    rarity = np.log((1 + len(held)) / (0.5 + (held > 0).sum(axis=0)))
    return (np.sqrt(shown) * rarity) @ np.sqrt(held).T


def multiplicities(view: View) -> Fits:
    """How many items were bought once, twice, …, whatever they are called."""
    matrices = item_matrices(view)
    if matrices is None:
        return None
    most = int(max(matrix.max() for matrix in matrices)) + 1
    seen, known = (
        np.array([np.bincount(line[line > 0].astype(np.int64), minlength=most) for line in matrix])
        for matrix in matrices
    )
    return likelihood(seen.astype(float), known @ thinned(most, view.noise.kept))


def neighboring_items(view: View) -> Fits:
    """Items that stand near each other in the catalog."""
    shown, held = single_items(view.public), single_items(view.known)
    if shown is None or held is None:
        return None
    catalog = np.unique(held)
    places = (np.searchsorted(catalog, items).astype(float) for items in (shown, held))
    return by_value(view, *places, width=NEAR)


def row_counts(view: View) -> Fits:
    """How many rows there are, given the share that was kept."""
    shown, held = view.public.counts[:, None], view.known.counts[None, :]
    kept = view.noise.kept
    variance = kept * (1 - kept) * held + 0.1
    return -((shown - kept * held) ** 2) / (2 * variance) - np.log(variance) / 2


def _basket_sizes(rows: Rows) -> tuple[np.ndarray, np.ndarray]:
    """Return the owner of each basket, and its size."""
    pairs = np.array([f"{owner}|{name}" for owner, name in zip(rows.owner, rows.basket)])  # noqa: B905
    _, first, sizes = np.unique(pairs, return_index=True, return_counts=True)
    return rows.owner[first], sizes


def basket_sizes(view: View) -> Fits:
    """How full the baskets are, given the share of rows that was kept."""
    if view.public.basket is None or view.known.basket is None:
        return None
    (one, shown), (other, held) = _basket_sizes(view.public), _basket_sizes(view.known)
    most = int(max(shown.max(), held.max())) + 1
    seen = histogram(one, shown, view.shape[0], most)
    known = histogram(other, held, view.shape[1], most) @ thinned(most, view.noise.kept)
    known[:, 0] = 0
    numbers = -((seen.sum(axis=1)[:, None] - known.sum(axis=1)[None, :]) ** 2)
    return likelihood(seen, known) + numbers / (known.sum(axis=1)[None, :] * 0.3 + 0.2)


WHOLE = (
    exact_rows,
    item_jaccard,
    item_counts,
    neighboring_items,
    multiplicities,
    row_counts,
    basket_sizes,
)
CONTENT: dict[str, Attacker] = {one.__name__.replace("_", " "): one for one in (*WHOLE, *COLUMNS)}
