"""Attackers who weigh whole rows: how likely is a released row, if it came from this customer?"""

from __future__ import annotations

import numpy as np
from attackers import item_jaccard, item_matrices
from histograms import LITTLE, Fits
from marking import assigned
from views import Rows, View

ROUNDING = {"price": 0.006, "quantity": 0.51}


def _window(rows: Rows, name: str, noise: float) -> tuple[np.ndarray, np.ndarray]:
    """Return between which values the original of each cell lies; a suppressed one anywhere."""
    low, high = rows.low[name].copy(), rows.high[name].copy()
    if name == "day":
        low, high = low - noise, high + noise
    elif noise:
        low = (low - ROUNDING[name]) / (1 + noise)
        high = (high + ROUNDING[name]) / (1 - noise)
        low[rows.low[name] <= 2 * ROUNDING[name]] = 0  # amounts stop at the least one
    low[np.isnan(low)], high[np.isnan(high)] = -np.inf, np.inf
    return low, high


def _item_fits(view: View) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """Return how well item cells fit items, the cell of each row, the item of each known row."""
    if view.public.items is None or view.known.items is None:
        return None
    kinds = {cell: place for place, cell in enumerate(dict.fromkeys(view.public.items))}
    known = [next(iter(cell)) for cell in view.known.items if cell]
    names, codes = np.unique(known, return_inverse=True)
    place = {name: number for number, name in enumerate(names)}
    kept = view.noise.item_kept
    fits = np.full((len(kinds), len(names)), (1 - kept) / len(names))
    for cell, line in kinds.items():
        if cell is None:
            fits[line] = 1.0
        else:
            fits[line, [place[item] for item in cell if item in place]] += kept
    return fits, np.array([kinds[cell] for cell in view.public.items]), codes


class _Likelihood:
    """How well released rows fit known rows, pseudonym after pseudonym."""

    def __init__(self, view: View) -> None:
        # A customer's rows lie together, so that they can be summed.
        order = np.argsort(view.known.owner, kind="stable")
        self.order, self.owner = order, view.known.owner[order]
        self.view = view
        self.items = _item_fits(view)
        noise = view.noise
        windows = {"day": noise.days, "price": noise.price, "quantity": noise.quantity}
        self.windows = {
            name: _window(view.public, name, windows[name])
            for name in view.public.low
            if name in view.known.low
        }

    def fits(self, rows: np.ndarray, *, dates: bool = True) -> np.ndarray:
        """Return released rows x known rows, the latter by owner."""
        result = np.ones((len(rows), len(self.order)))
        if self.items is not None:
            fits, cells, items = self.items
            result *= fits[cells[rows]][:, items[self.order]]
        for name, (low, high) in self.windows.items():
            if name == "day" and not dates:
                continue
            values = self.view.known.low[name][self.order][None, :]
            tolerance = 1e-6
            inside = (values >= low[rows][:, None] - tolerance) & (
                values <= high[rows][:, None] + tolerance
            )
            result *= inside
        return result

    def by_customer(self, fits: np.ndarray) -> np.ndarray:
        sums = np.zeros((len(fits), self.view.shape[1]))
        starts = np.unique(self.owner, return_index=True)
        sums[:, starts[0]] = np.add.reduceat(fits, starts[1], axis=1)
        return sums


