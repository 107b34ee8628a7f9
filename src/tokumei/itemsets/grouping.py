"""Groups of customers that cost as few rows as a search can find.

The papers cluster first and count the decoys afterwards; here the decoys are what is minimized.
Every customer of a cluster gets the union of its items (or, with deletions, a common set chosen
by weighted vote), so an attacker who knows item sets finds each of n customers with chance c / n.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from tokumei.draws import derive
from tokumei.errors import ParameterError
from tokumei.itemsets.clustering import check_sizes
from tokumei.itemsets.matrix import ItemSets
from tokumei.itemsets.pairing import Labels, least_cost, nearest_pairs, pairs_and_three
from tokumei.progress import track

# Work per nominal second and chain, in the units that the kernels count.
SPEED = 5e8
CHAINS = 2
ROUNDS = 100
# Cooling starts where so many proposals are accepted; above it, all that was found is lost again.
HOT_SHARE = 0.02
# Where cooling ends, as a share of where it started: nothing but ties is accepted there.
COLD = 1 / 8
# The tables of one chain may take so many bytes; larger problems are searched block by block.
MEMORY = 500_000_000
MOST_PEOPLE = 32_767
"""Customers of a block: `annealing` counts them in short integers."""


@dataclass(frozen=True)
class Weights:
    """What a row costs: added, and deleted (None: rows are only added)."""

    add: float = 1.0
    delete: float | None = None

    def __post_init__(self) -> None:
        if not 0 < self.add < np.inf:
            raise ParameterError(f"The weight of an added row must be above 0, not {self.add}.")
        if self.delete is not None and not 0 < self.delete < np.inf:
            raise ParameterError(f"The weight of a deleted row must be above 0, not {self.delete}.")


ONLY_ADDING = Weights()


@dataclass(frozen=True, eq=False)
class Grouping:
    """Groups of customers, what they cost, and the least that any such groups cost if known."""

    labels: Labels
    cost: float
    lower_bound: float | None


@dataclass(frozen=True, eq=False)
class CommonItems:
    """The items that each cluster (row of `kept`) keeps, and what that costs."""

    kept: npt.NDArray[np.bool_]
    cost: float


def added_rows(sets: ItemSets, labels: Labels) -> int:
    """Count the rows that give every customer the union of its cluster."""
    union = np.diff(_by_cluster(sets.matrix, labels).indptr)
    return int(np.bincount(labels) @ union - sets.sizes.sum())


def _by_cluster(matrix: sparse.csr_array, labels: Labels) -> sparse.csr_array:
    ones = np.ones(len(labels), dtype=np.int64)
    member = sparse.csr_array((ones, (labels, np.arange(len(labels)))))
    return sparse.csr_array(member @ matrix)


def common_items(
    sets: ItemSets, rows_per_item: sparse.csr_array | None, labels: Labels, weights: Weights
) -> CommonItems:
    """Choose for every cluster the items that all its members shall have.

    An item bought by k of the s members, in r rows of theirs (None: one row each), is kept if
    add (s - k) <= delete r, else its rows are deleted. Without a weight for deletion all is kept.
    Nobody may lose everything: where nothing would be kept, the item is whose keeping costs least.
    """
    counts = _by_cluster(sets.matrix, labels).toarray()
    bought = counts > 0
    adding = weights.add * (np.bincount(labels)[:, None] - counts) * bought
    if weights.delete is None:
        return CommonItems(bought, float(adding.sum()))
    rows = counts if rows_per_item is None else _by_cluster(rows_per_item, labels).toarray()
    deleting = weights.delete * rows
    kept = bought & (adding <= deleting)
    bare = np.flatnonzero(~kept.any(axis=1))
    regret = np.where(bought[bare], adding[bare] - deleting[bare], np.inf)
    kept[bare, regret.argmin(axis=1)] = True
    return CommonItems(kept, float(np.where(kept, adding, deleting).sum()))


def pair_groups(sets: ItemSets) -> Grouping:
    """Group by two at the least possible cost: a minimum-weight perfect matching.

    Of an odd number of customers three make one group; it is chosen well (see `pairs_and_three`,
    then every move and swap that helps is made), but not proven best.
    """
    people = sets.matrix.shape[0]
    if people == 1:
        return Grouping(np.zeros(1, dtype=np.int64), 0.0, 0.0)
    if people % 2 == 0:
        labels = nearest_pairs(sets)
        cost = float(added_rows(sets, labels))
        return Grouping(labels, cost, cost)
    from tokumei.itemsets import annealing

    start = np.zeros(3, dtype=np.int64) if people == 3 else pairs_and_three(sets)
    state = annealing.unions(sets.matrix, start, people // 2)
    annealing.descend(state, 2)
    labels = state.labels.astype(np.int64)
    return Grouping(labels, float(added_rows(sets, labels)), least_cost(sets, people // 2, 2))


def search_groups(
    sets: ItemSets,
    *,
    clusters: int,
    min_size: int,
    seed: int,
    seconds: float = 20.0,
    weights: Weights = ONLY_ADDING,
    rows: sparse.csr_array | None = None,
) -> Grouping:
    """Search for groups of at least `min_size` customers that cost as little as possible.

    Two annealing chains of moves and swaps run side by side; the better one, after every move and
    swap that still helps, is the result. `seconds` is a nominal budget: it is turned into a
    number of steps, so the same seed gives the same groups on a fast and on a slow machine. With
    `weights.delete`, `rows` says in how many rows each customer has each item (default: one).
    """
    people = sets.matrix.shape[0]
    check_sizes(people, clusters, min_size)
    if not 0 < seconds < np.inf:
        raise ParameterError(f"The seconds must be above 0, not {seconds}.")
    labels = first_groups(sets.sizes, clusters, min_size)
    amounts = _amounts(sets, rows)
    # Nobody can go anywhere in one cluster, or where everybody is alone.
    if 1 < clusters < people:
        blocks = _blocks(labels, sets.matrix.shape[1])
        for number, members in enumerate(blocks):
            part = _Block(amounts[members], labels[members] - labels[members].min(), min_size)
            budget = SPEED * seconds * len(members) / people
            task = "searching groups" + (f" ({number + 1}/{len(blocks)})" if blocks[1:] else "")
            found = part.search(weights, budget, derive(seed, f"search_groups/{number}"), task)
            labels[members] = found + labels[members].min()
    if weights.delete is not None:
        return Grouping(labels, common_items(sets, rows, labels, weights).cost, None)
    bound = least_cost(sets, clusters, min_size)
    return Grouping(
        labels,
        weights.add * added_rows(sets, labels),
        None if bound is None else weights.add * bound,
    )


def first_groups(sizes: npt.NDArray[np.int64], clusters: int, min_size: int) -> Labels:
    """Group customers by the number of their items: many items in small groups, few in large.

    A further member of a cluster pays its whole union, so the spare customers are spread over the
    half of the clusters that has the smallest sets.
    """
    people = len(sizes)
    members = np.full(clusters, min_size)
    half = (clusters + 1) // 2
    spare = people - clusters * min_size
    members[clusters - half :] += spare // half
    members[clusters - spare % half :] += spare % half > 0
    labels = np.empty(people, dtype=np.int64)
    labels[np.argsort(-sizes, kind="stable")] = np.repeat(np.arange(clusters), members)
    return labels


def _amounts(sets: ItemSets, rows: sparse.csr_array | None) -> sparse.csr_array:
    if rows is None:
        return sets.matrix
    same = rows.shape == sets.matrix.shape and rows.nnz == sets.matrix.nnz
    rows = rows.sorted_indices() if same else rows
    if not same or (rows.indices != sets.matrix.indices).any() or (rows.data <= 0).any():
        raise ParameterError("The rows per item must have an entry above 0 for each item bought.")
    return rows


def _blocks(labels: Labels, kinds: int) -> list[npt.NDArray[np.int64]]:
    """Cut the clusters, which lie in order of their customers' sizes, into blocks that fit."""
    ends, start, people = [0], 0, 0
    members = np.bincount(labels)
    for cluster, size in enumerate(members):
        people += size
        # Per cluster, at most 12 bytes for each item and 4 for each customer of the block.
        if (cluster + 1 - start) * (12 * kinds + 4 * people) > MEMORY or people > MOST_PEOPLE:
            ends.append(cluster)
            start, people = cluster, size
    block = np.searchsorted(ends, labels, side="right")
    return [np.flatnonzero(block == number) for number in range(1, len(ends) + 1)]


