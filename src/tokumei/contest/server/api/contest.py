"""What the contest is, when what happens, and its data."""

from __future__ import annotations

from typing import Literal

from fastapi import APIRouter
from fastapi.responses import FileResponse
from pydantic import BaseModel

from tokumei.contest import sandbox
from tokumei.contest.opening import Contest
from tokumei.contest.phases import next_change, phase_now
from tokumei.contest.server.access import Anybody, LoggedIn, TheContest, iso
from tokumei.contest.server.files import BINARY, answers_with, stored_file
from tokumei.contest.settings import Counts, Phase, PhaseName, Shown
from tokumei.contest.store import clock
from tokumei.contest.store.contest_state import read_state
from tokumei.contest.store.errors import NotFound

router = APIRouter(prefix="/api", tags=["contest"])
DataName = Literal["original", "master"]


class PlannedPhase(BaseModel):
    """A phase and when it begins by plan."""

    name: PhaseName
    starts: str


class Limits(BaseModel):
    """What each team may do: submissions, guesses against each other team, megabytes of a file."""

    submissions: int
    guesses: int
    megabytes: int


class ContestAnswer(BaseModel):
    """The contest and where it stands."""

    title: dict[str, str]
    rules: str
    phase: PhaseName | None
    phases: list[PlannedPhase]
    next: PlannedPhase | None
    frozen: str | None
    counts: Counts
    quotas: Limits
    results: Shown
    scripts_run: bool


class DataFile(BaseModel):
    """A file of the contest's data."""

    name: DataName
    size: int
    sha256: str


@router.get("/contest", summary="The contest and where it stands")
def get_contest(_: Anybody, contest: TheContest) -> ContestAnswer:
    """Tell the rules, the phase, the plan, and since when results are frozen."""
    settings = contest.settings
    with contest.database.read() as connection:
        phase = phase_now(connection, settings)
        coming = next_change(connection, settings)
        frozen = read_state(connection).frozen
    return ContestAnswer(
        title=dict(settings.title),
        rules=settings.rules,
        phase=phase,
        phases=[_planned(one) for one in settings.phases],
        next=_planned(coming) if coming else None,
        frozen=None if frozen is None else iso(frozen),
        counts=settings.counts,
        quotas=Limits(
            submissions=settings.quotas.submissions,
            guesses=settings.quotas.guesses,
            megabytes=settings.quotas.megabytes,
        ),
        results=settings.results,
        scripts_run=sandbox.available() is not None,
    )


@router.get("/data", summary="The files of the contest's data")
def list_data(_: LoggedIn, contest: TheContest) -> list[DataFile]:
    """List the data that the teams anonymize, each file with its size and SHA-256."""
    return [
        DataFile(
            name=name,
            size=(contest.folder / file).stat().st_size,
            sha256=contest.evaluation.data[file],
        )
        for name, file in data_files(contest).items()
    ]


@router.get(
    "/data/{name}",
    summary="A file of the contest's data",
    response_class=FileResponse,
    responses=answers_with(BINARY),
)
def download_data(name: DataName, _: LoggedIn, contest: TheContest) -> FileResponse:
    """Download the original data, or the master where the contest has one."""
    file = data_files(contest).get(name)
    if file is None:
        raise NotFound(f"This contest has no {name} data.")
    path = contest.folder / file
    return stored_file(path, path.name)  # T.csv, as problems of a submission call it


def data_files(contest: Contest) -> dict[DataName, str]:
    """Return the data's files as the settings name them."""
    settings = contest.settings
    found: dict[DataName, str] = {"original": settings.original}
    return found | ({"master": settings.master} if settings.master else {})


def _planned(phase: Phase) -> PlannedPhase:
    return PlannedPhase(name=phase.name, starts=iso(clock.as_moment(phase.starts)))
