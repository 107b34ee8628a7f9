"""The queue of evaluations, who works on it, and the tokens of workers elsewhere."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, Field

from tokumei.contest.actions import organizing, people
from tokumei.contest.server.access import Organizer, TheContest, iso
from tokumei.contest.server.api.session import TeamName
from tokumei.contest.server.api.tokens import NewToken, Token
from tokumei.contest.server.ids import Id
from tokumei.contest.store import accounts, api_tokens, queue_status
from tokumei.contest.store.queue_status import OpenJob
from tokumei.contest.store.states import JobState

router = APIRouter(prefix="/api", tags=["queue"])


class Worker(BaseModel):
    """Who evaluates; `seen` is its last sign of life."""

    name: str
    seen: str
    running: int


class Job(BaseModel):
    """A job that waits, runs, or was given up and can be tried again."""

    id: int
    kind: str
    team: TeamName | None
    submission: int | None
    guess: int | None
    state: JobState
    attempts: int
    max_attempts: int
    worker: str | None
    created: str
    started: str | None
    error: str | None


class Queue(BaseModel):
    """The queue now: what was given up, what waits and what runs, the first 200 of them."""

    queued: int
    running: int
    infrastructure: int
    oldest_seconds: float
    workers: list[Worker]
    jobs: list[Job]


class WorkerTokenWish(BaseModel):
    """What a worker's token is called and how long it lives."""

    name: Annotated[str, Field(max_length=200)]
    days: Annotated[int, Field(ge=1, le=people.LONGEST_DAYS)] = 30


@router.get("/queue", summary="The queue")
def get_queue(_: Organizer, contest: TheContest) -> Queue:
    """Return how the queue stands, and which jobs wait for an organizer."""
    status = queue_status.status(contest.database)
    with contest.database.read() as connection:
        names = {team.id: team.name for team in accounts.listed_teams(connection)}
        found = queue_status.open_jobs(connection)
    return Queue(
        queued=status.queued,
        running=status.running,
        infrastructure=status.infrastructure,
        oldest_seconds=status.oldest_seconds,
        workers=[
            Worker(name=one.name, seen=iso(one.seen), running=one.running) for one in status.workers
        ],
        jobs=[_job(one, names) for one in found],
    )


@router.post("/jobs/{job_id}/retry", status_code=204, summary="Try a job again")
def retry_job(job_id: Id, caller: Organizer, contest: TheContest) -> None:
    """Queue a job again that was given up."""
    organizing.retry_job(contest, caller.somebody, job_id)


@router.get("/worker-tokens", summary="The tokens of workers")
def list_worker_tokens(_: Organizer, contest: TheContest) -> list[Token]:
    """List the tokens of workers on other machines, without their secrets."""
    with contest.database.read() as connection:
        found = api_tokens.listed(connection, user_id=None)
    return [Token.of(token) for token in found]


@router.post("/worker-tokens", status_code=201, summary="A new token for workers")
def create_worker_token(wish: WorkerTokenWish, caller: Organizer, contest: TheContest) -> NewToken:
    """Make a token for workers; its secret is in this answer only."""
    made = people.new_worker_token(contest, caller.somebody, wish.name, wish.days)
    return NewToken(secret=made.secret, **Token.of(made.token).model_dump())


@router.delete("/worker-tokens/{token_id}", status_code=204, summary="End a worker's token")
def revoke_worker_token(token_id: Id, caller: Organizer, contest: TheContest) -> None:
    """End a token of workers."""
    people.revoke_worker_token(contest, caller.somebody, token_id)


def _job(one: OpenJob, names: dict[int, str]) -> Job:
    return Job(
        id=one.id,
        kind=one.kind,
        team=None if one.team_id is None else TeamName(id=one.team_id, name=names[one.team_id]),
        submission=one.submission_id,
        guess=one.guess_id,
        state=one.state,
        attempts=one.attempts,
        max_attempts=one.max_attempts,
        worker=one.worker,
        created=iso(one.created),
        started=None if one.started is None else iso(one.started),
        error=one.error,
    )
