"""Submissions and the contest's data over the API: whose they are, and what is shown of them."""

from __future__ import annotations

import hashlib

import pytest
from fastapi.testclient import TestClient
from scoring import kind_of_problem
from staging import BROKEN, ORIGINAL, VALID, ClientOf, People

from tokumei.contest.desk import LocalDesk
from tokumei.contest.opening import Contest
from tokumei.contest.store import control
from tokumei.contest.working import Worker


def work(contest: Contest) -> None:
    desk = LocalDesk(contest.database, contest.evaluation, contest.blobs, contest.seed)
    worker = Worker("here", desk, contest.evaluation)
    while worker.work_once():
        pass


def hand_in(client: TestClient, content: bytes = VALID, name: str = "A.csv") -> int:
    answer = client.post("/api/submissions", params={"name": name}, content=content)
    assert answer.status_code == 201, answer.text
    return int(answer.json()["id"])


def test_a_submission_from_the_upload_to_its_results(
    contest: Contest, people: People, client_of: ClientOf
) -> None:
    client = client_of(people.member)
    made = client.post("/api/submissions?name=A.csv", content=VALID).json()
    assert (made["state"], made["name"], made["team"]["name"]) == ("received", "A.csv", "ice")
    assert made["sha256"] == hashlib.sha256(VALID).hexdigest()
    assert (made["problems"], made["counted"]) == (None, True)
    waiting = client.get(f"/api/submissions/{made['id']}").json()
    assert (waiting["jobs_ahead"], waiting["report"], waiting["results"]) == (0, None, {})
    work(contest)
    done = client.get(f"/api/submissions/{made['id']}").json()
    assert (done["state"], done["jobs_ahead"], done["problems"]) == ("evaluated", None, 0)
    # One of four rows is deleted, and no other cell is changed.
    assert done["results"]["deleted"] == {"value": 0.25, "problem": None}
    assert done["results"]["changed"] == {"value": 0.0, "problem": None}
    assert done["evaluated"] > done["created"]


def test_a_broken_file_shows_its_problems_and_costs_nothing(
    contest: Contest, people: People, client_of: ClientOf
) -> None:
    client = client_of(people.captain)
    made = hand_in(client, BROKEN)
    work(contest)
    found = client.get(f"/api/submissions/{made}").json()
    assert (found["state"], found["counted"], found["problems"]) == ("invalid", False, 1)
    assert "4 rows" in found["report"]["problems"][0]["rule"]
    assert str(contest.folder) not in str(found)


def test_another_teams_submission_is_unknown(
    contest: Contest, people: People, client_of: ClientOf
) -> None:
    made = hand_in(client_of(people.captain))
    rival, observer = client_of(people.rival), client_of(people.observer)
    for client in (rival, observer):
        for path in (f"/api/submissions/{made}", f"/api/submissions/{made}/file"):
            assert kind_of_problem(client, "GET", path, 404) == "not_found"
            there = client.get(path).json()["error"]["message"]
            never = client.get(path.replace(str(made), "999")).json()["error"]["message"]
            assert there == never.replace("999", str(made))
        assert client.get("/api/submissions").json() == []
    for action in ("choose", "withdraw"):
        path = f"/api/submissions/{made}/{action}"
        assert kind_of_problem(observer, "POST", path, 403) == "forbidden"
    path = f"/api/submissions/{made}"
    assert kind_of_problem(rival, "POST", f"{path}/withdraw", 404) == "not_found"
    assert kind_of_problem(rival, "PATCH", path, 404, json={"note": "x"}) == "not_found"
    for anonymous in (path, f"{path}/file", "/api/submissions"):
        assert kind_of_problem(client_of(None), "GET", anonymous, 401) == "not_logged_in"
    [seen] = client_of(people.organizer).get("/api/submissions").json()
    assert (seen["id"], seen["state"]) == (made, "received")
    assert [row["id"] for row in client_of(people.member).get("/api/submissions").json()] == [made]


def test_a_file_comes_back_as_it_was_and_is_never_shown_as_a_page(
    people: People, client_of: ClientOf
) -> None:
    content = b"<script>alert(1)</script>"
    made = hand_in(client_of(people.captain), content, "../../evil\r\n\x00.html")
    for user in (people.member, people.organizer):
        answer = client_of(user).get(f"/api/submissions/{made}/file")
        assert answer.content == content
        assert answer.headers["content-type"] == "application/octet-stream"
        assert answer.headers["x-content-type-options"] == "nosniff"
        wanted = f'attachment; filename="submission-{made}.csv"'
        assert answer.headers["content-disposition"] == wanted
        part = client_of(user).get(f"/api/submissions/{made}/file", headers={"Range": "bytes=0-7"})
        assert (part.status_code, part.content) == (206, b"<script>")
    shown = client_of(people.captain).get(f"/api/submissions/{made}").json()["name"]
    assert shown == "evil.html"


