"""The table over the API: order, filters, who sees what when, freezes."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient
from scoring import four_submissions, kind_of_problem, new_metric, score, table
from staging import ClientOf, People

from tokumei.contest.opening import Contest
from tokumei.contest.store import control


@pytest.fixture
def scored(contest: Contest, people: People) -> dict[str, int]:
    return four_submissions(contest, people)


def shown(client: TestClient, **query: str) -> list[tuple[int | None, int]]:
    return [(row["rank"], row["submission"]) for row in table(client, **query)["rows"]]


def test_the_table_has_ranks_values_problems_and_the_own_row(
    scored: dict[str, int], people: People, client_of: ClientOf
) -> None:
    client = client_of(people.member)
    found = table(client)
    assert (found["better"], found["sees"], found["frozen"]) == ("lower", "all", None)
    assert [metric["name"] for metric in found["metrics"]] == ["guard", "loss", "total"]
    first, second = found["rows"]
    assert (first["rank"], first["team"]["name"], first["own"]) == (1, "ice", True)
    assert (first["submission"], first["total"]) == (scored["ice_second"], 1.0)
    assert (second["rank"], second["submission"], second["own"]) == (2, scored["fire"], False)
    everything = table(client, shown="all")["rows"]
    assert [row["rank"] for row in everything] == [1, 2, 3, None]
    failed = everything[-1]["values"]
    assert failed["guard"] == {"value": None, "problem": "=BAD()"}
    assert failed["loss"] == {"value": 0.2, "problem": None}


def test_sorting_by_any_column_with_what_is_missing_last(
    scored: dict[str, int], people: People, client_of: ClientOf
) -> None:
    client = client_of(people.observer)
    first, second, failed, fire = scored.values()

    def order(sort: str, order: str) -> list[int]:
        return [row for _, row in shown(client, shown="all", sort=sort, order=order)]

    assert order("guard", "asc") == [second, fire, first, failed]
    assert order("guard", "desc") == [first, fire, second, failed]
    assert order("loss", "desc") == [fire, first, failed, second]
    assert order("total", "desc") == [first, fire, second, failed]
    assert order("rank", "desc") == [first, fire, second, failed]
    assert order("submission", "asc") == [first, second, failed, fire]
    assert order("created", "desc") == [fire, failed, second, first]
    # Of one team the better rank comes first, in both orders.
    assert order("team", "asc") == [fire, failed, second, first]
    assert order("team", "desc") == [second, first, fire, failed]
    assert kind_of_problem(client, "GET", "/api/results?sort=password_hash", 400) == "parameter"
    assert kind_of_problem(client, "GET", "/api/results?order=up", 422) == "invalid_request"


@pytest.mark.parametrize("part", ["FIRE", "ｆｉｒｅ", " ire "])
def test_a_filter_leaves_the_ranks_of_the_whole_table(
    scored: dict[str, int], people: People, client_of: ClientOf, part: str
) -> None:
    assert shown(client_of(people.captain), filter=part) == [(2, scored["fire"])]
    assert shown(client_of(people.captain), filter="nobody") == []


def test_nobody_sees_results_without_a_login(
    scored: dict[str, int], people: People, client_of: ClientOf
) -> None:
    paths = ("/api/results", "/api/results/export", "/api/export", "/api/teams")
    for path in (*paths, f"/api/teams/{people.captain.team_id}/history"):
        assert kind_of_problem(client_of(None), "GET", path, 401) == "not_logged_in"


@pytest.mark.parametrize("more_settings", ['public = { results = "own" }'])
def test_own_results_only_do_not_tell_of_the_others(
    contest: Contest, scored: dict[str, int], people: People, client_of: ClientOf
) -> None:
    client = client_of(people.rival)
    found = table(client)
    assert found["sees"] == "own"
    assert [(row["rank"], row["total"], row["own"]) for row in found["rows"]] == [(None, 1.5, True)]
    assert {row["submission"] for row in table(client, shown="all")["rows"]} == {
        scored["fire"],
        scored["fire_failed"],
    }
    assert table(client_of(people.observer))["rows"] == []
    assert len(table(client_of(people.organizer))["rows"]) == 2
    ice = f"/api/teams/{people.captain.team_id}/history"
    assert kind_of_problem(client, "GET", ice, 404) == "not_found"
    assert len(client_of(people.member).get(ice).json()) == 2
    with contest.database.write() as connection:
        control.set_phase(connection, "closed")
    assert table(client)["sees"] == "all"
    assert shown(client) == [(1, scored["ice_second"]), (2, scored["fire"])]


@pytest.mark.parametrize("more_settings", ['public = { results = "own" }'])
def test_a_mean_of_ranks_is_hidden_with_the_rows_that_it_compares(
    contest: Contest, people: People, client_of: ClientOf
) -> None:
    new_metric(contest, "loss", "utility")
    score(contest, people.captain, {"loss": 0.1})
    score(contest, people.rival, {"loss": 0.2})
    whole = table(client_of(people.organizer))
    assert whole["by_ranks"]
    assert [(row["rank"], row["total"]) for row in whole["rows"]] == [(1, 1.0), (2, 2.0)]
    [own] = table(client_of(people.rival))["rows"]
    assert (own["rank"], own["total"], own["values"]["loss"]["value"]) == (None, None, 0.2)


@pytest.mark.parametrize("more_settings", ['public = { results = "closed" }'])
def test_before_the_end_nobody_sees_a_closed_contests_results(
    contest: Contest, scored: dict[str, int], people: People, client_of: ClientOf
) -> None:
    client = client_of(people.captain)
    assert (table(client)["sees"], table(client)["rows"]) == ("none", [])
    export = client.get("/api/results/export?format=json&shown=all")
    assert export.json() == []
    ice = f"/api/teams/{people.captain.team_id}/history"
    assert kind_of_problem(client, "GET", ice, 404) == "not_found"
    detail = client.get(f"/api/submissions/{scored['ice_first']}").json()
    assert (detail["state"], detail["results"]) == ("evaluated", {})
    of_organizer = client_of(people.organizer).get(f"/api/submissions/{scored['ice_first']}")
    assert of_organizer.json()["results"]["total"]["value"] == 2.0


def test_in_a_freeze_the_others_see_the_table_and_history_of_before(
    contest: Contest, scored: dict[str, int], people: People, client_of: ClientOf
) -> None:
    with contest.database.write() as connection:
        control.freeze(connection)
    better = score(contest, people.captain, {"loss": 0.0, "guard": 1.0, "total": 0.5})
    rival, member = client_of(people.rival), client_of(people.member)
    assert table(rival)["frozen"] is not None
    assert better not in {row["submission"] for row in table(rival, shown="all")["rows"]}
    assert better in {row for _, row in shown(client_of(people.organizer))}
    ice = f"/api/teams/{people.captain.team_id}/history"
    assert [row["total"] for row in rival.get(ice).json()] == [1.0, 2.0]
    assert [row["total"] for row in member.get(ice).json()] == [0.5, 1.0, 2.0]
    exported = rival.get("/api/results/export?format=json&shown=all").json()
    assert better not in {row["submission"] for row in exported}


def test_teams_and_histories(scored: dict[str, int], people: People, client_of: ClientOf) -> None:
    client = client_of(people.observer)
    assert [team["name"] for team in client.get("/api/teams").json()] == ["ice", "fire"]
    history = client.get(f"/api/teams/{people.rival.team_id}/history").json()
    assert [(row["submission"], row["total"]) for row in history] == [
        (scored["fire"], 1.5),
        (scored["fire_failed"], None),
    ]
    for unknown in (999, 2**63 - 1):
        path = f"/api/teams/{unknown}/history"
        assert kind_of_problem(client, "GET", path, 404) == "not_found"
    for wrong in (0, -1, 2**63, 10**30, "x"):
        path = f"/api/teams/{wrong}/history"
        assert kind_of_problem(client, "GET", path, 422) == "invalid_request"
