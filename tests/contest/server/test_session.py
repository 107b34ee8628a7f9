"""Coming in: invitations, logins, CSRF, roles, tokens."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient
from staging import SQLITE, ClientOf, People

from tokumei.contest.actions import people as acting
from tokumei.contest.opening import Contest
from tokumei.contest.server.access import COOKIE, CSRF_HEADER
from tokumei.contest.store import audit, login_attempts

pytestmark = SQLITE

PASSWORD = "a long password of mine"


def joined(contest: Contest, client: TestClient, login: str = "yuki") -> None:
    """Found a team by an invitation."""
    secret = acting.invite(contest, None, "captain", team_name=f"team of {login}").secret
    given = {"secret": secret, "login": login, "password": PASSWORD}
    assert client.post("/api/invitations/accept", json=given).status_code == 201


def problem(response, status: int) -> str:
    assert response.status_code == status, response.text
    assert set(response.json()) == {"error"}
    return response.json()["error"]["kind"]


def test_the_first_organizer_comes_in_by_a_link_that_works_once(
    contest: Contest, client_of: ClientOf
) -> None:
    secret = acting.invite(contest, None, "organizer").secret
    client = client_of(None)
    seen = client.post("/api/invitations/look", json={"secret": secret}).json()
    assert seen == {"role": "organizer", "team": None}
    given = {"secret": secret, "login": "Desk", "password": PASSWORD}
    assert client.post("/api/invitations/accept", json=given).status_code == 201
    who = client.get("/api/session").json()
    assert (who["login"], who["role"]) == ("desk", "organizer")
    again = client_of(None).post("/api/invitations/accept", json=given | {"login": "other"})
    assert problem(again, 404) == "invitation_invalid"


def test_a_session_begins_anew_at_each_login(contest: Contest, client_of: ClientOf) -> None:
    first = client_of(None)
    joined(contest, first)
    # Somebody planted a session id before the login.
    victim = client_of(None)
    victim.cookies.set(COOKIE, "planted")
    given = {"login": "yuki", "password": PASSWORD}
    answer = victim.post("/api/session", json=given)
    assert answer.status_code == 204
    fresh = answer.cookies[COOKIE]
    assert fresh != "planted"
    flags = answer.headers["set-cookie"].lower()
    assert "httponly" in flags
    assert "samesite=lax" in flags
    planted = client_of(None)
    planted.cookies.set(COOKIE, "planted")
    assert planted.get("/api/session").json()["role"] == "anonymous"


def test_logging_in_again_ends_the_session_the_browser_had(
    contest: Contest, client_of: ClientOf
) -> None:
    client = client_of(None)
    joined(contest, client)
    old = client.cookies[COOKIE]
    csrf = client.get("/api/session").json()["csrf"]
    given = {"login": "yuki", "password": PASSWORD}
    assert client.post("/api/session", json=given, headers={CSRF_HEADER: csrf}).status_code == 204
    assert client.cookies[COOKIE] != old
    other = client_of(None)
    other.cookies.set(COOKIE, old)
    assert other.get("/api/session").json()["role"] == "anonymous"


def test_failed_logins_are_limited_and_tell_nothing(contest: Contest, client_of: ClientOf) -> None:
    client = client_of(None)
    joined(contest, client)
    stranger = client_of(None)
    wrong = {"login": "yuki", "password": "a guess of somebody"}
    nobody = {"login": "nobody", "password": "a guess of somebody"}
    first = stranger.post("/api/session", json=wrong)
    assert problem(first, 401) == "wrong_login"
    assert first.json() == stranger.post("/api/session", json=nobody).json()
    for _ in range(login_attempts.OF_PAIR - 1):
        assert stranger.post("/api/session", json=wrong).status_code == 401
    stopped = stranger.post("/api/session", json={"login": "yuki", "password": PASSWORD})
    assert problem(stopped, 429) == "too_many_attempts"
    assert int(stopped.headers["retry-after"]) > 0


@pytest.mark.parametrize("token", [None, "", "wrong", "x" * 5_000])
def test_a_change_needs_the_csrf_token(
    people: People, client_of: ClientOf, token: str | None
) -> None:
    client = client_of(people.captain)
    if token is None:
        del client.headers[CSRF_HEADER]
    else:
        client.headers[CSRF_HEADER] = token
    answer = client.post("/api/tokens", json={"name": "laptop"})
    assert problem(answer, 403) == "forbidden"


@pytest.mark.parametrize("origin", ["https://evil.test", "null", "http://contest.test.evil.test"])
def test_a_change_from_another_site_is_refused(
    people: People, client_of: ClientOf, origin: str
) -> None:
    client = client_of(people.captain)
    answer = client.post("/api/tokens", json={"name": "laptop"}, headers={"Origin": origin})
    assert problem(answer, 403) == "forbidden"
    # Also a login: a stranger's account must not be planted in somebody's browser.
    given = {"login": "yuki", "password": PASSWORD}
    login = client_of(None).post("/api/session", json=given, headers={"Origin": origin})
    assert problem(login, 403) == "forbidden"


def test_our_own_pages_may_change_things(people: People, client_of: ClientOf) -> None:
    client = client_of(people.captain)
    own = {"Origin": "http://contest.test"}
    assert client.post("/api/tokens", json={"name": "laptop"}, headers=own).status_code == 201


def test_a_token_acts_for_its_user_within_its_scope(people: People, client_of: ClientOf) -> None:
    browser = client_of(people.captain)
    made = browser.post("/api/tokens", json={"name": "laptop", "scope": "read"}).json()
    program = client_of(None)
    program.headers["Authorization"] = f"Bearer {made['secret']}"
    who = program.get("/api/session").json()
    assert (who["login"], who["role"], who["team"]["name"]) == ("yuki", "captain", "ice")
    assert problem(program.post("/api/tokens", json={"name": "more"}), 403) == "forbidden"
    assert browser.get("/api/tokens").json()[0]["last_used"] is not None
    assert browser.delete(f"/api/tokens/{made['id']}").status_code == 204
    assert problem(program.get("/api/session"), 401) == "not_logged_in"


def test_nobody_ends_the_token_of_another(people: People, client_of: ClientOf) -> None:
    made = client_of(people.captain).post("/api/tokens", json={"name": "laptop"}).json()
    answer = client_of(people.rival).delete(f"/api/tokens/{made['id']}")
    assert problem(answer, 404) == "not_found"


def test_a_changed_password_ends_all_sessions(contest: Contest, client_of: ClientOf) -> None:
    client = client_of(None)
    joined(contest, client)
    client.headers[CSRF_HEADER] = client.get("/api/session").json()["csrf"]
    wrong = {"old": "not the password", "new": "another long one"}
    assert problem(client.post("/api/session/password", json=wrong), 401) == "wrong_login"
    short = {"old": PASSWORD, "new": "short"}
    assert problem(client.post("/api/session/password", json=short), 400) == "parameter"
    right = {"old": PASSWORD, "new": "another long one"}
    assert client.post("/api/session/password", json=right).status_code == 204
    assert client.get("/api/session").json()["role"] == "anonymous"


def test_logging_out_ends_the_session_on_the_server(people: People, client_of: ClientOf) -> None:
    client = client_of(people.captain)
    secret = client.cookies[COOKIE]
    assert client.delete("/api/session").status_code == 204
    other = client_of(None)
    other.cookies.set(COOKIE, secret)
    assert other.get("/api/session").json()["role"] == "anonymous"


def test_a_disabled_user_is_out_at_once(
    contest: Contest, people: People, client_of: ClientOf
) -> None:
    client = client_of(people.member)
    acting.disable(contest, people.organizer, people.member.id)
    assert client.get("/api/session").json()["role"] == "anonymous"


def test_no_secret_is_in_the_audit_log(contest: Contest, client_of: ClientOf) -> None:
    client = client_of(None)
    joined(contest, client)
    client.headers[CSRF_HEADER] = client.get("/api/session").json()["csrf"]
    secret = client.post("/api/tokens", json={"name": "laptop"}).json()["secret"]
    with contest.database.read() as connection:
        told = str(audit.entries(connection))
    assert "laptop" in told
    assert secret not in told
    assert PASSWORD not in told
    assert client.cookies[COOKIE] not in told


def test_a_request_that_is_not_understood_does_not_repeat_its_values(client_of: ClientOf) -> None:
    answer = client_of(None).post("/api/session", json={"login": 5, "password": ["hunter2"]})
    assert problem(answer, 422) == "invalid_request"
    assert "hunter2" not in answer.text


def test_a_long_body_is_refused_while_it_arrives(client_of: ClientOf) -> None:
    answer = client_of(None).post("/api/session", content=b"[" * 2_000_000)
    assert problem(answer, 413) == "too_large"


def test_answers_keep_browsers_careful(client_of: ClientOf) -> None:
    headers = client_of(None).get("/api/session").headers
    assert "default-src 'self'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"


def test_errors_are_told_in_the_readers_language(client_of: ClientOf) -> None:
    answer = client_of(None).get("/api/tokens", headers={"Accept-Language": "ja"})
    assert problem(answer, 401) == "not_logged_in"
    assert answer.json()["error"]["message"] == "先にログインしてください。"
