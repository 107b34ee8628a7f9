"""What waits for an organizer."""

from __future__ import annotations

from dataclasses import dataclass

from tokumei.contest.opening import Contest
from tokumei.contest.store import accounts, clock, metrics, queue_status

SILENT_SECONDS = 60.0
"""A worker that gave no sign of life for longer is called silent."""


@dataclass(frozen=True)
class Duties:
    """Numbers for the first page; `silent` where jobs wait and nobody works."""

    teams: int
    scripts: int
    queued: int
    given_up: int
    silent: bool


def duties_of(contest: Contest) -> Duties:
    """Return what waits for an organizer now."""
    status = queue_status.status(contest.database)
    with contest.database.read() as connection:
        teams = len(accounts.listed_teams(connection))
        listed = metrics.listed_scripts(connection)
    alive = [one for one in status.workers if not is_silent(one.seen)]
    return Duties(
        teams=teams,
        scripts=sum(one.state == "proposed" for one in listed),
        queued=status.queued,
        given_up=status.infrastructure,
        silent=bool(status.queued) and not alive,
    )


def is_silent(seen: int) -> bool:
    """Tell whether a sign of life is too old."""
    return seen < clock.now() - SILENT_SECONDS * clock.SECOND
