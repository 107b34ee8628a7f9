"""Lines for the final report: how many submissions each team had handed in by when."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tokumei.contest.store.submissions import Submission

WIDTH, HEIGHT = 300.0, 34.0
"""In units of the drawing, which the page scales."""
LAST = 290.0
"""Where the last submission is, so that its step can be seen."""


@dataclass(frozen=True)
class Line:
    """A team's submissions: how many, how many of them against the rules, and the steps."""

    name: str
    count: int
    invalid: int
    points: str


@dataclass(frozen=True)
class Steps:
    """All lines over the same time and up to the same number."""

    lines: tuple[Line, ...]
    most: int
    first: int
    last: int


def steps_of(handed_in: Sequence[Submission], names: Mapping[int, str]) -> Steps | None:
    """Return the steps of all teams, or none where nobody handed anything in."""
    if not handed_in:
        return None
    moments = [one.created for one in handed_in]
    first, last = min(moments), max(moments)
    of_team = {
        team_id: sorted(one.created for one in handed_in if one.team_id == team_id)
        for team_id in names
    }
    most = max(len(own) for own in of_team.values())
    lines = [
        Line(
            name,
            len(of_team[team_id]),
            sum(one.state == "invalid" for one in handed_in if one.team_id == team_id),
            _points(of_team[team_id], first, last, most),
        )
        for team_id, name in names.items()
    ]
    return Steps(tuple(sorted(lines, key=lambda line: -line.count)), most, first, last)


def _points(moments: Sequence[int], first: int, last: int, most: int) -> str:
    """Return a line that goes up by one at every moment.

    >>> _points([0, 5], 0, 10, 2)
    '0.0,34.0 0.0,34.0 0.0,17.0 145.0,17.0 145.0,0.0 300.0,0.0'
    """
    corners, height = [(0.0, HEIGHT)], HEIGHT
    for done, moment in enumerate(moments, start=1):
        x = LAST * (moment - first) / max(last - first, 1)
        corners += [(x, height), (x, height := HEIGHT * (1 - done / most))]
    corners.append((WIDTH, height))
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
