"""The attack phase: what is published, what others guess, and who named whom."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from functools import partial
from typing import Any

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import FileResponse
from pydantic import BaseModel
from sqlalchemy import Connection

from tokumei.contest.actions import attacking
from tokumei.contest.opening import Contest
from tokumei.contest.phases import phase_now, sees
from tokumei.contest.server.access import (
    Caller,
    LoggedIn,
    OfTeam,
    TeamOrOrganizer,
    TheContest,
    iso,
)
from tokumei.contest.server.api.session import TeamName
from tokumei.contest.server.files import BINARY, RAW_BODY, answers_with, stored_file
from tokumei.contest.server.ids import Id
from tokumei.contest.server.tables import Cell, attack_cells
from tokumei.contest.server.uploading import received
from tokumei.contest.store import accounts, guesses
from tokumei.contest.store.contest_state import read_state
from tokumei.contest.store.errors import NotFound, NotNow
from tokumei.contest.store.states import GuessState
from tokumei.contest.store.viewing import Sees

router = APIRouter(prefix="/api", tags=["attack"])


class Release(BaseModel):
    """What the others get of a team's data."""

    team: TeamName
    size: int
    sha256: str
    created: str


class Guess(BaseModel):
    """What an attacker said of a defender's data, and how many it named."""

    id: int
    attacker: TeamName
    defender: TeamName
    state: GuessState
    size: int
    report: Mapping[str, Any] | None
    hits: int | None
    total: int | None
    success: float | None
    created: str
    marked: str | None


class MatrixTeam(TeamName):
    """A team, and whether it can be attacked."""

    published: bool


class Matrix(BaseModel):
    """Who named how many of whom, as far as the caller may see it."""

    teams: list[MatrixTeam]
    cells: list[Cell]
    frozen: str | None
    limit: int
    sees: Sees


@router.get("/releases", summary="What was published")
def list_releases(_: LoggedIn, contest: TheContest) -> list[Release]:
    """List the published data of all teams, from the re-identification phase on."""
    with contest.database.read() as connection:
        _need_attack(connection, contest)
        names = _names(connection)
        found = guesses.published(connection)
    return [
        Release(team=names[one.team_id], size=one.size, sha256=one.sha256, created=iso(one.created))
        for one in found
    ]


@router.get(
    "/releases/{team_id}/file",
    summary="A team's published data",
    response_class=FileResponse,
    responses=answers_with(BINARY),
)
def get_release(team_id: Id, _: TeamOrOrganizer, contest: TheContest) -> FileResponse:
    """Download what a team published, from the re-identification phase on."""
    with contest.database.read() as connection:
        _need_attack(connection, contest)
        found = {one.team_id: one for one in guesses.published(connection)}.get(team_id)
    if found is None:
        raise NotFound(f"There is no published data of team {team_id}.")
    path = contest.blobs.path(found.sha256)
    # A release of several files is a ZIP.
    ending = "zip" if zipfile.is_zipfile(path) else "csv"
    return stored_file(path, f"release-{team_id}.{ending}")


@router.post("/guesses", status_code=201, summary="Attack a team", openapi_extra=RAW_BODY)
async def add_guess(defender: Id, request: Request, caller: OfTeam, contest: TheContest) -> Guess:
    """Take a guess, which is the raw body; it counts against the limit unless it is invalid."""
    expect = partial(attacking.expect, contest, caller.somebody, defender)
    blob = await received(request, contest, expect=expect)
    made = await run_in_threadpool(attacking.guess, contest, caller.somebody, defender, blob)
    return await run_in_threadpool(_shown, contest, caller, made)


@router.get("/guesses", summary="The guesses")
def list_guesses(caller: LoggedIn, contest: TheContest) -> list[Guess]:
    """List the guesses of the own team, or for an organizer all; the newest first."""
    with contest.database.read() as connection:
        if caller.role == "organizer":
            found = guesses.listed(connection)
        elif caller.team_id is not None:
            found = guesses.listed(connection, attacker_id=caller.team_id)
        else:
            found = []
        return _guesses(connection, contest, caller, found)


@router.get("/matrix", summary="Who named whom")
def get_matrix(caller: LoggedIn, contest: TheContest) -> Matrix:
    """Return the best guess of every attacker against every defender."""
    with contest.database.read() as connection:
        allowed = sees(connection, contest.settings, caller.viewer)
        cells = attack_cells(connection, caller.viewer, allowed)
        published = {one.team_id for one in guesses.published(connection)}
        teams = accounts.listed_teams(connection)
        frozen = read_state(connection).frozen
    return Matrix(
        teams=[
            MatrixTeam(id=one.id, name=one.name, published=one.id in published) for one in teams
        ],
        cells=cells,
        frozen=None if frozen is None else iso(frozen),
        limit=contest.settings.quotas.guesses,
        sees=allowed,
    )


def _need_attack(connection: Connection, contest: Contest) -> None:
    if phase_now(connection, contest.settings) not in ("attack", "closed"):
        raise NotNow("Data is published when the re-identification phase begins.")


def _names(connection: Connection) -> dict[int, TeamName]:
    teams = accounts.listed_teams(connection)
    return {team.id: TeamName(id=team.id, name=team.name) for team in teams}


def _shown(contest: Contest, caller: Caller, made: guesses.HandedInGuess) -> Guess:
    with contest.database.read() as connection:
        return _guesses(connection, contest, caller, [made])[0]


def _guesses(
    connection: Connection, contest: Contest, caller: Caller, found: list[guesses.HandedInGuess]
) -> list[Guess]:
    names = _names(connection)
    hidden = sees(connection, contest.settings, caller.viewer) == "none"
    return [
        Guess(
            id=one.id,
            attacker=names[one.attacker_id],
            defender=names[one.defender_id],
            state=one.state,
            size=one.size,
            report=one.report,
            hits=None if hidden else one.hits,
            total=None if hidden else one.total,
            success=None if hidden else one.success,
            created=iso(one.created),
            marked=None if one.marked is None else iso(one.marked),
        )
        for one in found
    ]
