"""The organizer's switches: the phase and the freeze. Each tells everybody by an event."""

from __future__ import annotations

from sqlalchemy import Connection, update

from tokumei.contest.store import clock, events
from tokumei.contest.store.contest_state import read_state
from tokumei.contest.store.schema import contest_state
from tokumei.contest.store.viewing import EVERYBODY


def set_phase(connection: Connection, phase: str | None) -> None:
    """Put a phase in the place of the planned one; none goes back to the plan."""
    connection.execute(update(contest_state).values(phase=phase))
    events.append(connection, "contest.phase", EVERYBODY, {"phase": phase})


def freeze(connection: Connection) -> None:
    """Let everybody but the organizers see scores as they are now; again, it does nothing."""
    if read_state(connection).frozen is None:
        seq = events.append(connection, "contest.frozen", EVERYBODY, {})
        connection.execute(update(contest_state).values(frozen=clock.now(), frozen_seq=seq))


def unfreeze(connection: Connection) -> None:
    """Show all scores again; clients that see this event ask for everything anew."""
    if read_state(connection).frozen is not None:
        connection.execute(update(contest_state).values(frozen=None, frozen_seq=None))
        events.append(connection, "contest.unfrozen", EVERYBODY, {})
