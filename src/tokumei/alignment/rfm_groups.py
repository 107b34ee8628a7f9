"""Groups of customers of one RFM class, and rows aligned with those of a leader.

All customers of a group are released alike, so RFM analysis can be right for those only who have
the same ranks. Full groups are cut from each class; what remains is led by the classes with the
most customers left, and filled up with the nearest of the others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy.optimize import linear_sum_assignment

from tokumei.alignment.rows import Rows
from tokumei.errors import Unachievable
from tokumei.history import History
from tokumei.rfm import analyze, ranks

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
TOO_SHORT = 100.0
"""The cost of a partner with fewer rows than the leader has purchase dates."""


@dataclass(frozen=True, eq=False)
class Profiles:
    """R, F and M of the customers, and their ranks."""

    values: Floats
    """One line for each customer: R, F, M."""
    ranks: Ints
    last_day: float
    bins: int

    @property
    def classes(self) -> Ints:
        """The ranks as one number."""
        numbers: Ints = self.ranks @ np.array([self.bins**2, self.bins, 1])
        return numbers


def profiles_of(history: History, persons: pl.Series, bins: int = 10) -> Profiles:
    """Analyze the customers, in this order."""
    table = analyze(history).join(persons.to_frame("person"), on="person", how="right")
    values = table.select("R", "F", "M").to_numpy()
    ranked = np.column_stack([ranks(values[:, column], bins) for column in range(3)])
    last = history.frame()["time"].cast(pl.Date).to_physical().max()
    return Profiles(values, ranked, float(last), bins)  # type: ignore[arg-type]


def rfm_groups(rows: Rows, profiles: Profiles, k: int) -> list[Ints]:
    """Return groups of at least k customers, the leader first."""
    if rows.people < k:
        raise Unachievable(f"Groups of {k} need as many customers; there are {rows.people:,}.")
    sizes, classes = rows.sizes, profiles.classes
    groups: list[list[int]] = []
    left: list[list[int]] = []
    for number in np.unique(classes):
        members = np.flatnonzero(classes == number)
        members = members[np.argsort(sizes[members], kind="stable")]
        cut = len(members) // k * k
        groups += [part.tolist() for part in members[:cut].reshape(-1, k)]
        if cut < len(members):
            left.append(members[cut:].tolist())
    groups += _filled(left, groups, rows, profiles, k)
    return [led(np.array(group), rows, profiles) for group in groups]


def _filled(
    left: list[list[int]], groups: list[list[int]], rows: Rows, profiles: Profiles, k: int
) -> list[list[int]]:
    """Make groups of the customers that their classes left over; extra ones join the nearest."""
    count = sum(map(len, left)) // k
    left = sorted(left, key=len, reverse=True)
    cores, others = left[:count], [person for part in left[count:] for person in part]
    slots = np.array([number for number, core in enumerate(cores) for _ in range(k - len(core))])
    fillers = np.array(others, dtype=np.int64)
    heads = np.array([core[0] for core in cores], dtype=np.int64)
    taken = np.zeros(len(fillers), dtype=bool)
    if len(slots):
        costs = _distances(heads[slots], fillers, rows, profiles)
        for slot, filler in zip(*linear_sum_assignment(costs), strict=True):
            cores[slots[slot]].append(int(fillers[filler]))
            taken[filler] = True
    everyone = [*groups, *cores]
    if len(extra := fillers[~taken]):
        leaders = np.array([group[0] for group in everyone])
        nearest = _distances(leaders, extra, rows, profiles).argmin(axis=0)
        for person, group in zip(extra, nearest, strict=True):
            everyone[group].append(int(person))
    return cores


def _distances(leaders: Ints, others: Ints, rows: Rows, profiles: Profiles) -> Floats:
    """Return how ill each other customer (column) fits each leader (line)."""
    apart = np.abs(profiles.ranks[leaders][:, np.newaxis] - profiles.ranks[others][np.newaxis])
    sizes = np.log(rows.sizes)
    lengths = np.abs(sizes[leaders][:, np.newaxis] - sizes[others][np.newaxis])
    short = rows.sizes[others][np.newaxis] < profiles.values[leaders, 1][:, np.newaxis]
    distances: Floats = apart.sum(axis=2) + lengths + TOO_SHORT * short
    return distances


def led(members: Ints, rows: Rows, profiles: Profiles) -> Ints:
    """Put first whom the group can speak for: of the commonest class, with dates that fit."""
    numbers, counts = np.unique(profiles.classes[members], return_counts=True)
    common = members[np.isin(profiles.classes[members], numbers[counts == counts.max()])]
    common = common[profiles.classes[common] == profiles.classes[common[0]]]
    shortest = rows.sizes[members].min()
    fits = profiles.values[common, 1] <= shortest
    order = np.lexsort((rows.sizes[common], ~fits))
    leader = common[order[0]]
    return np.concatenate([[leader], members[members != leader]])


def aligned_to_leader(rows: Rows, members: Ints) -> Ints:
    """Return tuples of rows (lines), one of each member (columns), the leader's first.

    The leader keeps rows of as many dates as there can be, the last date first; the others' last
    rows stand beside its last row, the rest is assigned by date, amount and item.
    """
    m = int(rows.sizes[members].min())
    leader = _spread_rows(rows, int(members[0]), m)
    columns = [leader, *(_beside(rows, leader, int(member)) for member in members[1:])]
    return np.column_stack(columns)


def _spread_rows(rows: Rows, person: int, m: int) -> Ints:
    """Return m rows that cover the dates evenly: one of each date, latest first, then again."""
    own = np.arange(rows.start[person], rows.start[person + 1])
    day = rows.day[own]
    order = np.lexsort((own, -day))
    ranked = day[order]
    first = np.concatenate([[True], ranked[1:] != ranked[:-1]])
    starts = np.maximum.accumulate(np.where(first, np.arange(len(order)), 0))
    turn = np.arange(len(order)) - starts
    picked = np.lexsort((np.arange(len(order)), turn))[:m]
    chosen: Ints = own[order[np.sort(picked)]]
    return chosen


def _beside(rows: Rows, leader: Ints, member: int) -> Ints:
    """Return a row of the member for each of the leader's; the first is its last purchase."""
    own = np.arange(rows.start[member], rows.start[member + 1])
    last = own[np.lexsort((own, -rows.day[own]))[0]]
    rest = own[own != last]
    found = np.full(len(leader), last)
    if len(leader) > 1:
        far = np.abs(rows.day[leader[1:], np.newaxis] - rows.day[rest]) / rows.spread[0] / 4
        unlike = sum(
            np.abs(logs[leader[1:], np.newaxis] - logs[rest])
            for logs in (np.log(rows.price.clip(1)), np.log(rows.quantity.clip(1)))
        )
        other = 0.3 * (rows.item[leader[1:], np.newaxis] != rows.item[rest])
        lines, columns = linear_sum_assignment(far + unlike + other)
        found[1 + lines] = rest[columns]
    return found
