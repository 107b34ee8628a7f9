"""Groups of customers whose rows, released alike, lose as little as a search can find.

Sorting customers by their number of rows and cutting (the paper) deletes few rows, but what it puts
side by side has little in common. Here every two customers of similar size are aligned first; what
three or more cost is estimated from their pairs within some percent, so that groups can be annealed
by millions of proposals a second. Then the groups are annealed again on their true costs, and the
final ones are aligned with more care.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tokumei.alignment.aligning import How, align, group_cost
from tokumei.alignment.block import Block
from tokumei.alignment.rows import Ints, Rows
from tokumei.draws import derive
from tokumei.errors import ParameterError, Unachievable
from tokumei.progress import track

# So many customers are searched at once; what is known of pairs grows with the square.
BLOCK = 5_000


@dataclass(frozen=True, eq=False)
class Grouping:
    """Groups of customers, their aligned rows, and what releasing them alike loses."""

    groups: tuple[Ints, ...]
    """Person numbers."""
    tuples: tuple[Ints, ...]
    """Per group an array (tuples, members) of row numbers."""
    loss: float


def grouping(rows: Rows, groups: list[Ints], tuples: list[Ints]) -> Grouping:
    """Put groups into order and count their loss."""
    order = sorted(range(len(groups)), key=lambda number: int(groups[number].min()))
    for number in order:
        columns = np.argsort(groups[number])
        groups[number], tuples[number] = groups[number][columns], tuples[number][:, columns]
    cost = sum(group_cost(rows, groups[number], tuples[number]) for number in order)
    whole = float(rows.weight.sum()) * len(rows.day)
    return Grouping(
        tuple(groups[number] for number in order),
        tuple(tuples[number] for number in order),
        cost / whole if whole else 0.0,
    )


def _check(rows: Rows, k: int) -> None:
    if k < 2:
        raise ParameterError(f"A group must have at least 2 customers, not {k}.")
    if k > rows.people:
        raise Unachievable(f"There are {rows.people:,} customers; no group can have {k:,}.")


def by_row_count(rows: Rows, k: int, *, how: How, ties: Ints) -> Grouping:
    """Sort customers by their number of rows and cut into groups of k (the paper).

    Of equally many rows, `ties` decides. A remainder joins the last group, which is that of the
    customers with the most rows.
    """
    _check(rows, k)
    order = np.lexsort((ties, rows.sizes))
    groups = np.split(order, np.arange(k, rows.people - k + 1, k))
    aligned = track(groups, len(groups), "aligning groups")
    return grouping(rows, groups, [align(rows, members, how=how)[0] for members in aligned])


def search(rows: Rows, k: int, *, seconds: float, seed: int) -> Grouping:
    """Search for groups of at least k customers, and for alignments, that lose little.

    `seconds` is a nominal budget: it is turned into a number of steps, so the same seed gives the
    same groups on a fast and on a slow machine. More than some thousand customers are searched in
    blocks of similar row counts.
    """
    _check(rows, k)
    if not 0 < seconds < np.inf:
        raise ParameterError(f"The seconds must be above 0, not {seconds}.")
    order = np.lexsort((np.arange(rows.people), rows.sizes))
    parts = max(1, rows.people // max(BLOCK, 2 * k))
    groups: list[Ints] = []
    tuples: list[Ints] = []
    for number, people in enumerate(np.array_split(order, parts)):
        part, positions = rows.of(np.sort(people))
        share = seconds * len(positions) / len(rows.day)
        label = f" ({number + 1}/{parts})" if parts > 1 else ""
        block = Block(part, k, share, derive(seed, f"align/{number}"), label)
        for members, aligned in block.search():
            groups.append(np.sort(people)[members])
            tuples.append(positions[aligned])
    return grouping(rows, groups, tuples)