def test_a_note_changes_and_has_a_limit(people: People, client_of: ClientOf) -> None:
    client = client_of(people.captain)
    path = f"/api/submissions/{hand_in(client)}"
    assert client.patch(path, json={"note": "氷 v2"}).json()["note"] == "氷 v2"
    too_long = {"note": "x" * 2_001}
    assert kind_of_problem(client, "PATCH", path, 422, json=too_long) == "invalid_request"


@pytest.mark.parametrize("more_settings", ['counts = "chosen"'])
def test_a_team_chooses_and_withdraws(
    contest: Contest, people: People, client_of: ClientOf
) -> None:
    client = client_of(people.captain)
    first, second = hand_in(client), hand_in(client)
    path = f"/api/submissions/{first}"
    assert kind_of_problem(client, "POST", f"{path}/choose", 409) == "not_now"
    work(contest)
    assert client.post(f"{path}/choose").json()["chosen"]
    assert client.post(f"/api/submissions/{second}/choose").json()["chosen"]
    chosen = {row["id"]: row["chosen"] for row in client.get("/api/submissions").json()}
    assert chosen == {first: False, second: True}
    [row] = client.get("/api/results").json()["rows"]
    assert (row["submission"], row["chosen"]) == (second, True)
    assert client.post(f"{path}/withdraw").json()["state"] == "withdrawn"
    assert kind_of_problem(client, "POST", f"{path}/withdraw", 409) == "not_now"


def test_uploads_have_a_size_a_quota_and_a_phase(
    contest: Contest, people: People, client_of: ClientOf
) -> None:
    client, path = client_of(people.captain), "/api/submissions"
    large = b"x" * 1_000_001
    assert kind_of_problem(client, "POST", path, 413, content=large) == "too_large"
    assert kind_of_problem(client, "POST", path, 400, content=b"") == "submission"
    assert client.get(path).json() == []
    for _ in range(3):
        hand_in(client)
    assert kind_of_problem(client, "POST", path, 409, content=VALID) == "quota_used"
    for user in (people.organizer, people.observer):
        answer = kind_of_problem(client_of(user), "POST", path, 403, content=VALID)
        assert answer == "forbidden"
    with contest.database.write() as connection:
        control.set_phase(connection, "attack")
    rival = client_of(people.rival)
    assert kind_of_problem(rival, "POST", path, 409, content=VALID) == "not_now"


def test_the_team_comes_from_the_session_whatever_the_request_says(
    people: People, client_of: ClientOf
) -> None:
    client = client_of(people.rival)
    said = {"name": "x.csv", "team_id": str(people.captain.team_id), "team": "ice"}
    made = client.post("/api/submissions", params=said, content=VALID).json()
    assert made["team"] == {"id": people.rival.team_id, "name": "fire"}


def test_the_contest_and_its_data(contest: Contest, people: People, client_of: ClientOf) -> None:
    found = client_of(None).get("/api/contest").json()
    assert found["title"] == {"en": "Petit PWSCUP", "ja": "プチ PWSCUP"}
    assert (found["rules"], found["phase"], found["frozen"]) == ("simplified", "anonymize", None)
    assert found["phases"][0] == {"name": "anonymize", "starts": "2019-12-31T15:00:00Z"}
    assert found["next"] == {"name": "attack", "starts": "2119-12-31T15:00:00Z"}
    assert found["quotas"] == {"submissions": 3, "guesses": 2, "megabytes": 1}
    with contest.database.write() as connection:
        control.set_phase(connection, "attack")
        control.freeze(connection)
    switched = client_of(None).get("/api/contest").json()
    assert (switched["phase"], switched["next"]) == ("attack", None)
    assert switched["frozen"].endswith("Z")

    client = client_of(people.observer)
    sha256 = hashlib.sha256(ORIGINAL.encode()).hexdigest()
    size = len(ORIGINAL)
    listed = client.get("/api/data").json()
    assert listed == [{"name": "original", "size": size, "sha256": sha256}]
    answer = client.get("/api/data/original")
    assert answer.text == ORIGINAL
    assert answer.headers["content-disposition"] == 'attachment; filename="T.csv"'
    assert kind_of_problem(client, "GET", "/api/data/master", 404) == "not_found"
    assert kind_of_problem(client, "GET", "/api/data/seed", 422) == "invalid_request"
    for path in ("/api/data", "/api/data/original"):
        assert kind_of_problem(client_of(None), "GET", path, 401) == "not_logged_in"
