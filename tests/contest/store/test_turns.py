"""Whose turn it is, and what people see of the queue."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from clocks import Clock
from people import new_team
from queueing import KINDS, nothing, put, submitted, take
from sqlalchemy import func, select

from tokumei.contest.store.database import Database
from tokumei.contest.store.jobs import claim, enqueue, finish
from tokumei.contest.store.queue_status import older_jobs, open_jobs, status
from tokumei.contest.store.schema import jobs as table


def test_many_workers_get_each_job_once(database: Database) -> None:
    with database.write() as connection:
        for n in range(60):
            enqueue(connection, "judge", {"n": n})

    def work(name: int) -> list[int]:
        done = []
        while job := claim(database, f"w{name}", KINDS):
            finish(database, job, nothing)
            done.append(job.id)
        return done

    with ThreadPoolExecutor(6) as pool:
        done = [job_id for ids in pool.map(work, range(6)) for job_id in ids]
    assert len(done) == len(set(done)) == 60


def test_teams_take_turns_however_many_jobs_each_has(database: Database, moving: Clock) -> None:
    with database.write() as connection:
        greedy, modest, third = (new_team(connection, name) for name in "gmt")
        for _ in range(20):
            enqueue(connection, "judge", {}, team_id=greedy)
        for team_id in (modest, third, modest, third):
            enqueue(connection, "judge", {}, team_id=team_id)
        enqueue(connection, "judge", {}, team_id=None)
    served = []
    for _ in range(9):
        job = take(database)
        served.append(job.team_id)
        moving.move(1)
        finish(database, job, nothing)
    assert served == [greedy, modest, third, None, greedy, modest, third, greedy, greedy]


def test_the_team_with_the_fewest_running_jobs_goes_first(
    database: Database, moving: Clock
) -> None:
    with database.write() as connection:
        first, second = new_team(connection, "a"), new_team(connection, "b")
        for team_id in (first, first, first, second, second):
            enqueue(connection, "judge", {}, team_id=team_id)
    held = []
    for number in range(5):
        held.append(take(database, f"w{number}"))
        moving.move(1)
    assert [job.team_id for job in held] == [first, second, first, second, first]


def test_a_higher_priority_goes_before_everything(database: Database) -> None:
    put(database)
    urgent = put(database, priority=5)
    assert take(database).id == urgent


def test_what_people_see_of_the_queue(database: Database, moving: Clock) -> None:
    _, submission_id = submitted(database)
    put(database)
    with database.read() as connection:
        assert older_jobs(connection, submission_id) == 0
    moving.move(7)
    take(database, "w1")
    claim(database, "w2", ("script",))
    seen = status(database)
    assert (seen.queued, seen.running, seen.oldest_seconds) == (1, 1, 7.0)
    assert [(worker.name, worker.running) for worker in seen.workers] == [("w1", 1), ("w2", 0)]
    with database.read() as connection:
        assert older_jobs(connection, submission_id) is None
        assert Counter(job.state for job in open_jobs(connection)) == {"queued": 1, "running": 1}
    moving.move(4_000)
    assert status(database).workers == ()


def test_an_idle_worker_does_not_write(database: Database, moving: Clock) -> None:
    claim(database, "w1", KINDS)
    seen = status(database).workers
    moving.move(1)
    with database.write() as connection:
        connection.execute(select(func.count()).select_from(table))
        # On SQLite a write would wait for this transaction, and fail.
        assert claim(database, "w1", KINDS) is None
    assert status(database).workers == seen
