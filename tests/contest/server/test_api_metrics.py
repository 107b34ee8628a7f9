"""Metrics and scripts over the API: who proposes, who decides, who reads the file."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient
from scoring import kind_of_problem, new_metric
from staging import SQLITE, ClientOf, People

from tokumei.contest import sandbox
from tokumei.contest.opening import Contest

pytestmark = SQLITE

SCRIPT = b"print('{\"loss\": 1}')\n"
LOSS = {"name": "Loss", "language": "python", "kind": "utility", "better": "lower"}


@pytest.fixture(autouse=True)
def runs() -> None:
    if sandbox.available() is None:
        pytest.skip("This machine has no sandbox.")


def propose(client: TestClient, **more: str) -> dict[str, object]:
    answer = client.post("/api/scripts", params=LOSS | more, content=SCRIPT)
    assert answer.status_code == 201, answer.text
    found: dict[str, object] = answer.json()
    return found


def seen(client: TestClient) -> list[tuple[object, object]]:
    return [(one["id"], one["state"]) for one in client.get("/api/scripts").json()]


def test_a_script_of_a_team_is_a_column_after_an_organizer_approved_it(
    people: People, client_of: ClientOf
) -> None:
    ice, fire, desk = (client_of(one) for one in (people.member, people.rival, people.organizer))
    made = propose(ice)
    assert (made["state"], made["own"], made["team"]) == (
        "proposed",
        True,
        {"id": people.member.team_id, "name": "ice"},
    )
    assert (seen(ice), seen(desk)) == ([(made["id"], "proposed")],) * 2
    assert seen(fire) == seen(client_of(people.observer)) == []
    assert ice.get("/api/metrics").json() == []
    path = f"/api/scripts/{made['id']}"
    for client in (ice, fire):
        assert kind_of_problem(client, "POST", f"{path}/approve", 403) == "forbidden"
    assert desk.post(f"{path}/approve").json()["state"] == "approved"
    assert kind_of_problem(desk, "POST", f"{path}/approve", 409) == "not_now"
    assert seen(fire) == [(made["id"], "approved")]
    assert fire.get("/api/metrics").json() == [
        {
            "name": f"script:{made['id']}",
            "title": "Loss",
            "kind": "utility",
            "better": "lower",
            "script": made["id"],
        }
    ]


def test_a_refusal_has_a_reason_for_those_who_proposed(people: People, client_of: ClientOf) -> None:
    ice, desk = client_of(people.captain), client_of(people.organizer)
    path = f"/api/scripts/{propose(ice)['id']}/reject"
    assert kind_of_problem(desk, "POST", path, 422, json={"reason": ""}) == "invalid_request"
    reason = {"reason": "It measures nothing."}
    assert kind_of_problem(ice, "POST", path, 403, json=reason) == "forbidden"
    assert desk.post(path, json=reason).json()["state"] == "rejected"
    [own] = ice.get("/api/scripts").json()
    assert own["reason"] == "It measures nothing."
    assert client_of(people.rival).get("/api/scripts").json() == []


def test_an_organizers_script_is_approved_at_once_and_its_file_stays_with_the_organizers(
    people: People, client_of: ClientOf
) -> None:
    desk = client_of(people.organizer)
    made = propose(desk, language="r")
    assert (made["state"], made["team"], made["own"]) == ("approved", None, False)
    path = f"/api/scripts/{made['id']}/file"
    answer = desk.get(path)
    assert answer.content == SCRIPT
    wanted = f'attachment; filename="script-{made["id"]}.R"'
    assert answer.headers["content-disposition"] == wanted
    for user in (people.captain, people.observer):
        assert kind_of_problem(client_of(user), "GET", path, 404) == "not_found"
    assert kind_of_problem(client_of(None), "GET", path, 401) == "not_logged_in"


def test_a_teams_file_is_for_the_team_and_the_organizers(
    people: People, client_of: ClientOf
) -> None:
    path = f"/api/scripts/{propose(client_of(people.captain))['id']}/file"
    for user in (people.member, people.organizer):
        assert client_of(user).get(path).content == SCRIPT
    assert kind_of_problem(client_of(people.rival), "GET", path, 404) == "not_found"


@pytest.mark.parametrize(
    ("wrong", "status"),
    [
        ({"kind": "total"}, 422),
        ({"language": "perl"}, 422),
        ({"better": "most"}, 422),
        ({"name": ""}, 422),
        ({"name": "x" * 61}, 422),
        ({"name": "a\u200bb"}, 400),
    ],
)
def test_what_cannot_be_a_column_is_refused(
    people: People, client_of: ClientOf, wrong: dict[str, str], status: int
) -> None:
    client = client_of(people.captain)
    given = {"params": LOSS | wrong, "content": SCRIPT}
    assert client.post("/api/scripts", **given).status_code == status
    assert client.get("/api/scripts").json() == []


def test_observers_propose_nothing_and_scripts_have_a_size(
    people: People, client_of: ClientOf
) -> None:
    large = {"params": LOSS, "content": b"#" * 1_000_001}
    assert kind_of_problem(client_of(people.observer), "POST", "/api/scripts", 403, **large)
    client = client_of(people.captain)
    assert kind_of_problem(client, "POST", "/api/scripts", 413, **large) == "too_large"


def test_metrics_are_listed_in_the_order_of_the_columns(
    contest: Contest, people: People, client_of: ClientOf
) -> None:
    new_metric(contest, "loss", "utility")
    new_metric(contest, "guard", "safety", "higher", title="Guard")
    listed = client_of(people.observer).get("/api/metrics").json()
    assert [(one["title"], one["better"], one["script"]) for one in listed] == [
        ("Guard", "higher", None),
        ("loss", "lower", None),
    ]
    assert kind_of_problem(client_of(None), "GET", "/api/metrics", 401) == "not_logged_in"


def test_every_route_of_these_routers_is_described(client_of: ClientOf) -> None:
    document = client_of(None).get("/api/openapi.json").json()
    mine = {"contest", "submissions", "metrics", "results"}
    found = {
        operation["operationId"]: operation
        for methods in document["paths"].values()
        for operation in methods.values()
        if set(operation.get("tags", [])) & mine
    }
    assert {"listSubmissions", "createSubmission", "getResults", "exportEverything"} <= set(found)
    for name, operation in found.items():
        assert operation["summary"], name
        assert operation["description"], name
        success = next(answer for code, answer in operation["responses"].items() if code < "300")
        assert success["content"], name
        assert "schema" in next(iter(success["content"].values())), name
        assert operation["responses"]["404"]["content"]["application/json"]["schema"] == {
            "$ref": "#/components/schemas/ProblemAnswer"
        }
    for name in ("createSubmission", "createScript"):
        assert list(found[name]["requestBody"]["content"]) == ["application/octet-stream"]
