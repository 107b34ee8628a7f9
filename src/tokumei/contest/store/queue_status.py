"""What people see of the queue: how long it is, who works on it, and who has stopped."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, and_, func, or_, select

from tokumei.contest.store import clock
from tokumei.contest.store.database import Database
from tokumei.contest.store.publishing import PUBLISH
from tokumei.contest.store.rows import columns, count, several
from tokumei.contest.store.schema import jobs, releases, workers
from tokumei.contest.store.states import JobState

FORGOTTEN_SECONDS = 3_600.0
"""A worker that was silent for longer is not listed."""


@dataclass(frozen=True)
class Worker:
    """Who evaluates; `seen` is its last sign of life."""

    name: str
    seen: int
    running: int


@dataclass(frozen=True)
class OpenJob:
    """A job that waits, runs, or was given up, as the organizer sees it."""

    id: int
    kind: str
    team_id: int | None
    submission_id: int | None
    guess_id: int | None
    state: JobState
    priority: int
    attempts: int
    max_attempts: int
    ready: int
    worker: str | None
    lease_until: int | None
    created: int
    started: int | None
    error: str | None


@dataclass(frozen=True)
class QueueStatus:
    """The queue at one moment; the oldest waiting job has waited `oldest_seconds`."""

    queued: int
    running: int
    infrastructure: int
    oldest_seconds: float
    workers: tuple[Worker, ...]


def status(database: Database) -> QueueStatus:
    """Return how the queue stands."""
    now = clock.now()
    held = and_(jobs.c.worker == workers.c.name, jobs.c.state == "running")
    at_work = (
        select(workers.c.name, workers.c.seen, func.count(jobs.c.id).label("running"))
        .select_from(workers.outerjoin(jobs, held))
        .where(workers.c.seen > now - FORGOTTEN_SECONDS * clock.SECOND)
        .group_by(workers.c.name, workers.c.seen)
        .order_by(workers.c.name)
    )
    by_state = select(jobs.c.state, func.count().label("number"), func.min(jobs.c.created))
    open_states = ("queued", "running", "infrastructure")
    with database.read() as connection:
        rows = connection.execute(
            by_state.where(jobs.c.state.in_(open_states)).group_by(jobs.c.state)
        ).all()
        present = tuple(several(connection, at_work, Worker))
    numbers = {state: number for state, number, _ in rows}
    oldest = next((created for state, _, created in rows if state == "queued"), now)
    return QueueStatus(
        queued=numbers.get("queued", 0),
        running=numbers.get("running", 0),
        infrastructure=numbers.get("infrastructure", 0),
        oldest_seconds=max(0, now - oldest) / clock.SECOND,
        workers=present,
    )


def given_up() -> ColumnElement[bool]:
    """Return which jobs wait for the organizer: nobody else can help a team without a release."""
    published = select(releases.c.team_id)
    unpublished = and_(
        jobs.c.kind == PUBLISH, jobs.c.state == "failed", jobs.c.team_id.not_in(published)
    )
    return or_(jobs.c.state == "infrastructure", unpublished)


def open_jobs(connection: Connection, limit: int = 200) -> list[OpenJob]:
    """Return what was given up, what runs and what waits, in the order of the queue."""
    statement = (
        select(*columns(jobs, OpenJob))
        .where(or_(jobs.c.state.in_(("queued", "running")), given_up()))
        .order_by(jobs.c.state, jobs.c.priority.desc(), jobs.c.id)
        .limit(limit)
    )
    return several(connection, statement, OpenJob)


def older_jobs(connection: Connection, submission_id: int) -> int | None:
    """Return how many waiting jobs are older than those of a submission; none if it waits not.

    Turns between the teams can bring it forward: it is the longest way to the front.
    """
    own = select(jobs.c.priority, jobs.c.id).where(
        jobs.c.submission_id == submission_id, jobs.c.state == "queued"
    )
    first = connection.execute(own.order_by(jobs.c.priority.desc(), jobs.c.id).limit(1)).first()
    if first is None:
        return None
    before = or_(
        jobs.c.priority > first.priority,
        and_(jobs.c.priority == first.priority, jobs.c.id < first.id),
    )
    return count(connection, select(func.count()).where(jobs.c.state == "queued", before))
