"""Invitations: links that work once and not for long. There is no other way to an account."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, and_, delete, insert, select, update

from tokumei.contest.store import clock
from tokumei.contest.store.accounts import User, add_team, add_user, team_exists
from tokumei.contest.store.errors import InvitationInvalid, NameTaken, NotFound
from tokumei.contest.store.names import clean_name
from tokumei.contest.store.rows import columns, one, perhaps, several
from tokumei.contest.store.schema import invitations
from tokumei.contest.store.secret_texts import hash_of, new_secret
from tokumei.contest.store.states import Role
from tokumei.errors import ParameterError

LIFE_SECONDS = 7 * 86_400.0


@dataclass(frozen=True)
class Invitation:
    """Who is invited: to a team, to found one, or as an organizer or observer."""

    id: int
    role: Role
    team_id: int | None
    team_name: str | None
    created: int
    created_by: int | None
    expires: int
    used: int | None


@dataclass(frozen=True)
class NewInvitation:
    """An invitation and the secret of its link, which is never shown again."""

    secret: str
    invitation: Invitation


FIELDS = columns(invitations, Invitation)


def invite(
    connection: Connection,
    role: Role,
    *,
    created_by: int | None,
    team_id: int | None = None,
    team_name: str | None = None,
    seconds: float = LIFE_SECONDS,
) -> NewInvitation:
    """Invite somebody; the first organizer is invited by nobody."""
    named = (team_id is not None) + (team_name is not None)
    if named != (role in ("captain", "member")):
        raise ParameterError("Captains and members are invited to one team, others to none.")
    if team_name is not None:
        team_name = clean_name(team_name, "team name")
        if team_exists(connection, team_name):
            raise NameTaken(f"There is a team called {team_name} already.")
    secret = new_secret()
    statement = insert(invitations).values(
        token_hash=hash_of(secret),
        role=role,
        team_id=team_id,
        team_name=team_name,
        created=clock.now(),
        created_by=created_by,
        expires=clock.after(seconds),
    )
    made = one(connection, statement.returning(*FIELDS), Invitation, "invitation")
    return NewInvitation(secret, made)


def find(connection: Connection, secret: str) -> Invitation:
    """Return the invitation of a link that still works."""
    found = perhaps(connection, select(*FIELDS).where(_works(secret)), Invitation)
    if found is None:
        raise _invalid()
    return found


def accept(connection: Connection, secret: str, login: str, password_hash: str) -> User:
    """Make the invited user, and the team where it is new; of several at once one succeeds."""
    use = update(invitations).where(_works(secret)).values(used=clock.now())
    # A name that is taken must not use up the invitation.
    with connection.begin_nested():
        found = perhaps(connection, use.returning(*FIELDS), Invitation)
        if found is None:
            raise _invalid()
        team_id = found.team_id
        if found.team_name is not None:
            team_id = add_team(connection, found.team_name).id
        return add_user(connection, login, password_hash, found.role, team_id)


def listed(connection: Connection, *, team_id: int | None = None) -> list[Invitation]:
    """Return the invitations to a team, or all, the newest first."""
    statement = select(*FIELDS).order_by(invitations.c.id.desc())
    if team_id is not None:
        statement = statement.where(invitations.c.team_id == team_id)
    return several(connection, statement, Invitation)


def revoke(connection: Connection, invitation_id: int) -> None:
    """Take an invitation back that nobody used."""
    unused = (invitations.c.id == invitation_id, invitations.c.used.is_(None))
    if not connection.execute(delete(invitations).where(*unused)).rowcount:
        raise NotFound("There is no open invitation of that number.")


def _works(secret: str) -> ColumnElement[bool]:
    return and_(
        invitations.c.token_hash == hash_of(secret),
        invitations.c.used.is_(None),
        invitations.c.expires > clock.now(),
    )


def _invalid() -> InvitationInvalid:
    return InvitationInvalid("The invitation is unknown, used or expired; ask for a new one.")
