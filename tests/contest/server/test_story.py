"""The story of a contest: it tells what the table and the matrix show, and no more."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playing import COARSE, attack, hand_in, play_to_attack, played, work
from scoring import new_metric, score
from staging import VALID, ClientOf, People

from tokumei.arena.story import read_story
from tokumei.contest.actions import handing_in, organizing
from tokumei.contest.opening import Contest
from tokumei.contest.server.api.arena import StoryAnswer
from tokumei.contest.store.viewing import ORGANIZER
from tokumei.contest.story import story


def asked(client_of: ClientOf, user: Any) -> dict[str, Any]:
    answer = client_of(user).get("/api/arena")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    StoryAnswer.model_validate(found)
    return found


def of_kind(told: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [line for line in told["lines"] if line["kind"] == kind]


def test_a_played_contest_is_told_in_the_order_of_time(
    contest: Contest, people: People, client_of: ClientOf
) -> None:
    played(contest, people, client_of)
    told = asked(client_of, people.observer)
    ice, fire = people.captain.team_id, people.rival.team_id
    assert [line["t"] for line in told["lines"]] == sorted(line["t"] for line in told["lines"])
    names = [(one["team"], one["name"]) for one in of_kind(told, "team")]
    assert names == [(ice, "ice"), (fire, "fire")]
    assert [one["phase"] for one in of_kind(told, "phase")][-1] == "attack"
    assert [one["team"] for one in of_kind(told, "submission")] == [ice, fire]
    marks = {(one["attacker"], one["defender"]): one["hits"] for one in of_kind(told, "guess")}
    assert marks == {(fire, ice): 2, (ice, fire): 3}
    assert told["header"]["ranked"] is True
    assert told["header"]["better"] == "lower"


def test_totals_and_values_are_those_of_the_results(
    contest: Contest, people: People, client_of: ClientOf
) -> None:
    play_to_attack(contest, people)
    told = asked(client_of, people.observer)
    rows = client_of(people.observer).get("/api/results").json()["rows"]
    for row in rows:
        (line,) = (o for o in of_kind(told, "submission") if o["submission"] == row["submission"])
        assert line["total"] == row["total"]
        assert line["values"] == {name: said["value"] for name, said in row["values"].items()}


def test_a_freeze_hides_what_it_hides_in_the_table(
    contest: Contest, people: People, client_of: ClientOf
) -> None:
    hand_in(contest, people.captain)
    organizing.freeze(contest, people.organizer)
    hand_in(contest, people.rival, COARSE)
    assert len(of_kind(asked(client_of, people.organizer), "submission")) == 2
    for user in (people.observer, people.captain, people.rival):
        told = asked(client_of, user)
        assert told["header"]["frozen"] is not None
        rows = client_of(user).get("/api/results").json()["rows"]
        shown = {line["submission"] for line in of_kind(told, "submission")}
        assert shown == {row["submission"] for row in rows}
        assert len(shown) == 1


def test_a_guess_in_a_freeze_is_told_to_its_attacker_alone(
    contest: Contest, people: People, client_of: ClientOf
) -> None:
    play_to_attack(contest, people)
    organizing.freeze(contest, people.organizer)
    ice = people.captain.team_id
    assert attack(client_of(people.rival), ice, b"p1,Alice\np2,Bob\np3,Bob\n") == 201
    work(contest)
    told = {
        name: len(of_kind(asked(client_of, getattr(people, name)), "guess"))
        for name in ("organizer", "rival", "captain", "observer")
    }
    assert told == {"organizer": 1, "rival": 1, "captain": 0, "observer": 0}


@pytest.mark.parametrize("more_settings", ['public = { results = "own" }'])
def test_where_each_team_sees_its_own_the_story_has_no_ranks_and_no_others(
    contest: Contest, people: People, client_of: ClientOf
) -> None:
    played(contest, people, client_of)
    told = asked(client_of, people.captain)
    ice = people.captain.team_id
    assert told["header"]["ranked"] is False
    assert {line["team"] for line in of_kind(told, "submission")} == {ice}
    assert len(of_kind(told, "guess")) == 2
    nothing = asked(client_of, people.observer)
    assert of_kind(nothing, "submission") == of_kind(nothing, "guess") == []
    assert len(of_kind(asked(client_of, people.organizer), "submission")) == 2


@pytest.mark.parametrize("more_settings", ['public = { results = "closed" }'])
def test_nothing_is_told_before_the_end_where_the_results_are_kept(
    contest: Contest, people: People, client_of: ClientOf
) -> None:
    played(contest, people, client_of)
    told = asked(client_of, people.captain)
    assert of_kind(told, "submission") == of_kind(told, "guess") == []
    organizing.set_phase(contest, people.organizer, "closed")
    told = asked(client_of, people.captain)
    assert len(of_kind(told, "submission")) == len(of_kind(told, "guess")) == 2
    assert told["header"]["ranked"] is True


def test_a_withdrawn_submission_was_there_and_a_hidden_one_was_not(
    contest: Contest, people: People, client_of: ClientOf
) -> None:
    shown = hand_in(contest, people.captain)
    blob = contest.blobs.add([VALID], most=10_000)
    never = handing_in.submit(contest, people.captain, blob, "data.csv").id
    for number in (shown, never):
        handing_in.withdraw(contest, people.captain, number)
    told = asked(client_of, people.rival)
    assert [line["submission"] for line in of_kind(told, "submission")] == [shown]
    assert [line["submission"] for line in of_kind(told, "withdraw")] == [shown]


@pytest.mark.parametrize("more_settings", ['counts = "chosen"'])
def test_a_choice_is_told_when_it_was_made(
    contest: Contest, people: People, client_of: ClientOf
) -> None:
    first = hand_in(contest, people.captain)
    hand_in(contest, people.captain, COARSE)
    handing_in.choose(contest, people.captain, first)
    told = asked(client_of, people.rival)
    (line,) = of_kind(told, "choose")
    assert (line["team"], line["submission"]) == (people.captain.team_id, first)
    assert told["header"]["counts"] == "chosen"


def test_without_a_total_the_story_says_that_ranks_decide(
    contest: Contest, people: People, client_of: ClientOf
) -> None:
    new_metric(contest, "E", "utility")
    score(contest, people.captain, {"E": 0.5})
    score(contest, people.rival, {"E": "It has failed."})
    told = asked(client_of, people.observer)
    assert told["header"]["by_ranks"] is True
    assert [line["total"] for line in of_kind(told, "submission")] == [None, None]
    assert [line["values"] for line in of_kind(told, "submission")] == [{"E": 0.5}, {"E": None}]


def test_the_story_that_is_told_is_one_that_can_be_replayed(
    contest: Contest, people: People, client_of: ClientOf, tmp_path: Path
) -> None:
    played(contest, people, client_of)
    with contest.database.read() as connection:
        told = story(contest, connection, ORGANIZER)
    file = tmp_path / "events.jsonl"
    file.write_text(told.to_lines(), encoding="utf-8")
    assert read_story(file) == told


def test_what_happens_is_told_at_once_and_to_each_what_is_theirs(
    contest: Contest, people: People, client_of: ClientOf
) -> None:
    organizing.freeze(contest, people.organizer)
    watching = [client_of(user) for user in (people.observer, people.organizer)]
    for count in (1, 2):
        hand_in(contest, people.captain)
        told = [len(of_kind(one.get("/api/arena").json(), "submission")) for one in watching]
        assert told == [0, count]
    organizing.unfreeze(contest, people.organizer)
    assert len(of_kind(watching[0].get("/api/arena").json(), "submission")) == 2


def test_only_those_who_are_logged_in_hear_the_story(client_of: ClientOf) -> None:
    assert client_of(None).get("/api/arena").status_code == 401
