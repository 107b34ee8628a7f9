"""The organizer's desk over the API, on both databases."""

from __future__ import annotations

from dataclasses import replace

import pytest
from fastapi import FastAPI
from looking import stored
from playing import hand_in, notes, play_to_attack, work
from scoring import kind_of_problem
from staging import ClientOf, People

from tokumei.contest.evaluating import Evaluation
from tokumei.contest.opening import Contest
from tokumei.contest.store import audit, jobs

DESK = [
    ("GET", "/api/invitations"),
    ("POST", "/api/invitations"),
    ("DELETE", "/api/invitations/1"),
    ("GET", "/api/users"),
    ("POST", "/api/users/1/disable"),
    ("POST", "/api/users/1/enable"),
    ("GET", "/api/queue"),
    ("POST", "/api/jobs/1/retry"),
    ("POST", "/api/phase"),
    ("POST", "/api/freeze"),
    ("DELETE", "/api/freeze"),
    ("GET", "/api/sets"),
    ("POST", "/api/sets"),
    ("GET", "/api/sets/1/changes"),
    ("POST", "/api/sets/1/activate"),
    ("POST", "/api/sets/1/discard"),
    ("GET", "/api/audit"),
    ("GET", "/api/worker-tokens"),
    ("POST", "/api/worker-tokens"),
    ("DELETE", "/api/worker-tokens/1"),
]
BODIES = {
    "/api/invitations": {"role": "observer"},
    "/api/phase": {"phase": "break"},
    "/api/sets": {"name": "again"},
    "/api/worker-tokens": {"name": "cloud"},
}


def test_the_desk_is_for_organizers_alone(
    contest: Contest, people: People, client_of: ClientOf
) -> None:
    before = notes(contest)
    for method, path in DESK:
        body = BODIES.get(path) if method == "POST" else None
        for who in (people.captain, people.member, people.observer):
            answer = client_of(who).request(method, path, json=body)
            assert answer.status_code == 403, (method, path, who.role)
        assert client_of(None).request(method, path, json=body).status_code == 401
    assert notes(contest) == before


def test_an_invited_team_comes_in_by_its_link_once(
    contest: Contest, people: People, client_of: ClientOf
) -> None:
    desk = client_of(people.organizer)
    answer = desk.post("/api/invitations", json={"role": "captain", "team_name": "wind"})
    assert answer.status_code == 201
    link = answer.json()["link"]
    start, secret = link.split("#")
    assert start == "http://contest.test/invitation"
    given = {"secret": secret, "login": "kaze", "password": "a long enough password"}
    newcomer = client_of(None)
    assert newcomer.post("/api/invitations/accept", json=given).is_success
    assert kind_of_problem(
        client_of(None), "POST", "/api/invitations/accept", 404, json=given
    ) == "invitation_invalid"  # fmt: skip
    (listed,) = desk.get("/api/invitations").json()
    assert "link" not in listed
    assert listed["used"] is not None
    user = desk.get("/api/users").json()[-1]
    assert (user["login"], user["role"], user["team"]["name"]) == ("kaze", "captain", "wind")
    assert secret not in stored(contest.database)


def test_what_cannot_be_invited_is_refused(people: People, client_of: ClientOf) -> None:
    desk = client_of(people.organizer)
    for wish, status in (
        ({"role": "captain"}, 400),
        ({"role": "observer", "team_name": "x"}, 400),
        ({"role": "captain", "team_name": "ICE"}, 409),
        ({"role": "member", "team_id": 99}, 404),
        ({"role": "member", "team_id": 2**64}, 422),
        ({"role": "king"}, 422),
    ):
        assert desk.post("/api/invitations", json=wish).status_code == status, wish
    made = desk.post("/api/invitations", json={"role": "organizer"}).json()
    assert desk.delete(f"/api/invitations/{made['id']}").status_code == 204
    assert desk.delete(f"/api/invitations/{made['id']}").status_code == 404


