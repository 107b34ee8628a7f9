"""Tokens for programs: shown once, kept as a hash, with a scope and an end."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, delete, insert, select, update

from tokumei.contest.store import clock
from tokumei.contest.store.accounts import USER_FIELDS, User
from tokumei.contest.store.errors import NotFound
from tokumei.contest.store.names import clean_name
from tokumei.contest.store.rows import columns, one, perhaps, several
from tokumei.contest.store.schema import api_tokens, users
from tokumei.contest.store.secret_texts import hash_of, new_secret
from tokumei.contest.store.states import Scope

PREFIX = "tokumei_"
"""So that programs that look for leaked secrets know one."""


@dataclass(frozen=True)
class ApiToken:
    """A token without its secret; that of a worker belongs to no user."""

    id: int
    user_id: int | None
    scope: Scope
    name: str
    created: int
    expires: int
    last_used: int | None


@dataclass(frozen=True)
class NewApiToken:
    """A token and its secret, which is never shown again."""

    secret: str
    token: ApiToken


FIELDS = columns(api_tokens, ApiToken)


def create(
    connection: Connection, *, user_id: int | None, scope: Scope, name: str, seconds: float
) -> NewApiToken:
    """Make a token for a user's programs, or without a user for a worker."""
    secret = PREFIX + new_secret()
    statement = insert(api_tokens).values(
        token_hash=hash_of(secret),
        user_id=user_id,
        scope=scope,
        name=clean_name(name, "name of a token"),
        created=clock.now(),
        expires=clock.after(seconds),
    )
    return NewApiToken(secret, one(connection, statement.returning(*FIELDS), ApiToken, "token"))


def find(connection: Connection, secret: str) -> tuple[ApiToken, User | None] | None:
    """Return a token and its user, unless it ended or the user is out."""
    alive = (api_tokens.c.token_hash == hash_of(secret), api_tokens.c.expires > clock.now())
    token = perhaps(connection, select(*FIELDS).where(*alive), ApiToken)
    if token is None:
        return None
    active = (users.c.id == token.user_id, users.c.disabled.is_(None))
    user = perhaps(connection, select(*USER_FIELDS).where(*active), User)
    return (token, user) if user or token.scope == "worker" else None


def used(connection: Connection, token_id: int) -> None:
    """Write down that a token is used."""
    statement = update(api_tokens).where(api_tokens.c.id == token_id)
    connection.execute(statement.values(last_used=clock.now()))


def listed(connection: Connection, *, user_id: int | None) -> list[ApiToken]:
    """Return the tokens of a user, or those of the workers."""
    owned = api_tokens.c.user_id.is_not_distinct_from(user_id)
    statement = select(*FIELDS).where(owned).order_by(api_tokens.c.id)
    return several(connection, statement, ApiToken)


def revoke(connection: Connection, token_id: int, *, user_id: int | None) -> None:
    """End a token of a user, or one of the workers."""
    owned = api_tokens.c.user_id.is_not_distinct_from(user_id)
    statement = delete(api_tokens).where(api_tokens.c.id == token_id, owned)
    if not connection.execute(statement).rowcount:
        raise NotFound(f"There is no token {token_id}.")
