"""Leases, the fence, attempts, turns: the queue by hand and with a clock that stands still."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from clocks import Clock
from people import new_submission, new_team, new_user, valid_submission
from queueing import KINDS, heard, nothing, put, state, submitted, take
from sqlalchemy import Connection, select

from tokumei.contest.store import events, guesses, jobs, submissions
from tokumei.contest.store.database import Database
from tokumei.contest.store.errors import LeaseLost, NotNow
from tokumei.contest.store.jobs import Job, claim, enqueue, expire, fail, finish, heartbeat
from tokumei.contest.store.queue_status import open_jobs, status
from tokumei.contest.store.schema import jobs as table
from tokumei.contest.store.viewing import EVERYBODY, ORGANIZER, Viewer


def test_a_job_is_claimed_once_and_finished(database: Database) -> None:
    job_id = put(database)
    job = take(database)
    assert (job.id, job.payload, job.attempts) == (job_id, {"n": 1}, 1)
    assert claim(database, "w2", KINDS) is None
    finish(database, job, nothing)
    assert state(database, job_id) == "done"
    assert claim(database, "w2", KINDS) is None


def test_only_the_kinds_that_a_worker_can_do(database: Database) -> None:
    put(database)
    assert claim(database, "w1", ("script",)) is None
    assert claim(database, "w1", ("script", "judge")) is not None


def test_what_is_written_with_the_results_is_written_once(database: Database) -> None:
    put(database)
    job = take(database)

    def tell(connection: Connection) -> None:
        events.append(connection, "done", EVERYBODY, {})

    finish(database, job, tell)
    finish(database, job, tell)
    fail(database, job, "too late", tell)
    assert len(heard(database, ORGANIZER)) == 1
    assert state(database, job.id) == "done"


def test_results_that_cannot_be_written_leave_the_job_as_it_was(database: Database) -> None:
    put(database)
    job = take(database)

    def break_down(connection: Connection) -> None:
        events.append(connection, "done", EVERYBODY, {})
        raise RuntimeError("no disk")

    with pytest.raises(RuntimeError, match="no disk"):
        finish(database, job, break_down)
    assert state(database, job.id) == "running"
    assert heard(database, ORGANIZER) == ()


def test_a_lease_that_ran_out_goes_to_another_and_the_late_one_changes_nothing(
    database: Database, moving: Clock
) -> None:
    put(database)
    late = take(database, "late", lease=10)
    moving.move(10.001)
    second = take(database, "second", lease=10)
    assert second.id == late.id
    assert second.lease_token != late.lease_token
    assert not heartbeat(database, late)
    for report in (
        lambda: finish(database, late, nothing),
        lambda: fail(database, late, "bad"),
        lambda: jobs.infrastructure_error(database, late, "no memory"),
    ):
        with pytest.raises(LeaseLost, match="no longer in the hands of late"):
            report()
    assert state(database, late.id) == "running"
    finish(database, second, nothing)
    with pytest.raises(LeaseLost):
        finish(database, late, nothing)


def test_a_heartbeat_keeps_the_lease_but_not_for_ever(database: Database, moving: Clock) -> None:
    put(database)
    job = claim(database, "w1", KINDS, 10, 25)
    assert job is not None
    for _ in range(3):
        moving.move(8)
        assert heartbeat(database, job, 10)
        assert claim(database, "w2", KINDS) is None
    moving.move(2)
    assert not heartbeat(database, job, 10)
    assert take(database, "w2").attempts == 2


def test_a_worker_that_is_late_but_was_not_replaced_may_finish(
    database: Database, moving: Clock
) -> None:
    put(database)
    job = take(database, lease=10)
    moving.move(60)
    finish(database, job, nothing)
    assert state(database, job.id) == "done"


def test_errors_of_ours_are_tried_again_then_shown_and_cost_nothing(
    database: Database, moving: Clock
) -> None:
    team_id, submission_id = submitted(database)
    for attempt in (1, 2, 3):
        job = take(database)
        assert job.attempts == attempt
        jobs.infrastructure_error(database, job, "The sandbox is gone.")
        assert claim(database, "w1", KINDS) is None
        moving.move(60)
    assert claim(database, "w1", KINDS) is None
    assert status(database).infrastructure == 1
    with database.read() as connection:
        found = submissions.find(connection, submission_id)
        assert open_jobs(connection)[0].error == "The sandbox is gone."
    assert (found.state, found.counted) == ("error", False)
    told = [(event.kind, "error" in event.payload) for event in heard(database, ORGANIZER)]
    assert told == [("job.gave_up", True), ("job.infrastructure", False)]
    assert [event.kind for event in heard(database, Viewer(team_id))] == ["job.infrastructure"]

    with database.write() as connection:
        jobs.retry(connection, job.id)
    again = take(database)
    finish(database, again, nothing)
    with database.read() as connection:
        found = submissions.find(connection, submission_id)
    assert (found.state, found.counted) == ("evaluated", True)
    with database.write() as connection, pytest.raises(NotNow, match="tried again"):
        jobs.retry(connection, job.id)


def test_a_job_that_kills_its_workers_is_given_up(database: Database, moving: Clock) -> None:
    _, submission_id = submitted(database)
    for _ in range(3):
        job = take(database, lease=10)
        moving.move(11)
    expire(database)
    assert state(database, job.id) == "infrastructure"
    with database.read() as connection:
        assert not submissions.find(connection, submission_id).counted


def test_a_fault_of_the_submission_is_not_tried_again(database: Database) -> None:
    _, submission_id = submitted(database)
    job = take(database)
    fail(database, job, "Every row is deleted.")
    assert state(database, job.id) == "failed"
    with database.read() as connection:
        found = submissions.find(connection, submission_id)
    assert (found.state, found.counted) == ("evaluated", True)


def test_nothing_waits_for_a_check_or_a_mark_that_failed(database: Database) -> None:
    with database.write() as connection:
        ice, fire = new_team(connection, "Ice"), new_team(connection, "Fire")
        user_id = new_user(connection, "a", ice)
        unchecked = new_submission(connection, ice, user_id)
        enqueue(connection, "judge", {}, submission_id=unchecked.id)
        data = valid_submission(connection, ice, user_id)
        guesses.publish(connection, data.id, sha256="d" * 64, size=1)
        file = submissions.Upload("e" * 64, 1)
        guess = guesses.add(
            connection, file, attacker_id=fire, defender_id=ice, user_id=user_id, limit=1
        )
        enqueue(connection, "judge", {}, guess_id=guess.id)
    for _ in range(2):
        fail(database, take(database), "It is no table.")
    with database.read() as connection:
        found = submissions.find(connection, unchecked.id)
        marked = guesses.find(connection, guess.id)
    for ended in (found, marked):
        assert (ended.state, ended.counted) == ("invalid", False)
        assert ended.report is not None
        assert ended.report["problems"][0]["rule"] == "It is no table."


def test_one_of_several_that_failed_is_not_enough(database: Database, moving: Clock) -> None:
    team_id, submission_id = submitted(database)
    with database.write() as connection:
        enqueue(connection, "judge", {}, team_id=team_id, submission_id=submission_id)
    for _ in range(6):
        jobs.infrastructure_error(database, take(database), "no memory")
        moving.move(60)
    for expected in ("error", "evaluated"):
        with database.write() as connection:
            failed = next(job for job in open_jobs(connection) if job.state == "infrastructure")
            jobs.retry(connection, failed.id)
            assert submissions.find(connection, submission_id).counted
        finish(database, take(database), nothing)
        with database.read() as connection:
            assert submissions.find(connection, submission_id).state == expected


def test_a_worker_elsewhere_tells_only_its_lease(database: Database, moving: Clock) -> None:
    put(database)
    job = take(database, lease=10)
    assert jobs.leased(database, job.id, job.lease_token) == job
    with pytest.raises(LeaseLost, match="this worker"):
        jobs.leased(database, job.id, "guessed")
    finish(database, jobs.leased(database, job.id, job.lease_token), nothing)
    finish(database, jobs.leased(database, job.id, job.lease_token), nothing)
    put(database)
    lost = take(database, lease=10)
    moving.move(11)
    expire(database)
    with pytest.raises(LeaseLost):
        jobs.leased(database, lost.id, lost.lease_token)


def test_a_submission_is_evaluated_when_its_last_job_ends(database: Database) -> None:
    team_id, submission_id = submitted(database)
    with database.write() as connection:
        for _ in range(7):
            enqueue(connection, "judge", {}, team_id=team_id, submission_id=submission_id)
    taken = [take(database, f"w{n}") for n in range(8)]
    finish(database, taken.pop(), nothing)
    with database.read() as connection:
        assert submissions.find(connection, submission_id).state == "valid"
    barrier = threading.Barrier(len(taken))

    def end(job: Job) -> None:
        barrier.wait(60)
        finish(database, job, nothing)

    with ThreadPoolExecutor(len(taken)) as pool:
        list(pool.map(end, taken))
    with database.read() as connection:
        assert submissions.find(connection, submission_id).state == "evaluated"


def test_text_that_a_database_cannot_keep_does_not_break_a_report(database: Database) -> None:
    put(database)
    job = take(database)
    fail(database, job, "NUL \0 and half a pair \ud800")
    put(database)
    with database.write() as connection:
        kept = enqueue(connection, "judge", json.loads('{"a": "\\u0000", "b": "\\ud800", "c": 1}'))
    with database.read() as connection:
        payload = connection.execute(select(table.c.payload).where(table.c.id == kept)).scalar()
    assert payload["a"] == "\0"
    assert payload["c"] == 1
