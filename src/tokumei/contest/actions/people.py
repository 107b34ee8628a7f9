"""Who comes in and how: invitations, logins, passwords, tokens.

Hashing a password takes a while and 64 MB on purpose; a few at once are enough.
"""

from __future__ import annotations

from threading import BoundedSemaphore

from sqlalchemy import Connection

from tokumei.contest.opening import Contest
from tokumei.contest.store import (
    accounts,
    api_tokens,
    audit,
    events,
    invitations,
    login_attempts,
    passwords,
    sessions,
)
from tokumei.contest.store.accounts import User
from tokumei.contest.store.api_tokens import NewApiToken
from tokumei.contest.store.errors import StoreError
from tokumei.contest.store.invitations import NewInvitation
from tokumei.contest.store.sessions import NewSession
from tokumei.contest.store.states import Role, Scope
from tokumei.contest.store.viewing import EVERYBODY
from tokumei.errors import ParameterError

COMMAND = "the command line"
"""Who acts where nobody is logged in."""
DAY = 86_400.0
LONGEST_DAYS = 366
_hashing = BoundedSemaphore(4)


class WrongLogin(StoreError):
    """The login and the password do not belong together; which of them is wrong is not told."""


def log_in(
    contest: Contest, login: str, password: str, address: str, *, replaces: str | None
) -> NewSession:
    """Begin a session, unless the password is wrong or was wrong too often."""
    contest.database.run(lambda connection: login_attempts.begin(connection, login, address))
    with contest.database.read() as connection:
        user, stored = accounts.credentials(connection, login)
    if not _verified(password, stored) or user is None:
        raise _wrong()

    def begin(connection: Connection) -> NewSession:
        login_attempts.succeeded(connection, login, address)
        return sessions.log_in(connection, user.id, replaces=replaces)

    return contest.database.run(begin)


def log_out(contest: Contest, secret: str) -> None:
    """End a session."""
    contest.database.run(lambda connection: sessions.log_out(connection, secret))


def change_password(contest: Contest, actor: User, old: str, new: str, address: str) -> None:
    """Change a password; all sessions of the user end, also this one."""
    contest.database.run(lambda connection: login_attempts.begin(connection, actor.login, address))
    with contest.database.read() as connection:
        _, stored = accounts.credentials(connection, actor.login)
    if not _verified(old, stored):
        raise _wrong()
    hashed = _hashed(new)

    def change(connection: Connection) -> None:
        login_attempts.succeeded(connection, actor.login, address)
        accounts.set_password(connection, actor.id, hashed)
        audit.note(connection, actor.login, "change password")

    contest.database.run(change)


def invite(
    contest: Contest,
    actor: User | None,
    role: Role,
    *,
    team_name: str | None = None,
    team_id: int | None = None,
) -> NewInvitation:
    """Invite somebody by a link that works once; a new captain founds the team."""
    with contest.database.write() as connection:
        made = invitations.invite(
            connection,
            role,
            created_by=actor.id if actor else None,
            team_id=team_id,
            team_name=team_name,
        )
        subject = f"{role} {team_name or team_id or ''}".strip()
        audit.note(connection, _name(actor), "invite", subject)
    return made


def accept(contest: Contest, secret: str, login: str, password: str) -> User:
    """Make the account of somebody who was invited."""
    with contest.database.read() as connection:
        # Nobody without an invitation makes us hash a password.
        found = invitations.find(connection, secret)
    hashed = _hashed(password)
    with contest.database.write() as connection:
        user = invitations.accept(connection, secret, login, hashed)
        audit.note(connection, user.login, "accept invitation", user.role)
        if found.team_name is not None and user.team_id is not None:
            payload = {"team": user.team_id, "name": found.team_name}
            events.append(connection, "team.joined", EVERYBODY, payload)
    return user


def revoke_invitation(contest: Contest, actor: User, invitation_id: int) -> None:
    """Take an invitation back that nobody used."""
    with contest.database.write() as connection:
        invitations.revoke(connection, invitation_id)
        audit.note(connection, actor.login, "revoke invitation", str(invitation_id))


def disable(contest: Contest, actor: User, user_id: int) -> None:
    """Keep a user out."""
    with contest.database.write() as connection:
        accounts.disable(connection, user_id)
        audit.note(connection, actor.login, "disable user", str(user_id))


def enable(contest: Contest, actor: User, user_id: int) -> None:
    """Let a user in again."""
    with contest.database.write() as connection:
        accounts.enable(connection, user_id)
        audit.note(connection, actor.login, "enable user", str(user_id))


def new_token(contest: Contest, actor: User, name: str, scope: Scope, days: int) -> NewApiToken:
    """Make a token for somebody's programs."""
    return _new_token(contest, actor, name, scope, days, user_id=actor.id)


def revoke_token(contest: Contest, actor: User, token_id: int) -> None:
    """End one of somebody's own tokens."""
    _revoke_token(contest, actor, token_id, user_id=actor.id)


def new_worker_token(contest: Contest, actor: User | None, name: str, days: int) -> NewApiToken:
    """Make a token for evaluation workers on other machines."""
    return _new_token(contest, actor, name, "worker", days, user_id=None)


def revoke_worker_token(contest: Contest, actor: User, token_id: int) -> None:
    """End a token of workers."""
    _revoke_token(contest, actor, token_id, user_id=None)


def _new_token(
    contest: Contest, actor: User | None, name: str, scope: Scope, days: int, *, user_id: int | None
) -> NewApiToken:
    if not 1 <= days <= LONGEST_DAYS:
        raise ParameterError(f"A token lives 1 to {LONGEST_DAYS} days, not {days:,}.")
    with contest.database.write() as connection:
        made = api_tokens.create(
            connection, user_id=user_id, scope=scope, name=name, seconds=days * DAY
        )
        audit.note(connection, _name(actor), "new token", made.token.name, scope=scope, days=days)
    return made


def _revoke_token(contest: Contest, actor: User, token_id: int, *, user_id: int | None) -> None:
    with contest.database.write() as connection:
        api_tokens.revoke(connection, token_id, user_id=user_id)
        audit.note(connection, actor.login, "revoke token", str(token_id))


def _verified(password: str, stored: str | None) -> bool:
    with _hashing:
        return passwords.verify_password(password, stored)


def _hashed(password: str) -> str:
    with _hashing:
        return passwords.hash_password(password)


def _name(actor: User | None) -> str:
    return actor.login if actor else COMMAND


def _wrong() -> WrongLogin:
    return WrongLogin("The login or the password is wrong.")
