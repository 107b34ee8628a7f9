"""What a team does with its submissions."""

from __future__ import annotations

import unicodedata

from sqlalchemy import Connection

from tokumei.contest.blobs import Blob
from tokumei.contest.opening import Contest
from tokumei.contest.phases import phase_now
from tokumei.contest.store import audit, events, jobs, submissions
from tokumei.contest.store.accounts import User
from tokumei.contest.store.errors import NotFound, NotNow, QuotaUsed
from tokumei.contest.store.submissions import Submission, Upload
from tokumei.contest.store.viewing import only_team

FILES_EACH = 10
"""Invalid files cost nothing; so many of them for each submission are enough."""


def team_of(actor: User) -> int:
    """Return the team that somebody acts for."""
    if actor.team_id is None:
        raise NotFound("Only somebody of a team can do this.")
    return actor.team_id


def shown_name(name: str) -> str:
    """Return a file's name as it can be shown; it is never a path.

    >>> shown_name("../secret/T.csv")
    'T.csv'
    """
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    return "".join(c for c in last if not unicodedata.category(c).startswith("C"))


def expect(contest: Contest, actor: User) -> None:
    """Refuse a submission before its file is sent, where it would be refused afterwards."""
    with contest.database.read() as connection:
        _admitted(connection, contest, team_of(actor))


def submit(contest: Contest, actor: User, blob: Blob, name: str) -> Submission:
    """Take a submission and queue its check."""
    team_id = team_of(actor)
    with contest.database.write() as connection:
        phase = _admitted(connection, contest, team_id)
        made = submissions.add(
            connection,
            Upload(blob.sha256, blob.size, shown_name(name)),
            team_id=team_id,
            user_id=actor.id,
            phase=phase,
            quota=contest.settings.quotas.submissions,
        )
        jobs.enqueue(connection, "check", {}, team_id=team_id, submission_id=made.id)
        audit.note(connection, actor.login, "submit", f"submission {made.id}", sha256=blob.sha256)
        payload = {"submission": made.id}
        events.append(connection, "submission.received", only_team(team_id), payload)
    return made


def set_note(contest: Contest, actor: User, submission_id: int, note: str) -> None:
    """Change what the team says of a submission."""
    with contest.database.write() as connection:
        submissions.set_note(connection, submission_id, note, team_id=team_of(actor))


def choose(contest: Contest, actor: User, submission_id: int) -> None:
    """Let a submission be the one that counts, where the contest leaves it to the teams."""
    if contest.settings.counts != "chosen":
        raise NotNow(f"In this contest the {contest.settings.counts} submission counts.")
    team_id = team_of(actor)
    with contest.database.write() as connection:
        _in_time(phase_now(connection, contest.settings))
        submissions.choose(connection, submission_id, team_id=team_id)
        audit.note(connection, actor.login, "choose", f"submission {submission_id}")
        events.append(
            connection, "submission.chosen", only_team(team_id), {"submission": submission_id}
        )


def withdraw(contest: Contest, actor: User, submission_id: int) -> None:
    """Take a submission out of the contest."""
    team_id = team_of(actor)
    with contest.database.write() as connection:
        _in_time(phase_now(connection, contest.settings))
        submissions.withdraw(connection, submission_id, team_id=team_id)
        audit.note(connection, actor.login, "withdraw", f"submission {submission_id}")
        events.append(
            connection, "submission.withdrawn", only_team(team_id), {"submission": submission_id}
        )


def _admitted(connection: Connection, contest: Contest, team_id: int) -> str:
    """Return the phase in which a team hands in, if it may."""
    quota = contest.settings.quotas.submissions
    phase = phase_now(connection, contest.settings)
    if phase != "anonymize":
        raise NotNow("Submissions are taken in the anonymization phase only.")
    submissions.require_quota(connection, team_id, phase, quota)
    handed_in = submissions.handed_in(connection, team_id, phase)
    if handed_in >= FILES_EACH * quota:
        raise QuotaUsed(f"The team has handed in {handed_in:,} files; it may do no more.")
    return phase


def _in_time(phase: str | None) -> None:
    if phase not in ("anonymize", "break"):
        raise NotNow("Which submission counts is settled when the anonymization phase is over.")
