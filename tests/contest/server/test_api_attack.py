"""The attack phase over the API, on both databases."""

from __future__ import annotations

import pytest
from playing import attack, events, hand_in, play_to_attack, played, work
from scoring import kind_of_problem
from staging import VALID, ClientOf, People

from tokumei.contest.actions import organizing
from tokumei.contest.actions.handing_in import FILES_EACH
from tokumei.contest.opening import Contest

RIGHT = b"p1,Alice\np2,Bob\np3,Dan\n"
TWO_RIGHT = b"p1,Alice\np2,Bob\np3,Bob\n"


def cells(client) -> dict[tuple[int, int], tuple[int, int | None, int | None]]:
    found = client.get("/api/matrix").json()["cells"]
    return {(c["attacker"], c["defender"]): (c["used"], c["hits"], c["total"]) for c in found}


def test_what_is_published_is_what_was_handed_in_without_its_deleted_rows(
    contest: Contest, people: People, client_of: ClientOf
) -> None:
    play_to_attack(contest, people)
    fire = client_of(people.rival)
    listed = fire.get("/api/releases").json()
    assert [one["team"]["name"] for one in listed] == ["ice", "fire"]
    answer = fire.get(f"/api/releases/{people.captain.team_id}/file")
    kept = [line for line in VALID.decode().split() if not line.startswith("DEL")]
    assert sorted(answer.text.split()) == sorted(kept)
    assert answer.headers["content-disposition"].startswith("attachment")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert len(answer.content) == listed[0]["size"]


def test_a_guess_is_marked_and_stands_in_the_matrix(
    contest: Contest, people: People, client_of: ClientOf
) -> None:
    """p1 is Alice, p2 Bob, p3 Dan: of TWO_RIGHT two of three are right."""
    play_to_attack(contest, people)
    ice, fire = people.captain.team_id, people.rival.team_id
    client = client_of(people.rival)
    answer = client.post(f"/api/guesses?defender={ice}", content=TWO_RIGHT)
    assert answer.status_code == 201
    assert answer.json()["attacker"] == {"id": fire, "name": "fire"}
    assert (answer.json()["state"], answer.json()["success"]) == ("received", None)
    work(contest)
    (found,) = client.get("/api/guesses").json()
    assert (found["state"], found["hits"], found["total"]) == ("marked", 2, 3)
    assert cells(client_of(people.captain)) == {(fire, ice): (1, 2, 3)}
    assert attack(client, ice, RIGHT) == 201
    work(contest)
    assert cells(client_of(people.observer)) == {(fire, ice): (2, 3, 3)}
    shown = client.get("/api/matrix").json()
    assert shown["limit"] == 2
    assert [(team["name"], team["published"]) for team in shown["teams"]] == [
        ("ice", True),
        ("fire", True),
    ]


def test_guesses_are_limited_and_invalid_ones_cost_nothing(
    contest: Contest, people: People, client_of: ClientOf
) -> None:
    play_to_attack(contest, people)
    ice, client = people.captain.team_id, client_of(people.rival)
    path = f"/api/guesses?defender={ice}"
    for _ in range(3):
        assert attack(client, ice, b"p1\n") == 201
        work(contest)
    states = {one["state"]: one["report"] for one in client.get("/api/guesses").json()}
    assert set(states) == {"invalid"}
    (problem,) = states["invalid"]["summary"]
    assert (problem["rule"], problem["rows"]) == ("A row must have 2 cells", [1])
    assert [one.team_id for one in events(contest, "guess.refused")] == [people.rival.team_id] * 3
    assert kind_of_problem(client, "POST", path, 400, content=b"") == "submission"
    assert [attack(client, ice, RIGHT) for _ in range(2)] == [201, 201]
    assert kind_of_problem(client, "POST", path, 409, content=RIGHT) == "quota_used"


def test_even_invalid_guesses_end(contest: Contest, people: People, client_of: ClientOf) -> None:
    play_to_attack(contest, people)
    ice, client = people.captain.team_id, client_of(people.rival)
    for number in range(2 * FILES_EACH):
        assert attack(client, ice, b"p%d\n" % number) == 201
        work(contest)
    before = sum(1 for path in contest.blobs.folder.rglob("*") if path.is_file())
    path = f"/api/guesses?defender={ice}"
    assert kind_of_problem(client, "POST", path, 409, content=b"one more") == "quota_used"
    assert sum(1 for path in contest.blobs.folder.rglob("*") if path.is_file()) == before


