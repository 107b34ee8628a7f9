"""Attackers in plain numpy, who share no line with `tokumei.attacks`.

Each takes a `View` and returns how well each pseudonym (row) fits each customer (column), or None
where the release has nothing of what it looks at. They hold the public part, the original by name,
and the method with its parameters; never a seed, the secret or the key.
"""

from __future__ import annotations

from collections.abc import Callable
from math import lgamma

import numpy as np
from views import Rows, View

Fits = np.ndarray | None
Attacker = Callable[[View], Fits]
LITTLE = 1e-6
BLUR = 20  # minutes
NEAR = 8  # places in a catalog
SCALES = 20  # steps of a twentieth, to either side


def _codes(*columns: np.ndarray) -> list[np.ndarray]:
    """Number the values of several columns alike."""
    _, codes = np.unique(np.concatenate(columns), return_inverse=True)
    return np.split(codes, np.cumsum([len(column) for column in columns])[:-1])


def _histogram(owner: np.ndarray, codes: np.ndarray, people: int, size: int) -> np.ndarray:
    flat = np.bincount(owner * size + codes, minlength=people * size)
    return flat.reshape(people, size).astype(float)


def _likelihood(seen: np.ndarray, known: np.ndarray, kept: float = 1.0) -> np.ndarray:
    """Return the log-likelihood of the values seen, if values are drawn from the known ones.

    A value is drawn from all customers' values with probability 1 - kept, and a little anyway.
    """
    everyone = (known.sum(axis=0) + 0.5) / (known.sum() + 0.5 * known.shape[1])
    share = known / np.maximum(known.sum(axis=1, keepdims=True), LITTLE)
    kept = min(kept, 0.9)
    return seen @ np.log((kept * share + (1 - kept) * everyone) / everyone).T


def _by_value(
    view: View, seen: np.ndarray, known: np.ndarray, kept: float = 1.0, width: int = 0
) -> np.ndarray:
    """Compare histograms of a column's values; `width` blurs what is known by a window."""
    people, customers = view.shape
    if width:
        first = int(min(seen.min(), known.min()) - width)
        a, b = (values.astype(np.int64) - first for values in (seen, known))
        size = int(max(a.max(), b.max())) + width + 1
    else:
        a, b = _codes(seen, known)
        size = int(max(a.max(), b.max())) + 1
    shown = _histogram(view.public.owner, a, people, size)
    held = _histogram(view.known.owner, b, customers, size)
    if width:
        ends = np.pad(held.cumsum(axis=1), ((0, 0), (width + 1, width)), mode="edge")
        ends[:, : width + 1] = 0
        held = ends[:, 2 * width + 1 :] - ends[:, : -2 * width - 1]
    return _likelihood(shown, held, kept)


def _exact(rows: Rows, name: str) -> bool:
    return name in rows.low and np.array_equal(rows.low[name], rows.high[name])


def _single_items(rows: Rows) -> np.ndarray | None:
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
    return None if matrices is None else _likelihood(*matrices, kept=view.noise.item_kept)


def exact_rows(view: View) -> Fits:
    """Rows that are the same in every cell, rare rows counting more."""
    columns = []
    for rows in (view.public, view.known):
        parts = [rows.low[name].astype(str) for name in view.public.low if name in rows.low]
        items = _single_items(rows)
        parts += [] if items is None else [items]
        if not parts:
            return None
        columns.append(np.array(["|".join(cells) for cells in zip(*parts, strict=True)]))
    codes = _codes(*columns)
    size = int(max(code.max() for code in codes)) + 1
    shown = _histogram(view.public.owner, codes[0], view.shape[0], size)
    held = _histogram(view.known.owner, codes[1], view.shape[1], size)
    rarity = np.log((1 + len(held)) / (0.5 + (held > 0).sum(axis=0)))
    return (np.sqrt(shown) * rarity) @ np.sqrt(held).T


def days(view: View) -> Fits:
    """On which days something was bought, within the window that dates move in."""
    if not _exact(view.public, "day") or view.noise.together == "customer":
        return None
    return _by_value(view, view.public.low["day"], view.known.low["day"], width=view.noise.days)


def weekdays(view: View) -> Fits:
    if not _exact(view.public, "day"):
        return None
    return _by_value(view, view.public.low["day"] % 7, view.known.low["day"] % 7)


def time_of_day(view: View) -> Fits:
    """At which minutes something was bought, and at about which."""
    shown, held = view.public.minute, view.known.minute
    if shown is None or held is None or np.isnan(shown).any():
        return None
    blurred = _by_value(view, shown, held, width=BLUR)
    return _by_value(view, shown, held) + blurred


def _amounts(view: View, name: str, noise: float) -> Fits:
    if not _exact(view.public, name):
        return None
    shown, held = view.public.low[name], view.known.low[name]
    if not noise:
        return _by_value(view, shown, held)
    steps = [np.round(np.log(np.maximum(values, 0.01)) * 50) for values in (shown, held)]
    return _by_value(view, *steps, width=max(1, round(50 * np.log1p(noise))))


