"""Simulated annealing of groups on the true cost, with proposals in constant time.

Three tables are kept while customers wander between the clusters: `missing[x, u]`, the items of
customer u that cluster x lacks; `alone[u]`, the items that u alone brings into its cluster; and
`union[x]`. The cost of a move then follows from them at once, and so does a lower bound of the
cost of a swap: only what the two customers share must still be counted, and only where the bound
has not already refused the swap. The tables are brought up to date when a change is accepted,
which in a long run is one proposal in hundreds.
"""

# An element of an array is Any in numpy's stubs.
# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from tokumei.itemsets.compiling import compiled

Ints = npt.NDArray[np.int32]
Shorts = npt.NDArray[np.int16]
Stream = npt.NDArray[np.uint64]

# What one proposal costs, where looking at one number in memory costs 1.
PROPOSAL = 32


class Unions(NamedTuple):
    """Clusters and the tables that follow from them; the kernels change them in place.

    There may be at most 32,767 customers: their numbers stand in short integers.
    """

    starts: Ints
    items: Ints
    buyer_starts: Ints
    buyers: Ints
    labels: Ints
    sizes: Ints
    union: Ints
    counts: Shorts
    holders: Shorts
    missing: Ints
    alone: Ints


def unions(matrix: sparse.csr_array, labels: npt.NDArray[np.int64], clusters: int) -> Unions:
    """Build all tables from the labels."""
    people, kinds = matrix.shape
    by_item = matrix.T.tocsr()

    def ints(values: Any) -> Ints:
        return np.array(values, dtype=np.int32)

    state = Unions(
        starts=ints(matrix.indptr),
        items=ints(matrix.indices),
        buyer_starts=ints(by_item.indptr),
        buyers=ints(by_item.indices),
        labels=ints(labels),
        sizes=np.zeros(clusters, dtype=np.int32),
        union=np.zeros(clusters, dtype=np.int32),
        counts=np.zeros((clusters, kinds), dtype=np.int16),
        holders=np.zeros((clusters, kinds), dtype=np.int16),
        missing=np.tile(ints(np.diff(matrix.indptr)), (clusters, 1)),
        alone=np.zeros(people, dtype=np.int32),
    )
    _fill(state)
    return state


@compiled
def _fill(state: Unions) -> None:
    for person in range(state.labels.size):
        _put(state, person, state.labels[person])


@compiled
def _put(state: Unions, person: int, cluster: int) -> int:
    counts, holders = state.counts[cluster], state.holders[cluster]
    missing = state.missing[cluster]
    work = 4 * (state.starts[person + 1] - state.starts[person])
    for position in range(state.starts[person], state.starts[person + 1]):
        item = state.items[position]
        if counts[item] == 0:
            state.union[cluster] += 1
            state.alone[person] += 1
            first, end = state.buyer_starts[item], state.buyer_starts[item + 1]
            work += end - first
            for place in range(first, end):
                missing[state.buyers[place]] -= 1
        elif counts[item] == 1:
            state.alone[holders[item]] -= 1
        counts[item] += 1
        # All holders' numbers xor-ed: where there is one holder, its number.
        holders[item] ^= person
    state.sizes[cluster] += 1
    state.labels[person] = cluster
    return work


@compiled
def _take(state: Unions, person: int) -> int:
    cluster = state.labels[person]
    counts, holders = state.counts[cluster], state.holders[cluster]
    missing = state.missing[cluster]
    work = 4 * (state.starts[person + 1] - state.starts[person])
    for position in range(state.starts[person], state.starts[person + 1]):
        item = state.items[position]
        counts[item] -= 1
        holders[item] ^= person
        if counts[item] == 0:
            state.union[cluster] -= 1
            state.alone[person] -= 1
            first, end = state.buyer_starts[item], state.buyer_starts[item + 1]
            work += end - first
            for place in range(first, end):
                missing[state.buyers[place]] += 1
        elif counts[item] == 1:
            state.alone[holders[item]] += 1
    state.sizes[cluster] -= 1
    return work


@compiled
def _move(state: Unions, person: int, target: int) -> int:
    return _take(state, person) + _put(state, person, target)


@compiled
def _swap(state: Unions, one: int, other: int) -> int:
    here, there = state.labels[one], state.labels[other]
    work = _take(state, one) + _take(state, other)
    return work + _put(state, one, there) + _put(state, other, here)


