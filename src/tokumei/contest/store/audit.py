"""Who did what, for the organizers; never changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, insert, select

from tokumei.contest.store import clock
from tokumei.contest.store.rows import columns, several
from tokumei.contest.store.schema import audit_log


@dataclass(frozen=True)
class Entry:
    """Something that somebody did; `actor` is a login, a worker or the command."""

    id: int
    created: int
    actor: str
    action: str
    subject: str
    detail: Mapping[str, Any]


def note(connection: Connection, actor: str, action: str, subject: str = "", **detail: Any) -> None:
    """Write down what somebody does, in the transaction in which it is done."""
    connection.execute(
        insert(audit_log).values(
            created=clock.now(), actor=actor, action=action, subject=subject, detail=detail
        )
    )


def entries(connection: Connection, *, before: int | None = None, limit: int = 100) -> list[Entry]:
    """Return the newest entries, or those before an id."""
    statement = select(*columns(audit_log, Entry)).order_by(audit_log.c.id.desc()).limit(limit)
    if before is not None:
        statement = statement.where(audit_log.c.id < before)
    return several(connection, statement, Entry)
