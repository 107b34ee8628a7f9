"""Short ways to the queue for tests."""

from __future__ import annotations

from people import new_team, new_user, valid_submission
from sqlalchemy import Connection, select

from tokumei.contest.store.database import Database
from tokumei.contest.store.events import Event, read_since
from tokumei.contest.store.jobs import Job, claim, enqueue
from tokumei.contest.store.schema import jobs as table
from tokumei.contest.store.viewing import Viewer

KINDS = ("judge",)


def put(database: Database, **more: object) -> int:
    with database.write() as connection:
        return enqueue(connection, "judge", {"n": 1}, **more)  # type: ignore[arg-type]


def take(database: Database, worker: str = "w1", lease: float = 30) -> Job:
    job = claim(database, worker, KINDS, lease)
    assert job is not None
    return job


def state(database: Database, job_id: int) -> str:
    with database.read() as connection:
        return str(connection.execute(select(table.c.state).where(table.c.id == job_id)).scalar())


def heard(database: Database, viewer: Viewer) -> tuple[Event, ...]:
    with database.read() as connection:
        return read_since(connection, 0, viewer, sees="all").events


def nothing(_: Connection) -> None:
    """Results that are not looked at."""


def submitted(database: Database) -> tuple[int, int]:
    with database.write() as connection:
        team_id = new_team(connection, "Ice")
        made = valid_submission(connection, team_id, new_user(connection, "a", team_id))
        enqueue(connection, "judge", {}, team_id=team_id, submission_id=made.id)
        return team_id, made.id