def prices(view: View) -> Fits:
    return _amounts(view, "price", view.noise.price)


def quantities(view: View) -> Fits:
    return _amounts(view, "quantity", view.noise.quantity)


def cents(view: View) -> Fits:
    """Prices after the point."""
    if not _exact(view.public, "price"):
        return None
    shown, held = (np.round(rows.low["price"] * 100) % 100 for rows in (view.public, view.known))
    shifted = [_by_value(view, (shown + step) % 100, held) for step in (-1, 0, 1)]
    return max(shifted, key=lambda fits: float(fits.max(axis=1).sum()))


def scaled_prices(view: View) -> Fits:
    """Prices up to a common factor of each customer."""
    if not _exact(view.public, "price"):
        return None
    shown, held = (
        np.round(np.log(np.maximum(rows.low["price"], 0.01)) * 20).astype(np.int64)
        for rows in (view.public, view.known)
    )
    first = min(shown.min(), held.min())
    size = int(max(shown.max(), held.max()) - first) + 1 + 2 * SCALES
    known = _histogram(view.known.owner, held - first + SCALES, view.shape[1], size)
    known = known + 0.5 * (np.roll(known, 1, axis=1) + np.roll(known, -1, axis=1))
    best = np.full(view.shape, -np.inf)
    for move in range(-SCALES, SCALES + 1):
        moved = _histogram(view.public.owner, shown - first + SCALES + move, view.shape[0], size)
        best = np.maximum(best, _likelihood(moved, known))
    return best


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
    return _likelihood(seen.astype(float), known @ _thinned(most, view.noise.kept))


def neighboring_items(view: View) -> Fits:
    """Items that stand near each other in the catalog."""
    shown, held = _single_items(view.public), _single_items(view.known)
    if shown is None or held is None:
        return None
    catalog = np.unique(held)
    places = (np.searchsorted(catalog, items).astype(float) for items in (shown, held))
    return _by_value(view, *places, width=NEAR)


def spending(view: View) -> Fits:
    """The mean logarithm of prices and quantities, in which noise nearly cancels."""
    result = np.zeros(view.shape)
    used = [name for name in ("price", "quantity") if _exact(view.public, name)]
    for name in used:
        means, errors = [], []
        for rows in (view.public, view.known):
            logs, count = np.log(np.maximum(rows.low[name], 0.01)), np.maximum(rows.counts, 1)
            mean = np.bincount(rows.owner, logs, len(rows.names)) / count
            square = np.bincount(rows.owner, logs**2, len(rows.names)) / count
            means.append(mean)
            errors.append(np.sqrt((np.maximum(square - mean**2, 0) + 0.05) / count))
        spread = errors[0][:, None] + errors[1][None, :] * (1 - view.noise.kept) + 0.01
        result -= ((means[0][:, None] - means[1][None, :]) / spread) ** 2
    return result if used else None


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
    seen = _histogram(one, shown, view.shape[0], most)
    known = _histogram(other, held, view.shape[1], most) @ _thinned(most, view.noise.kept)
    known[:, 0] = 0
    numbers = -((seen.sum(axis=1)[:, None] - known.sum(axis=1)[None, :]) ** 2)
    return _likelihood(seen, known) + numbers / (known.sum(axis=1)[None, :] * 0.3 + 0.2)


def _thinned(most: int, kept: float) -> np.ndarray:
    """Return the probability that of n rows (row) some (column) are kept."""
    chances = np.zeros((most, most))
    if kept >= 1:
        return np.eye(most)
    for n in range(most):
        for k in range(n + 1):
            choose = lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)
            chances[n, k] = np.exp(choose + k * np.log(kept) + (n - k) * np.log(1 - kept))
    return chances


def other_columns(view: View) -> Fits:
    """Columns without a role that the release kept."""
    shared = [name for name in view.public.others if name in view.known.others]
    if not shared:
        return None
    return np.sum(
        [_by_value(view, view.public.others[n], view.known.others[n]) for n in shared], axis=0
    )


def attributes(view: View) -> Fits:
    """Attributes of the customers table, rare values counting more."""
    shared = [name for name in view.public.attributes if name in view.known.attributes]
    if not shared:
        return None
    result = np.zeros(view.shape)
    for name in shared:
        shown, held = view.public.attributes[name], view.known.attributes[name]
        for value in {cells[0] for cells in held if cells}:
            has = np.array([value in cells for cells in held])
            is_shown = np.array([value in cells for cells in shown])
            result[np.ix_(is_shown, has)] += np.log((1 + len(held)) / has.sum())
    return result


CONTENT: dict[str, Attacker] = {
    one.__name__.replace("_", " "): one
    for one in (
        exact_rows,
        item_jaccard,
        item_counts,
        days,
        weekdays,
        time_of_day,
        prices,
        quantities,
        cents,
        scaled_prices,
        multiplicities,
        neighboring_items,
        spending,
        row_counts,
        basket_sizes,
        other_columns,
        attributes,
    )
}
"""Attackers who look at one thing."""
