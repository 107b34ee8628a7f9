"""Who is in the contest: invitations and users."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field

from tokumei.contest.actions import people
from tokumei.contest.server.access import Captain, Organizer, TheContest, iso
from tokumei.contest.server.api.session import TeamName
from tokumei.contest.server.ids import Id
from tokumei.contest.store import accounts, invitations
from tokumei.contest.store.states import Role

router = APIRouter(prefix="/api", tags=["people"])


class Invitation(BaseModel):
    """Who is invited, without the link; a captain with a new team's name founds it."""

    id: int
    role: Role
    team_id: int | None
    team_name: str | None
    created: str
    expires: str
    used: str | None

    @classmethod
    def of(cls, one: invitations.Invitation) -> Invitation:
        """Return what is told of an invitation."""
        return Invitation(
            id=one.id,
            role=one.role,
            team_id=one.team_id,
            team_name=one.team_name,
            created=iso(one.created),
            expires=iso(one.expires),
            used=None if one.used is None else iso(one.used),
        )


class NewInvitation(Invitation):
    """An invitation and its link, which works once and is never shown again."""

    link: str


class InvitationWish(BaseModel):
    """Who shall be invited; captains and members with a team."""

    role: Role
    team_name: Annotated[str, Field(max_length=200)] | None = None
    team_id: Id | None = None


class User(BaseModel):
    """Somebody who can log in, unless disabled."""

    id: int
    login: str
    role: Role
    team: TeamName | None
    created: str
    disabled: str | None


@router.get("/invitations", summary="All invitations")
def list_invitations(_: Organizer, contest: TheContest) -> list[Invitation]:
    """List the invitations without their links, the newest first."""
    with contest.database.read() as connection:
        found = invitations.listed(connection)
    return [Invitation.of(one) for one in found]


@router.post("/invitations", status_code=201, summary="Invite somebody")
def invite(
    wish: InvitationWish, request: Request, caller: Organizer, contest: TheContest
) -> NewInvitation:
    """Make a link for one account; it is in this answer only."""
    if wish.team_id is not None:
        with contest.database.read() as connection:
            accounts.find_team(connection, wish.team_id)
    made = people.invite(
        contest, caller.somebody, wish.role, team_name=wish.team_name, team_id=wish.team_id
    )
    return _new(request, made)


@router.post("/team/invitations", status_code=201, summary="Invite a member of the own team")
def invite_member(request: Request, caller: Captain, contest: TheContest) -> NewInvitation:
    """Make a link for one more member; it is in this answer only."""
    made = people.invite(contest, caller.somebody, "member", team_id=caller.team_id)
    return _new(request, made)


@router.delete("/invitations/{invitation_id}", status_code=204, summary="Revoke an invitation")
def revoke_invitation(invitation_id: Id, caller: Organizer, contest: TheContest) -> None:
    """Take back an invitation that nobody used."""
    people.revoke_invitation(contest, caller.somebody, invitation_id)


@router.get("/users", summary="All users")
def list_users(_: Organizer, contest: TheContest) -> list[User]:
    """List everybody who can log in, and who is kept out."""
    with contest.database.read() as connection:
        names = {team.id: team.name for team in accounts.listed_teams(connection)}
        found = accounts.listed_users(connection)
    return [
        User(
            id=one.id,
            login=one.login,
            role=one.role,
            team=None if one.team_id is None else TeamName(id=one.team_id, name=names[one.team_id]),
            created=iso(one.created),
            disabled=None if one.disabled is None else iso(one.disabled),
        )
        for one in found
    ]


@router.post("/users/{user_id}/disable", status_code=204, summary="Keep a user out")
def disable_user(user_id: Id, caller: Organizer, contest: TheContest) -> None:
    """End the sessions of a user and let it not in again."""
    people.disable(contest, caller.somebody, user_id)


@router.post("/users/{user_id}/enable", status_code=204, summary="Let a user in again")
def enable_user(user_id: Id, caller: Organizer, contest: TheContest) -> None:
    """Let a user log in again."""
    people.enable(contest, caller.somebody, user_id)


def _new(request: Request, made: invitations.NewInvitation) -> NewInvitation:
    # What stands behind # never reaches a server's log.
    link = f"{request.base_url}invitation#{made.secret}"
    return NewInvitation(**Invitation.of(made.invitation).model_dump(), link=link)
