"""Processes that serve and work on a queue while they are killed, and what must hold at the end.

Run as `python crashing.py server URL JOBS` or `python crashing.py worker URL NAME` it is one of
the processes. The server adds jobs in batches and puts back those whose worker died; a worker
claims, works for some milliseconds, and reports a result and an event in one transaction.
"""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field

from sqlalchemy import Connection, func, insert, select

from tokumei.contest.store import clock, events, jobs
from tokumei.contest.store.database import Database, open_database
from tokumei.contest.store.errors import LeaseLost
from tokumei.contest.store.results import Measured, record
from tokumei.contest.store.schema import events as event_table
from tokumei.contest.store.schema import jobs as job_table
from tokumei.contest.store.schema import metrics, results, submissions, teams, users
from tokumei.contest.store.viewing import about_team

TEAMS = 8
LEASE = 1.0
BATCH = 40


@dataclass
class Outcome:
    """What came of it."""

    jobs: int
    results: int
    events: int
    states: dict[str, int]
    gaps: int
    kills: int
    attempts: int
    longest_overdue: float
    """Seconds by which a lease was ever seen to have run out without being taken over."""
    seconds: float = field(default=0.0, compare=False)

    def check(self, expected: int) -> None:
        """Nothing is lost, nothing is there twice, nothing hangs."""
        assert self.states == {"done": expected}, self
        assert (self.jobs, self.results, self.events) == (expected, expected, expected), self
        assert self.gaps == 0, self
        assert self.longest_overdue < 5 * LEASE, self


def prepare(database: Database) -> None:
    """Make the teams, their users and the one metric."""
    with database.write() as connection:
        for number in range(1, TEAMS + 1):
            connection.execute(insert(teams).values(name=f"t{number}", key=f"t{number}", created=1))
            connection.execute(
                insert(users).values(
                    login=f"u{number}", password_hash="-", role="captain", team_id=number, created=1
                )
            )
        total = {"name": "total", "title": "total", "kind": "total", "better": "lower"}
        connection.execute(insert(metrics).values(**total, position=1))


def serve(database: Database, wanted: int) -> None:
    """Add jobs until there are enough, from wherever the last server was killed."""
    while True:
        with database.write() as connection:
            there = connection.execute(select(func.count()).select_from(submissions)).scalar_one()
            for number in range(there, min(wanted, there + BATCH)):
                team_id = number % TEAMS + 1
                made = insert(submissions).values(
                    team_id=team_id, user_id=team_id, sha256=f"{number:064x}", size=1, phase="a",
                    original_name="", note="", state="valid", report={}, chosen=False,
                    counted=True, created=clock.now(),
                )  # fmt: skip
                submission_id = connection.execute(made.returning(submissions.c.id)).scalar_one()
                jobs.enqueue(
                    connection, "judge", {"n": number}, team_id=team_id, submission_id=submission_id
                )
        jobs.expire(database)
        time.sleep(0.02 if there < wanted else 0.2)


def work(database: Database, name: str) -> None:
    """Claim and finish jobs for ever."""
    while True:
        job = jobs.claim(database, name, ("judge",), LEASE)
        if job is None:
            time.sleep(0.05)
            continue
        time.sleep(random.uniform(0, 0.004))

        def report(connection: Connection, job: jobs.Job = job) -> None:
            record(connection, job, [Measured("total", job.payload["n"])])
            assert job.team_id is not None
            events.append(connection, "result", about_team(job.team_id), {"job": job.id})

        try:
            jobs.finish(database, job, report)
        except LeaseLost:
            continue


def run(url: str, *, wanted: int, kills: int, workers: int, limit: float, seed: int) -> Outcome:
    """Let a server and some workers do all jobs while they are killed at random."""
    draws = random.Random(seed)
    program = [sys.executable, __file__]
    commands = [[*program, "server", url, str(wanted)]]
    commands += [[*program, "worker", url, f"w{number}"] for number in range(workers)]
    start = time.monotonic()
    killed, overdue, done = 0, 0.0, 0
    with open_database(url) as database:
        prepare(database)
        running = [subprocess.Popen(command) for command in commands]
        try:
            while done < wanted or killed < kills:
                assert time.monotonic() - start < limit, (done, killed)
                time.sleep(draws.uniform(0.02, 0.1))
                done, late = progress(database)
                overdue = max(overdue, late)
                # Kills are spread over the work, so that they meet it at every stage.
                if killed < kills and done >= wanted * (killed + 1) / (kills + 1):
                    victim = draws.randrange(len(running))
                    running[victim].send_signal(signal.SIGKILL)
                    assert running[victim].wait(10) == -signal.SIGKILL
                    running[victim] = subprocess.Popen(commands[victim])
                    killed += 1
                assert all(process.poll() is None for process in running)
            seconds = time.monotonic() - start
        finally:
            for process in running:
                process.kill()
                process.wait()
        found = outcome(database, killed, overdue)
    found.seconds = seconds
    return found


def progress(database: Database) -> tuple[int, float]:
    with database.read() as connection:
        ended = select(func.count()).where(job_table.c.state == "done")
        first = select(func.min(job_table.c.lease_until)).where(job_table.c.state == "running")
        done = connection.execute(ended).scalar_one()
        until = connection.execute(first).scalar()
    return done, 0.0 if until is None else max(0.0, (clock.now() - until) / clock.SECOND)


def outcome(database: Database, kills: int, overdue: float) -> Outcome:
    with database.read() as connection:

        def number(column: object) -> int:
            return int(connection.execute(select(column)).scalar_one() or 0)  # type: ignore[call-overload]

        by_state = select(job_table.c.state, func.count()).group_by(job_table.c.state)
        return Outcome(
            jobs=number(func.count(job_table.c.id)),
            results=number(func.count(results.c.id)),
            events=number(func.count(event_table.c.seq)),
            states={row.state: row[1] for row in connection.execute(by_state)},
            gaps=number(func.max(event_table.c.seq)) - number(func.count(event_table.c.seq)),
            kills=kills,
            attempts=number(func.sum(job_table.c.attempts)),
            longest_overdue=overdue,
        )


if __name__ == "__main__":
    role, url, argument = sys.argv[1:]
    with open_database(url) as opened:
        if role == "server":
            serve(opened, int(argument))
        else:
            work(opened, argument)
