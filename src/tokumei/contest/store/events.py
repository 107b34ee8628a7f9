"""The log that live clients follow: numbered, without gaps, never changed.

A number is drawn from a counter row in the transaction that the event belongs to. The row stays
locked until that transaction ends, so numbers become visible in their order: a sequence of
PostgreSQL would let 8 be seen before 7, and a client that asks for what came after 8 would never
get 7. A rolled back transaction gives its number back. Append last: others wait from there on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    and_,
    false,
    func,
    insert,
    not_,
    or_,
    select,
    true,
    update,
)

from tokumei.contest.store import clock
from tokumei.contest.store.contest_state import read_state
from tokumei.contest.store.rows import columns, count, several
from tokumei.contest.store.schema import event_counter, events
from tokumei.contest.store.viewing import Audience, Sees, Viewer


@dataclass(frozen=True)
class Event:
    """Something that happened."""

    seq: int
    created: int
    kind: str
    team_id: int | None
    payload: Mapping[str, Any]


@dataclass(frozen=True)
class Page:
    """Some events that a viewer may see; ask for what came after `last` next time."""

    events: tuple[Event, ...]
    last: int


def append(
    connection: Connection,
    kind: str,
    audience: Audience,
    payload: Mapping[str, Any],
    *,
    tells_scores: bool = False,
) -> int:
    """Add an event and return its number; one that tells scores waits for the end of a freeze."""
    draw = update(event_counter).values(last=event_counter.c.last + 1)
    seq = count(connection, draw.returning(event_counter.c.last))
    connection.execute(
        insert(events).values(
            seq=seq,
            created=clock.now(),
            kind=kind,
            reach=audience.reach,
            team_id=audience.team_id,
            tells_scores=tells_scores,
            payload=dict(payload),
        )
    )
    return seq


def last_seq(connection: Connection) -> int:
    """Return the number of the newest event."""
    return count(connection, select(event_counter.c.last))


def read_since(
    connection: Connection, seq: int, viewer: Viewer, *, sees: Sees, limit: int = 500
) -> Page:
    """Return what a viewer may see of the events after a number; `sees` says whose scores."""
    newest = last_seq(connection)
    statement = (
        select(*columns(events, Event))
        .where(events.c.seq > seq, _may_see(connection, viewer, sees))
        .order_by(events.c.seq)
        .limit(limit)
    )
    found = several(connection, statement, Event)
    return Page(tuple(found), found[-1].seq if len(found) == limit else newest)


def _may_see(connection: Connection, viewer: Viewer, sees: Sees) -> ColumnElement[bool]:
    if viewer.organizer:
        return true()
    # A team's id is never 0: what belongs to no team is nobody's own.
    own = func.coalesce(events.c.team_id, 0) == (viewer.team_id or -1)
    allowed = or_(events.c.reach == "public", and_(events.c.reach == "team", own))
    return and_(allowed, not_(and_(events.c.tells_scores, _is_hidden(connection, own, sees))))


def _is_hidden(connection: Connection, own: ColumnElement[bool], sees: Sees) -> ColumnElement[bool]:
    """Tell which of the events that tell scores are kept back: by the settings, or by a freeze."""
    if sees == "none":
        return true()
    if sees == "own":
        return not_(own)
    frozen_seq = read_state(connection).frozen_seq
    return false() if frozen_seq is None else and_(events.c.seq > frozen_seq, not_(own))
