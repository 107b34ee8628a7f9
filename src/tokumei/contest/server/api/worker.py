"""What workers on other machines ask: tasks, the files of those tasks, and a place for reports.

A worker shows two secrets: its token, and for everything about a job the token of the lease, in a
header and never in an address, which ends up in logs. What a job is about is ours to say.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Depends, Header, Request
from fastapi.responses import FileResponse
from pydantic import BaseModel, Field, TypeAdapter, ValidationError
from sqlalchemy import select
from starlette.requests import ClientDisconnect

from tokumei.contest.blobs import SHA256
from tokumei.contest.desk import LocalDesk
from tokumei.contest.opening import Contest
from tokumei.contest.server.access import RemoteWorker, TheContest
from tokumei.contest.server.ids import Id
from tokumei.contest.server.problems import TooLarge
from tokumei.contest.settings import FILE
from tokumei.contest.store import clock, jobs, schema
from tokumei.contest.store.errors import LeaseLost, NotFound, NotNow
from tokumei.contest.store.jobs import Job
from tokumei.contest.store.names import clean_name
from tokumei.contest.tasks import OUTCOME, Kind, Task
from tokumei.errors import ParameterError

T = TypeVar("T")

LARGEST_OUTCOME = 200_000_000
LARGEST_NOTE = 100_000
LONGEST_SENTENCE = 2_000
BINARY = "application/octet-stream"
FILE_ANSWER: dict[int | str, dict[str, Any]] = {
    200: {"content": {BINARY: {"schema": {"type": "string", "format": "binary"}}}}
}

router = APIRouter(prefix="/api/worker", tags=["worker"])

LeaseToken = Annotated[str, Header(alias="Lease-Token", max_length=100)]
Sha256 = Annotated[str, Field(pattern=f"^{SHA256.pattern}$")]
LeaseSeconds = Annotated[float, Field(gt=0, le=300)]


class DataFile(BaseModel):
    """A file of the contest's data."""

    path: str
    sha256: str
    size: int


class ContestCopy(BaseModel):
    """All that a worker needs to evaluate as the server would."""

    toml: str
    files: list[DataFile]


class Claim(BaseModel):
    """Who asks for a job, which kinds it can do, and of which contest it has a copy."""

    name: Annotated[str, Field(max_length=200)]
    kinds: list[Kind]
    lease_seconds: LeaseSeconds = jobs.LEASE_SECONDS
    contest: Sha256


class Beat(BaseModel):
    """For how much longer a worker wants a job."""

    lease_seconds: LeaseSeconds = jobs.LEASE_SECONDS


class Held(BaseModel):
    """Whether the job is still the worker's."""

    held: bool


class Sentence(BaseModel):
    """Why a job did not succeed."""

    sentence: Annotated[str, Field(min_length=1, max_length=LONGEST_SENTENCE)]


class Taken(BaseModel):
    """The report was written down."""

    taken: bool = True


def the_desk(contest: TheContest) -> LocalDesk:
    """Return the queue; workers elsewhere use the same as those here."""
    return LocalDesk(contest.database, contest.evaluation, contest.blobs, contest.seed)


def leased_job(job_id: Id, lease_token: LeaseToken, contest: TheContest) -> Job:
    """Return the job that a worker holds."""
    return jobs.leased(contest.database, job_id, lease_token)


def capped(most: int) -> Callable[[Request], Awaitable[bytes]]:
    """Return what reads a body and stops at its limit."""

    async def read(request: Request) -> bytes:
        body = bytearray()
        try:
            async for chunk in request.stream():
                body += chunk
                if len(body) > most:
                    raise TooLarge(f"A report may have up to {most:,} bytes; this has more.")
        except ClientDisconnect:
            raise ParameterError("The report was broken off.") from None
        return bytes(body)

    return read


TheDesk = Annotated[LocalDesk, Depends(the_desk)]
LeasedJob = Annotated[Job, Depends(leased_job)]
Note = Annotated[bytes, Depends(capped(LARGEST_NOTE))]
Report = Annotated[bytes, Depends(capped(LARGEST_OUTCOME))]


