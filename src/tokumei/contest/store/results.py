"""Results: one value, or one problem in words, for each submission, metric and evaluation set.

A re-evaluation fills a set of its own; the organizer reviews it beside the active one before it
takes its place, so the table never shows two ways of scoring at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import Connection, and_, case, func, insert, literal, select, update

from tokumei.contest.store import clock
from tokumei.contest.store.columns import Number
from tokumei.contest.store.errors import NotFound, NotNow
from tokumei.contest.store.jobs import Job
from tokumei.contest.store.rows import columns, count, insert_into, one, several
from tokumei.contest.store.schema import evaluation_sets, jobs, results
from tokumei.contest.store.states import SetState

NOT_A_NUMBER = "The value is not a finite number."


@dataclass(frozen=True)
class Measured:
    """What a metric said of a submission: a finite number, or why there is none."""

    metric: str
    value: float | None
    problem: str | None = None


@dataclass(frozen=True)
class EvaluationSet:
    """All results of one way of scoring; `decided` is when it became active or was put away."""

    id: int
    name: str
    state: SetState
    created: int
    decided: int | None


@dataclass(frozen=True)
class Change:
    """A result that a set would change."""

    submission_id: int
    metric: str
    before: float | None
    before_problem: str | None
    after: float | None
    after_problem: str | None


@dataclass(frozen=True)
class Progress:
    """How many jobs a set has, how many of them are open, and how many were given up."""

    jobs: int = 0
    open: int = 0
    given_up: int = 0


SET_FIELDS = columns(evaluation_sets, EvaluationSet)
_ACTIVE = select(evaluation_sets.c.id).where(evaluation_sets.c.state == "active")


def record(connection: Connection, job: Job, measured: Iterable[Measured]) -> None:
    """Keep the results of a job; call it inside `jobs.finish`."""
    if job.submission_id is None:
        raise NotFound(f"Job {job.id} has no submission whose results could be kept.")
    set_id = job.set_id or _active(connection)
    for found in measured:
        value, problem = found.value, found.problem
        if problem is None and (value is None or not math.isfinite(value)):
            problem = NOT_A_NUMBER
        said = {
            "value": None if problem else value,
            "problem": problem,
            "job_id": job.id,
            "created": clock.now(),
        }
        statement = insert_into(connection, results).values(
            submission_id=job.submission_id, metric=found.metric, set_id=set_id, **said
        )
        # An older job can still run when a re-evaluation of the same becomes active.
        key = ["set_id", "submission_id", "metric"]
        connection.execute(statement.on_conflict_do_update(index_elements=key, set_=said))


def of_submission(connection: Connection, submission_id: int) -> list[Measured]:
    """Return the results of a submission in the active set, also while some are missing."""
    statement = (
        select(results.c.metric, results.c.value, results.c.problem)
        .where(results.c.submission_id == submission_id)
        .where(results.c.set_id == _ACTIVE.scalar_subquery())
        .order_by(results.c.metric)
    )
    return several(connection, statement, Measured)


def open_set(connection: Connection, name: str) -> EvaluationSet:
    """Begin a re-evaluation; give its id to the jobs that fill it."""
    statement = insert(evaluation_sets).values(name=name, state="open", created=clock.now())
    return one(connection, statement.returning(*SET_FIELDS), EvaluationSet, "set")


def sets(connection: Connection) -> list[EvaluationSet]:
    """Return all sets, the newest first."""
    statement = select(*SET_FIELDS).order_by(evaluation_sets.c.id.desc())
    return several(connection, statement, EvaluationSet)


def progress(connection: Connection) -> dict[int, Progress]:
    """Return how far the jobs of every set are that has some."""
    waiting = case((jobs.c.state.in_(("queued", "running")), 1), else_=0)
    failed = case((jobs.c.state == "infrastructure", 1), else_=0)
    statement = (
        select(jobs.c.set_id, func.count(), func.sum(waiting), func.sum(failed))
        .where(jobs.c.set_id.is_not(None))
        .group_by(jobs.c.set_id)
    )
    return {row[0]: Progress(*row[1:]) for row in connection.execute(statement)}


def changes(connection: Connection, set_id: int) -> list[Change]:
    """Return what would change in the table if a set became active."""
    old, new = results.alias("old"), results.alias("new")
    same = and_(
        old.c.set_id == _ACTIVE.scalar_subquery(),
        old.c.submission_id == new.c.submission_id,
        old.c.metric == new.c.metric,
    )
    differs = old.c.value.is_distinct_from(new.c.value) | old.c.problem.is_distinct_from(
        new.c.problem
    )
    statement = (
        select(
            new.c.submission_id,
            new.c.metric,
            old.c.value.label("before"),
            old.c.problem.label("before_problem"),
            new.c.value.label("after"),
            new.c.problem.label("after_problem"),
        )
        .select_from(new.outerjoin(old, same))
        .where(new.c.set_id == set_id, differs)
        .order_by(new.c.submission_id, new.c.metric)
    )
    return several(connection, statement, Change)


def activate(connection: Connection, set_id: int) -> None:
    """Put a reviewed set in the place of the active one; what it lacks is carried over."""
    still = select(func.count()).where(
        jobs.c.set_id == set_id, jobs.c.state.in_(("queued", "running"))
    )
    if waiting := count(connection, still):
        raise NotNow(f"The set is not complete: {waiting:,} jobs are open.")
    chosen = select(evaluation_sets.c.state).where(evaluation_sets.c.id == set_id)
    if connection.execute(chosen.with_for_update()).scalar() != "open":
        raise _not_open()
    before = count(connection, _ACTIVE.with_for_update())
    _decide(connection, before, "archived")
    _decide(connection, set_id, "active")
    old, new = results.alias("old"), results.alias("new")
    there = select(new.c.id).where(
        new.c.set_id == set_id,
        new.c.submission_id == old.c.submission_id,
        new.c.metric == old.c.metric,
    )
    kept = ("submission_id", "metric", "value", "problem", "job_id", "created")
    missing = select(*(old.c[name] for name in kept), literal(set_id, Number)).where(
        old.c.set_id == before, ~there.exists()
    )
    connection.execute(insert(results).from_select([*kept, "set_id"], missing))


def discard(connection: Connection, set_id: int) -> None:
    """Put a set away that shall not become active."""
    if not _decide(connection, set_id, "archived", before="open"):
        raise _not_open()
    waiting = update(jobs).where(jobs.c.set_id == set_id, jobs.c.state == "queued")
    connection.execute(
        waiting.values(state="failed", finished=clock.now(), error="The set was discarded.")
    )


def _active(connection: Connection) -> int:
    """Return the active set; a set that is being filled is not replaced before that is over."""
    statement = _ACTIVE.with_for_update(read=True)
    # Whoever waited for a replacement finds that the set it waited for is no longer active.
    found = connection.execute(statement).scalar() or connection.execute(statement).scalar()
    if found is None:
        raise NotFound("There is no active set.")
    return int(found)


def _decide(
    connection: Connection, set_id: int, state: SetState, *, before: SetState | None = None
) -> bool:
    statement = update(evaluation_sets).where(evaluation_sets.c.id == set_id)
    if before is not None:
        statement = statement.where(evaluation_sets.c.state == before)
    return connection.execute(statement.values(state=state, decided=clock.now())).rowcount == 1


def _not_open() -> NotNow:
    return NotNow("Only an open set can be decided on.")
