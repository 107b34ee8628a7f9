"""What teams hand in. Another team's submission is as unknown as one that never was."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import FileResponse
from pydantic import BaseModel, Field
from sqlalchemy import Connection
from starlette.concurrency import run_in_threadpool

from tokumei.contest.actions import handing_in
from tokumei.contest.opening import Contest
from tokumei.contest.phases import sees
from tokumei.contest.server.access import Caller, LoggedIn, OfTeam, TheContest, iso
from tokumei.contest.server.api.results import MetricValue, metric_values
from tokumei.contest.server.api.session import TeamName
from tokumei.contest.server.files import BINARY, RAW_BODY, answers_with, stored_file
from tokumei.contest.server.ids import Id
from tokumei.contest.server.uploading import received
from tokumei.contest.store import accounts, queue_status, results, submissions
from tokumei.contest.store.errors import NotFound
from tokumei.contest.store.states import SubmissionState
from tokumei.contest.store.submissions import LONGEST_NOTE

router = APIRouter(prefix="/api/submissions", tags=["submissions"])
FileName = Annotated[
    str, Query(max_length=1000, description="The file's name; it is only shown, never a path.")
]


class SubmissionAnswer(BaseModel):
    """A submission."""

    id: int
    team: TeamName
    name: str
    note: str
    size: int
    sha256: str
    phase: str
    state: SubmissionState
    problems: int | None = Field(description="How many problems the check found, once it is done.")
    chosen: bool
    counted: bool = Field(description="Whether it costs one of the team's submissions.")
    created: str
    evaluated: str | None


class Report(BaseModel):
    """What the check found: every broken rule with its number, and the first problems."""

    valid: bool
    count: int
    summary: list[dict[str, Any]]
    problems: list[dict[str, Any]]


class SubmissionDetail(SubmissionAnswer):
    """A submission, what its check found, and its results where they can be seen now."""

    report: Report | None
    jobs_ahead: int | None = Field(description="How many jobs wait before it, while it waits.")
    results: dict[str, MetricValue]


class NoteChange(BaseModel):
    """What the team says of its submission."""

    note: Annotated[str, Field(max_length=LONGEST_NOTE)]


@router.post("", status_code=201, summary="Hand in a submission", openapi_extra=RAW_BODY)
async def create_submission(
    request: Request, caller: OfTeam, contest: TheContest, name: FileName = ""
) -> SubmissionAnswer:
    """Take the request's body as a file; it is checked and then evaluated."""
    expect = partial(handing_in.expect, contest, caller.somebody)
    blob = await received(request, contest, expect=expect)
    made = await run_in_threadpool(handing_in.submit, contest, caller.somebody, blob, name)
    return await run_in_threadpool(_answer, contest, caller, made.id)


@router.get("", summary="The submissions that the caller may see")
def list_submissions(caller: LoggedIn, contest: TheContest) -> list[SubmissionAnswer]:
    """List the own team's submissions, or all for an organizer, the newest first."""
    if caller.team_id is None and caller.role != "organizer":
        return []
    with contest.database.read() as connection:
        found = submissions.listed(connection, team_id=caller.team_id)
        names = {team.id: team.name for team in accounts.listed_teams(connection)}
    return [SubmissionAnswer(**_fields(one, names[one.team_id])) for one in found]


@router.get("/{submission_id}", summary="A submission with its report and results")
def get_submission(submission_id: Id, caller: LoggedIn, contest: TheContest) -> SubmissionDetail:
    """Tell everything about a submission of the own team, or of any for an organizer."""
    with contest.database.read() as connection:
        found, team = _visible(connection, caller, submission_id)
        ahead = queue_status.older_jobs(connection, found.id)
        measured = []
        if sees(connection, contest.settings, caller.viewer) != "none":
            measured = results.of_submission(connection, found.id)
    return SubmissionDetail(
        **_fields(found, team),
        report=_report(found),
        jobs_ahead=ahead,
        results=metric_values({one.metric: one for one in measured}),
    )


@router.patch("/{submission_id}", summary="Change the note of a submission")
def change_submission(
    submission_id: Id, change: NoteChange, caller: OfTeam, contest: TheContest
) -> SubmissionAnswer:
    """Change what the team says of its submission."""
    handing_in.set_note(contest, caller.somebody, submission_id, change.note)
    return _answer(contest, caller, submission_id)


@router.post("/{submission_id}/choose", summary="Let a submission count")
def choose_submission(submission_id: Id, caller: OfTeam, contest: TheContest) -> SubmissionAnswer:
    """Let this submission count, where the contest leaves the choice to the teams."""
    handing_in.choose(contest, caller.somebody, submission_id)
    return _answer(contest, caller, submission_id)


@router.post("/{submission_id}/withdraw", summary="Withdraw a submission")
def withdraw_submission(submission_id: Id, caller: OfTeam, contest: TheContest) -> SubmissionAnswer:
    """Take a submission out of the contest; what it cost is not given back."""
    handing_in.withdraw(contest, caller.somebody, submission_id)
    return _answer(contest, caller, submission_id)


@router.get(
    "/{submission_id}/file",
    summary="The file of a submission",
    response_class=FileResponse,
    responses=answers_with(BINARY),
)
def download_submission(submission_id: Id, caller: LoggedIn, contest: TheContest) -> FileResponse:
    """Download a file that the own team handed in, or any for an organizer."""
    with contest.database.read() as connection:
        found, _ = _visible(connection, caller, submission_id)
    parts = not contest.settings.custom and contest.evaluation.year.parts
    name = f"submission-{found.id}.{'zip' if parts else 'csv'}"
    return stored_file(contest.blobs.path(found.sha256), name)


def _visible(
    connection: Connection, caller: Caller, submission_id: int
) -> tuple[submissions.Submission, str]:
    """Return a submission and its team's name, if it is the caller's business."""
    if caller.team_id is None and caller.role != "organizer":
        raise NotFound(f"There is no submission {submission_id}.")
    found = submissions.find(connection, submission_id, team_id=caller.team_id)
    return found, accounts.find_team(connection, found.team_id).name


def _answer(contest: Contest, caller: Caller, submission_id: int) -> SubmissionAnswer:
    with contest.database.read() as connection:
        found, team = _visible(connection, caller, submission_id)
    return SubmissionAnswer(**_fields(found, team))


def _fields(found: submissions.Submission, team: str) -> dict[str, Any]:
    return {
        "id": found.id,
        "team": TeamName(id=found.team_id, name=team),
        "name": found.original_name,
        "note": found.note,
        "size": found.size,
        "sha256": found.sha256,
        "phase": found.phase,
        "state": found.state,
        "problems": None if found.report is None else found.report.get("count", 0),
        "chosen": found.chosen,
        "counted": found.counted,
        "created": iso(found.created),
        "evaluated": None if found.evaluated is None else iso(found.evaluated),
    }


def _report(found: submissions.Submission) -> Report | None:
    if found.report is None:
        return None
    return Report(
        valid=found.report["valid"],
        count=found.report.get("count", 0),
        summary=found.report.get("summary", []),
        problems=found.report.get("problems", []),
    )
