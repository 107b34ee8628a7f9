"""Simulated annealing of groups of customers, on estimated or on true costs.

A person joins the group of somebody near, and somebody else of that group goes back in exchange
(or nobody, where the groups' sizes allow). On true costs a group is aligned only if its estimate
does not already refuse the change, and only once: its cost is remembered. Threads work side by side
on groups of their own, so that the result does not depend on which of them is faster.
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tokumei.alignment.costing import Memory, estimate, true_cost
from tokumei.alignment.kernels import Bench, Data, Floats, Ints, Singles
from tokumei.itemsets.annealing import Stream, allowance, below, random_bits
from tokumei.itemsets.compiling import compiled

# What a proposal costs, in cells of a matrix.
PROPOSAL = 250
# A group is aligned unless its estimate, lowered by so much, is still refused.
DOUBT = 0.03


class State(NamedTuple):
    """Groups and what they cost; the kernels change them in place."""

    pairs: Singles
    """(people, people): what a tuple of two costs."""
    near: Ints
    """(people, some): whom a person may join."""
    group: Ints
    """The group of every person."""
    members: Ints
    """(groups, largest size)"""
    size: Ints
    cost: Floats
    side: Ints
    """The thread that may change a person's group."""


class Worker(NamedTuple):
    """What a thread has for itself."""

    side: int
    aligning: bool
    """Whether groups are aligned; else their costs are estimates."""
    stream: Stream
    known: Memory
    room: Bench
    one: Ints
    """Room for a group as it would be."""
    other: Ints


@compiled
def recost(data: Data, state: State, groups: Ints, worker: Worker) -> None:
    """Cost some groups anew."""
    for number in groups:
        members = state.members[number, : state.size[number]]
        state.cost[number] = estimate(data, state.pairs, members)
        if worker.aligning:
            state.cost[number] = true_cost(data, members, worker.known, worker.room)


@compiled
def _propose(state: State, people: Ints, min_size: int, worker: Worker) -> tuple[int, int, int]:
    """Draw who goes, to which group (-1: nobody goes), and who comes back (-1: nobody)."""
    bits, more = random_bits(worker.stream), random_bits(worker.stream)
    person = people[below(bits, people.size)]
    friend = state.near[person, below(more, state.near.shape[1])]
    if state.side[friend] != worker.side:
        return person, -1, -1
    here, there = state.group[person], state.group[friend]
    if here == there:
        return person, -1, -1
    back = state.members[there, below(more >> np.uint64(32), state.size[there])]
    if back == friend:
        if state.size[here] == min_size or state.size[there] == state.members.shape[1]:
            return person, -1, -1
        return person, there, -1
    return person, there, back


@compiled
def _exchanged(state: State, group: int, leaves: int, comes: int, room: Ints) -> Ints:
    """Return the members of a group after somebody has left and somebody has come (-1: nobody)."""
    count = 0
    for place in range(state.size[group]):
        if state.members[group, place] != leaves:
            room[count] = state.members[group, place]
            count += 1
    if comes >= 0:
        room[count] = comes
        count += 1
    return room[:count]


@compiled
def _write(state: State, group: int, members: Ints, cost: float) -> None:
    state.size[group] = members.size
    state.cost[group] = cost
    for place in range(members.size):
        state.members[group, place] = members[place]
        state.group[members[place]] = group


@compiled
def _costs(
    data: Data, state: State, one: Ints, other: Ints, limit: float, worker: Worker
) -> tuple[float, float]:
    """Return what two groups cost; where that is surely above the limit, anything above it."""
    first, second = estimate(data, state.pairs, one), estimate(data, state.pairs, other)
    if not worker.aligning:
        return first, second
    if (1 - DOUBT) * (first + second) >= limit:
        return limit, limit
    first = true_cost(data, one, worker.known, worker.room)
    if first + (1 - DOUBT) * second >= limit:
        return limit, limit
    return first, true_cost(data, other, worker.known, worker.room)


@compiled
def anneal(
    data: Data,
    state: State,
    people: Ints,
    min_size: int,
    heat: float,
    budget: int,
    worker: Worker,
) -> tuple[int, int]:
    """Propose at one temperature that people change groups until the budget of work is spent.

    Returns how many changes were accepted, and how many proposals were made.
    """
    work = worker.room.desk.work
    work[0] = 0
    proposals = accepted = 0
    while work[0] < budget:
        proposals += 1
        work[0] += PROPOSAL
        person, there, back = _propose(state, people, min_size, worker)
        if there < 0:
            continue
        here = state.group[person]
        one = _exchanged(state, here, person, back, worker.one)
        other = _exchanged(state, there, back, person, worker.other)
        limit = state.cost[here] + state.cost[there] + allowance(heat, worker.stream)
        first, second = _costs(data, state, one, other, limit, worker)
        if first + second < limit:
            _write(state, here, one, first)
            _write(state, there, other, second)
            accepted += 1
    return accepted, proposals
