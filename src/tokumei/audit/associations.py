"""Whether something goes with something else among those who are alike, beyond chance.

Who look alike could have any of each other's names. So the names of a group, dealt out anew within
it, are as likely as the names that they have, whatever the groups themselves have in common.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy import stats
from scipy.sparse import csr_array
from scipy.special import rel_entr

from tokumei.audit.orders import Values

LEVEL = 1e-5
"""So seldom random names may be taken for others, over all comparisons of one kind."""
EXACT = 16
"""For how many pairs of classes, the rarest by the bound, the exact chance is computed."""
SMALL = 8
"""In groups of fewer, neighbors tell no more than ranks do."""

Codes = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Found:
    """Which of the facts goes with the labels, and how closely."""

    fact: int
    count: int
    """How many labels go with the fact (for orders: how many there are)."""
    chance: float
    """How many would if the labels were dealt out anew."""
    correlation: float = 0.0


@dataclass(frozen=True, eq=False)
class Groups:
    """Customers in groups, one number for each."""

    codes: Codes

    @property
    def sizes(self) -> Codes:
        """Return the size of each group."""
        return np.bincount(self.codes)

    def ranks(self, values: Sequence[Values]) -> Floats:
        """Return the ranks within the groups around their middle, a line for each order."""
        places = pl.DataFrame({f"{at}": part for at, part in enumerate(values)})
        middle = (pl.len() + 1) / 2
        placed = places.with_columns(group=self.codes).select(
            (pl.col(name).rank() - middle).over("group") for name in places.columns
        )
        ranked: Floats = placed.to_numpy().T.astype(np.float64)
        return ranked

    def summed(self, values: Floats) -> Floats:
        """Return the sums over each group, a line for each line."""
        by_group = csr_array((np.ones(len(self.codes)), (np.arange(len(self.codes)), self.codes)))
        return np.asarray(values @ by_group)


def follows(labels: Sequence[Values], facts: Sequence[Values], groups: Groups) -> Found | None:
    """Return the fact whose order some order of the labels follows; None if by chance."""
    if not labels or not facts:
        return None
    ours, theirs = groups.ranks(labels), groups.ranks(facts)
    tests = 3 * len(ours) * len(theirs)
    chances, correlations = _ranked(ours, theirs, groups)
    chances = np.minimum(chances, _in_pieces(ours, theirs, groups))
    label, fact = np.unravel_index(chances.argmin(), chances.shape)
    if chances[label, fact] + math.log(tests) > math.log(LEVEL):
        return None
    n = len(groups.codes)
    return Found(int(fact), n, 0.0, float(correlations[label, fact]))


def _ranked(ours: Floats, theirs: Floats, groups: Groups) -> tuple[Floats, Floats]:
    """Return the logarithms of the chances of such rank correlations, and the correlations."""
    both = ours @ theirs.T
    spread, other = (groups.summed(ranks**2) for ranks in (ours, theirs))
    free = np.maximum(groups.sizes - 1, 1)
    error = np.sqrt((spread / free) @ other.T)
    scale = np.sqrt(np.outer(spread.sum(axis=1), other.sum(axis=1)))
    seen = error > 0
    beyond = np.where(seen, np.abs(both) / np.where(seen, error, 1.0), 0.0)
    rarest = -np.minimum.outer(_log_orders(ours, groups), _log_orders(theirs, groups))
    chances = math.log(2) + np.maximum(stats.norm.logsf(beyond), rarest)
    correlations = np.where(scale > 0, both / np.where(scale > 0, scale, 1.0), 0.0)
    # An order that is kept to the last place is as rare as there are orders.
    kept = np.abs(correlations) > 1 - 1e-12
    return np.where(kept, math.log(2) + rarest, chances), correlations


def _log_orders(ranks: Floats, groups: Groups) -> Floats:
    """Return the logarithm of the number of orders that differ, for each line."""
    orders = np.array([math.lgamma(size + 1) for size in groups.sizes]).sum()
    found = np.empty(len(ranks))
    for at, line in enumerate(ranks):
        ties = np.unique(np.stack([groups.codes, 2 * line]), axis=1, return_counts=True)[1]
        found[at] = orders - sum(math.lgamma(count + 1) for count in ties)
    return found


def _in_pieces(ours: Floats, theirs: Floats, groups: Groups) -> Floats:
    """Return the logarithms of the chances that neighbors are so close in the other order.

    See `tokumei.audit.orders`; ties are taken in the order in which the customers stand.
    """
    large = groups.sizes[groups.codes] >= SMALL
    chances = np.zeros((len(ours), len(theirs)))
    if not large.any():
        return chances
    codes, n = groups.codes[large], groups.sizes[groups.sizes >= SMALL].astype(np.float64)
    mean = ((n**2 - 1) / 3).sum()
    error = math.sqrt(((n - 2) * (n + 1) * (4 * n - 7) / 90).sum())
    for at, label in enumerate(ours[:, large]):
        by_label = np.lexsort([label, codes])
        inside = np.diff(codes[by_label]) == 0
        for other, fact in enumerate(theirs[:, large]):
            places = _distinct(fact, codes)
            if places is not None:
                steps = np.abs(np.diff(places[by_label]))[inside].sum()
                chances[at, other] = stats.norm.logsf((mean - steps) / error)
    return chances


def _distinct(ranks: Floats, codes: Codes) -> Floats | None:
    """Return the ranks, or nothing where some are the same within a group."""
    order = np.lexsort([ranks, codes])
    same = (np.diff(ranks[order]) == 0) & (np.diff(codes[order]) == 0)
    return None if same.any() else ranks


def goes_with(
    labels: Sequence[Sequence[str]], facts: Sequence[Sequence[str]], groups: Groups
) -> Found | None:
    """Return the fact of which some class falls together with some class of the labels.

    How often two classes fall together in a group has a hypergeometric distribution, which is that
    of a sum of independent draws, as many as the smaller class has members; so Chernoff's bound
    holds for all groups together.
    """
    ours, _ = _memberships(labels)
    theirs, owner = _memberships(facts)
    if not ours.shape[1] or not theirs.shape[1]:
        return None
    together = (ours.T @ theirs).tocoo()
    level = math.log(LEVEL) - math.log(ours.shape[1]) - math.log(theirs.shape[1])
    # Chance gives at least one in a group for as many as the group has.
    possible = together.data * math.log(groups.sizes.max()) >= -level
    count = together.data[possible]
    if not len(count):
        return None
    rows, columns = together.row[possible], together.col[possible]
    shape = (len(groups.codes), len(groups.sizes))
    by_group = csr_array((np.ones(shape[0]), (np.arange(shape[0]), groups.codes)), shape=shape).T
    our_sizes, their_sizes = ((by_group @ part).toarray() for part in (ours, theirs))
    mean, draws = np.zeros(len(count)), np.zeros(len(count))
    for size, one, other in zip(groups.sizes, our_sizes, their_sizes, strict=True):
        mean += one[rows] * other[columns] / size
        draws += np.minimum(one[rows], other[columns])
    share, expected = count / draws, mean / draws
    chances = -draws * (rel_entr(share, expected) + rel_entr(1 - share, 1 - expected))
    chances[count <= mean] = 0.0
    for at in np.argsort(chances, kind="stable")[:EXACT]:
        if chances[at] > level:
            sizes = our_sizes[:, rows[at]], their_sizes[:, columns[at]]
            chances[at] = _log_tail(int(count[at]), *sizes, groups.sizes)
    best = int(chances.argmin())
    if chances[best] > level:
        return None
    return Found(int(owner[columns[best]]), int(count[best]), float(mean[best]))


def _log_tail(count: int, one: Floats, other: Floats, sizes: Codes) -> float:
    """Return the logarithm of the chance that classes fall together so often, or more often."""
    sums = np.ones(1)
    for ours, theirs, size in zip(one, other, sizes, strict=True):
        if ours and theirs:
            most = int(min(ours, theirs))
            sums = np.convolve(
                sums, stats.hypergeom.pmf(np.arange(most + 1), size, int(ours), int(theirs))
            )
    return math.log(max(float(sums[count:].sum()), 1e-300))


def _memberships(parts: Sequence[Sequence[str]]) -> tuple[csr_array, Codes]:
    """Return who is in which class, and of which of the parts each class is; lone ones are left."""
    lines: list[Codes] = []
    classes: list[Codes] = []
    owner: list[int] = []
    for at, part in enumerate(parts):
        different, codes, sizes = np.unique(
            np.array(part, object), return_inverse=True, return_counts=True
        )
        usable = (sizes > 1) & (different != "")
        number = np.where(usable, np.cumsum(usable) - 1 + len(owner), -1)
        member = np.flatnonzero(usable[codes])
        lines.append(member)
        classes.append(number[codes[member]])
        owner += [at] * int(usable.sum())
    n = len(parts[0]) if parts else 0
    none = np.empty(0, np.int64)
    row, column = np.concatenate([none, *lines]), np.concatenate([none, *classes])
    held = csr_array((np.ones(len(row)), (row, column)), shape=(n, len(owner)))
    return held, np.array(owner, np.int64)
