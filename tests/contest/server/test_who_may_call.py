"""Who may call what, and when: every route of the OpenAPI document, every role, every phase.

A route without an entry fails here, so nobody adds one without saying whom it is for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from staging import SQLITE, VALID, ClientOf, People

from tokumei.contest.actions import people as acting
from tokumei.contest.opening import Contest
from tokumei.contest.server.app import make_app
from tokumei.contest.settings import Phase
from tokumei.contest.store import control

pytestmark = [
    SQLITE,
    pytest.mark.parametrize("more_settings", ['counts = "chosen"']),
]

PHASES = (None, "anonymize", "break", "attack", "closed")
ANYBODY = frozenset(("anonymous", "observer", "member", "captain", "organizer", "worker"))
LOGGED_IN = ANYBODY - {"anonymous", "worker"}
TEAM = frozenset(("member", "captain"))
ORGANIZER = frozenset(("organizer",))
WORKER = frozenset(("worker",))
ALWAYS = frozenset(PHASES)
ATTACKED = frozenset(("attack", "closed"))
NOBODY = 999_999
"""The id of nothing: whoever is let in finds that it is not there, and changes nothing."""
Operations = Callable[[FastAPI], dict[str, tuple[str, str]]]
LEASE = {"Lease-Token": "x", "Job-Id": str(NOBODY)}


@dataclass(frozen=True)
class Route:
    roles: frozenset[str]
    ok: int = 200
    phases: frozenset[str | None] = ALWAYS
    query: str = ""
    json: Any = None
    content: bytes | None = None
    headers: Mapping[str, str] | None = None


TABLE = {
    # Coming in
    "getSession": Route(ANYBODY),
    "logIn": Route(ANYBODY, 401, json={"login": "nobody", "password": "of nobody"}),
    "logOut": Route(LOGGED_IN, 204),
    "changePassword": Route(LOGGED_IN, 401, json={"old": "not this", "new": "a longer one"}),
    "look": Route(ANYBODY, 404, json={"secret": "x"}),
    "accept": Route(ANYBODY, 404, json={"secret": "x", "login": "a", "password": "b" * 12}),
    "listTokens": Route(LOGGED_IN),
    "createToken": Route(LOGGED_IN, 201, json={"name": "laptop"}),
    "revokeToken": Route(LOGGED_IN, 404),
    # The contest
    "getContest": Route(ANYBODY),
    "listData": Route(LOGGED_IN),
    "downloadData": Route(LOGGED_IN),
    "listEvents": Route(LOGGED_IN, query="since=0"),
    "showState": Route(LOGGED_IN),
    "getStory": Route(LOGGED_IN),
    # Submissions
    "createSubmission": Route(
        TEAM, 201, frozenset(("anonymize",)), query="name=a.csv", content=VALID
    ),
    "listSubmissions": Route(LOGGED_IN),
    "getSubmission": Route(LOGGED_IN, 404),
    "changeSubmission": Route(TEAM, 404, json={"note": "ours"}),
    "chooseSubmission": Route(TEAM, 404, frozenset(("anonymize", "break"))),
    "withdrawSubmission": Route(TEAM, 404, frozenset(("anonymize", "break"))),
    "downloadSubmission": Route(LOGGED_IN, 404),
    # Metrics
    "listMetrics": Route(LOGGED_IN),
    "listScripts": Route(LOGGED_IN),
    "createScript": Route(
        TEAM | ORGANIZER,
        422,
        query="name=m&language=python&kind=total&better=lower",
        content=b"print({})",
    ),
    "downloadScript": Route(LOGGED_IN, 404),
    "approveScript": Route(ORGANIZER, 404),
    "rejectScript": Route(ORGANIZER, 404, json={"reason": "no"}),
    # Results
    "getResults": Route(LOGGED_IN),
    "exportResults": Route(LOGGED_IN, query="format=csv"),
    "exportEverything": Route(ORGANIZER, query="format=json"),
    "listTeams": Route(LOGGED_IN),
    "getHistory": Route(LOGGED_IN, 404),
    # The re-identification phase
    "listReleases": Route(LOGGED_IN, phases=ATTACKED),
    "getRelease": Route(TEAM | ORGANIZER, 404, ATTACKED),
    "addGuess": Route(
        TEAM, 404, frozenset(("attack",)), query=f"defender={NOBODY}", content=b"1,2\n"
    ),
    "listGuesses": Route(LOGGED_IN),
    "getMatrix": Route(LOGGED_IN),
    # The organizer
    "listInvitations": Route(ORGANIZER),
    "invite": Route(ORGANIZER, 201, json={"role": "observer"}),
    "inviteMember": Route(frozenset(("captain",)), 201),
    "revokeInvitation": Route(ORGANIZER, 404),
    "listUsers": Route(ORGANIZER),
    "disableUser": Route(ORGANIZER, 404),
    "enableUser": Route(ORGANIZER, 404),
    "setPhase": Route(ORGANIZER, 422, json={"phase": "no such phase"}),
    "freeze": Route(ORGANIZER, 204, ALWAYS - {"closed"}),
    "unfreeze": Route(ORGANIZER, 204),
    "listAudit": Route(ORGANIZER),
    "getReport": Route(LOGGED_IN),
    "getQueue": Route(ORGANIZER),
    "retryJob": Route(ORGANIZER, 409),
    "listWorkerTokens": Route(ORGANIZER),
    "createWorkerToken": Route(ORGANIZER, 201, json={"name": "rack"}),
    "revokeWorkerToken": Route(ORGANIZER, 404),
    "listSets": Route(ORGANIZER),
    "openSet": Route(ORGANIZER, 409, json={"name": "again"}),
    "listChanges": Route(ORGANIZER, 404),
    "activateSet": Route(ORGANIZER, 409),
    "discardSet": Route(ORGANIZER, 409),
    # Workers on other machines
    "copyOfContest": Route(WORKER),
    "dataFile": Route(WORKER, 404),
    "claim": Route(WORKER, 409, json={"name": "rack", "kinds": [], "contest": "0" * 64}),
    "jobFile": Route(WORKER, 409, headers=LEASE),
    "heartbeat": Route(WORKER, 409, headers=LEASE),
    "finish": Route(WORKER, 409, headers=LEASE, content=b"{}"),
    "fail": Route(WORKER, 409, headers=LEASE, content=b'{"sentence": "x"}'),
    "infrastructure": Route(WORKER, 409, headers=LEASE, content=b'{"sentence": "x"}'),
}


@pytest.fixture(scope="module")
def operations() -> Operations:
    """Every route of the document by its name: its method and its path.

    All contests have the same routes, and writing the document takes longer than asking for them.
    """
    found: dict[str, tuple[str, str]] = {}

    def of(app: FastAPI) -> dict[str, tuple[str, str]]:
        if not found:
            for path, methods in app.openapi()["paths"].items():
                for method, told in methods.items():
                    found[told["operationId"]] = method.upper(), path
        return found

    return of


def address(path: str) -> str:
    for name, value in (("{name}", "original"), ("{sha256}", "0" * 64)):
        path = path.replace(name, value)
    while "{" in path:
        start, end = path.index("{"), path.index("}")
        path = f"{path[:start]}{NOBODY}{path[end + 1 :]}"
    return path


def test_every_route_says_whom_it_is_for(contest: Contest, operations: Operations) -> None:
    assert set(operations(make_app(contest, ticking=False))) == set(TABLE)


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("role", sorted(ANYBODY))
def test_only_those_are_let_in(
    contest: Contest,
    people: People,
    client_of: ClientOf,
    operations: Operations,
    role: str,
    phase: str | None,
) -> None:
    if phase is None:
        contest = _not_begun(contest)
    else:
        contest.database.run(lambda connection: control.set_phase(connection, phase))
    app = make_app(contest, ticking=False)
    client = _client(contest, people, client_of, role)
    client._transport.app = app  # type: ignore[attr-defined]
    wrong = []
    # Logging out comes last: it ends the session.
    for name, (method, path) in sorted(operations(app).items(), key=_log_out_last):
        route = TABLE[name]
        answer = client.request(
            method,
            f"{address(path)}?{route.query}",
            json=route.json,
            content=route.content,
            headers=dict(route.headers or {}),
        )
        expected = _expected(route, role, phase, name)
        if answer.status_code != expected:
            wrong.append(f"{name}: {answer.status_code}, not {expected}: {answer.text[:100]}")
        if answer.status_code >= 400:
            assert set(answer.json()["error"]) == {"kind", "message"}
    assert not wrong, "\n".join(wrong)


def _log_out_last(operation: tuple[str, object]) -> bool:
    return operation[0] == "logOut"


def _expected(route: Route, role: str, phase: str | None, name: str) -> int:
    if role not in route.roles:
        return 401 if role == "anonymous" else 403
    if name == "getReport" and role != "organizer" and phase != "closed":
        return 409
    return route.ok if phase in route.phases else 409


def _client(contest: Contest, people: People, client_of: ClientOf, role: str) -> TestClient:
    if role == "worker":
        client = client_of(None)
        token = acting.new_worker_token(contest, people.organizer, "rack", 1)
        client.headers["Authorization"] = f"Bearer {token.secret}"
        return client
    return client_of(None if role == "anonymous" else getattr(people, role))


def _not_begun(contest: Contest) -> Contest:
    later = (Phase("anonymize", datetime(2119, 1, 1, tzinfo=UTC)), *contest.settings.phases[1:])
    return replace(contest, settings=replace(contest.settings, phases=later))
