"""Write down what came of a job: results, what follows from them, and events, all or nothing.

The same for workers here and on other machines.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from sqlalchemy import Connection

from tokumei.contest.blobs import Blob, Blobs
from tokumei.contest.evaluating import Value
from tokumei.contest.settings import Settings
from tokumei.contest.store import events, guesses, jobs, metrics, results, submissions
from tokumei.contest.store.database import Database
from tokumei.contest.store.errors import NotNow
from tokumei.contest.store.jobs import Job
from tokumei.contest.store.metrics import Metric
from tokumei.contest.store.results import Measured
from tokumei.contest.store.viewing import EVERYBODY, ORGANIZERS, about_team, only_team
from tokumei.contest.tasks import Outcome
from tokumei.errors import ParameterError

T = TypeVar("T")

LONGEST_STDERR = 2_000
"""Characters of what a script complained about that are kept: the last ones tell most."""
LARGEST_RELEASE = 500_000_000


@dataclass(frozen=True)
class Recorder:
    """Writes the outcome of a job to the contest's database."""

    database: Database
    settings: Settings
    blobs: Blobs

    def finish(self, job: Job, outcome: Outcome) -> None:
        """Record an outcome and call the job done; the same again does nothing."""
        steps: dict[str, Callable[[Job, Outcome], Callable[[Connection], object]]] = {
            "check": self._check,
            "score": self._score,
            "script": self._script,
            "publish": self._publish,
            "guess": self._guess,
        }
        try:
            jobs.finish(self.database, job, steps[job.kind](job, outcome))
        except NotNow as error:
            # As when a team withdraws what is just being published.
            jobs.fail(self.database, job, str(error))

    def _check(self, job: Job, outcome: Outcome) -> Callable[[Connection], None]:
        found, submission_id = _given(outcome.checked, job), _given(job.submission_id, job)

        def record(connection: Connection) -> None:
            report = dict(found.report)
            if not submissions.checked(connection, submission_id, report, valid=found.valid):
                return
            team_id = submissions.find(connection, submission_id).team_id
            if found.valid:
                self._queue_scores(connection, submission_id, team_id)
            payload = {"submission": submission_id, "valid": found.valid}
            events.append(connection, "submission.checked", only_team(team_id), payload)

        return record

    def _queue_scores(self, connection: Connection, submission_id: int, team_id: int) -> None:
        given = {"submission_id": submission_id, "team_id": team_id}
        if not self.settings.custom:
            jobs.enqueue(connection, "score", {}, **given)
        for metric in metrics.listed(connection):
            if metric.script_id is not None:
                jobs.enqueue(connection, "script", {"script": metric.script_id}, **given)

    def _score(self, job: Job, outcome: Outcome) -> Callable[[Connection], None]:
        values = _given(outcome.values or None, job)

        def record(connection: Connection) -> None:
            metrics.keep_built_in(connection, [_metric(*one) for one in enumerate(values)])
            _keep(connection, job, [Measured(v.title, v.value, v.problem) for v in values])

        return record

    def _script(self, job: Job, outcome: Outcome) -> Callable[[Connection], None]:
        said, script_id = _given(outcome.script, job), int(job.payload["script"])

        def record(connection: Connection) -> None:
            _keep(connection, job, [Measured(f"script:{script_id}", said.value, said.problem)])
            if said.stderr:
                payload = {
                    "submission": job.submission_id,
                    "script": script_id,
                    "stderr": said.stderr[-LONGEST_STDERR:],
                }
                events.append(connection, "script.said", ORGANIZERS, payload)

        return record

    def _publish(self, job: Job, outcome: Outcome) -> Callable[[Connection], None]:
        blob = self._stored(_given(outcome.release or None, job))
        submission_id = _given(job.submission_id, job)

        def record(connection: Connection) -> None:
            made = guesses.publish(connection, submission_id, sha256=blob.sha256, size=blob.size)
            events.append(connection, "release.published", EVERYBODY, {"team": made.team_id})

        return record

    def _stored(self, release: Mapping[str, str]) -> Blob:
        """Keep a release as the file itself; one of several files as a ZIP."""
        first, *others = release.values()
        content = _packed(release) if others else first.encode()
        return self.blobs.add([content], most=LARGEST_RELEASE)

    def _guess(self, job: Job, outcome: Outcome) -> Callable[[Connection], object]:
        guess_id = _given(job.guess_id, job)
        if outcome.checked is not None:
            report = dict(outcome.checked.report)
            return lambda connection: guesses.refuse(connection, guess_id, report)
        best = _given(outcome.marks or None, job)[0]
        success = best.value or 0.0

        def record(connection: Connection) -> None:
            hits = round(success * best.n)
            guesses.mark(connection, guess_id, hits=hits, total=best.n, success=success)
            guess = guesses.find(connection, guess_id)
            payload = {"attacker": guess.attacker_id, "defender": guess.defender_id}
            team = about_team(guess.attacker_id)
            events.append(connection, "guess.marked", team, payload, tells_scores=True)

        return record


def _keep(connection: Connection, job: Job, measured: list[Measured]) -> None:
    results.record(connection, job, measured)
    # What fills a set that is still to be reviewed changes no table.
    if job.team_id is not None and job.set_id is None:
        payload, team = {"submission": job.submission_id}, about_team(job.team_id)
        events.append(connection, "submission.scored", team, payload, tells_scores=True)


def _metric(position: int, value: Value) -> Metric:
    return Metric(value.title, value.title, value.kind, value.better, position)


def _packed(files: Mapping[str, str]) -> bytes:
    """Pack texts so that the same texts give the same bytes."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in sorted(files.items()):
            # Without a member made by hand the time of packing would be in it.
            archive.writestr(zipfile.ZipInfo(name), text, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def _given(value: T | None, job: Job) -> T:
    if value is None:
        raise ParameterError(
            f"The report of job {job.id} has nothing that belongs to a {job.kind}."
        )
    return value