@router.get("/contest", summary="The contest's settings and the list of its data")
def copy_of_contest(_: RemoteWorker, contest: TheContest) -> ContestCopy:
    """Return what a worker starts with; the files themselves are asked for by their SHA-256."""
    files = [
        DataFile(path=path, sha256=sha256, size=(contest.folder / path).stat().st_size)
        for path, sha256 in contest.evaluation.data.items()
    ]
    return ContestCopy(toml=(contest.folder / FILE).read_bytes().decode(), files=files)


@router.get(
    "/data/{sha256}",
    summary="A file of the contest's data",
    response_class=FileResponse,
    responses=FILE_ANSWER,
)
def data_file(_: RemoteWorker, sha256: Sha256, contest: TheContest) -> FileResponse:
    """Send the original or the customers."""
    for path, found in contest.evaluation.data.items():
        if found == sha256:
            return FileResponse(contest.folder / path, media_type=BINARY)
    raise NotFound("The contest has no data of that SHA-256.")


@router.post("/claim", summary="Take the next job")
def claim(_: RemoteWorker, wish: Claim, contest: TheContest, desk: TheDesk) -> Task | None:
    """Give the worker a job for the time of a lease; null where there is none."""
    if wish.contest != contest.evaluation.fingerprint:
        raise NotNow(
            "The contest's settings or data have changed since the worker started; start it again."
        )
    return desk.claim(clean_name(wish.name, "worker's name"), wish.kinds, wish.lease_seconds)


@router.get(
    "/files/{sha256}",
    summary="A file of a job that the worker holds",
    response_class=FileResponse,
    responses=FILE_ANSWER,
)
def job_file(
    _: RemoteWorker,
    sha256: Sha256,
    job_id: Annotated[Id, Header(alias="Job-Id")],
    lease_token: LeaseToken,
    contest: TheContest,
    desk: TheDesk,
) -> FileResponse:
    """Send a submission, guess or script, while the worker has the job that needs it."""
    job = jobs.leased(contest.database, job_id, lease_token)
    if not _is_running(contest, job):
        raise LeaseLost(f"Job {job_id} is no longer in the hands of this worker.")
    if sha256 not in desk.task(job, jobs.LEASE_SECONDS).files:
        raise NotFound(f"Job {job_id} needs no file of that SHA-256.")
    return FileResponse(contest.blobs.path(sha256), media_type=BINARY)


@router.post("/jobs/{job_id}/heartbeat", summary="Keep a job for longer")
def heartbeat(_: RemoteWorker, job: LeasedJob, body: Note, contest: TheContest) -> Held:
    """Lengthen the lease of a job; where it is not held any more, the worker can stop."""
    beat = _read(TypeAdapter(Beat), body or b"{}")
    return Held(held=jobs.heartbeat(contest.database, job, beat.lease_seconds))


@router.post("/jobs/{job_id}/finish", summary="Report what came of a job")
def finish(_: RemoteWorker, job: LeasedJob, body: Report, desk: TheDesk) -> Taken:
    """Record the outcome of a job; the same report again does nothing."""
    desk.recorder.finish(job, _read(OUTCOME, body))
    return Taken()


@router.post("/jobs/{job_id}/fail", summary="Report a fault of what was submitted")
def fail(_: RemoteWorker, job: LeasedJob, body: Note, contest: TheContest) -> Taken:
    """End a job that no worker could do with this file."""
    jobs.fail(contest.database, job, _read(TypeAdapter(Sentence), body).sentence)
    return Taken()


@router.post("/jobs/{job_id}/infrastructure", summary="Report an error of the worker's machine")
def infrastructure(_: RemoteWorker, job: LeasedJob, body: Note, contest: TheContest) -> Taken:
    """Put a job back for the next worker."""
    sentence = _read(TypeAdapter(Sentence), body).sentence
    jobs.infrastructure_error(contest.database, job, sentence)
    return Taken()


def _read(shape: TypeAdapter[T], body: bytes) -> T:
    try:
        return shape.validate_json(body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "body"
        raise ParameterError(f"The report cannot be read: {place}: {first['msg']}.") from None


def _is_running(contest: Contest, job: Job) -> bool:
    """Tell whether a lease still holds: its token stays with a job that it has ended."""
    state = select(schema.jobs.c.state).where(schema.jobs.c.id == job.id)
    with contest.database.read() as connection:
        running = connection.execute(state).scalar() == "running"
    return running and job.lease_until > clock.now()
