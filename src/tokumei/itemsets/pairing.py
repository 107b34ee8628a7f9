"""Pairs of customers at the least cost, and a bound below which no groups can be."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import sparse

from tokumei.itemsets.matrix import ItemSets

Labels = npt.NDArray[np.int64]
Table = npt.NDArray[np.int64]

# A table of all pairs of so many customers takes about 0.8 GB.
MOST_PEOPLE = 10_000


def pair_costs(sets: ItemSets) -> Table:
    """Return for every pair of customers the items that only one of them has."""
    shared = (sets.matrix @ sets.matrix.T).toarray().astype(np.int64)
    table: Table = sets.sizes[:, None] + sets.sizes[None, :] - 2 * shared
    return table


def least_cost(sets: ItemSets, clusters: int, min_size: int) -> float | None:
    r"""Return a proven lower bound of the rows that any such groups add.

    A cluster holds the union of each two of its s members, so averaged over the ways to arrange
    them in a circle it costs at least half the sum, over its members u, of the mean pair cost of u
    with the others: at least :math:`d_s(u)`, half the mean over the s - 1 nearest customers. The
    sizes are free, but :math:`\sum_u 1/s(u)` is the number of clusters c, so for every
    :math:`\lambda` the sum over u of :math:`\min_s d_s(u) + \lambda / s`, less
    :math:`\lambda c`, is a bound; it is concave in :math:`\lambda`, and the best one is searched.
    None beyond 10,000 customers, where the table of all pairs would not fit.
    """
    people = sets.matrix.shape[0]
    if people > MOST_PEOPLE:
        return None
    largest = people - (clusters - 1) * min_size
    sizes = np.arange(min_size, largest + 1)
    near = np.sort(pair_costs(sets), axis=1)
    # Every row starts with the customer itself, at cost 0; alone, it costs nothing.
    sums = near[:, :largest].cumsum(axis=1)[:, min_size - 1 :]
    pays = sums / (2 * np.maximum(sizes - 1, 1))

    def bound(rate: float) -> float:
        return float((pays + rate / sizes).min(axis=1).sum() - rate * clusters)

    # At the highest rate every customer takes the largest size.
    low, high = 0.0, float(pays.max() + 1) * largest**2
    while high - low > 1e-3:
        third = (high - low) / 3
        if bound(low + third) < bound(high - third):
            low += third
        else:
            high -= third
    # Rows are whole numbers; what is taken off first guards against rounding.
    return float(np.ceil(max(bound(low), 0.0) - 1e-3))


def nearest_pairs(sets: ItemSets) -> Labels:
    """Match an even number of customers to pairs at the least cost (blossom algorithm)."""
    costs = pair_costs(sets)
    return _labels(_match(costs), len(costs))


def pairs_and_three(sets: ItemSets) -> Labels:
    """Match an odd number of customers to pairs and one group of three.

    A stand-in takes part in the matching; to be matched with it costs a customer about what it
    costs to join the best pair of two near customers. Whoever is left with the stand-in joins
    the pair where it adds the fewest rows.
    """
    people = sets.matrix.shape[0]
    costs = pair_costs(sets)
    others = costs + np.diag(np.full(people, costs.max() + 1))
    extra = _joining(sets, np.arange(people), others.argmin(axis=1))
    table = np.zeros((people + 1, people + 1), dtype=np.int64)
    table[:people, :people] = costs
    table[people, :people] = table[:people, people] = extra.min(axis=1)
    pairs = _match(table)
    (left,) = (min(pair) for pair in pairs if max(pair) == people)
    pairs = [pair for pair in pairs if max(pair) < people]
    first, second = np.array(pairs).T
    labels = _labels(pairs, people)
    labels[left] = int(_joining(sets, first, second)[left].argmin())
    return labels


def _joining(sets: ItemSets, first: Labels, second: Labels) -> Table:
    """Return what each customer (row) adds by joining each pair; huge if it is one of the pair."""
    both = sparse.csr_array(sets.matrix[first] + sets.matrix[second])
    both.data[:] = 1
    union = np.diff(both.indptr).astype(np.int64)
    shared = (sets.matrix @ both.T).toarray().astype(np.int64)
    table: Table = 3 * (sets.sizes[:, None] + union[None, :] - shared)
    table -= 2 * union[None, :] + sets.sizes[:, None]
    pairs = np.arange(len(first))
    table[first, pairs] = table[second, pairs] = table.max() + 1
    return table


def _match(costs: Table) -> list[tuple[int, int]]:
    import rustworkx

    people = len(costs)
    first, second = np.triu_indices(people, 1)
    values = costs.max() - costs[first, second]
    graph: rustworkx.PyGraph[int, int] = rustworkx.PyGraph()
    graph.add_nodes_from(range(people))
    edges = zip(first.tolist(), second.tolist(), values.tolist(), strict=True)
    graph.add_edges_from(list(edges))
    found = rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)
    return sorted((min(pair), max(pair)) for pair in found)


def _labels(pairs: list[tuple[int, int]], people: int) -> Labels:
    labels = np.full(people, -1, dtype=np.int64)
    for number, pair in enumerate(pairs):
        labels[list(pair)] = number
    return labels
