"""Where workers get their tasks and bring what came of them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, cast

from sqlalchemy import Connection

from tokumei.contest.blobs import Blobs
from tokumei.contest.evaluating import Evaluation
from tokumei.contest.recording import Recorder
from tokumei.contest.store import guesses, jobs, metrics, submissions
from tokumei.contest.store.database import Database
from tokumei.contest.store.errors import NotFound, StoreError
from tokumei.contest.store.jobs import Job
from tokumei.contest.tasks import Kind, Outcome, Task
from tokumei.draws import derive
from tokumei.errors import TokumeiError


class DeskClosed(TokumeiError):
    """The desk will not have this worker, however often it asks."""


class DeskUnreachable(TokumeiError, ConnectionError):
    """The desk does not answer; it may answer later."""


class Desk(Protocol):
    """The queue as a worker sees it; a report on a lost lease raises `LeaseLost`."""

    def claim(self, worker: str, kinds: Collection[Kind], lease_seconds: float) -> Task | None:
        """Take the next task of these kinds, if there is one."""

    def heartbeat(self, task: Task) -> bool:
        """Lengthen the lease; false where it is lost."""

    def file(self, task: Task, sha256: str) -> Path:
        """Return where a file of the task is."""

    def finish(self, task: Task, outcome: Outcome) -> None:
        """Bring what came of a task."""

    def fail(self, task: Task, problem: str) -> None:
        """End a task by a fault of what was submitted."""

    def infrastructure_error(self, task: Task, sentence: str) -> None:
        """Put a task back after an error of ours."""


@dataclass(frozen=True)
class LocalDesk:
    """The queue of a contest on this machine."""

    database: Database
    evaluation: Evaluation
    blobs: Blobs
    seed: int = field(repr=False)
    """The contest's secret: whoever knows it can undo the order of what was published."""

    @property
    def recorder(self) -> Recorder:
        """What writes down the outcomes."""
        return Recorder(self.database, self.evaluation.settings, self.blobs)

    def claim(self, worker: str, kinds: Collection[Kind], lease_seconds: float) -> Task | None:
        """Take the next task of these kinds, if there is one."""
        job = jobs.claim(self.database, worker, kinds, lease_seconds)
        if job is None:
            return None
        try:
            return self.task(job, lease_seconds)
        except StoreError as error:
            jobs.infrastructure_error(self.database, job, str(error))
            raise

    def task(self, job: Job, lease_seconds: float) -> Task:
        """Say what a job is about, with no more secrets than it needs."""
        with self.database.read() as connection:
            submission, guess = _subject(connection, job)
            script = None
            if job.kind == "script":
                script = metrics.find_script(connection, int(job.payload["script"]))
        return Task(
            job_id=job.id,
            kind=cast("Kind", job.kind),
            lease_token=job.lease_token,
            lease_seconds=lease_seconds,
            deadline=job.deadline,
            submission=submission,
            guess=guess,
            script=script.sha256 if script else None,
            script_language=script.language if script else None,
            # What was published and what is marked must be drawn alike: by the submission alone.
            seed=derive(self.seed, submission) if job.kind in SEEDED else None,
        )

    def heartbeat(self, task: Task) -> bool:
        """Lengthen the lease; false where it is lost."""
        return jobs.heartbeat(self.database, self._job(task), task.lease_seconds)

    def file(self, task: Task, sha256: str) -> Path:  # noqa: ARG002
        """Return where a file is stored."""
        return self.blobs.path(sha256)

    def finish(self, task: Task, outcome: Outcome) -> None:
        """Record what came of a task."""
        self.recorder.finish(self._job(task), outcome)

    def fail(self, task: Task, problem: str) -> None:
        """End a task by a fault of what was submitted."""
        jobs.fail(self.database, self._job(task), problem)

    def infrastructure_error(self, task: Task, sentence: str) -> None:
        """Put a task back after an error of ours."""
        jobs.infrastructure_error(self.database, self._job(task), sentence)

    def _job(self, task: Task) -> Job:
        return jobs.leased(self.database, task.job_id, task.lease_token)


SEEDED = ("score", "publish", "guess")


def _subject(connection: Connection, job: Job) -> tuple[str, str | None]:
    """Return the files of the submission and of the guess that a job is about."""
    if job.guess_id is not None:
        guess = guesses.find(connection, job.guess_id)
        published = {one.id: one for one in guesses.published(connection)}[guess.release_id]
        defended = submissions.find(connection, published.submission_id)
        return defended.sha256, guess.sha256
    if job.submission_id is None:
        raise NotFound(f"Job {job.id} does not say what it is about.")
    return submissions.find(connection, job.submission_id).sha256, None
