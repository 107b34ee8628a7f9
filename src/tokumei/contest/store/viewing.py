"""Who looks, and for whom an event is meant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tokumei.contest.store.states import Reach

Sees = Literal["all", "own", "none"]
"""Whose results somebody may see."""


@dataclass(frozen=True)
class Viewer:
    """Somebody who looks: an organizer, a team, or with neither everybody else."""

    team_id: int | None = None
    organizer: bool = False


@dataclass(frozen=True)
class Audience:
    """For whom an event is meant, and which team it is about.

    A team's own events reach it also in a freeze.
    """

    reach: Reach
    team_id: int | None = None


ANYBODY = Viewer()
ORGANIZER = Viewer(organizer=True)
EVERYBODY = Audience("public")
ORGANIZERS = Audience("organizers")


def only_team(team_id: int) -> Audience:
    """Return the audience of what a single team may know."""
    return Audience("team", team_id)


def about_team(team_id: int) -> Audience:
    """Return the audience of what everybody may know of a team."""
    return Audience("public", team_id)