def test_a_team_does_not_attack_itself_nor_one_that_published_nothing(
    contest: Contest, people: People, client_of: ClientOf
) -> None:
    hand_in(contest, people.captain)
    organizing.set_phase(contest, people.organizer, "attack")
    work(contest)
    ice, fire = people.captain.team_id, people.rival.team_id
    own = client_of(people.captain)
    path = "/api/guesses?defender="
    assert kind_of_problem(own, "POST", f"{path}{ice}", 409, content=RIGHT) == "not_now"
    assert kind_of_problem(own, "POST", f"{path}{fire}", 404, content=RIGHT) == "not_found"
    assert kind_of_problem(own, "POST", f"{path}{2**70}", 422, content=RIGHT) == "invalid_request"
    assert kind_of_problem(own, "GET", f"/api/releases/{fire}/file", 404) == "not_found"


@pytest.mark.parametrize("phase", ["anonymize", "break", "attack", "closed"])
def test_data_is_out_from_the_attack_phase_on_and_guesses_are_taken_in_it_alone(
    contest: Contest, people: People, client_of: ClientOf, phase: str
) -> None:
    play_to_attack(contest, people)
    organizing.set_phase(contest, people.organizer, phase)
    ice, client = people.captain.team_id, client_of(people.rival)
    out = 200 if phase in ("attack", "closed") else 409
    assert client.get("/api/releases").status_code == out
    assert client.get(f"/api/releases/{ice}/file").status_code == out
    assert attack(client, ice, RIGHT) == (201 if phase == "attack" else 409)


def test_observers_watch_and_strangers_see_nothing(
    contest: Contest, people: People, client_of: ClientOf
) -> None:
    played(contest, people, client_of)
    ice = people.captain.team_id
    press, stranger, desk = (client_of(who) for who in (people.observer, None, people.organizer))
    assert press.get("/api/releases").status_code == 200
    assert press.get("/api/guesses").json() == []
    assert press.get(f"/api/releases/{ice}/file").status_code == 403
    assert attack(press, ice, RIGHT) == 403
    assert attack(desk, ice, RIGHT) == 403
    assert len(desk.get("/api/guesses").json()) == 2
    assert desk.get(f"/api/releases/{ice}/file").status_code == 200
    for path in ("releases", f"releases/{ice}/file", "guesses", "matrix"):
        assert stranger.get(f"/api/{path}").status_code == 401


def test_a_freeze_keeps_new_hits_from_the_others(
    contest: Contest, people: People, client_of: ClientOf
) -> None:
    play_to_attack(contest, people)
    ice, fire = people.captain.team_id, people.rival.team_id
    organizing.freeze(contest, people.organizer)
    client = client_of(people.rival)
    assert attack(client, ice, RIGHT) == 201
    work(contest)
    assert cells(client) == cells(client_of(people.organizer)) == {(fire, ice): (1, 3, 3)}
    assert cells(client_of(people.captain)) == {(fire, ice): (1, None, None)}
    assert client.get("/api/matrix").json()["frozen"] is not None


@pytest.mark.parametrize("more_settings", ['public = { results = "own" }'])
def test_where_results_are_each_teams_own_the_matrix_is(
    contest: Contest, people: People, client_of: ClientOf
) -> None:
    played(contest, people, client_of)
    assert len(cells(client_of(people.captain))) == 2
    assert cells(client_of(people.observer)) == {}
    assert len(cells(client_of(people.organizer))) == 2


@pytest.mark.parametrize("more_settings", ['public = { results = "closed" }'])
def test_where_results_wait_for_the_end_so_do_the_marks(
    contest: Contest, people: People, client_of: ClientOf
) -> None:
    played(contest, people, client_of)
    client = client_of(people.captain)
    assert cells(client) == {}
    (found,) = client.get("/api/guesses").json()
    assert (found["state"], found["hits"], found["success"]) == ("marked", None, None)
    organizing.set_phase(contest, people.organizer, "closed")
    assert len(cells(client)) == 2
    (found,) = client.get("/api/guesses").json()
    assert (found["hits"], found["success"]) == (3, 1.0)