@dataclass(frozen=True, eq=False)
class _Block:
    """Customers and the clusters that they are grouped into."""

    amounts: sparse.csr_array
    labels: Labels
    min_size: int

    def search(self, weights: Weights, budget: float, seed: int, task: str) -> Labels:
        """Anneal in parallel chains and return the best labels."""
        if not self.labels.any():
            return self.labels
        kernel, chains = self._chains(weights)
        streams = [np.array([derive(seed, str(chain))], dtype=np.uint64) for chain in range(CHAINS)]
        step = int(budget / ROUNDS)
        hot = self._heat(kernel, chains[0], step // 5, streams[0])
        with ThreadPoolExecutor(CHAINS) as pool:
            for done in track(range(ROUNDS), ROUNDS, task):
                heat = hot * COLD ** (done / ROUNDS)

                def run(chain: int, heat: float = heat) -> None:
                    kernel.anneal(chains[chain], self.min_size, heat, step, streams[chain])

                list(pool.map(run, range(CHAINS)))
            list(pool.map(lambda chain: kernel.descend(chain, self.min_size), chains))
        best = min(chains, key=kernel.total)
        return np.asarray(best.labels, dtype=np.int64)

    def _chains(self, weights: Weights) -> tuple[ModuleType, list[Any]]:
        # Numba takes a while to import, and most of the library does without it.
        clusters = int(self.labels.max()) + 1
        if weights.delete is None:
            from tokumei.itemsets import annealing

            return annealing, [
                annealing.unions(self.amounts, self.labels, clusters) for _ in range(CHAINS)
            ]
        from tokumei.itemsets import voting

        prices = (weights.add, weights.delete)
        return voting, [
            voting.votes(self.amounts, self.labels, clusters, prices) for _ in range(CHAINS)
        ]

    def _heat(self, kernel: ModuleType, chain: Any, budget: int, stream: Any) -> float:
        """Cool one chain quickly to the temperature where the slow cooling shall start."""
        heat = float(kernel.total(chain)) / len(self.labels)
        for _ in range(60):
            taken, proposals = kernel.anneal(chain, self.min_size, heat, budget, stream)
            if taken <= HOT_SHARE * proposals:
                break
            heat *= 0.8
        return heat
