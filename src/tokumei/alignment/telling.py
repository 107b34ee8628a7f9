"""Groups whose released cells tell RFM analysis what it would say of their leaders."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tokumei.alignment.centering import Ends, centered
from tokumei.alignment.rfm_groups import Profiles
from tokumei.alignment.rows import Rows
from tokumei.progress import track
from tokumei.rfm.analysis import cuts_of

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
ROUNDS = 24
"""How often the targets are moved: ranks are cut at the release's quantiles, which move too."""
STEP = 0.7


@dataclass(frozen=True, eq=False)
class Told:
    """The tuples and cells of every group."""

    tuples: list[Ints]
    ends: list[Ends]


def told_like_leaders(
    rows: Rows, groups: list[Ints], tuples: list[Ints], profiles: Profiles
) -> Told:
    """Center the cells of every group on its leader, and move the targets while that helps.

    Members stand in the groups with the leader first, as do the columns of the tuples.
    """
    period = int(rows.day.min()), int(rows.day.max())
    targets = np.array([profiles.values[group[0]] for group in groups])
    wanted = np.array([profiles.ranks[group[0]] for group in groups])
    sizes = np.array([len(group) for group in groups])
    best, best_told = -1, Told([], [])
    for _ in track(range(ROUNDS), ROUNDS, "centering intervals"):
        made = [
            centered(rows, part, (profiles.last_day - r, int(f), m * 100), period)
            for part, (r, f, m) in zip(tuples, targets, strict=True)
        ]
        values = np.array([read_cells(ends, profiles.last_day) for _, ends in made])
        cuts = [cuts_of(np.repeat(values[:, j], sizes), profiles.bins) for j in range(3)]
        found = np.column_stack(
            [np.searchsorted(cuts[j], values[:, j], side="left") for j in range(3)]
        )
        agreeing = sum(
            int((profiles.ranks[group] == ranks).all(axis=1).sum())
            for group, ranks in zip(groups, found, strict=True)
        )
        if agreeing > best:
            best, best_told = agreeing, Told([one for one, _ in made], [two for _, two in made])
        for j in (0, 2):  # the number of dates is told exactly
            edges = np.concatenate([[values[:, j].min()], cuts[j], [values[:, j].max()]])
            middle = (edges[wanted[:, j]] + edges[wanted[:, j] + 1]) / 2
            missed = found[:, j] != wanted[:, j]
            moved = targets[:, j] + STEP * (middle - values[:, j])
            targets[:, j] = np.where(missed, moved, targets[:, j]).clip(0)
    return best_told


def read_cells(ends: Ends, last_day: float) -> tuple[float, float, float]:
    """Return R, F and M as RFM analysis reads them from the cells."""
    r = last_day - ends.day.sum(axis=1).max() / 2
    f = len(np.unique(ends.day, axis=0))
    m = (ends.price.sum(axis=1) * ends.quantity.sum(axis=1)).sum() / 400
    return r, float(f), round(float(m), 6)
