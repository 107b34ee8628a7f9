"""The columns of the table, and the scripts that people propose for more of them."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request
from fastapi.responses import FileResponse
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool

from tokumei.contest.actions import scripts
from tokumei.contest.opening import Contest
from tokumei.contest.server.access import (
    Caller,
    LoggedIn,
    Organizer,
    TeamOrOrganizer,
    TheContest,
    iso,
)
from tokumei.contest.server.api.session import TeamName
from tokumei.contest.server.files import BINARY, RAW_BODY, answers_with, stored_file
from tokumei.contest.server.ids import Id
from tokumei.contest.server.uploading import LARGEST_SCRIPT, received
from tokumei.contest.store import accounts, metrics
from tokumei.contest.store.errors import NotFound
from tokumei.contest.store.metrics import Script
from tokumei.contest.store.states import Better, Language, MetricKind, ScriptState

router = APIRouter(prefix="/api", tags=["metrics"])
SUFFIXES = {"python": "py", "r": "R"}
ScriptKind = Literal["utility", "safety"]
Title = Annotated[str, Query(min_length=1, max_length=60, description="The column's title.")]


class MetricAnswer(BaseModel):
    """A column of the table; one with a script is measured by it."""

    name: str
    title: str
    kind: MetricKind
    better: Better
    script: int | None


class ScriptAnswer(BaseModel):
    """A script, and why it was refused."""

    id: int
    name: str
    language: Language
    kind: MetricKind
    better: Better
    state: ScriptState
    team: TeamName | None
    own: bool
    created: str
    decided: str | None
    reason: str


class Rejection(BaseModel):
    """Why a script is refused."""

    reason: Annotated[str, Field(min_length=1, max_length=scripts.LONGEST_REASON)]


@router.get("/metrics", summary="The columns of the table")
def list_metrics(_: LoggedIn, contest: TheContest) -> list[MetricAnswer]:
    """List the metrics in the order of the table's columns."""
    with contest.database.read() as connection:
        return [metric_answer(one) for one in metrics.listed(connection)]


@router.get("/scripts", summary="The scripts that the caller may see")
def list_scripts(caller: LoggedIn, contest: TheContest) -> list[ScriptAnswer]:
    """List the approved scripts and the own team's, or all for an organizer."""
    with contest.database.read() as connection:
        found = metrics.listed_scripts(connection)
        names = {team.id: team.name for team in accounts.listed_teams(connection)}
    return [
        _answer(one, caller, names)
        for one in found
        if one.state == "approved" or _concerns(one, caller)
    ]


@router.post("/scripts", status_code=201, summary="Propose a script", openapi_extra=RAW_BODY)
async def create_script(
    request: Request,
    caller: TeamOrOrganizer,
    contest: TheContest,
    name: Title,
    language: Language,
    kind: ScriptKind,
    better: Better,
) -> ScriptAnswer:
    """Take the request's body as a metric; a team's script runs after an organizer approved it."""
    expect = partial(scripts.expect, contest, caller.somebody)
    blob = await received(request, contest, expect=expect, most=LARGEST_SCRIPT)
    made = await run_in_threadpool(
        scripts.propose, contest, caller.somebody, blob, name, language, kind, better
    )
    return await run_in_threadpool(_one, contest, caller, made.id)


@router.get(
    "/scripts/{script_id}/file",
    summary="The file of a script",
    response_class=FileResponse,
    responses=answers_with(BINARY),
)
def download_script(script_id: Id, caller: LoggedIn, contest: TheContest) -> FileResponse:
    """Download a script of the own team, or any for an organizer."""
    with contest.database.read() as connection:
        found = metrics.find_script(connection, script_id)
    if not _concerns(found, caller):
        raise NotFound(f"There is no script {script_id}.")
    name = f"script-{found.id}.{SUFFIXES[found.language]}"
    return stored_file(contest.blobs.path(found.sha256), name)


@router.post("/scripts/{script_id}/approve", summary="Approve a script")
def approve_script(script_id: Id, caller: Organizer, contest: TheContest) -> ScriptAnswer:
    """Make a script a column of the table; every submission is measured by it."""
    scripts.approve(contest, caller.somebody, script_id)
    return _one(contest, caller, script_id)


@router.post("/scripts/{script_id}/reject", summary="Refuse a script")
def reject_script(
    script_id: Id, given: Rejection, caller: Organizer, contest: TheContest
) -> ScriptAnswer:
    """Refuse a script, with a reason for those who proposed it."""
    scripts.reject(contest, caller.somebody, script_id, given.reason)
    return _one(contest, caller, script_id)


def metric_answer(metric: metrics.Metric) -> MetricAnswer:
    """Return what is told of a metric."""
    return MetricAnswer(
        name=metric.name,
        title=metric.title,
        kind=metric.kind,
        better=metric.better,
        script=metric.script_id,
    )


def _concerns(script: Script, caller: Caller) -> bool:
    own = caller.team_id is not None and script.team_id == caller.team_id
    return own or caller.role == "organizer"


def _one(contest: Contest, caller: Caller, script_id: int) -> ScriptAnswer:
    with contest.database.read() as connection:
        found = metrics.find_script(connection, script_id)
        names = {team.id: team.name for team in accounts.listed_teams(connection)}
    return _answer(found, caller, names)


def _answer(script: Script, caller: Caller, names: dict[int, str]) -> ScriptAnswer:
    team = None
    if script.team_id is not None:
        team = TeamName(id=script.team_id, name=names[script.team_id])
    return ScriptAnswer(
        id=script.id,
        name=script.name,
        language=script.language,
        kind=script.kind,
        better=script.better,
        state=script.state,
        team=team,
        own=team is not None and team.id == caller.team_id,
        created=iso(script.created),
        decided=None if script.decided is None else iso(script.decided),
        reason=script.reason,
    )