def _log_share(sums: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return how much likelier each row is for each customer than for anybody."""
    share = sums / np.maximum(counts, 1)
    anybody = sums.sum(axis=1, keepdims=True) / counts.sum() + LITTLE
    return np.log(0.95 * share / anybody + 0.05)


def row_likelihood(view: View) -> Fits:
    """Each released row by the windows of the noise; rows in which nothing fits count little."""
    if view.noise.together == "customer":
        return None
    model = _Likelihood(view)
    result = np.zeros(view.shape)
    for person in range(view.shape[0]):
        rows = np.flatnonzero(view.public.owner == person)
        if len(rows):
            sums = model.by_customer(model.fits(rows))
            result[person] = _log_share(sums, view.known.counts[None, :]).sum(axis=0)
    return result


def both_ways(view: View) -> Fits:
    """The same, and whether each known row is found again; for releases that keep all rows."""
    if view.noise.together == "customer" or view.noise.kept < 1 or view.monthly:
        return None
    model = _Likelihood(view)
    result = np.zeros(view.shape)
    found = np.zeros((view.shape[0], len(model.order)))
    for person in range(view.shape[0]):
        rows = np.flatnonzero(view.public.owner == person)
        if len(rows):
            fits = model.fits(rows)
            result[person] = _log_share(model.by_customer(fits), view.known.counts[None, :]).sum(0)
            found[person] = fits.sum(axis=0)
    again = _log_share(found.T, view.public.counts[None, :]).T
    return result + model.by_customer(again)


def common_shift(view: View) -> Fits:
    """All dates of a customer moved by the same days: the move that fits best."""
    if view.noise.together != "customer" or "day" not in view.public.low:
        return None
    model, days = _Likelihood(view), view.noise.days
    moves, customers = 2 * days + 1, view.shape[1]
    result = np.zeros(view.shape)
    for person in range(view.shape[0]):
        rows = np.flatnonzero(view.public.owner == person)
        if not len(rows):
            continue
        fits = model.fits(rows, dates=False)
        row, known = np.nonzero(fits)
        moved = view.public.low["day"][rows[row]] - view.known.low["day"][model.order[known]]
        near = np.abs(moved) <= days
        row, known, move = row[near], known[near], (moved[near] + days).astype(np.int64)
        flat = (row * customers + model.owner[known]) * moves + move
        sums = np.bincount(flat, fits[row, known], len(rows) * customers * moves)
        sums = sums.reshape(len(rows), customers, moves)
        anybody = sums.mean(axis=(1, 2), keepdims=True) + LITTLE
        logs = np.log(
            0.95 * sums / np.maximum(view.known.counts, 1)[None, :, None] / anybody + 0.05
        )
        total = logs.sum(axis=0)
        difference = len(rows) - view.known.counts
        result[person] = total.max(axis=1) - (difference**2 if view.noise.kept >= 1 else 0)
    return result


def _standing_out(fits: np.ndarray) -> np.ndarray:
    spread = fits.std(axis=1, keepdims=True)
    return (fits - fits.mean(axis=1, keepdims=True)) / np.where(spread > 1e-9, spread, np.inf)


def together(view: View, signals: list[np.ndarray]) -> np.ndarray:
    """Add all signals, each counting as far as the names that all agree on bear it out."""
    seen = np.array([_standing_out(fits) for fits in signals])
    voices = np.ones(len(seen))
    for _ in range(4):
        names = assigned(view, np.tensordot(voices, seen, 1))
        right = seen[:, np.arange(view.shape[0]), names]
        mean, covariance = right.mean(axis=1), np.cov(right) + np.eye(len(seen))
        voices = np.maximum(np.linalg.solve(np.atleast_2d(covariance), mean), 0)
    return np.tensordot(voices, seen, 1)


def basket_sharing(view: View) -> Fits:
    """Rows whose basket number stands under several pseudonyms are the real ones, or the copies."""
    if view.public.basket is None:
        return None
    owners: dict[str, set[int]] = {}
    for name, owner in zip(view.public.basket, view.public.owner, strict=True):
        owners.setdefault(name, set()).add(owner)
    shared = np.array([len(owners[name]) > 1 for name in view.public.basket])
    if not shared.any() or view.public.items is None:
        return None
    kept = View(view.public.only(shared), view.known, view.noise)
    return item_jaccard(kept)


def stripped_decoys(view: View) -> Fits:
    """Knows item sets only: learns from the release how the rows of real items look."""
    matrices = item_matrices(view)
    if matrices is None or any(cell is None or len(cell) != 1 for cell in view.public.items or []):
        return None
    shown, held = matrices[0], matrices[1] > 0
    owner, item = np.nonzero(shown)
    features = _features(view.public, shown, owner, item)
    rarity = np.log((1 + len(held)) / (0.5 + held.sum(axis=0)))
    weights = np.where(shown[owner, item] > 1, 2.0, 1.0)
    fits = np.zeros(view.shape)
    for _ in range(5):
        matrix = np.zeros(shown.shape)
        matrix[owner, item] = weights * rarity[item]
        total = matrix.sum(axis=1, keepdims=True)
        common = matrix @ held.T
        fits = common / (total + (held @ rarity)[None, :] - common + LITTLE)
        names = assigned(view, fits)
        real = held[names[owner], item]
        weights = _chances(features, real)
    return fits


def _features(rows: Rows, shown: np.ndarray, owner: np.ndarray, item: np.ndarray) -> np.ndarray:
    """Return for each pair of pseudonym and item what its rows look like, in steps."""
    names = np.array([next(iter(cell)) for cell in rows.items or [] if cell])
    codes = np.searchsorted(np.unique(names), names)
    if len(np.unique(names)) != shown.shape[1]:  # some known item does not occur in the release
        occurring = np.flatnonzero(shown.any(axis=0))
        codes = occurring[codes]
    pair = rows.owner * shown.shape[1] + codes
    columns = [np.minimum(shown[owner, item], 3)]
    for name in ("price", "quantity"):
        if name in rows.low:
            logs = np.log(np.maximum(rows.low[name], 0.01))
            sums = np.bincount(pair, logs, shown.size).reshape(shown.shape)
            mean = sums[owner, item] / shown[owner, item]
            columns.append(np.round(2 * mean))
            usual = np.bincount(item, mean) / np.maximum(np.bincount(item), 1)
            columns.append(np.clip(np.round(4 * (mean - usual[item])), -4, 4))
    return np.array(columns)


def _chances(features: np.ndarray, real: np.ndarray) -> np.ndarray:
    """Return the chance that a pair is real, by a naive Bayes of its features."""
    odds = np.full(features.shape[1], np.log((real.mean() + 0.01) / (1.01 - real.mean())))
    for column in features:
        _, codes = np.unique(column, return_inverse=True)
        yes = np.bincount(codes, real) + 1
        no = np.bincount(codes, ~real) + 1
        odds += (np.log(yes / yes.sum()) - np.log(no / no.sum()))[codes]
    return 1 / (1 + np.exp(-odds))
