"""Annealing of groups where rows may be deleted too: each cluster votes item by item.

An item that k of the s members bought, in r rows, costs min(add (s - k), delete r). The sums over
the items are kept for the present size and for one member more and one less, so a proposal looks
only at the items of the customers that would change places.
"""

# An element of an array is Any in numpy's stubs.
# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from tokumei.itemsets.annealing import (
    PROPOSAL,
    Ints,
    Stream,
    allowance,
    below,
    random_bits,
)
from tokumei.itemsets.compiling import compiled

Floats = npt.NDArray[np.float64]


class Votes(NamedTuple):
    """Clusters, what their members bought, and what each cluster costs; changed in place.

    `costs[x]` has the sums for one member less, as many, and one more; `regrets[x]` is what
    keeping one item costs a cluster that would rather delete all.
    """

    starts: Ints
    items: Ints
    amounts: Floats
    prices: Floats
    labels: Ints
    sizes: Ints
    counts: Ints
    rows: Floats
    costs: Floats
    regrets: Floats


def votes(
    rows: sparse.csr_array,
    labels: npt.NDArray[np.int64],
    clusters: int,
    prices: tuple[float, float],
) -> Votes:
    """Build all tables from the labels; the prices are those of an added and a deleted row."""
    state = Votes(
        starts=np.array(rows.indptr, dtype=np.int32),
        items=np.array(rows.indices, dtype=np.int32),
        amounts=np.array(rows.data, dtype=np.float64),
        prices=np.array(prices, dtype=np.float64),
        labels=np.array(labels, dtype=np.int32),
        sizes=np.zeros(clusters, dtype=np.int32),
        counts=np.zeros((clusters, rows.shape[1]), dtype=np.int32),
        rows=np.zeros((clusters, rows.shape[1]), dtype=np.float64),
        costs=np.zeros((clusters, 3), dtype=np.float64),
        regrets=np.zeros(clusters, dtype=np.float64),
    )
    _fill(state)
    return state


@compiled
def _fill(state: Votes) -> None:
    for person in range(state.labels.size):
        _shift(state, person, state.labels[person], 1)
    for cluster in range(state.sizes.size):
        _settle(state, cluster)


@compiled
def _shift(state: Votes, person: int, cluster: int, sign: int) -> None:
    for position in range(state.starts[person], state.starts[person + 1]):
        item = state.items[position]
        state.counts[cluster, item] += sign
        state.rows[cluster, item] += sign * state.amounts[position]
    state.sizes[cluster] += sign
    state.labels[person] = cluster


@compiled
def _price(state: Votes, size: int, count: int, rows: float) -> float:
    return min(state.prices[0] * (size - count), state.prices[1] * rows)


@compiled
def _settle(state: Votes, cluster: int) -> None:
    size = state.sizes[cluster]
    costs = state.costs[cluster]
    costs[:] = 0.0
    regret = np.inf
    for item in range(state.counts.shape[1]):
        count, rows = state.counts[cluster, item], state.rows[cluster, item]
        if count == 0:
            continue
        for more in range(3):
            costs[more] += _price(state, size - 1 + more, count, rows)
        regret = min(regret, state.prices[0] * (size - count) - state.prices[1] * rows)
    state.regrets[cluster] = max(regret, 0.0)


@compiled
def _after(state: Votes, cluster: int, leaves: int, joins: int) -> float:
    """Return the cost of a cluster, but for regret, if a customer leaves, joins or both (-1: none).

    The items of the two are walked in order, so that what both bought is seen once.
    """
    size = state.sizes[cluster] + (joins >= 0) - (leaves >= 0)
    cost = state.costs[cluster, 1 + (joins >= 0) - (leaves >= 0)]
    left, left_end = (state.starts[leaves], state.starts[leaves + 1]) if leaves >= 0 else (0, 0)
    right, right_end = (state.starts[joins], state.starts[joins + 1]) if joins >= 0 else (0, 0)
    last = state.counts.shape[1]
    while left < left_end or right < right_end:
        gone = state.items[left] if left < left_end else last
        come = state.items[right] if right < right_end else last
        item = min(gone, come)
        count, rows = state.counts[cluster, item], state.rows[cluster, item]
        cost -= _price(state, size, count, rows)
        if gone == item:
            count -= 1
            rows -= state.amounts[left]
            left += 1
        if come == item:
            count += 1
            rows += state.amounts[right]
            right += 1
        cost += _price(state, size, count, rows)
    return cost


@compiled
def _paid(state: Votes, here: int, there: int) -> float:
    cost = state.costs[here, 1] + state.costs[there, 1]
    return cost + state.regrets[here] + state.regrets[there]


@compiled
def _change_places(state: Votes, person: int, other: int, target: int) -> None:
    source = state.labels[person]
    _shift(state, person, source, -1)
    if other >= 0:
        _shift(state, other, target, -1)
        _shift(state, other, source, 1)
    _shift(state, person, target, 1)
    _settle(state, source)
    _settle(state, target)


@compiled
def _try(state: Votes, person: int, other: int, target: int, allowed: float) -> float:
    """Move a customer (other: -1) or swap two if the cost rises by at most what is allowed.

    Returns the change of the cost, or infinity if nothing was changed.
    """
    source = state.labels[person]
    paid = _paid(state, source, target)
    bound = _after(state, source, person, other) + _after(state, target, other, person)
    if bound - paid > allowed:
        return np.inf
    _change_places(state, person, other, target)
    change = _paid(state, source, target) - paid
    # The regret is known only now, and it may be too much.
    if change > allowed:
        _change_places(state, person, other, source)
        return np.inf
    return change


@compiled
def anneal(
    state: Votes, min_size: int, temperature: float, budget: int, stream: Stream
) -> tuple[int, int]:
    """Propose moves and swaps at one temperature until the budget of work is spent.

    Returns how many changes of the cost were accepted, and how many proposals were made.
    """
    people, clusters = state.labels.size, state.sizes.size
    taken, proposals, work = 0, 0, 0
    while work < budget:
        proposals += 1
        work += PROPOSAL
        bits, more = random_bits(stream), random_bits(stream)
        person, other = below(bits, people), -1
        if bits >> np.uint64(63):
            target = below(more, clusters)
            if state.sizes[state.labels[person]] <= min_size:
                continue
        else:
            other = below(more, people)
            target = state.labels[other]
        if target == state.labels[person]:
            continue
        work += 16 * (state.starts[person + 1] - state.starts[person])
        if other >= 0:
            work += 16 * (state.starts[other + 1] - state.starts[other])
        change = _try(state, person, other, target, allowance(temperature, stream))
        if change < np.inf:
            work += 8 * state.counts.shape[1]
            taken += change != 0
    return taken, proposals


@compiled
def descend(state: Votes, min_size: int) -> None:
    """Take every move and swap that lowers the cost, until none does."""
    people, clusters = state.labels.size, state.sizes.size
    # A gain below this is rounding; counting it could go round in circles.
    least = -1e-9 * state.prices.min()
    better = True
    while better:
        better = False
        for person in range(people):
            for target in range(clusters):
                if state.sizes[state.labels[person]] <= min_size:
                    break
                if target != state.labels[person]:
                    better |= _try(state, person, -1, target, least) < 0
            for other in range(person + 1, people):
                if state.labels[other] != state.labels[person]:
                    better |= _try(state, person, other, state.labels[other], least) < 0


@compiled
def total(state: Votes) -> float:
    """Return the cost of all clusters."""
    return state.costs[:, 1].sum() + state.regrets.sum()
