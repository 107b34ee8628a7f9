"""The search for groups among some thousand customers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import numpy.typing as npt

from tokumei.alignment.aligning import Aligner
from tokumei.alignment.rows import Ints, Rows
from tokumei.draws import derive
from tokumei.progress import track

if TYPE_CHECKING:
    from tokumei.alignment.annealing import State, Worker

T = TypeVar("T")

THREADS = 2
# Work per nominal second and thread, in the units that the kernels count.
SPEED = 5e8
ROUNDS = 100
# Shares of the time: at most this for costing pairs; annealing on estimates, and on true costs.
PAIRS, ROUGH, TRUE = 0.2, 0.1, 0.65
# The final groups are aligned with care if that takes at most so much of the time.
FINAL = 0.4
# More proposals per person than this do not help.
ENOUGH = 300_000
# The temperature of the start, as a share of what a group costs; those of the true costs' start
# and of the end, in deleted rows.
HOT, WARM, COLD = 0.2, 1.0, 0.1
# A person may join so many others.
NEAR = 40
# Pairs are costed where one has at most so many times the rows of the other, or is so near in the
# order of row counts; less where there is no time.
WINDOWS = ((1.5, 30), (1.4, 25), (1.3, 20), (1.2, 15), (1.1, 10), (1.05, 6), (1.0, 3))
# Where even that takes too long, as many have equally many rows: what comparing one customer with
# others may cost, and with how many it is compared at least. The time then grows with the
# customers, not with their pairs, and the loss is hardly larger.
MOST_WORK, FEWEST = 3e6, 3
# What a cell of a matrix costs until its assignment is found, until its group is aligned with care;
# and the room for the groups that a thread remembers, as a power of 2.
LOOKS = 14
CARE = 130
REMEMBERED = 21


class Block:
    """Customers that are grouped together."""

    def __init__(self, rows: Rows, k: int, seconds: float, seed: int, label: str) -> None:
        self.rows, self.k, self.seed, self.label = rows, k, seed, label
        self.budget = SPEED * seconds
        self.largest = min(2 * k - 1, rows.people)
        self.aligners = [Aligner(rows, self.largest) for _ in range(THREADS)]
        self.data = self.aligners[0].data
        self.order = np.lexsort((np.arange(rows.people), rows.sizes))

    def search(self) -> list[tuple[Ints, Ints]]:
        """Return groups and their tuples."""
        groups = [np.arange(self.rows.people)]
        with ThreadPoolExecutor(THREADS) as pool:
            if self.rows.people >= 2 * self.k:
                state = self._start(self._pairs(pool))
                self._anneal(state, pool)
                groups = [state.members[g, : state.size[g]].copy() for g in range(len(state.size))]
            # The largest take the longest and come first.
            groups.sort(key=lambda members: -int(self.rows.sizes[members].sum()))
            careful = self._careful(groups)
            found = self._spread(pool, groups, lambda a, members: a.best(members, careful=careful))
            aligned = track(found, len(groups), "aligning groups" + self.label)
            return list(zip(groups, aligned, strict=True))

    def _careful(self, groups: list[Ints]) -> bool:
        """Tell whether there is time to align the final groups with care."""
        sizes = [self.rows.sizes[members] for members in groups]
        cells = sum(float(size.min()) * float(size.max()) * len(size) for size in sizes)
        return CARE * cells <= FINAL * THREADS * self.budget

    def _spread(
        self, pool: ThreadPoolExecutor, tasks: Iterable[Ints], work: Callable[[Aligner, Ints], T]
    ) -> Iterator[T]:
        """Do tasks whose results do not depend on who does them, whenever a thread is free."""
        idle: SimpleQueue[Aligner] = SimpleQueue()
        for aligner in self.aligners:
            idle.put(aligner)

        def run(task: Ints) -> T:
            aligner = idle.get()
            try:
                return work(aligner, task)
            finally:
                idle.put(aligner)

        return pool.map(run, tasks)

    def _window(self) -> Ints:
        """Return up to where, in the order of row counts, each person is paired with others."""
        sizes = self.rows.sizes[self.order].astype(np.float64)
        places = np.arange(len(sizes))
        before = np.concatenate([[0.0], np.cumsum(sizes)])
        for ratio, count in WINDOWS:
            last = np.searchsorted(sizes, sizes * ratio + 3, side="right")
            last = np.maximum(last, np.minimum(places + 1 + count, len(sizes)))
            work = LOOKS * (sizes * (before[last] - before[places + 1])).sum()
            if work <= PAIRS * THREADS * self.budget:
                return last.astype(np.int64)
        most = np.maximum(MOST_WORK / (LOOKS * sizes**2), FEWEST)
        return np.minimum(last, places + 1 + most).astype(np.int64)

    def _pairs(self, pool: ThreadPoolExecutor) -> npt.NDArray[np.float32]:
        """Return what a tuple of each two people costs; where they are not aligned, about."""
        from tokumei.alignment import costing

        people = self.rows.people
        pairs = np.full((people, people), np.nan, dtype=np.float32)
        last = self._window()
        lines = np.array_split(np.arange(people)[::-1], min(people, ROUNDS))

        def work(aligner: Aligner, some: Ints) -> None:
            costing.pair_costs(self.data, self.order, last, some, pairs, aligner.room)

        done = self._spread(pool, lines, work)
        for _ in track(done, len(lines), "comparing customers" + self.label):
            pass
        np.fill_diagonal(pairs, np.nan)
        typical = np.nanmean(pairs, axis=1)
        for person in range(people):
            line = pairs[person]
            unknown = np.isnan(line)
            # Somebody of another size is no better than the average, and rather worse.
            line[unknown] = 0.55 * (typical[person] + typical[unknown])
        return pairs

    def _start(self, pairs: npt.NDArray[np.float32]) -> State:
        """Group by row count; the spare people are in the groups with the fewest rows."""
        from tokumei.alignment import annealing

        people, sizes = self.rows.people, self.rows.sizes
        count = people // self.k
        size = np.full(count, self.k)
        spare = people - count * self.k
        for extra in range(spare):
            size[extra % count] += 1
        members = np.zeros((count, self.largest), dtype=np.int64)
        group = np.zeros(people, dtype=np.int64)
        for number, some in enumerate(np.split(self.order, np.cumsum(size)[:-1])):
            members[number, : len(some)] = some
            group[some] = number
        near = np.zeros((people, min(NEAR, people - 1)), dtype=np.int64)
        weight = self.data.weight.sum()
        for person in range(people):
            shared = np.minimum(sizes[person], sizes)
            cost = pairs[person] * shared + weight * (sizes[person] + sizes - 2 * shared)
            if self.rows.penalty:
                cost += self.rows.penalty * (self.rows.label != self.rows.label[person])
            cost[person] = np.inf
            near[person] = np.argsort(cost, kind="stable")[: near.shape[1]]
        side = np.zeros(people, dtype=np.int64)
        return annealing.State(pairs, near, group, members, size, np.zeros(count), side)

    def _workers(self, *, aligning: bool) -> list[Worker]:
        from tokumei.alignment import annealing, costing

        return [
            annealing.Worker(
                side,
                aligning,
                # As much room as a cache line, so that no other thread's numbers are in it.
                np.full(64, derive(self.seed, f"{aligning}/{side}"), dtype=np.uint64),
                costing.memory(REMEMBERED if aligning else 0),
                aligner.room,
                np.zeros(self.largest, dtype=np.int64),
                np.zeros(self.largest, dtype=np.int64),
            )
            for side, aligner in enumerate(self.aligners)
        ]

    def _anneal(self, state: State, pool: ThreadPoolExecutor) -> None:
        """Anneal on estimates, correct them by the true costs, and anneal on these."""
        weight = float(self.data.weight.sum())
        workers = self._workers(aligning=False)
        self._recost(state, pool, workers)
        hot = max(HOT * float(state.cost.mean()), 2 * COLD * weight)
        self._cool(state, pool, workers, ROUGH, hot)
        before = self._aligned_cost(state)
        workers = self._workers(aligning=True)
        self._recost(state, pool, workers)
        if before > 0:
            state.pairs[:] *= self._aligned_cost(state) / before
        self._cool(state, pool, workers, TRUE, WARM * weight)

    def _aligned_cost(self, state: State) -> float:
        """Return what the groups cost without their deleted rows."""
        there = np.arange(self.largest) < state.size[:, None]
        least = np.where(there, self.rows.sizes[state.members], len(self.rows.day)).min(axis=1)
        gone = len(self.rows.day) - int((least * state.size).sum())
        return float(state.cost.sum() - self.data.weight.sum() * gone)

    def _recost(self, state: State, pool: ThreadPoolExecutor, workers: list[Worker]) -> None:
        from tokumei.alignment import annealing

        def run(worker: Worker) -> None:
            groups = np.arange(worker.side, len(state.size), THREADS)
            annealing.recost(self.data, state, groups, worker)

        list(pool.map(run, workers))

    def _cool(
        self,
        state: State,
        pool: ThreadPoolExecutor,
        workers: list[Worker],
        share: float,
        hot: float,
    ) -> None:
        """Anneal with a share of the time, from a temperature down to the end."""
        from tokumei.alignment import annealing

        cold = COLD * float(self.data.weight.sum())
        groups = len(state.size)
        threads = THREADS if groups >= 8 * THREADS else 1
        enough = ENOUGH * self.rows.people * annealing.PROPOSAL / threads
        budget = int(min(share * self.budget, enough) / ROUNDS)
        dice = np.random.default_rng(derive(self.seed, f"sides/{share}"))
        task = "improving groups" if workers[0].aligning else "grouping customers"
        for step in track(range(ROUNDS), ROUNDS, task + self.label):
            heat = hot * (cold / hot) ** (step / (ROUNDS - 1))
            state.side[:] = (dice.permutation(groups) % threads)[state.group]

            def run(worker: Worker, heat: float = heat) -> None:
                people = np.flatnonzero(state.side == worker.side)
                annealing.anneal(self.data, state, people, self.k, heat, budget, worker)

            list(pool.map(run, workers[:threads]))
