"""Groups and cells that weigh information loss against what RFM analysis says."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tokumei.alignment.cells import Cells, cells_of, group_errors
from tokumei.alignment.centering import Ends, tight
from tokumei.alignment.rfm_groups import Profiles, aligned_to_leader, led
from tokumei.alignment.rows import Floats, Ints, Rows
from tokumei.alignment.search import search
from tokumei.alignment.telling import read_cells, told_like_leaders
from tokumei.rfm.analysis import cuts_of

COLUMNS = 4
Made = tuple[Ints, Ends]


def mixed(
    rows: Rows, profiles: Profiles, k: int, *, weight: float, seconds: float, seed: int
) -> tuple[list[Ints], Cells]:
    """Minimize (1 - weight) information loss + weight disagreement of RFM classes.

    The search counts a member of another class than the commonest of its group as so many lost
    cells. The groups then have narrow cells or those that tell their leaders, whichever weigh less.
    Nothing is suppressed: RFM analysis would take silence for an average.
    """
    cells = COLUMNS * len(rows.day)
    penalty = weight / (1 - weight) * cells / rows.people
    found = search(
        replace(rows, label=profiles.classes, penalty=penalty), k, seconds=seconds, seed=seed
    )
    groups = [led(group, rows, profiles) for group in found.groups]
    told = told_like_leaders(
        rows, groups, [aligned_to_leader(rows, group) for group in groups], profiles
    )
    narrow = [(part, tight(rows, part)) for part in found.tuples]
    wide = list(zip(told.tuples, told.ends, strict=True))
    scale = _Scale(rows, groups, profiles, weight)
    cuts = scale.cuts(wide)
    single = [
        min(options, key=lambda made, group=group: scale.cost([group], [made], cuts))  # type: ignore[misc]
        for group, *options in zip(groups, narrow, wide, strict=True)
    ]
    # With other cells come other quantiles, so that the whole decides.
    best = min((narrow, wide, single), key=lambda made: scale.cost(groups, made, scale.cuts(made)))
    tuples = [part for part, _ in best]
    return tuples, cells_of(rows, tuples, ends=[ends for _, ends in best])


class _Scale:
    """Weighs the loss of cells against the ranks that they tell."""

    def __init__(self, rows: Rows, groups: list[Ints], profiles: Profiles, weight: float) -> None:
        self.rows, self.profiles, self.weight = rows, profiles, weight
        self.sizes = [len(group) for group in groups]

    def cuts(self, made: list[Made]) -> list[Floats]:
        """Return the quantiles at which the release of these cells is cut into ranks."""
        told = np.array([read_cells(ends, self.profiles.last_day) for _, ends in made])
        return [cuts_of(np.repeat(told[:, j], self.sizes), self.profiles.bins) for j in range(3)]

    def cost(self, groups: list[Ints], made: list[Made], cuts: list[Floats]) -> float:
        """Return (1 - weight) information loss + weight disagreement of some groups."""
        lost = wrong = 0.0
        for group, (tuples, ends) in zip(groups, made, strict=True):
            lost += group_errors(self.rows, tuples, ends)
            lost += COLUMNS * (int(self.rows.sizes[group].sum()) - tuples.size)
            said = read_cells(ends, self.profiles.last_day)
            ranks = [np.searchsorted(cut, value) for cut, value in zip(cuts, said, strict=True)]
            wrong += int((self.profiles.ranks[group] != ranks).any(axis=1).sum())
        cells = COLUMNS * len(self.rows.day)
        return (1 - self.weight) * lost / cells + self.weight * wrong / self.rows.people
