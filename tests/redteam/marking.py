"""Who is behind the pseudonyms, which of them are alike, and how many an attacker named."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment
from views import Rows, View

from tokumei import History, Release
from tokumei.tables import frame


def truth_of(original: History, release: Release, view: View) -> np.ndarray:
    """Return the customer of each pseudonym: whose rows it shows, or else as the key says."""
    people = {name: place for place, name in enumerate(view.known.names)}
    key = frame(release.key.pseudonyms)
    named = dict(zip(key["pseudonym"], key["person"], strict=True))
    owner_of = dict(original.frame().select("row", "person").iter_rows())
    origin_of = dict(frame(release.key.rows).select("row", "origin").iter_rows())
    owners: dict[str, Counter[str]] = defaultdict(Counter)
    for row, pseudonym in release.public.frame().select("row", "person").iter_rows():
        if origin_of.get(row) is not None:
            owners[pseudonym][owner_of[origin_of[row]]] += 1
    result = []
    for pseudonym in view.public.names:
        person, counts = named[pseudonym], owners[pseudonym]
        if counts and counts[person] < max(counts.values()):
            person = counts.most_common(1)[0][0]
        result.append(people[person])
    return np.array(result)


def assigned(view: View, fits: np.ndarray) -> np.ndarray:
    """Name each pseudonym so that nobody is named twice (in a month), and the sum is largest."""
    result = np.zeros(len(fits), dtype=np.int64)
    months = view.public.month if view.monthly else np.zeros(len(fits))
    for month in np.unique(months):
        rows = np.flatnonzero(months == month)
        if len(rows) > fits.shape[1]:
            result[rows] = fits[rows].argmax(axis=1)
            continue
        chosen = linear_sum_assignment(fits[rows], maximize=True)
        result[rows[chosen[0]]] = chosen[1]
    return result


def groups_of(public: Rows) -> np.ndarray:
    """Return a number for each pseudonym, the same for those with equal rows and attributes.

    Names, the order of rows and basket numbers tell nothing if they were drawn, but a basket number
    that several pseudonyms share does.
    """
    holders: dict[str, set[int]] = defaultdict(set)
    if public.basket is not None:
        for owner, name in zip(public.owner, public.basket, strict=True):
            holders[name].add(owner)
    texts: dict[int, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for place, owner in enumerate(public.owner):
        cells = [] if public.items is None else [_set_text(public.items[place])]
        for name in public.low:
            cells += [repr(public.low[name][place]), repr(public.high[name][place])]
        cells += [] if public.minute is None else [repr(public.minute[place])]
        cells += [repr(column[place]) for column in public.others.values()]
        basket = "" if public.basket is None else public.basket[place]
        if len(holders[basket]) > 1:
            cells.append(basket)
        texts[owner][basket].append("|".join(cells))
    kinds: dict[str, int] = {}
    result = []
    for place in range(len(public.names)):
        baskets = sorted(repr(sorted(rows)) for rows in texts[place].values())
        known = [repr(cells[place]) for cells in public.attributes.values()]
        result.append(kinds.setdefault(repr((baskets, known)), len(kinds)))
    return np.array(result)


def _set_text(cell: frozenset[str] | None) -> str:
    return "*" if cell is None else repr(sorted(cell))


@dataclass(frozen=True)
class Mark:
    """What an attacker named."""

    attacker: str
    names: np.ndarray
    rate: float
    by_labels: bool = False
    """Whether it looks at pseudonyms, basket numbers or the order of rows."""


def rate(names: np.ndarray, truth: np.ndarray, groups: np.ndarray) -> float:
    """Return the expected share of right names over all keys that the release cannot tell apart.

    Within a group the key is one of many, all alike: to be right by luck counts for nothing here.
    """
    hits = 0.0
    for group in np.unique(groups):
        members = np.flatnonzero(groups == group)
        hits += (names[members][:, None] == truth[members][None, :]).sum() / len(members)
    return hits / len(names)


def luckiest(
    names: np.ndarray, truth: np.ndarray, groups: np.ndarray, *, chance: float, seed: int = 1
) -> float:
    """Return the share of right names that random keys exceed with this chance at most."""
    rng = np.random.default_rng(seed)
    draws = 2000
    hits = np.zeros(draws)
    for group in np.unique(groups):
        members = np.flatnonzero(groups == group)
        mixed = rng.permuted(np.tile(truth[members], (draws, 1)), axis=1)
        hits += (mixed == names[members]).sum(axis=1)
    return float(np.quantile(hits, 1 - chance, method="higher")) / len(names)
