"""What the organizer sets while the contest runs; everything else is in the contest's settings."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, select

from tokumei.contest.store.rows import columns, one
from tokumei.contest.store.schema import contest_state


@dataclass(frozen=True)
class ContestState:
    """A phase instead of the planned one, and since when the others' scores stand still."""

    phase: str | None
    frozen: int | None
    frozen_seq: int | None


def read_state(connection: Connection) -> ContestState:
    """Return what the organizer has set."""
    statement = select(*columns(contest_state, ContestState))
    return one(connection, statement, ContestState, "state of the contest")
