"""A worker: it takes tasks from a desk, here or on another machine, and evaluates files.

A fault of the file ends its job; a fault of ours puts the job back, and costs nobody anything.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from tokumei.contest import sandbox
from tokumei.contest.desk import Desk, DeskClosed, DeskUnreachable
from tokumei.contest.evaluating import Evaluation
from tokumei.contest.store.errors import LeaseLost
from tokumei.contest.store.jobs import LEASE_SECONDS
from tokumei.contest.tasks import KINDS, Kind, Task, perform
from tokumei.errors import TokumeiError

log = logging.getLogger(__name__)

BEATS = 3
"""Heartbeats in the time of a lease: two may be lost."""
LONGEST_PAUSE = 30.0
"""Seconds between two tries to reach a desk that does not answer."""


End = Literal["done", "failed", "infrastructure", "lost"]


@dataclass(frozen=True)
class Done:
    """A task that a worker has ended: done, failed by the file, put back by us, or taken away."""

    job_id: int
    kind: Kind
    state: End
    seconds: float


@dataclass(frozen=True)
class Worker:
    """Evaluates one task after the other."""

    name: str
    desk: Desk
    evaluation: Evaluation
    lease_seconds: float = LEASE_SECONDS
    kinds: tuple[Kind, ...] = KINDS

    def run(
        self,
        stopped: threading.Event,
        *,
        pause: float = 0.5,
        told: Callable[[Done], None] = lambda _: None,
    ) -> None:
        """Work until told to stop; a desk that does not answer is asked again, less and less."""
        failures = 0
        while not stopped.is_set():
            try:
                done = self.work_once()
            except DeskClosed:
                raise
            except TokumeiError as error:
                log.warning("%s", error)
                failures += 1
                stopped.wait(min(LONGEST_PAUSE, pause * 2**failures))
                continue
            failures = 0
            if done is None:
                stopped.wait(pause)
            else:
                told(done)

    def work_once(self) -> Done | None:
        """Take a task and end it; none where there is none."""
        task = self.desk.claim(self.name, self.kinds, self.lease_seconds)
        if task is None:
            return None
        begun = time.monotonic()
        try:
            with self._beating(task):
                state = self._work(task)
        except LeaseLost as error:
            log.warning("%s", error)
            state = "lost"
        return Done(task.job_id, task.kind, state, round(time.monotonic() - begun, 3))

    def _work(self, task: Task) -> End:
        try:
            # What fails before the file is looked at is not the file's fault.
            self.evaluation.prepare()
            files = {sha256: self.desk.file(task, sha256) for sha256 in task.files}
        except LeaseLost:
            raise
        except Exception as error:
            return self._put_back(task, error)
        try:
            outcome = perform(task, self.evaluation, files.__getitem__)
        except sandbox.SandboxUnavailable as error:
            return self._put_back(task, error)
        except TokumeiError as error:
            self.desk.fail(task, str(error))
            return "failed"
        except Exception as error:
            return self._put_back(task, error)
        try:
            self.desk.finish(task, outcome)
        except (LeaseLost, DeskUnreachable):
            raise
        except Exception as error:
            return self._put_back(task, error)
        return "done"

    def _put_back(self, task: Task, error: Exception) -> End:
        if isinstance(error, TokumeiError):
            sentence = str(error)
        else:
            # Its text may quote the data.
            log.error("Job %s failed.", task.job_id, exc_info=error)
            sentence = f"{type(error).__name__} in {task.kind}."
        self.desk.infrastructure_error(task, sentence)
        return "infrastructure"

    @contextmanager
    def _beating(self, task: Task) -> Iterator[None]:
        """Keep the lease while the work goes on; once it is lost, the report will be refused."""
        done = threading.Event()

        def beat() -> None:
            while not done.wait(task.lease_seconds / BEATS):
                try:
                    if not self.desk.heartbeat(task):
                        return
                except LeaseLost:
                    return
                except TokumeiError as error:
                    log.warning("%s", error)

        thread = threading.Thread(target=beat, name=f"heartbeat of job {task.job_id}", daemon=True)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()
