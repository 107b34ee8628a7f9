"""Attackers who look at one column: its values, given what the method does to them."""

from __future__ import annotations

import numpy as np
from histograms import Fits, by_value, exact, histogram, likelihood
from views import View

BLUR = 20  # minutes
RANKS = 600
SCALES = 20  # steps of a twentieth, to either side


def days(view: View) -> Fits:
    """On which days something was bought, within the window that dates move in."""
    if not exact(view.public, "day") or view.noise.together == "customer":
        return None
    return by_value(view, view.public.low["day"], view.known.low["day"], width=view.noise.days)


def weekdays(view: View) -> Fits:
    if not exact(view.public, "day"):
        return None
    return by_value(view, view.public.low["day"] % 7, view.known.low["day"] % 7)


def time_of_day(view: View) -> Fits:
    """At which minutes something was bought, and at about which."""
    shown, held = view.public.minute, view.known.minute
    if shown is None or held is None or np.isnan(shown).any():
        return None
    blurred = by_value(view, shown, held, width=BLUR)
    return by_value(view, shown, held) + blurred


def other_clock(view: View) -> Fits:
    """Times of day that all moved by the same half hours."""
    shown, held = view.public.minute, view.known.minute
    if shown is None or held is None or np.isnan(shown).any():
        return None
    moved = [by_value(view, (shown + 30 * step) % 1440, held) for step in range(1, 48)]
    return max(moved, key=lambda fits: float(fits.max(axis=1).sum()))


def _amounts(view: View, name: str, noise: float) -> Fits:
    if not exact(view.public, name):
        return None
    shown, held = view.public.low[name], view.known.low[name]
    if not noise:
        return by_value(view, shown, held)
    steps = [np.round(np.log(np.maximum(values, 0.01)) * 50) for values in (shown, held)]
    return by_value(view, *steps, width=max(1, round(50 * np.log1p(noise))))


def prices(view: View) -> Fits:
    return _amounts(view, "price", view.noise.price)


def quantities(view: View) -> Fits:
    return _amounts(view, "quantity", view.noise.quantity)


def cents(view: View) -> Fits:
    """Prices after the point."""
    if not exact(view.public, "price"):
        return None
    shown, held = (np.round(rows.low["price"] * 100) % 100 for rows in (view.public, view.known))
    shifted = [by_value(view, (shown + step) % 100, held) for step in (-1, 0, 1)]
    return max(shifted, key=lambda fits: float(fits.max(axis=1).sum()))


def scaled_prices(view: View) -> Fits:
    """Prices up to a common factor of each customer."""
    if not exact(view.public, "price"):
        return None
    shown, held = (
        np.round(np.log(np.maximum(rows.low["price"], 0.01)) * 20).astype(np.int64)
        for rows in (view.public, view.known)
    )
    first = min(shown.min(), held.min())
    size = int(max(shown.max(), held.max()) - first) + 1 + 2 * SCALES
    known = histogram(view.known.owner, held - first + SCALES, view.shape[1], size)
    known = known + 0.5 * (np.roll(known, 1, axis=1) + np.roll(known, -1, axis=1))
    best = np.full(view.shape, -np.inf)
    for move in range(-SCALES, SCALES + 1):
        moved = histogram(view.public.owner, shown - first + SCALES + move, view.shape[0], size)
        best = np.maximum(best, likelihood(moved, known))
    return best


def _ranked(view: View, name: str) -> Fits:
    """Compare values by their rank among all values, which a rule for all leaves as it is."""
    if not exact(view.public, name):
        return None
    ranks = []
    for rows in (view.public, view.known):
        values, counts = np.unique(rows.low[name], return_counts=True)
        middle = (np.cumsum(counts) - counts / 2) / counts.sum()
        ranks.append(np.round(RANKS * middle[np.searchsorted(values, rows.low[name])]))
    return by_value(view, *ranks, width=RANKS // 60)


def ranked_prices(view: View) -> Fits:
    return _ranked(view, "price")


def ranked_days(view: View) -> Fits:
    return _ranked(view, "day")


def spending(view: View) -> Fits:
    """The mean logarithm of prices and quantities, in which noise nearly cancels."""
    result = np.zeros(view.shape)
    used = [name for name in ("price", "quantity") if exact(view.public, name)]
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


def other_columns(view: View) -> Fits:
    """Columns without a role that the release kept."""
    shared = [name for name in view.public.others if name in view.known.others]
    if not shared:
        return None
    return np.sum(
        [by_value(view, view.public.others[n], view.known.others[n]) for n in shared], axis=0
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


COLUMNS = (
    days,
    weekdays,
    time_of_day,
    other_clock,
    prices,
    quantities,
    cents,
    scaled_prices,
    ranked_prices,
    ranked_days,
    spending,
    other_columns,
    attributes,
)
