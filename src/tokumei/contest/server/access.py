"""Who calls, and what only some may call.

A browser comes with the cookie of a session; to change something it must also show the session's
CSRF token, which no other site can read, and come from our own pages. A program comes with a token
in the header, which browsers never send by themselves.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Literal, cast
from urllib.parse import urlsplit

from fastapi import Depends, Request
from fastapi.security import APIKeyCookie, HTTPBearer
from starlette.requests import HTTPConnection

from tokumei.contest.opening import Contest
from tokumei.contest.server.languages import language_of
from tokumei.contest.server.problems import Forbidden, NotLoggedIn
from tokumei.contest.store import api_tokens, clock, sessions
from tokumei.contest.store.accounts import User
from tokumei.contest.store.states import Role
from tokumei.contest.store.viewing import Viewer
from tokumei.words import Language

COOKIE = "tokumei_session"
CSRF_HEADER = "x-csrf-token"
SAFE = ("GET", "HEAD", "OPTIONS")
USED_SECONDS = 60
"""A token's last use is written down no more often than this."""
CallerRole = Literal["anonymous", "worker"] | Role

# They only tell the OpenAPI document how to come in; `_of_request` does the work.
_session_cookie = APIKeyCookie(name=COOKIE, scheme_name="session", auto_error=False)
_bearer = HTTPBearer(scheme_name="token", auto_error=False)


@dataclass(frozen=True)
class Caller:
    """Who calls: somebody logged in, a program with somebody's token, a worker, or anybody."""

    role: CallerRole
    language: Language
    user: User | None = None
    csrf: str | None = field(default=None, repr=False)
    session: str | None = field(default=None, repr=False)

    @property
    def team_id(self) -> int | None:
        """The team, which never comes from anywhere else."""
        return self.user.team_id if self.user else None

    @property
    def viewer(self) -> Viewer:
        """As whom the caller looks at results and events."""
        return Viewer(self.team_id, organizer=self.role == "organizer")

    @property
    def somebody(self) -> User:
        """The user; for routes that only somebody logged in can call."""
        if self.user is None:
            raise NotLoggedIn
        return self.user


def the_contest(connection: HTTPConnection) -> Contest:
    """Return the contest that this server serves."""
    return cast("Contest", connection.app.state.contest)


TheContest = Annotated[Contest, Depends(the_contest)]


def caller_of(
    request: Request,
    contest: TheContest,
    _cookie: Annotated[str | None, Depends(_session_cookie)],
    _token: Annotated[object, Depends(_bearer)],
) -> Caller:
    """Find out who calls, and refuse what another site made a browser send."""
    caller = caller_by_headers(request, contest, unsafe=request.method not in SAFE)
    if request.method not in SAFE:
        refuse_other_sites(request)
        if caller.csrf is not None and not _same(request.headers.get(CSRF_HEADER), caller.csrf):
            raise Forbidden("The CSRF token is missing or wrong; reload the page.")
    return caller


def caller_by_headers(request: HTTPConnection, contest: Contest, *, unsafe: bool) -> Caller:
    """Find out who calls by the token or the cookie."""
    scheme, _, secret = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return _by_token(contest, secret.strip(), language_of(request), unsafe=unsafe)
    return _by_session(contest, request.cookies.get(COOKIE), language_of(request))


def refuse_other_sites(request: HTTPConnection) -> None:
    """Refuse a request that comes from the page of another site; programs name no origin."""
    origin = request.headers.get("origin")
    if origin is not None and urlsplit(origin).netloc != request.headers.get("host"):
        raise Forbidden("The request comes from another site.")


def _by_token(contest: Contest, secret: str, language: Language, *, unsafe: bool) -> Caller:
    with contest.database.read() as connection:
        found = api_tokens.find(connection, secret)
    if found is None:
        raise NotLoggedIn("The token is unknown or has expired.")
    token, user = found
    if (token.last_used or 0) < clock.now() - USED_SECONDS * clock.SECOND:
        contest.database.run(lambda connection: api_tokens.used(connection, token.id))
    if user is None:
        return Caller("worker", language)
    if unsafe and token.scope == "read":
        raise Forbidden("The token may only read.")
    return Caller(user.role, language, user)


def _by_session(contest: Contest, secret: str | None, language: Language) -> Caller:
    if not secret:
        return Caller("anonymous", language)
    with contest.database.read() as connection:
        found = sessions.find(connection, secret)
    if found is None:
        return Caller("anonymous", language)
    if found.stale:
        contest.database.run(lambda connection: sessions.touch(connection, secret))
    return Caller(found.user.role, language, found.user, found.csrf, secret)


def _same(given: str | None, wanted: str) -> bool:
    return given is not None and hmac.compare_digest(given.encode(), wanted.encode())


Anybody = Annotated[Caller, Depends(caller_of)]


def _only(*roles: CallerRole) -> Callable[[Caller], Caller]:
    def check(caller: Anybody) -> Caller:
        if caller.role == "anonymous":
            raise NotLoggedIn
        if caller.role not in roles:
            raise Forbidden
        return caller

    return check


LoggedIn = Annotated[Caller, Depends(_only("organizer", "captain", "member", "observer"))]
OfTeam = Annotated[Caller, Depends(_only("captain", "member"))]
Captain = Annotated[Caller, Depends(_only("captain"))]
TeamOrOrganizer = Annotated[Caller, Depends(_only("organizer", "captain", "member"))]
Organizer = Annotated[Caller, Depends(_only("organizer"))]
RemoteWorker = Annotated[Caller, Depends(_only("worker"))]


def iso(moment: int) -> str:
    """Return a stored time as the API writes it.

    >>> iso(0)
    '1970-01-01T00:00:00Z'
    """
    return clock.as_datetime(moment).isoformat().replace("+00:00", "Z")
