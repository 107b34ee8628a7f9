"""Which customers to make identical: merge, move and swap while the total falls.

The total of a partition is the cost of its groups: deleted rows, changed cells, and for every group
one customer who is found. Good pairs are merged first, then groups; after that customers move
between groups, at a falling temperature, and the best partition met is kept.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tokumei.draws import derive
from tokumei.equalizing.kernels import Data, Room, equalize, least, room_for, sorted_values
from tokumei.progress import track

Ints = npt.NDArray[np.int64]
Members = tuple[int, ...]
SPEED = 40_000_000
"""Cells of assignments that are filled in a nominal second."""
ROUNDS = 2
NEIGHBORS = 40
TRIES = 10
"""Most moves that are tried for each customer at one temperature."""
FEW = 20
HEAT, WARM = 0.02, 0.5
"""The first temperature, as a share of what a group costs; and that of few customers."""


@dataclass(frozen=True, eq=False)
class Partition:
    """Groups of customers and what they cost together, in units."""

    groups: tuple[Members, ...]
    cost: int


class Costs:
    """The costs of groups, each computed once."""

    def __init__(self, data: Data) -> None:
        self.data = data
        self.sizes = np.diff(data.start)
        self.known: dict[Members, int] = {}
        self.room: Room = room_for(data, 4)

    def __call__(self, members: Members) -> int:
        """Return the cost of a group; its members must be in order."""
        if members not in self.known:
            self.known[members] = self.equalized(members)[0]
        return self.known[members]

    def equalized(self, members: Members) -> tuple[int, Ints]:
        """Return the cost of a group and the common rows of its members, who must be in order."""
        if len(members) > self.room.rows.shape[1]:
            work = int(self.room.work[0])
            self.room = room_for(self.data, 2 * len(members))
            self.room.work[0] = work
        cost = equalize(self.data, np.array(members, dtype=np.int64), ROUNDS, self.room)
        return int(cost), self.room.rows[: self.sizes[members[0]], : len(members)].copy()

    def ordered(self, members: Members) -> Members:
        """Return the members in order: fewest rows first."""
        return tuple(sorted(members, key=lambda person: (self.sizes[person], person)))

    @property
    def work(self) -> int:
        """How many cells were filled so far."""
        return int(self.room.work[0])


def search(data: Data, *, seconds: float, seed: int) -> Partition:
    """Return a partition with a low cost; the budget is nominal, so the result is repeatable."""
    costs = Costs(data)
    near = _neighbors(costs)
    starts = [_merged(costs, near)]
    if len(near) <= FEW:  # small games have deep traps, and are soon played again
        starts += [[(person,) for person in range(len(near))]] * 2
    budget = int(SPEED * seconds / len(starts))
    found = [
        _annealed(costs, groups, near, budget, derive(seed, f"equalize/{number}"))
        for number, groups in enumerate(starts)
    ]
    return min(found, key=lambda partition: partition.cost)


def _neighbors(costs: Costs) -> list[list[int]]:
    """Return for every customer those whose merging gains most; the few of a small game all."""
    data, sizes = costs.data, costs.sizes
    values, order = sorted_values(data), np.argsort(sizes, kind="stable")
    gains: list[list[tuple[int, int]]] = [[] for _ in sizes]
    reach = data.group // max(1, data.deletion)
    for place in track(range(len(order)), len(order), "comparing customers"):
        one = int(order[place])
        for other in order[place + 1 :]:
            if sizes[other] - sizes[one] > reach and place + 1 < len(order) - NEIGHBORS:
                break
            if len(order) > NEIGHBORS and least(data, values, one, int(other)) > 2 * data.group:
                continue
            gain = 2 * data.group - costs((one, int(other)))
            gains[one].append((-gain, int(other)))
            gains[int(other)].append((-gain, one))
    return [[other for _, other in sorted(found)[:NEIGHBORS]] for found in gains]


def _merged(costs: Costs, near: list[list[int]]) -> list[Members]:
    """Merge customers and then groups, the best gain first, while there is any."""
    alive: dict[int, Members] = {person: (person,) for person in range(len(near))}
    around = {person: set(others) for person, others in enumerate(near)}
    heap: list[tuple[int, int, int]] = []

    def offer(one: int, other: int) -> None:
        together = costs.ordered(alive[one] + alive[other])
        gain = costs(alive[one]) + costs(alive[other]) - costs(together)
        if gain > 0:
            heapq.heappush(heap, (-gain, one, other))

    for person, others in enumerate(near):
        for other in others:
            if person < other or person not in near[other]:
                offer(person, other)
    number = len(near)
    while heap:
        _, one, other = heapq.heappop(heap)
        if one not in alive or other not in alive:
            continue
        alive[number] = costs.ordered(alive.pop(one) + alive.pop(other))
        around[number] = {
            group for group in (around.pop(one) | around.pop(other)) if group in alive
        }
        for group in sorted(around[number]):
            around[group].add(number)
            offer(number, group)
        number += 1
    return list(alive.values())


def _annealed(
    costs: Costs, groups: list[Members], near: list[list[int]], budget: int, seed: int
) -> Partition:
    """Move and swap customers between the groups of neighbors, and keep the best partition."""
    draw = np.random.default_rng(seed)
    state = _State(costs, groups)
    warm = HEAT if len(near) > FEW else WARM
    best = Partition(tuple(groups), state.cost)
    begun, steps = costs.work, 100
    for step in track(range(steps), steps, "moving customers"):
        heat = warm * costs.data.group * (1 - (step + 0.5) / steps) ** 2
        tries = 0
        while costs.work - begun < budget * (step + 1) / steps and tries < TRIES * len(near):
            tries += 1
            if state.try_move(near, heat, draw) and state.cost < best.cost:
                best = Partition(tuple(state.groups.values()), state.cost)
    return best


class _State:
    """A partition that changes."""

    def __init__(self, costs: Costs, groups: list[Members]) -> None:
        self.costs = costs
        self.groups = dict(enumerate(groups))
        self.of = {person: number for number, group in self.groups.items() for person in group}
        self.cost = sum(costs(group) for group in groups)
        self.next = len(groups)

    def try_move(self, near: list[list[int]], heat: float, draw: np.random.Generator) -> bool:
        """Propose one change and make it if it helps, or by chance while it is warm."""
        person = int(draw.integers(len(near)))
        home = self.of[person]
        kind = draw.integers(10)
        if kind == 0 and len(self.groups[home]) > 1:
            return self._change([home], [self._without(home, person), (person,)], heat, draw)
        if not near[person]:
            return False
        other = near[person][int(draw.integers(len(near[person])))]
        there = self.of[other]
        if there == home:
            return False
        if kind <= 5:
            left = self._without(home, person)
            return self._change([home, there], [left, self.groups[there] + (person,)], heat, draw)
        if kind <= 8:
            mine, theirs = self._without(home, person), self._without(there, other)
            return self._change([home, there], [(*mine, other), (*theirs, person)], heat, draw)
        return self._change([home, there], [self.groups[home] + self.groups[there]], heat, draw)

    def _without(self, group: int, person: int) -> Members:
        return tuple(member for member in self.groups[group] if member != person)

    def _change(
        self, old: list[int], new: list[Members], heat: float, draw: np.random.Generator
    ) -> bool:
        made = [self.costs.ordered(group) for group in new if group]
        gain = sum(self.costs(self.groups[number]) for number in old) - sum(map(self.costs, made))
        if gain < 0 and (heat <= 0 or draw.random() >= np.exp(gain / heat)):
            return False
        for number in old:
            del self.groups[number]
        for group in made:
            self.groups[self.next] = group
            for person in group:
                self.of[person] = self.next
            self.next += 1
        self.cost -= gain
        return True
