"""Re-evaluations: everything is measured again, reviewed, and only then put into the table."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, Field
from sqlalchemy import Connection

from tokumei.contest.actions import organizing
from tokumei.contest.server.access import Organizer, TheContest, iso
from tokumei.contest.server.api.session import TeamName
from tokumei.contest.server.ids import Id
from tokumei.contest.store import accounts, metrics, results, submissions
from tokumei.contest.store.errors import NotFound
from tokumei.contest.store.results import EvaluationSet, Progress
from tokumei.contest.store.states import SetState

router = APIRouter(prefix="/api/sets", tags=["sets"])


class EvaluationSetStatus(BaseModel):
    """A way of scoring, and how many of its jobs are open or were given up."""

    id: int
    name: str
    state: SetState
    created: str
    decided: str | None
    jobs: int
    open: int
    given_up: int


class SetWish(BaseModel):
    """What a re-evaluation is called."""

    name: Annotated[str, Field(max_length=200)]


class Side(BaseModel):
    """A number, or why there is none."""

    value: float | None
    problem: str | None


class Change(BaseModel):
    """A result that a set would change."""

    team: TeamName
    submission: int
    metric: str
    title: str
    before: Side
    after: Side


@router.get("", summary="All evaluation sets")
def list_sets(_: Organizer, contest: TheContest) -> list[EvaluationSetStatus]:
    """List the sets, the newest first, with the progress of their jobs."""
    with contest.database.read() as connection:
        found, done = results.sets(connection), results.progress(connection)
    return [_status(one, done.get(one.id, Progress())) for one in found]


@router.post("", status_code=201, summary="Evaluate everything again")
def open_set(wish: SetWish, caller: Organizer, contest: TheContest) -> EvaluationSetStatus:
    """Begin a set; the table stays as it is until the set is activated."""
    made = organizing.open_set(contest, caller.somebody, wish.name)
    with contest.database.read() as connection:
        return _status(made, results.progress(connection).get(made.id, Progress()))


@router.get("/{set_id}/changes", summary="What a set would change")
def list_changes(set_id: Id, _: Organizer, contest: TheContest) -> list[Change]:
    """List the results that differ from those in the table."""
    with contest.database.read() as connection:
        if set_id not in {one.id for one in results.sets(connection)}:
            raise NotFound(f"There is no set {set_id}.")
        return _changes(connection, set_id)


@router.post("/{set_id}/activate", status_code=204, summary="Put a set into the table")
def activate_set(set_id: Id, caller: Organizer, contest: TheContest) -> None:
    """Let the table show a set whose jobs have all ended."""
    organizing.activate_set(contest, caller.somebody, set_id)


@router.post("/{set_id}/discard", status_code=204, summary="Put a set away")
def discard_set(set_id: Id, caller: Organizer, contest: TheContest) -> None:
    """Put a set away that shall not be in the table."""
    organizing.discard_set(contest, caller.somebody, set_id)


def _status(one: EvaluationSet, done: Progress) -> EvaluationSetStatus:
    return EvaluationSetStatus(
        id=one.id,
        name=one.name,
        state=one.state,
        created=iso(one.created),
        decided=None if one.decided is None else iso(one.decided),
        jobs=done.jobs,
        open=done.open,
        given_up=done.given_up,
    )


def _changes(connection: Connection, set_id: int) -> list[Change]:
    names = {team.id: team.name for team in accounts.listed_teams(connection)}
    owners = {one.id: one.team_id for one in submissions.listed(connection)}
    titles = {metric.name: metric.title for metric in metrics.listed(connection)}
    return [
        Change(
            team=TeamName(id=owners[one.submission_id], name=names[owners[one.submission_id]]),
            submission=one.submission_id,
            metric=one.metric,
            title=titles[one.metric],
            before=Side(value=one.before, problem=one.before_problem),
            after=Side(value=one.after, problem=one.after_problem),
        )
        for one in results.changes(connection, set_id)
    ]