@compiled
def move_cost(state: Unions, person: int, target: int) -> int:
    """Return what the cost changes by if a customer moves to another cluster."""
    source = state.labels[person]
    here, there = state.sizes[source], state.sizes[target]
    leaves = (here - 1) * (state.union[source] - state.alone[person]) - here * state.union[source]
    joins = (there + 1) * (state.union[target] + state.missing[target, person])
    return leaves + joins - there * state.union[target]


@compiled
def _swap_bound(state: Unions, one: int, other: int) -> int:
    here, there = state.labels[one], state.labels[other]
    change = state.sizes[here] * (state.missing[here, other] - state.alone[one])
    return change + state.sizes[there] * (state.missing[there, one] - state.alone[other])


@compiled
def _swap_rest(state: Unions, one: int, other: int) -> int:
    """Count what both bring and one of them alone holds: it does not leave with its holder."""
    here, there = state.labels[one], state.labels[other]
    rest = 0
    left, right = state.starts[one], state.starts[other]
    left_end, right_end = state.starts[one + 1], state.starts[other + 1]
    while left < left_end and right < right_end:
        item, facing = state.items[left], state.items[right]
        if item == facing:
            if state.counts[here, item] == 1:
                rest += state.sizes[here]
            if state.counts[there, item] == 1:
                rest += state.sizes[there]
        left += item <= facing
        right += facing <= item
    return rest


@compiled
def swap_cost(state: Unions, one: int, other: int) -> int:
    """Return what the cost changes by if two customers of two clusters change places."""
    return _swap_bound(state, one, other) + _swap_rest(state, one, other)


@compiled
def random_bits(stream: Stream) -> np.uint64:
    """Draw 64 bits by SplitMix64; numba's own generator is shared by all that a thread runs."""
    stream[0] += np.uint64(0x9E3779B97F4A7C15)
    bits = stream[0]
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


@compiled
def below(bits: np.uint64, limit: int) -> int:
    """Map the low half of random bits to 0..limit - 1."""
    scaled = (bits & np.uint64(0xFFFFFFFF)) * np.uint64(limit)
    return np.int64(scaled >> np.uint64(32))  # type: ignore[return-value]


@compiled
def allowance(temperature: float, stream: Stream) -> float:
    """Draw by how much a change may raise the cost (Metropolis)."""
    share = ((random_bits(stream) >> np.uint64(11)) + 1.0) * 2.0**-53
    return -temperature * np.log(share)


@compiled
def anneal(
    state: Unions, min_size: int, temperature: float, budget: int, stream: Stream
) -> tuple[int, int]:
    """Propose moves and swaps at one temperature until the budget of work is spent.

    Returns how many changes of the cost were accepted, and how many proposals were made.
    """
    people, clusters = state.labels.size, state.sizes.size
    # Most proposals end at this limit, before a logarithm is needed: exp(-25) is never.
    never = 25 * temperature
    taken, proposals, work = 0, 0, 0
    while work < budget:
        proposals += 1
        work += PROPOSAL
        bits, more = random_bits(stream), random_bits(stream)
        person = below(bits, people)
        if bits >> np.uint64(63):
            target = below(more, clusters)
            if target == state.labels[person] or state.sizes[state.labels[person]] <= min_size:
                continue
            change = move_cost(state, person, target)
            if change > never or change > allowance(temperature, stream):
                continue
            work += _move(state, person, target)
        else:
            other = below(more, people)
            if state.labels[other] == state.labels[person]:
                continue
            change = _swap_bound(state, person, other)
            if change > never:
                continue
            allowed = allowance(temperature, stream)
            if change > allowed:
                continue
            work += state.starts[person + 1] - state.starts[person]
            work += state.starts[other + 1] - state.starts[other]
            change += _swap_rest(state, person, other)
            if change > allowed:
                continue
            work += _swap(state, person, other)
        taken += change != 0
    return taken, proposals


@compiled
def descend(state: Unions, min_size: int) -> None:
    """Take every move and swap that lowers the cost, until none does."""
    people, clusters = state.labels.size, state.sizes.size
    better = True
    while better:
        better = False
        for person in range(people):
            for target in range(clusters):
                if state.sizes[state.labels[person]] <= min_size:
                    break
                if target != state.labels[person] and move_cost(state, person, target) < 0:
                    _move(state, person, target)
                    better = True
            for other in range(person + 1, people):
                if state.labels[person] == state.labels[other]:
                    continue
                if _swap_bound(state, person, other) >= 0:
                    continue
                if swap_cost(state, person, other) < 0:
                    _swap(state, person, other)
                    better = True


@compiled
def total(state: Unions) -> int:
    """Return the number of rows after the decoys: the sum of size times union."""
    return (state.sizes.astype(np.int64) * state.union).sum()
