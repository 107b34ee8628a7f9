"""What the server throws away from time to time."""

from __future__ import annotations

from sqlalchemy import Connection, delete

from tokumei.contest.store import clock
from tokumei.contest.store.login_attempts import WINDOW_SECONDS
from tokumei.contest.store.queue_status import FORGOTTEN_SECONDS
from tokumei.contest.store.schema import api_tokens, login_attempts, sessions, workers


def prune(connection: Connection) -> None:
    """Delete what has ended and what nobody is shown any more."""
    now = clock.now()
    attempts = now - WINDOW_SECONDS * clock.SECOND
    silent = now - round(FORGOTTEN_SECONDS * clock.SECOND)
    connection.execute(delete(sessions).where(sessions.c.expires < now))
    connection.execute(delete(api_tokens).where(api_tokens.c.expires < now))
    connection.execute(delete(login_attempts).where(login_attempts.c.created < attempts))
    connection.execute(delete(workers).where(workers.c.seen < silent))
