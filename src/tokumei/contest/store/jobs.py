"""The queue of evaluations: leases, heartbeats, and a token that fences out late workers.

A worker has a job for the time of its lease only. Whoever takes over a lease that ran out draws a
new token, and a report under an old token changes nothing. Results and the state of the job are
written in one transaction, so each job has its results once, however often workers die.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, and_, bindparam, case, delete, insert, or_, select, update

from tokumei.contest.store import clock, events, guesses, submissions
from tokumei.contest.store.database import Database
from tokumei.contest.store.errors import LeaseLost, NotNow
from tokumei.contest.store.queue_status import given_up
from tokumei.contest.store.reports import one_problem
from tokumei.contest.store.rows import columns, insert_into, perhaps
from tokumei.contest.store.schema import jobs, workers
from tokumei.contest.store.turns import next_job
from tokumei.contest.store.viewing import ORGANIZERS, only_team

MAX_ATTEMPTS = 3
LEASE_SECONDS = 30.0
LONGEST_SECONDS = 3_600.0
"""However alive its worker is, no job runs longer."""
RETRY_SECONDS = 5.0
"""After an error of ours a job waits, longer each time: the next worker may be better off."""
SEEN_SECONDS = 5.0
"""An idle worker writes down that it is there no more often than this."""


@dataclass(frozen=True)
class Job:
    """A job in the hands of a worker; `lease_token` proves that it is."""

    id: int
    kind: str
    payload: Mapping[str, Any]
    team_id: int | None
    submission_id: int | None
    guess_id: int | None
    set_id: int | None
    attempts: int
    max_attempts: int
    worker: str
    lease_token: str
    lease_until: int
    deadline: int


def enqueue(
    connection: Connection,
    kind: str,
    payload: Mapping[str, Any],
    *,
    team_id: int | None = None,
    submission_id: int | None = None,
    guess_id: int | None = None,
    set_id: int | None = None,
    priority: int = 0,
) -> int:
    """Add a job and return its id; those of a higher priority go first."""
    now = clock.now()
    statement = insert(jobs).values(
        kind=kind,
        payload=dict(payload),
        team_id=team_id,
        submission_id=submission_id,
        guess_id=guess_id,
        set_id=set_id,
        state="queued",
        priority=priority,
        attempts=0,
        max_attempts=MAX_ATTEMPTS,
        ready=now,
        created=now,
    )
    return int(connection.execute(statement.returning(jobs.c.id)).scalar_one())


def claim(
    database: Database,
    worker: str,
    kinds: Collection[str],
    lease_seconds: float = LEASE_SECONDS,
    longest_seconds: float = LONGEST_SECONDS,
) -> Job | None:
    """Take the next job of these kinds, if there is one."""
    # Idle workers ask often; only a read tells them that there is nothing to do.
    if not _worth_a_write(database, worker, kinds):
        return None

    def take(connection: Connection) -> Job | None:
        _see(connection, worker)
        _expire(connection)
        now = clock.now()
        values = {
            "kinds": list(kinds),
            "now": now,
            "worker": worker,
            "lease_token": secrets.token_hex(16),
            "lease_until": clock.after(min(lease_seconds, longest_seconds)),
            "deadline": clock.after(longest_seconds),
            "started": now,
        }
        return perhaps(connection, _CLAIM, Job, values)

    return database.run(take)


def leased(database: Database, job_id: int, lease_token: str) -> Job:
    """Return the job of a lease that a worker elsewhere tells us; what it is about is ours to say.

    Also one that this lease has ended already: its report can come twice.
    """
    statement = select(*columns(jobs, Job)).where(
        jobs.c.id == job_id, jobs.c.lease_token == lease_token
    )
    with database.read() as connection:
        found = perhaps(connection, statement, Job)
    if found is None:
        raise LeaseLost(f"Job {job_id} is no longer in the hands of this worker.")
    return found


def heartbeat(database: Database, job: Job, lease_seconds: float = LEASE_SECONDS) -> bool:
    """Lengthen a lease; false where it is lost or may not be longer: then stop working."""
    until = min(clock.after(lease_seconds), job.deadline)

    def lengthen(connection: Connection) -> bool:
        _see(connection, job.worker)
        held = update(jobs).where(_is_held(job)).values(lease_until=until)
        return connection.execute(held).rowcount == 1

    return until > clock.now() and database.run(lengthen)


def finish(database: Database, job: Job, record: Callable[[Connection], object]) -> None:
    """Write the results of a job and call it done, both or neither.

    The same report again, as after a broken connection, does nothing.
    """
    _end(database, job, record, state="done", error=None)


def fail(
    database: Database, job: Job, problem: str, record: Callable[[Connection], object] | None = None
) -> None:
    """End a job by a fault of what was submitted; it is not tried again."""
    _end(database, job, record, state="failed", error=problem)


def infrastructure_error(database: Database, job: Job, sentence: str) -> None:
    """Put a job back after an error of ours; after the last attempt the organizer is told."""

    def put_back(connection: Connection) -> None:
        ready = clock.after(RETRY_SECONDS * job.attempts)
        statement = update(jobs).where(_is_held(job)).values(_put_back(sentence) | {"ready": ready})
        ended = connection.execute(statement.returning(*_ENDED)).all()
        if not ended:
            raise _lost(job)
        _give_up(connection, ended)

    database.run(put_back)


def expire(database: Database) -> None:
    """Put back every job whose lease ran out; `claim` does it as well."""
    database.run(_expire)


def retry(connection: Connection, job_id: int) -> None:
    """Queue a job again that was given up."""
    statement = update(jobs).where(jobs.c.id == job_id, given_up())
    again = statement.values(state="queued", attempts=0, ready=clock.now(), finished=None)
    row = connection.execute(again.returning(jobs.c.submission_id, jobs.c.guess_id)).first()
    if row is None:
        raise NotNow("Only a job that was given up can be tried again.")
    if row.submission_id is not None:
        submissions.take_again(connection, row.submission_id)
    if row.guess_id is not None:
        guesses.take_again(connection, row.guess_id)


# Built once: putting it together takes longer than its execution.
_GIVEN = ("worker", "lease_token", "lease_until", "deadline", "started")
_CLAIM = (
    update(jobs)
    .where(jobs.c.id == next_job().scalar_subquery())
    .values(state="running", attempts=jobs.c.attempts + 1)
    .values({name: bindparam(name) for name in _GIVEN})
    .returning(*columns(jobs, Job))
)
_ENDED = (
    jobs.c.id, jobs.c.state, jobs.c.team_id, jobs.c.submission_id, jobs.c.guess_id, jobs.c.error
)  # fmt: skip


def _end(
    database: Database,
    job: Job,
    record: Callable[[Connection], object] | None,
    *,
    state: str,
    error: str | None,
) -> None:
    def end(connection: Connection) -> None:
        ended = {"state": state, "finished": clock.now(), "error": error}
        if not connection.execute(update(jobs).where(_is_held(job)).values(ended)).rowcount:
            last = select(jobs.c.lease_token).where(jobs.c.id == job.id)
            if connection.execute(last).scalar() != job.lease_token:
                raise _lost(job)
            return
        if record is not None:
            record(connection)
        if error is not None:
            _refuse(connection, job, error)
        if job.submission_id is not None:
            submissions.settle(connection, job.submission_id)

    database.run(end)


def _refuse(connection: Connection, job: Job, problem: str) -> None:
    """Let nothing wait for a check or a mark that failed and will not come."""
    report = one_problem(problem)
    if job.submission_id is not None:
        submissions.checked(connection, job.submission_id, report, valid=False)
    if job.guess_id is not None:
        guesses.refuse(connection, job.guess_id, report)


def _worth_a_write(database: Database, worker: str, kinds: Collection[str]) -> bool:
    now = clock.now()
    ready = and_(jobs.c.state == "queued", jobs.c.ready <= now, jobs.c.kind.in_(kinds))
    with database.read() as connection:
        seen = connection.execute(select(workers.c.seen).where(workers.c.name == worker)).scalar()
        if seen is None or seen < now - SEEN_SECONDS * clock.SECOND:
            return True
        found = select(jobs.c.id).where(or_(ready, _ran_out(now))).limit(1)
        return connection.execute(found).first() is not None


def _expire(connection: Connection) -> None:
    late = select(jobs.c.id).where(_ran_out(clock.now())).with_for_update(skip_locked=True)
    silent = "The worker stopped answering."
    statement = update(jobs).where(jobs.c.id.in_(late)).values(_put_back(silent))
    _give_up(connection, connection.execute(statement.returning(*_ENDED)).all())


def _ran_out(now: int) -> Any:
    return and_(jobs.c.state == "running", jobs.c.lease_until < now)


def _is_held(job: Job) -> Any:
    return and_(
        jobs.c.id == job.id, jobs.c.state == "running", jobs.c.lease_token == job.lease_token
    )


def _lost(job: Job) -> LeaseLost:
    return LeaseLost(f"Job {job.id} is no longer in the hands of {job.worker}; nothing is changed.")


def _put_back(reason: str) -> dict[str, Any]:
    last = jobs.c.attempts >= jobs.c.max_attempts
    return {
        "state": case((last, "infrastructure"), else_="queued"),
        "finished": case((last, clock.now()), else_=None),
        "lease_token": None,
        "lease_until": None,
        "error": reason,
    }


def _give_up(connection: Connection, put_back: Collection[Row[Any]]) -> None:
    """Free what jobs without another attempt had cost, and tell the organizers."""
    ended = [row for row in put_back if row.state == "infrastructure"]
    if not ended:
        return
    submissions.give_back(connection, {row.submission_id for row in ended} - {None})
    guesses.give_back(connection, {row.guess_id for row in ended} - {None})
    for row in ended:
        what = {"job": row.id, "submission": row.submission_id, "guess": row.guess_id}
        events.append(connection, "job.gave_up", ORGANIZERS, {**what, "error": row.error})
        if row.team_id is not None:
            events.append(connection, "job.infrastructure", only_team(row.team_id), what)


def forget_worker(connection: Connection, worker: str) -> None:
    """Take a worker that has ended out of the list."""
    connection.execute(delete(workers).where(workers.c.name == worker))


def _see(connection: Connection, worker: str) -> None:
    statement = insert_into(connection, workers).values(name=worker, seen=clock.now())
    now_seen = {"seen": statement.excluded.seen}
    connection.execute(statement.on_conflict_do_update(index_elements=["name"], set_=now_seen))
