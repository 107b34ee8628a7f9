"""Sessions on the server's side: the browser has a random id, the store only its hash."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, and_, delete, insert, select, update

from tokumei.contest.store import clock
from tokumei.contest.store.accounts import USER_FIELDS, User
from tokumei.contest.store.rows import perhaps
from tokumei.contest.store.schema import sessions, users
from tokumei.contest.store.secret_texts import hash_of, new_secret

LIFE_SECONDS = 7 * 86_400.0
IDLE_SECONDS = 86_400.0
TOUCH_SECONDS = 60.0
"""Reading a page writes down that the session is used no more often than this."""


@dataclass(frozen=True)
class NewSession:
    """What the browser gets: the id for its cookie, and the token of its forms."""

    secret: str
    csrf: str
    expires: int


@dataclass(frozen=True)
class Session:
    """Who is logged in; where `stale`, `touch` it."""

    user: User
    csrf: str
    expires: int
    stale: bool


def log_in(connection: Connection, user_id: int, *, replaces: str | None = None) -> NewSession:
    """Begin a session under a new id; the one that the browser came with ends.

    Whoever planted an id in the browser beforehand knows nothing of the new one.
    """
    if replaces is not None:
        log_out(connection, replaces)
    now = clock.now()
    made = NewSession(new_secret(), new_secret(), clock.after(LIFE_SECONDS))
    connection.execute(
        insert(sessions).values(
            token_hash=hash_of(made.secret),
            user_id=user_id,
            csrf=made.csrf,
            created=now,
            seen=now,
            expires=made.expires,
        )
    )
    return made


def find(connection: Connection, secret: str) -> Session | None:
    """Return the session of an id, unless it ended, was not used for long, or the user is out."""
    now = clock.now()
    alive = and_(
        sessions.c.token_hash == hash_of(secret),
        sessions.c.expires > now,
        sessions.c.seen > now - IDLE_SECONDS * clock.SECOND,
    )
    row = connection.execute(
        select(sessions.c.user_id, sessions.c.csrf, sessions.c.expires, sessions.c.seen).where(
            alive
        )
    ).first()
    if row is None:
        return None
    active = and_(users.c.id == row.user_id, users.c.disabled.is_(None))
    user = perhaps(connection, select(*USER_FIELDS).where(active), User)
    if user is None:
        return None
    stale = row.seen < now - TOUCH_SECONDS * clock.SECOND
    return Session(user, row.csrf, row.expires, stale)


def touch(connection: Connection, secret: str) -> None:
    """Write down that a session is used."""
    statement = update(sessions).where(sessions.c.token_hash == hash_of(secret))
    connection.execute(statement.values(seen=clock.now()))


def log_out(connection: Connection, secret: str) -> None:
    """End a session."""
    connection.execute(delete(sessions).where(sessions.c.token_hash == hash_of(secret)))
