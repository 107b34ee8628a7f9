"""Coming in and going out."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, Field

from tokumei.contest.actions import people
from tokumei.contest.server.access import COOKIE, Anybody, Caller, CallerRole, LoggedIn, TheContest
from tokumei.contest.store import accounts, invitations
from tokumei.contest.store.sessions import LIFE_SECONDS, NewSession
from tokumei.contest.store.states import Role
from tokumei.words import Language

router = APIRouter(prefix="/api", tags=["session"])
Secret = Annotated[str, Field(max_length=500)]
Login = Annotated[str, Field(max_length=200)]


class TeamName(BaseModel):
    """A team by its number and name."""

    id: int
    name: str


class Session(BaseModel):
    """Who is logged in; `csrf` belongs into the header X-CSRF-Token of everything that changes."""

    login: str | None
    role: CallerRole
    team: TeamName | None
    csrf: str | None
    language: Language


class Credentials(BaseModel):
    """Who somebody is and how to prove it."""

    login: Login
    password: Secret


class InvitationSecret(BaseModel):
    """What stands behind the # of an invitation's link."""

    secret: Secret


class Invited(BaseModel):
    """What an invitation is for."""

    role: Role
    team: str | None


class Acceptance(InvitationSecret, Credentials):
    """An invitation, and the account that its owner chooses."""


class PasswordChange(BaseModel):
    """The password until now, and the one from now on."""

    old: Secret
    new: Secret


@router.get("/session", summary="Who is logged in")
def get_session(caller: Anybody, contest: TheContest) -> Session:
    """Tell who calls; nobody is an answer as well."""
    return _session(caller, contest)


@router.post("/session", status_code=204, summary="Log in")
def log_in(
    given: Credentials, request: Request, response: Response, caller: Anybody, contest: TheContest
) -> None:
    """Begin a session in a cookie; failed logins are limited."""
    made = people.log_in(
        contest, given.login, given.password, _address(request), replaces=caller.session
    )
    _keep(made, request, response)


@router.delete("/session", status_code=204, summary="Log out")
def log_out(response: Response, caller: LoggedIn, contest: TheContest) -> None:
    """End the session."""
    if caller.session is not None:
        people.log_out(contest, caller.session)
    response.delete_cookie(COOKIE, path="/")


@router.post("/session/password", status_code=204, summary="Change the own password")
def change_password(
    given: PasswordChange, request: Request, caller: LoggedIn, contest: TheContest
) -> None:
    """Change the password; all sessions end, and one logs in again."""
    people.change_password(contest, caller.somebody, given.old, given.new, _address(request))


@router.post("/invitations/look", summary="Look at an invitation")
def look(given: InvitationSecret, _: Anybody, contest: TheContest) -> Invited:
    """Tell what an invitation is for; it is not used up."""
    with contest.database.read() as connection:
        found = invitations.find(connection, given.secret)
        team = found.team_name
        if found.team_id is not None:
            team = accounts.find_team(connection, found.team_id).name
    return Invited(role=found.role, team=team)


@router.post("/invitations/accept", status_code=201, summary="Accept an invitation")
def accept(
    given: Acceptance, request: Request, response: Response, caller: Anybody, contest: TheContest
) -> None:
    """Make the account and log in."""
    people.accept(contest, given.secret, given.login, given.password)
    made = people.log_in(
        contest, given.login, given.password, _address(request), replaces=caller.session
    )
    _keep(made, request, response)


def _session(caller: Caller, contest: TheContest) -> Session:
    team = None
    if caller.team_id is not None:
        with contest.database.read() as connection:
            found = accounts.find_team(connection, caller.team_id)
        team = TeamName(id=found.id, name=found.name)
    return Session(
        login=caller.user.login if caller.user else None,
        role=caller.role,
        team=team,
        csrf=caller.csrf,
        language=caller.language,
    )


def _keep(made: NewSession, request: Request, response: Response) -> None:
    response.set_cookie(
        COOKIE,
        made.secret,
        max_age=round(LIFE_SECONDS),
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
        path="/",
    )


def _address(request: Request) -> str:
    return request.client.host if request.client else ""