def test_a_captain_invites_to_the_own_team_only(people: People, client_of: ClientOf) -> None:
    answer = client_of(people.captain).post("/api/team/invitations")
    assert answer.status_code == 201
    assert (answer.json()["role"], answer.json()["team_id"]) == ("member", people.captain.team_id)
    for who, status in ((people.member, 403), (people.organizer, 403), (None, 401)):
        assert client_of(who).post("/api/team/invitations").status_code == status


def test_a_disabled_user_is_out_and_the_last_organizer_stays(
    people: People, client_of: ClientOf
) -> None:
    desk, member = client_of(people.organizer), client_of(people.member)
    assert member.get("/api/matrix").status_code == 200
    assert desk.post(f"/api/users/{people.member.id}/disable").status_code == 204
    assert member.get("/api/matrix").status_code == 401
    found = {user["login"]: user["disabled"] for user in desk.get("/api/users").json()}
    assert found["koori"] is not None
    assert desk.post(f"/api/users/{people.member.id}/enable").status_code == 204
    assert client_of(people.member).get("/api/matrix").status_code == 200
    last = f"/api/users/{people.organizer.id}/disable"
    assert kind_of_problem(desk, "POST", last, 409) == "not_now"
    assert kind_of_problem(desk, "POST", "/api/users/99/disable", 404) == "not_found"


def test_the_phase_and_the_freeze_are_switched(
    contest: Contest, people: People, client_of: ClientOf
) -> None:
    desk = client_of(people.organizer)
    assert desk.post("/api/phase", json={"phase": "attack"}).status_code == 204
    assert desk.get("/api/releases").status_code == 200
    assert desk.post("/api/phase", json={"phase": None}).status_code == 204
    assert desk.get("/api/releases").status_code == 409
    assert desk.post("/api/phase", json={"phase": "war"}).status_code == 422
    assert desk.post("/api/freeze").status_code == 204
    assert desk.get("/api/matrix").json()["frozen"] is not None
    assert desk.delete("/api/freeze").status_code == 204
    assert desk.get("/api/matrix").json()["frozen"] is None
    desk.post("/api/phase", json={"phase": "closed"})
    assert kind_of_problem(desk, "POST", "/api/freeze", 409) == "not_now"


