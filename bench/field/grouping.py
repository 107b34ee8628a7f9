"""Groups of customers of a least size: what decoys will cost in them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import numpy.typing as npt

from bench.field.comparing import Comparison, Measured
from bench.measuring import SHARED, core_seconds
from tokumei import generate, read
from tokumei.itemsets import ItemSets, item_sets
from tokumei.itemsets.grouping import Grouping, added_rows, pair_groups, search_groups
from tokumei.itemsets.pairing import pair_costs

TITLE = "Groups of customers"
ABOUT = """\
Customers are put into groups of at least 4, or into pairs, and all of a group get the union of
its items: the rows that this adds are the cost. Our search minimizes just that, with a fixed
budget (1 nominal second for groups, 3 for pairs, in two chains), so a ratio says little without
the cost beside it. MDAV and k-means minimize squared distances between item sets. No package of
MDAV can be installed; it is our literal one after Domingo-Ferrer and Torra (2005).
k-means-constrained makes as many groups as ours, from one start. For pairs the optimum is known,
a perfect matching of least cost on the table of all pairs: the search, which knows nothing of
it, must come within 1% of it. networkx is given fewer customers."""

CUSTOMERS = 400
FEW = 100
MIN_SIZE = 4
SECONDS, SECONDS_PAIRS = 1.0, 3.0
NEAR = 0.01
Labels = npt.NDArray[np.int64]


def comparisons() -> list[Comparison]:
    found = []
    for name, sets in data().items():
        few = replace(sets, persons=sets.persons[:FEW], matrix=sets.matrix[:FEW])
        many, fewer = (f"{name}, {len(part.persons)} customers" for part in (sets, few))
        found += [
            Comparison("groups of 4", many, "MDAV", partial(against_mdav, sets)),
            Comparison("groups of 4", many, "k-means-constrained", partial(against_k_means, sets)),
            Comparison(
                "pairs", many, "rustworkx, optimum", partial(against_rustworkx, sets), near=NEAR
            ),
            Comparison(
                "pairs", fewer, "networkx, optimum", partial(against_networkx, few), near=NEAR
            ),
        ]
    return found


def data() -> dict[str, ItemSets]:
    found = {"generated shop": item_sets(generate("shop", customers=CUSTOMERS, seed=0))}
    real = SHARED / "data/pwscup2016/T.csv"
    if real.is_file():
        found["PWSCUP 2016"] = item_sets(read(real, format="pwscup2016"))
    return found


def searched(sets: ItemSets, min_size: int, nominal: float) -> Grouping:
    clusters = len(sets.persons) // min_size
    return search_groups(sets, clusters=clusters, min_size=min_size, seed=1, seconds=nominal)


def against_mdav(sets: ItemSets) -> Measured:
    return _costed(sets, lambda: mdav(sets.matrix.toarray().astype(np.float64), MIN_SIZE))


def against_k_means(sets: ItemSets) -> Measured:
    from k_means_constrained import KMeansConstrained

    def theirs() -> Labels:
        model = KMeansConstrained(
            len(sets.persons) // MIN_SIZE, size_min=MIN_SIZE, n_init=1, random_state=0
        )
        return np.asarray(model.fit_predict(sets.matrix.toarray().astype(np.float64)))

    return _costed(sets, theirs)


def against_rustworkx(sets: ItemSets) -> Measured:
    optimum: list[float] = []
    theirs = core_seconds(lambda: optimum.append(pair_groups(sets).cost), repeat=1)
    return _near(sets, theirs, optimum[0])


def against_networkx(sets: ItemSets) -> Measured:
    import networkx

    costs = pair_costs(sets)

    def matched() -> float:
        graph = networkx.Graph()
        first, second = np.triu_indices(len(costs), 1)
        edges = zip(first.tolist(), second.tolist(), costs[first, second].tolist(), strict=True)
        graph.add_weighted_edges_from(edges)
        return float(sum(costs[pair] for pair in networkx.min_weight_matching(graph)))

    optimum: list[float] = []
    theirs = core_seconds(lambda: optimum.append(matched()), repeat=1)
    return _near(sets, theirs, optimum[0])


def _costed(sets: ItemSets, theirs: partial[Labels]) -> Measured:
    """Time both, and set the rows that they add beside each other."""
    searched(sets, MIN_SIZE, 0.01)  # compiles
    labels: list[Labels] = []
    taken = core_seconds(lambda: labels.append(theirs()), repeat=1)
    if (least := np.bincount(labels[0]).min()) < MIN_SIZE:
        raise RuntimeError(f"a group has {least} customers")
    found: list[float] = []
    ours = core_seconds(lambda: found.append(searched(sets, MIN_SIZE, SECONDS).cost), repeat=1)
    cost = added_rows(sets, labels[0])
    return Measured(ours, taken, f"rows added {found[0]:,.0f}, peer {cost:,}", found[0] <= cost)


def _near(sets: ItemSets, theirs: float, optimum: float) -> Measured:
    searched(sets, 2, 0.01)  # compiles
    found: list[float] = []
    ours = core_seconds(lambda: found.append(searched(sets, 2, SECONDS_PAIRS).cost), repeat=1)
    gap = found[0] / optimum - 1
    quality = f"rows added {found[0]:,.0f}, {gap:+.2%} of the optimum"
    return Measured(ours, theirs, quality, gap <= NEAR)


def mdav(points: npt.NDArray[np.float64], least: int) -> Labels:
    """Maximum distance to average vector: groups of `least`, the last ones up to twice as large.

    While at least three groups are left, the point that is farthest from the mean takes its nearest
    ones, and then so does the point that is farthest from it. With two left, the first of these
    steps is the last; the rest is a group.
    """
    labels = np.full(len(points), -1, dtype=np.int64)
    left = np.arange(len(points))
    number = 0

    def take(start: int) -> None:
        nonlocal left, number
        distances = np.square(points[left] - points[start]).sum(axis=1)
        chosen = left[np.argsort(distances, kind="stable")[:least]]
        labels[chosen] = number
        left, number = np.setdiff1d(left, chosen), number + 1

    def farthest(place: npt.NDArray[np.float64]) -> int:
        return int(left[np.square(points[left] - place).sum(axis=1).argmax()])

    while len(left) >= 3 * least:
        first = farthest(points[left].mean(axis=0))
        take(first)
        take(farthest(points[first]))
    if len(left) >= 2 * least:
        take(farthest(points[left].mean(axis=0)))
    labels[left] = number
    return labels
