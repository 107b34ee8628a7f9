"""Tokens for somebody's own programs."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter
from pydantic import BaseModel, Field

from tokumei.contest.actions import people
from tokumei.contest.server.access import LoggedIn, TheContest, iso
from tokumei.contest.server.ids import Id
from tokumei.contest.store import api_tokens
from tokumei.contest.store.api_tokens import ApiToken
from tokumei.contest.store.states import Scope

router = APIRouter(prefix="/api/tokens", tags=["tokens"])


class Token(BaseModel):
    """A token without its secret."""

    id: int
    name: str
    scope: Scope
    created: str
    expires: str
    last_used: str | None

    @classmethod
    def of(cls, token: ApiToken) -> Token:
        """Return what is told of a token."""
        return Token(
            id=token.id,
            name=token.name,
            scope=token.scope,
            created=iso(token.created),
            expires=iso(token.expires),
            last_used=None if token.last_used is None else iso(token.last_used),
        )


class NewToken(Token):
    """A token and its secret, which is never shown again."""

    secret: str


class TokenWish(BaseModel):
    """What a token is for, what it may do, and how long."""

    name: Annotated[str, Field(max_length=200)]
    scope: Literal["read", "write"] = "write"
    days: Annotated[int, Field(ge=1, le=people.LONGEST_DAYS)] = 30


@router.get("", summary="The own tokens")
def list_tokens(caller: LoggedIn, contest: TheContest) -> list[Token]:
    """List the tokens of the caller, without their secrets."""
    with contest.database.read() as connection:
        found = api_tokens.listed(connection, user_id=caller.somebody.id)
    return [Token.of(token) for token in found]


@router.post("", status_code=201, summary="A new token")
def create_token(wish: TokenWish, caller: LoggedIn, contest: TheContest) -> NewToken:
    """Make a token; its secret is in this answer only."""
    made = people.new_token(contest, caller.somebody, wish.name, wish.scope, wish.days)
    return NewToken(secret=made.secret, **Token.of(made.token).model_dump())


@router.delete("/{token_id}", status_code=204, summary="End a token")
def revoke_token(token_id: Id, caller: LoggedIn, contest: TheContest) -> None:
    """End one of the own tokens."""
    people.revoke_token(contest, caller.somebody, token_id)
