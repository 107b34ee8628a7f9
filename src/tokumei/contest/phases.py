"""Which phase it is, what comes next, and what it lets people see."""

from __future__ import annotations

from typing import cast

from sqlalchemy import Connection

from tokumei.contest.settings import Phase, PhaseName, Settings
from tokumei.contest.store import clock
from tokumei.contest.store.contest_state import read_state
from tokumei.contest.store.viewing import Sees, Viewer


def phase_now(connection: Connection, settings: Settings) -> PhaseName | None:
    """Return the phase that the organizer has set, or else the planned one."""
    # The store takes no other phases than those of the settings.
    switched = cast("PhaseName | None", read_state(connection).phase)
    if switched is not None:
        return switched
    planned = settings.phase_at(clock.as_datetime(clock.now()))
    return planned.name if planned else None


def next_change(connection: Connection, settings: Settings) -> Phase | None:
    """Return the phase that begins next by plan; with the organizer's switch set, none."""
    if read_state(connection).phase is not None:
        return None
    now = clock.as_datetime(clock.now())
    return next((phase for phase in settings.phases if phase.starts > now), None)


def sees(connection: Connection, settings: Settings, viewer: Viewer) -> Sees:
    """Return whose results a viewer may see now."""
    if viewer.organizer or settings.results == "live":
        return "all"
    if phase_now(connection, settings) == "closed":
        return "all"
    return "own" if settings.results == "own" else "none"
