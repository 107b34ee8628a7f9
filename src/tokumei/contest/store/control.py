"""The organizer's switches: the phase and the freeze; everybody is told by events."""

from __future__ import annotations

from sqlalchemy import Connection, select, update

from tokumei.contest.store import clock, events
from tokumei.contest.store.contest_state import read_state
from tokumei.contest.store.database import serialize
from tokumei.contest.store.schema import contest_state
from tokumei.contest.store.schema import events as event_rows
from tokumei.contest.store.viewing import EVERYBODY

PHASE = "contest.phase"
FREEZES = ("contest.frozen", "contest.unfrozen")


def set_phase(connection: Connection, phase: str | None) -> None:
    """Put a phase in the place of the planned one; none goes back to the plan."""
    connection.execute(update(contest_state).values(phase=phase))


def announced(connection: Connection) -> str | None:
    """Return the phase that everybody was told last."""
    told = select(event_rows.c.payload).where(event_rows.c.kind == PHASE)
    payload = connection.execute(told.order_by(event_rows.c.seq.desc()).limit(1)).scalar()
    return None if payload is None else payload["phase"]


def announce(connection: Connection, phase: str | None) -> bool:
    """Tell everybody which phase it is now; false where that was told before."""
    serialize(connection, PHASE)
    if announced(connection) == phase:
        return False
    events.append(connection, PHASE, EVERYBODY, {"phase": phase})
    return True


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


def frozen_or_unfrozen_since(connection: Connection, moment: int) -> bool:
    """Tell whether somebody has decided on a freeze since a time."""
    decided = select(event_rows.c.seq).where(
        event_rows.c.kind.in_(FREEZES), event_rows.c.created >= moment
    )
    return connection.execute(decided.limit(1)).first() is not None
