"""A worker: it takes jobs from the queue and evaluates what was submitted.

`check` tells whether a file keeps the rules and queues the rest; `score` measures the built-in
metrics; `script` runs an approved script in the sandbox; `guess` marks an attacker's file. A fault
of the file ends its job; a fault of ours puts the job back, and costs nobody anything.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from sqlalchemy import Connection

from tokumei.contest import sandbox
from tokumei.contest.blobs import Blobs
from tokumei.contest.evaluating import Evaluation, Value
from tokumei.contest.store import events, guesses, jobs, metrics, results, submissions
from tokumei.contest.store.database import Database
from tokumei.contest.store.errors import LeaseLost
from tokumei.contest.store.jobs import Job
from tokumei.contest.store.metrics import Metric
from tokumei.contest.store.results import Measured
from tokumei.contest.store.viewing import about_team, only_team
from tokumei.draws import derive
from tokumei.errors import TokumeiError

log = logging.getLogger(__name__)

KINDS = ("check", "score", "script", "guess")
BEATS = 3
"""Heartbeats in the time of a lease: two may be lost."""
Record = Callable[[Connection], object]


@dataclass(frozen=True)
class Worker:
    """Evaluates one job after the other on this machine."""

    name: str
    database: Database
    evaluation: Evaluation
    blobs: Blobs
    seed: int
    """The contest's secret: whoever knows it can undo the order of what was published."""
    lease_seconds: float = jobs.LEASE_SECONDS

    def run(self, stopped: threading.Event, *, pause: float = 0.5) -> None:
        """Work until told to stop."""
        while not stopped.is_set():
            if not self.work_once():
                stopped.wait(pause)

    def work_once(self) -> bool:
        """Take a job and end it; false where there is none."""
        job = jobs.claim(self.database, self.name, KINDS, self.lease_seconds)
        if job is None:
            return False
        try:
            with self._beating(job):
                self._work(job)
        except LeaseLost as error:
            log.warning("%s", error)
        return True

    def _work(self, job: Job) -> None:
        steps = {
            "check": self._check,
            "score": self._score,
            "script": self._script,
            "guess": self._guess,
        }
        try:
            record = steps[job.kind](job)
        except sandbox.SandboxUnavailable as error:
            jobs.infrastructure_error(self.database, job, str(error))
        except TokumeiError as error:
            jobs.fail(self.database, job, str(error))
        except Exception as error:
            # Whatever it is, it is not the team's fault; its text may quote the data.
            log.exception("Job %s failed.", job.id)
            jobs.infrastructure_error(self.database, job, f"{type(error).__name__} in {job.kind}.")
        else:
            jobs.finish(self.database, job, record)

    def _check(self, job: Job) -> Record:
        submission = self._submission(job)
        found = self.evaluation.check(self.blobs.path(submission.sha256))

        def record(connection: Connection) -> None:
            report = dict(found.report)
            if not submissions.checked(connection, submission.id, report, valid=found.valid):
                return
            if found.valid:
                self._queue_scores(connection, submission.id, submission.team_id)
            payload = {"submission": submission.id, "valid": found.valid}
            events.append(connection, "submission.checked", only_team(submission.team_id), payload)

        return record

    def _queue_scores(self, connection: Connection, submission_id: int, team_id: int) -> None:
        given = {"submission_id": submission_id, "team_id": team_id}
        if not self.evaluation.settings.custom:
            jobs.enqueue(connection, "score", {}, **given)
        for metric in metrics.listed(connection):
            if metric.script_id is not None:
                jobs.enqueue(connection, "script", {"script": metric.script_id}, **given)

    def _score(self, job: Job) -> Record:
        submission = self._submission(job)
        path = self.blobs.path(submission.sha256)
        values = self.evaluation.scores(path, seed=derive(self.seed, submission.sha256))

        def record(connection: Connection) -> None:
            metrics.keep_built_in(connection, [_metric(*one) for one in enumerate(values)])
            measured = [Measured(one.title, one.value, one.problem) for one in values]
            self._keep(connection, job, measured)

        return record

    def _script(self, job: Job) -> Record:
        submission = self._submission(job)
        with self.database.read() as connection:
            script = metrics.find_script(connection, int(job.payload["script"]))
        outcome = sandbox.run(
            sandbox.Script(script.language, self.blobs.path(script.sha256).read_bytes()),
            [self.evaluation.original_file, self.blobs.path(submission.sha256)],
        )
        # A script is one column: its first number.
        value = next(iter(outcome.scores.values()), None) if outcome.scores else None
        problem = outcome.problem or (None if value is not None else "The script gave no number.")
        if outcome.stderr:
            log.info("Script %s said: %s", script.id, outcome.stderr)
        measured = [Measured(f"script:{script.id}", value, problem)]
        return lambda connection: self._keep(connection, job, measured)

    def _keep(self, connection: Connection, job: Job, measured: list[Measured]) -> None:
        results.record(connection, job, measured)
        payload = {"submission": job.submission_id}
        if job.team_id is not None:
            team = about_team(job.team_id)
            events.append(connection, "submission.scored", team, payload, tells_scores=True)

    def _guess(self, job: Job) -> Record:
        with self.database.read() as connection:
            guess = guesses.find(connection, _given(job.guess_id))
            published = {one.id: one for one in guesses.published(connection)}[guess.release_id]
            defended = submissions.find(connection, published.submission_id)
        marks = self.evaluation.mark(
            self.blobs.path(defended.sha256),
            self.blobs.path(guess.sha256),
            seed=derive(self.seed, defended.sha256),
        )
        best = marks[0]
        success = best.value or 0.0

        def record(connection: Connection) -> None:
            hits = round(success * best.n)
            guesses.mark(connection, guess.id, hits=hits, total=best.n, success=success)
            payload = {"attacker": guess.attacker_id, "defender": guess.defender_id}
            team = about_team(guess.attacker_id)
            events.append(connection, "guess.marked", team, payload, tells_scores=True)

        return record

    def _submission(self, job: Job) -> submissions.Submission:
        with self.database.read() as connection:
            return submissions.find(connection, _given(job.submission_id))

    @contextmanager
    def _beating(self, job: Job) -> Iterator[None]:
        """Keep the lease while the work goes on; once it is lost, the report will be refused."""
        done = threading.Event()

        def beat() -> None:
            while not done.wait(self.lease_seconds / BEATS):
                if not jobs.heartbeat(self.database, job, self.lease_seconds):
                    return

        thread = threading.Thread(target=beat, name=f"heartbeat of job {job.id}", daemon=True)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()


def _metric(position: int, value: Value) -> Metric:
    return Metric(value.title, value.title, value.kind, value.better, position)


def _given(number: int | None) -> int:
    if number is None:
        raise TokumeiError("The job does not say what it is about.")
    return number
