"""A snapshot is what its viewer may see of the contest, by hand."""

from __future__ import annotations

import json

import pytest
from scoring import new_metric, score
from staging import People

from tokumei.contest.actions import organizing
from tokumei.contest.opening import Contest
from tokumei.contest.server.snapshot import Snapshots, State, state_of
from tokumei.contest.store import events, guesses, jobs
from tokumei.contest.store.submissions import Upload
from tokumei.contest.store.viewing import ANYBODY, EVERYBODY, ORGANIZER, Viewer


def state(contest: Contest, viewer: Viewer) -> State:
    with contest.database.read() as connection:
        return state_of(contest, connection, viewer)


@pytest.fixture
def scored(contest: Contest, people: People) -> tuple[int, int]:
    """Ice has 2, fire 1 and a problem; the smaller the better."""
    new_metric(contest, "total", "total")
    new_metric(contest, "E1", "utility")
    ice = score(contest, people.captain, {"total": 2.0, "E1": 0.5})
    return ice, score(contest, people.rival, {"total": 1.0, "E1": "broken"})


def places(shown: State) -> list[tuple[int, int | None, float | None]]:
    return [(place.submission, place.rank, place.total) for place in shown.standings]


def test_the_contest_at_one_moment(
    contest: Contest, people: People, scored: tuple[int, int]
) -> None:
    with contest.database.write() as connection:
        jobs.enqueue(connection, "check", {})
    shown = state(contest, ANYBODY)
    ice, fire = scored
    assert places(shown) == [(fire, 1, 1.0), (ice, 2, 2.0)]
    assert shown.standings[0].values == {"total": 1.0, "E1": None}
    assert shown.standings[0].team == people.rival.team_id
    assert [team.name for team in shown.teams] == ["ice", "fire"]
    assert {(metric.name, metric.kind) for metric in shown.metrics} == {
        ("total", "total"),
        ("E1", "utility"),
    }
    assert (shown.phase, shown.frozen, shown.sees, shown.better) == (
        "anonymize",
        None,
        "all",
        "lower",
    )
    assert shown.next is not None
    assert (shown.next.name, shown.next.starts) == ("attack", "2119-12-31T15:00:00Z")
    assert (shown.queue.queued, shown.queue.running) == (1, 0)


@pytest.mark.parametrize("more_settings", ["[public]\nresults = 'own'\n"])
def test_own_results_alone(contest: Contest, people: People, scored: tuple[int, int]) -> None:
    ice, fire = scored
    assert places(state(contest, Viewer(people.captain.team_id))) == [(ice, None, 2.0)]
    assert places(state(contest, ANYBODY)) == []
    assert len(places(state(contest, ORGANIZER))) == 2
    attack(contest, people, fire)
    cells = [(c.attacker, c.defender, c.success) for c in state(contest, ORGANIZER).matrix]
    assert cells == [(people.captain.team_id, people.rival.team_id, 0.25)]
    assert len(state(contest, Viewer(people.captain.team_id)).matrix) == 1
    assert state(contest, ANYBODY).matrix == []


@pytest.mark.parametrize("more_settings", ["[public]\nresults = 'closed'\n"])
def test_no_results_before_the_contest_is_closed(
    contest: Contest, people: People, scored: tuple[int, int]
) -> None:
    attack(contest, people, scored[1])
    mine = state(contest, Viewer(people.captain.team_id))
    assert (mine.sees, mine.standings, mine.matrix) == ("none", [], [])
    organizing.set_phase(contest, None, "closed")
    mine = state(contest, Viewer(people.captain.team_id))
    assert (mine.sees, len(mine.standings), len(mine.matrix)) == ("all", 2, 1)


def test_a_freeze_stands_still(contest: Contest, people: People, scored: tuple[int, int]) -> None:
    before = places(state(contest, ANYBODY))
    organizing.freeze(contest, None)
    score(contest, people.captain, {"total": 0.5, "E1": 0.5})
    assert places(state(contest, ANYBODY)) == before
    assert state(contest, ANYBODY).frozen is not None
    assert places(state(contest, ORGANIZER))[0][2] == 0.5


def test_many_who_come_at_once_share_a_snapshot_until_something_happens(
    contest: Contest, people: People
) -> None:
    snapshots = Snapshots(contest)
    with contest.database.read() as connection:
        first = snapshots.of(connection, ANYBODY)
        assert snapshots.of(connection, ANYBODY) is first
        assert snapshots.of(connection, ORGANIZER) is not first
    with contest.database.write() as connection:
        events.append(connection, "e", EVERYBODY, {})
    with contest.database.read() as connection:
        second = snapshots.of(connection, ANYBODY)
    assert second is not first
    assert (second.last, json.loads(second.text)["seq"]) == (1, 1)


def attack(contest: Contest, people: People, submission_id: int) -> None:
    """Let ice name a quarter of fire's customers."""
    assert people.captain.team_id
    assert people.rival.team_id
    with contest.database.write() as connection:
        guesses.publish(connection, submission_id, sha256="a" * 64, size=1)
        made = guesses.add(
            connection,
            Upload("b" * 64, 1, "g.csv"),
            attacker_id=people.captain.team_id,
            defender_id=people.rival.team_id,
            user_id=people.captain.id,
            limit=2,
        )
        guesses.mark(connection, made.id, hits=1, total=4, success=0.25)