def test_the_queue_shows_what_was_given_up_and_it_is_tried_again(
    contest: Contest, people: People, client_of: ClientOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    def break_down(*_: object, **__: object) -> None:
        raise MemoryError("Alice bought a pear")

    desk = client_of(people.organizer)
    with monkeypatch.context() as patched:
        patched.setattr(Evaluation, "check", break_down)
        patched.setattr(jobs, "RETRY_SECONDS", 0.0)
        made = hand_in(contest, people.captain)
    queue = desk.get("/api/queue").json()
    assert (queue["queued"], queue["running"], queue["infrastructure"]) == (0, 0, 1)
    (job,) = queue["jobs"]
    assert (job["team"]["name"], job["submission"], job["attempts"]) == ("ice", made, 3)
    assert job["error"] == "MemoryError in check."
    assert [worker["name"] for worker in queue["workers"]] == ["here"]
    assert desk.post(f"/api/jobs/{job['id']}/retry").status_code == 204
    assert work(contest) == 2
    assert desk.get("/api/queue").json()["jobs"] == []
    again = f"/api/jobs/{job['id']}/retry"
    assert kind_of_problem(desk, "POST", again, 409) == "not_now"


def test_a_re_evaluation_is_followed_reviewed_and_decided(
    contest: Contest, people: People, client_of: ClientOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand_in(contest, people.captain)
    desk = client_of(people.organizer)
    made = desk.post("/api/sets", json={"name": "with the new judge"})
    assert made.status_code == 201
    set_id = made.json()["id"]
    assert (made.json()["jobs"], made.json()["open"]) == (1, 1)
    path = f"/api/sets/{set_id}"
    assert kind_of_problem(desk, "POST", f"{path}/activate", 409) == "not_now"
    measured = Evaluation.scores

    def harsher(self: Evaluation, *given: object, **more: object) -> object:
        found = measured(self, *given, **more)  # type: ignore[arg-type]
        total = found[-1]
        return [*found[:-1], type(total)(total.title, total.kind, 7.0, total.better, total.n)]

    monkeypatch.setattr(Evaluation, "scores", harsher)
    work(contest)
    (change,) = desk.get(f"{path}/changes").json()
    assert (change["team"]["name"], change["title"]) == ("ice", "total")
    assert change["before"]["value"] != change["after"]["value"] == 7.0
    listed = desk.get("/api/sets").json()
    assert [(one["state"], one["open"]) for one in listed] == [("open", 0), ("active", 0)]
    assert desk.post(f"{path}/activate").status_code == 204
    assert [one["state"] for one in desk.get("/api/sets").json()] == ["active", "archived"]
    assert desk.get("/api/results").json()["rows"][0]["total"] == 7.0
    other = desk.post("/api/sets", json={"name": "once more"}).json()["id"]
    assert desk.post(f"/api/sets/{other}/discard").status_code == 204
    assert kind_of_problem(desk, "GET", "/api/sets/99/changes", 404) == "not_found"


def test_every_act_of_the_desk_is_in_the_log_and_no_secret(
    contest: Contest, people: People, client_of: ClientOf
) -> None:
    play_to_attack(contest, people)
    desk = client_of(people.organizer)
    token = desk.post("/api/worker-tokens", json={"name": "cloud", "days": 2}).json()
    link = desk.post("/api/invitations", json={"role": "observer"}).json()
    desk.delete(f"/api/invitations/{link['id']}")
    desk.post(f"/api/users/{people.member.id}/disable")
    desk.post(f"/api/users/{people.member.id}/enable")
    desk.post("/api/freeze")
    desk.delete("/api/freeze")
    made = desk.post("/api/sets", json={"name": "again"}).json()
    desk.post(f"/api/sets/{made['id']}/discard")
    desk.post("/api/phase", json={"phase": "closed"})
    assert [one["name"] for one in desk.get("/api/worker-tokens").json()] == ["cloud"]
    assert desk.delete(f"/api/worker-tokens/{token['id']}").status_code == 204
    assert desk.get("/api/worker-tokens").json() == []
    page = desk.get("/api/audit").json()
    assert [entry["action"] for entry in page["entries"] if entry["actor"] == "desk"] == [
        "revoke token", "set phase", "discard set", "open set", "unfreeze", "freeze",
        "enable user", "disable user", "revoke invitation", "invite", "new token", "set phase",
    ]  # fmt: skip
    assert page["before"] is None
    everything = stored(contest.database)
    for secret in (token["secret"], link["link"].split("#")[1]):
        assert secret not in str(page)
        assert secret not in everything


def test_the_log_is_read_page_by_page(
    contest: Contest, people: People, client_of: ClientOf
) -> None:
    with contest.database.write() as connection:
        for number in range(120):
            audit.note(connection, "desk", f"act {number}")
    desk = client_of(people.organizer)
    first = desk.get("/api/audit").json()
    second = desk.get(f"/api/audit?before={first['before']}").json()
    assert (len(first["entries"]), len(second["entries"])) == (100, 20)
    actions = [entry["action"] for entry in first["entries"] + second["entries"]]
    assert actions == [f"act {number}" for number in reversed(range(120))]
    assert second["before"] is None


def test_a_custom_contest_is_not_put_into_the_attack_phase(
    contest: Contest, people: People, client_of: ClientOf, app: FastAPI
) -> None:
    app.state.contest = replace(contest, settings=replace(contest.settings, rules="custom"))
    desk = client_of(people.organizer)
    answer = desk.post("/api/phase", json={"phase": "attack"})
    assert answer.status_code == 409
    assert "custom contest" in answer.json()["error"]["message"]
