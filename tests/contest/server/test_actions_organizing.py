"""What organizers do and what happens by plan, on both databases."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from playing import COARSE, events, hand_in, notes, play_to_attack, set_clock, states, work
from sqlalchemy import delete, select, update
from staging import VALID, People

from tokumei.contest.actions import attacking, handing_in, organizing
from tokumei.contest.evaluating import Evaluation
from tokumei.contest.opening import Contest
from tokumei.contest.store import guesses, jobs, results, schema, submissions
from tokumei.contest.store.contest_state import read_state
from tokumei.contest.store.errors import NotNow
from tokumei.contest.store.queue_status import open_jobs
from tokumei.contest.store.schema import jobs as job_rows
from tokumei.contest.store.standings import standings
from tokumei.contest.store.viewing import ORGANIZER
from tokumei.errors import SubmissionError

frozen_plan = pytest.mark.parametrize("more_settings", ["public = { freeze_minutes = 30 }"])


def publish_jobs(contest: Contest) -> list[tuple[int, str]]:
    with contest.database.read() as connection:
        found = select(job_rows.c.submission_id, job_rows.c.state)
        rows = connection.execute(found.where(job_rows.c.kind == "publish").order_by("id"))
        return [(row[0], row[1]) for row in rows]


def frozen(contest: Contest) -> bool:
    with contest.database.read() as connection:
        return read_state(connection).frozen is not None


def test_the_attack_phase_publishes_what_counts_once(contest: Contest, people: People) -> None:
    better = hand_in(contest, people.captain, COARSE)
    hand_in(contest, people.captain, VALID)
    organizing.set_phase(contest, people.organizer, "attack")
    attacking.publish_all(contest)
    organizing.set_phase(contest, people.organizer, "break")
    organizing.set_phase(contest, people.organizer, "attack")
    assert publish_jobs(contest) == [(better, "queued")]
    work(contest)
    attacking.publish_all(contest)
    assert publish_jobs(contest) == [(better, "done")]
    assert set(states(contest).values()) == {"evaluated"}
    assert [event.payload["phase"] for event in events(contest, "contest.phase")] == [
        "attack",
        "break",
        "attack",
    ]
    assert ("desk", "set phase", "attack") in notes(contest)


def test_a_team_waits_for_its_last_evaluation(contest: Contest, people: People) -> None:
    """What was handed in at the last minute can be what counts."""
    contest = replace(contest, settings=replace(contest.settings, counts="latest"))
    hand_in(contest, people.captain, COARSE)
    blob = contest.blobs.add([VALID], most=10_000)
    last = handing_in.submit(contest, people.captain, blob, "late.csv")
    organizing.set_phase(contest, people.organizer, "attack")
    assert publish_jobs(contest) == []
    work(contest)
    organizing.tick(contest)
    assert publish_jobs(contest) == [(last.id, "queued")]


def test_a_publication_that_fails_waits_for_the_organizer(
    contest: Contest, people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = hand_in(contest, people.captain)

    def fail(*_: object, **__: object) -> None:
        raise SubmissionError("It cannot be published.")

    with monkeypatch.context() as patched:
        patched.setattr(Evaluation, "publish", fail)
        organizing.set_phase(contest, people.organizer, "attack")
        work(contest)
        organizing.tick(contest)
    assert publish_jobs(contest) == [(made, "failed")]
    assert states(contest) == {made: "evaluated"}
    with contest.database.read() as connection:
        (shown,) = open_jobs(connection)
    assert (shown.kind, shown.error) == ("publish", "It cannot be published.")
    organizing.retry_job(contest, people.organizer, shown.id)
    work(contest)
    assert publish_jobs(contest) == [(made, "done")]
    with contest.database.read() as connection:
        assert open_jobs(connection) == []
        assert [one.submission_id for one in guesses.published(connection)] == [made]
    with pytest.raises(NotNow, match="Only a job that was given up"):
        organizing.retry_job(contest, people.organizer, shown.id)


def test_a_publication_that_our_machines_fail_leaves_the_submission_as_it_is(
    contest: Contest, people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = hand_in(contest, people.captain)

    def break_down(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(Evaluation, "publish", break_down)
    monkeypatch.setattr(jobs, "RETRY_SECONDS", 0.0)
    organizing.set_phase(contest, people.organizer, "attack")
    assert work(contest) == jobs.MAX_ATTEMPTS
    assert publish_jobs(contest) == [(made, "infrastructure")]
    assert states(contest) == {made: "evaluated"}
    with contest.database.read() as connection:
        assert submissions.quota_used(connection, people.captain.team_id, "anonymize") == 1
    assert len(events(contest, "job.gave_up")) == 1


def test_a_planned_phase_begins_by_itself_also_after_a_pause_of_the_server(
    contest: Contest, people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand_in(contest, people.captain)
    organizing.tick(contest)
    set_clock(monkeypatch, "2119-12-31T23:59:59+09:00")
    organizing.tick(contest)
    assert publish_jobs(contest) == []
    set_clock(monkeypatch, "2120-03-01T00:00:00+09:00")
    organizing.tick(contest)
    organizing.tick(contest)
    assert len(publish_jobs(contest)) == 1
    assert [event.payload["phase"] for event in events(contest, "contest.phase")] == [
        "anonymize",
        "attack",
    ]
    assert [note for note in notes(contest) if note[1] == "set phase"] == [
        ("plan", "set phase", "anonymize"),
        ("plan", "set phase", "attack"),
    ]


def test_back_to_the_plan_tells_the_planned_phase(contest: Contest, people: People) -> None:
    organizing.tick(contest)
    organizing.set_phase(contest, people.organizer, "break")
    organizing.set_phase(contest, None, None)
    told = [event.payload["phase"] for event in events(contest, "contest.phase")]
    assert told == ["anonymize", "break", "anonymize"]
    assert notes(contest)[-1] == ("the command line", "set phase", "plan")


def test_a_custom_contest_has_no_attack_phase(contest: Contest, people: People) -> None:
    custom = replace(contest, settings=replace(contest.settings, rules="custom"))
    with pytest.raises(NotNow, match="custom contest has no re-identification phase"):
        organizing.set_phase(custom, people.organizer, "attack")
    assert events(contest, "contest.phase") == []


@frozen_plan
def test_the_planned_freeze_comes_once_and_ends_with_the_contest(
    contest: Contest, people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_clock(monkeypatch, "2120-12-31T23:29:59+09:00")
    organizing.tick(contest)
    assert not frozen(contest)
    set_clock(monkeypatch, "2120-12-31T23:30:00+09:00")
    organizing.tick(contest)
    organizing.tick(contest)
    assert frozen(contest)
    assert len(events(contest, "contest.frozen")) == 1
    set_clock(monkeypatch, "2120-12-31T23:40:00+09:00")
    organizing.unfreeze(contest, people.organizer)
    organizing.tick(contest)
    assert not frozen(contest)
    organizing.freeze(contest, people.organizer)
    set_clock(monkeypatch, "2121-01-01T00:00:00+09:00")
    organizing.tick(contest)
    assert not frozen(contest)
    with pytest.raises(NotNow, match="results are final"):
        organizing.freeze(contest, people.organizer)
    assert [note[:2] for note in notes(contest) if "freeze" in note[1]] == [
        ("plan", "freeze"),
        ("desk", "unfreeze"),
        ("desk", "freeze"),
    ]


@frozen_plan
def test_an_organizer_who_froze_before_the_plan_may_end_it(
    contest: Contest, people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_clock(monkeypatch, "2120-12-31T23:00:00+09:00")
    organizing.freeze(contest, people.organizer)
    set_clock(monkeypatch, "2120-12-31T23:45:00+09:00")
    organizing.tick(contest)
    organizing.unfreeze(contest, people.organizer)
    organizing.tick(contest)
    assert not frozen(contest)


@frozen_plan
def test_with_the_switch_set_the_plan_does_not_freeze(
    contest: Contest, people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    organizing.set_phase(contest, people.organizer, "anonymize")
    set_clock(monkeypatch, "2120-12-31T23:45:00+09:00")
    organizing.tick(contest)
    assert not frozen(contest)


def test_a_tick_puts_back_what_a_dead_worker_held(
    contest: Contest, people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    blob = contest.blobs.add([VALID], most=10_000)
    handing_in.submit(contest, people.captain, blob, "a.csv")
    job = jobs.claim(contest.database, "dead", ("check",))
    assert job is not None
    set_clock(monkeypatch, "2119-01-01T00:00:00+09:00")
    organizing.tick(contest)
    with contest.database.read() as connection:
        assert [(one.state, one.error) for one in open_jobs(connection)] == [
            ("queued", "The worker stopped answering.")
        ]


def test_a_set_evaluates_again_and_is_shown_only_when_activated(
    contest: Contest, people: People
) -> None:
    made = hand_in(contest, people.captain)
    with contest.database.write() as connection:
        (before,) = standings(connection, ORGANIZER, "best").rows
        # As if the total had been wrong when it was measured.
        wrong = update(schema.results).where(schema.results.c.metric == "total")
        connection.execute(wrong.values(value=9.0))
    opened = organizing.open_set(contest, people.organizer, "again")
    with pytest.raises(NotNow, match="not complete: 1 jobs are open"):
        organizing.activate_set(contest, people.organizer, opened.id)
    assert work(contest) == 1
    with contest.database.read() as connection:
        assert standings(connection, ORGANIZER, "best").rows[0].total == 9.0
    organizing.activate_set(contest, people.organizer, opened.id)
    with contest.database.read() as connection:
        (after,) = standings(connection, ORGANIZER, "best").rows
    assert after == before
    assert states(contest) == {made: "evaluated"}
    assert [event.payload for event in events(contest, "set.activated")] == [{"set": opened.id}]
    assert [note[1] for note in notes(contest)][-2:] == ["open set", "activate set"]


def test_a_set_that_is_discarded_leaves_no_jobs(contest: Contest, people: People) -> None:
    hand_in(contest, people.captain)
    opened = organizing.open_set(contest, people.organizer, "again")
    organizing.discard_set(contest, people.organizer, opened.id)
    assert work(contest) == 0
    with pytest.raises(NotNow, match="Only an open set"):
        organizing.activate_set(contest, people.organizer, opened.id)


def test_without_anything_evaluated_there_is_no_set(contest: Contest, people: People) -> None:
    with pytest.raises(NotNow, match="no evaluated submission"):
        organizing.open_set(contest, people.organizer, "again")
    with contest.database.read() as connection:
        assert len(results.sets(connection)) == 1


def test_two_desks_that_publish_at_once_publish_once(contest: Contest, people: People) -> None:
    play_to_attack(contest, people)
    with contest.database.write() as connection:
        connection.execute(delete(job_rows).where(job_rows.c.kind == "publish"))
        connection.execute(delete(schema.releases))
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: attacking.publish_all(contest), range(8)))
    assert len(publish_jobs(contest)) == 2
