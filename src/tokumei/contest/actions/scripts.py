"""Metric scripts: teams propose them, organizers decide; only in a sandbox do they run."""

from __future__ import annotations

from sqlalchemy import Connection

from tokumei.contest import sandbox
from tokumei.contest.blobs import Blob
from tokumei.contest.opening import Contest
from tokumei.contest.store import audit, events, jobs, metrics, submissions
from tokumei.contest.store.accounts import User
from tokumei.contest.store.errors import NotNow, QuotaUsed
from tokumei.contest.store.metrics import Script
from tokumei.contest.store.names import clean_name
from tokumei.contest.store.states import Better, Language, MetricKind
from tokumei.contest.store.viewing import EVERYBODY, ORGANIZERS
from tokumei.errors import ParameterError

LONGEST_REASON = 500
MOST_WAITING = 10
"""Scripts of a team that wait for an organizer."""


def expect(contest: Contest, actor: User) -> None:
    """Refuse a script before its file is sent, where it would be refused afterwards."""
    with contest.database.read() as connection:
        _admit(connection, actor)


def propose(
    contest: Contest,
    actor: User,
    blob: Blob,
    name: str,
    language: Language,
    kind: MetricKind,
    better: Better,
) -> Script:
    """Take a script; that of an organizer is approved at once."""
    if kind == "total":
        raise ParameterError("A script measures utility or safety, not the total.")
    with contest.database.write() as connection:
        _admit(connection, actor)
        script = metrics.propose(
            connection,
            name=clean_name(name, "name of a script"),
            language=language,
            sha256=blob.sha256,
            kind=kind,
            better=better,
            user_id=actor.id,
            team_id=actor.team_id,
        )
        subject = f"script {script.id}"
        audit.note(connection, actor.login, "propose script", subject, sha256=blob.sha256)
        if actor.role == "organizer":
            _approve(connection, actor, script.id)
        else:
            events.append(connection, "script.proposed", ORGANIZERS, {"script": script.id})
        return metrics.find_script(connection, script.id)


def approve(contest: Contest, actor: User, script_id: int) -> None:
    """Let a script measure every submission, also those that are there already."""
    _need_sandbox()
    with contest.database.write() as connection:
        _approve(connection, actor, script_id)


def reject(contest: Contest, actor: User, script_id: int, reason: str) -> None:
    """Refuse a script and say why."""
    reason = reason.strip()
    if not 1 <= len(reason) <= LONGEST_REASON:
        raise ParameterError(f"A reason has 1 to {LONGEST_REASON} characters, not {len(reason):,}.")
    with contest.database.write() as connection:
        metrics.reject(connection, script_id, user_id=actor.id, reason=reason)
        audit.note(connection, actor.login, "reject script", f"script {script_id}", reason=reason)
        payload = {"script": script_id, "approved": False}
        events.append(connection, "script.decided", EVERYBODY, payload)


def _approve(connection: Connection, actor: User, script_id: int) -> None:
    metrics.approve(connection, script_id, user_id=actor.id)
    for one in submissions.to_measure(connection):
        jobs.enqueue(
            connection,
            "script",
            {"script": script_id},
            team_id=one.team_id,
            submission_id=one.id,
        )
    audit.note(connection, actor.login, "approve script", f"script {script_id}")
    payload = {"script": script_id, "approved": True}
    events.append(connection, "script.decided", EVERYBODY, payload)


def _admit(connection: Connection, actor: User) -> None:
    _need_sandbox()
    if actor.team_id is None:
        return
    own = [one for one in metrics.listed_scripts(connection) if one.team_id == actor.team_id]
    if sum(one.state == "proposed" for one in own) >= MOST_WAITING:
        raise QuotaUsed(f"A team may have up to {MOST_WAITING} scripts that wait to be approved.")


def _need_sandbox() -> None:
    if sandbox.available() is None:
        raise NotNow("Scripts are not taken: this server has no sandbox to run them in.")
