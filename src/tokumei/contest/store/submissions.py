"""Submissions: added against a quota, checked, evaluated, chosen, withdrawn.

A submission holds a place of the quota from its arrival, so that a burst of uploads cannot pass it;
an invalid one, and one that our own machines failed, gives its place back.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, and_, func, insert, or_, select, update

from tokumei.contest.store import clock
from tokumei.contest.store.errors import NotFound, NotNow, QuotaUsed
from tokumei.contest.store.rows import columns, count, one, several
from tokumei.contest.store.schema import jobs, releases, submissions, teams
from tokumei.contest.store.states import SubmissionState
from tokumei.errors import ParameterError

LONGEST_NOTE = 2_000
LONGEST_NAME = 200


@dataclass(frozen=True)
class Upload:
    """A stored file and what its team says of it; the name is only shown."""

    sha256: str
    size: int
    original_name: str = ""
    note: str = ""


@dataclass(frozen=True)
class Submission:
    """A file that a team sent in."""

    id: int
    team_id: int
    user_id: int
    sha256: str
    size: int
    original_name: str
    note: str
    phase: str
    state: SubmissionState
    report: Mapping[str, Any] | None
    chosen: bool
    counted: bool
    created: int
    evaluated: int | None


FIELDS = columns(submissions, Submission)


def add(
    connection: Connection, upload: Upload, *, team_id: int, user_id: int, phase: str, quota: int
) -> Submission:
    """Add a submission, if the team has one left in this phase."""
    _check_note(upload.note)
    lock_team(connection, team_id)
    require_quota(connection, team_id, phase, quota)
    statement = insert(submissions).values(
        team_id=team_id,
        user_id=user_id,
        sha256=upload.sha256,
        size=upload.size,
        original_name=upload.original_name[:LONGEST_NAME],
        note=upload.note,
        phase=phase,
        state="received",
        chosen=False,
        counted=True,
        created=clock.now(),
    )
    return one(connection, statement.returning(*FIELDS), Submission, "submission")


def lock_team(connection: Connection, team_id: int) -> None:
    """Let what a team does against a limit go one after the other."""
    # A plain FOR UPDATE would also stop rows that only point to the team.
    statement = select(teams.c.id).where(teams.c.id == team_id).with_for_update(key_share=True)
    if connection.execute(statement).first() is None:
        raise NotFound(f"There is no team {team_id}.")


def quota_used(connection: Connection, team_id: int, phase: str) -> int:
    """Return how many submissions of a phase have cost the team something."""
    statement = select(func.count()).where(
        submissions.c.team_id == team_id, submissions.c.phase == phase, submissions.c.counted
    )
    return count(connection, statement)


def require_quota(connection: Connection, team_id: int, phase: str, quota: int) -> None:
    """Refuse a team that has no submission left."""
    if quota_used(connection, team_id, phase) >= quota:
        raise QuotaUsed(f"The team has used its {quota:,} submissions of this phase.")


def handed_in(connection: Connection, team_id: int, phase: str) -> int:
    """Return how many files a team has sent in a phase, also invalid ones."""
    own = (submissions.c.team_id == team_id, submissions.c.phase == phase)
    return count(connection, select(func.count()).where(*own))


def find(connection: Connection, submission_id: int, *, team_id: int | None = None) -> Submission:
    """Return a submission; with a team, only one of its own."""
    statement = select(*FIELDS).where(submissions.c.id == submission_id)
    if team_id is not None:
        statement = statement.where(submissions.c.team_id == team_id)
    return one(connection, statement, Submission, f"submission {submission_id}")


def listed(connection: Connection, *, team_id: int | None = None) -> list[Submission]:
    """Return the submissions of a team, or of all, the newest first."""
    statement = select(*FIELDS).order_by(submissions.c.id.desc())
    if team_id is not None:
        statement = statement.where(submissions.c.team_id == team_id)
    return several(connection, statement, Submission)


def to_measure(connection: Connection) -> list[Submission]:
    """Return the submissions that a new metric has to measure, and keep others from changing them.

    One whose check ends only now takes the metric itself.
    """
    past_check = and_(submissions.c.state == "error", submissions.c.report.is_not(None))
    passing = ("received", "valid", "evaluated")
    statement = select(*FIELDS).where(or_(submissions.c.state.in_(passing), past_check))
    found = several(connection, statement.order_by(submissions.c.id).with_for_update(), Submission)
    return [one for one in found if one.state != "received"]


def checked(
    connection: Connection, submission_id: int, report: Mapping[str, Any], *, valid: bool
) -> bool:
    """Keep what the check found; false where it comes too late, as after a withdrawal."""
    state = "valid" if valid else "invalid"
    return _change(
        connection, submission_id, ("received",), state=state, report=dict(report), counted=valid
    )


def withdraw(connection: Connection, submission_id: int, *, team_id: int) -> None:
    """Take a submission out of the contest; what it cost is not given back."""
    lock_team(connection, team_id)
    find(connection, submission_id, team_id=team_id)
    if connection.execute(select(releases.c.id).filter_by(submission_id=submission_id)).first():
        raise NotNow("A submission whose data is published cannot be withdrawn.")
    before = ("received", "valid", "invalid", "evaluated", "error")
    if not _change(connection, submission_id, before, state="withdrawn", chosen=False):
        raise NotNow("The submission is withdrawn already.")
    waiting = update(jobs).where(jobs.c.submission_id == submission_id, jobs.c.state == "queued")
    connection.execute(
        waiting.values(state="failed", finished=clock.now(), error="The submission is withdrawn.")
    )


def choose(connection: Connection, submission_id: int, *, team_id: int) -> None:
    """Let a submission be the one that counts, where the contest asks the team."""
    lock_team(connection, team_id)
    found = find(connection, submission_id, team_id=team_id)
    if found.state not in ("valid", "evaluated"):
        raise NotNow(f"A submission must be valid to be chosen; this is {found.state}.")
    mine = update(submissions).where(submissions.c.team_id == team_id)
    connection.execute(mine.where(submissions.c.chosen).values(chosen=False))
    connection.execute(mine.where(submissions.c.id == submission_id).values(chosen=True))


def set_note(connection: Connection, submission_id: int, note: str, *, team_id: int) -> None:
    """Change what a team says of its submission."""
    _check_note(note)
    find(connection, submission_id, team_id=team_id)
    own = update(submissions).where(submissions.c.id == submission_id)
    connection.execute(own.values(note=note))


def settle(connection: Connection, submission_id: int) -> None:
    """Call a valid submission evaluated when all of its jobs have ended well."""
    # Two last jobs that end at once must not each think that the other is still open.
    row = select(submissions.c.state).where(submissions.c.id == submission_id).with_for_update()
    if connection.execute(row).scalar_one() != "valid":
        return
    own = select(jobs.c.state).where(jobs.c.submission_id == submission_id, jobs.c.set_id.is_(None))
    states = set(connection.execute(own).scalars())
    if "infrastructure" in states:
        # One of several that failed was tried again; the others wait for the organizer.
        give_back(connection, [submission_id])
    elif not states & {"queued", "running"}:
        _change(connection, submission_id, ("valid",), state="evaluated", evaluated=clock.now())


def give_back(connection: Connection, submission_ids: Collection[int]) -> None:
    """Mark submissions that our machines could not evaluate; they cost nothing."""
    statement = update(submissions).where(
        submissions.c.id.in_(submission_ids),
        submissions.c.state.in_(("received", "valid")),
    )
    connection.execute(statement.values(state="error", counted=False))


def take_again(connection: Connection, submission_id: int) -> None:
    """Put a submission that our machines failed back to where it was; it costs again."""
    found = find(connection, submission_id)
    state = "received" if found.report is None else "valid"
    _change(connection, submission_id, ("error",), state=state, counted=True)


def _check_note(note: str) -> None:
    if len(note) > LONGEST_NOTE:
        raise ParameterError(f"A note has up to {LONGEST_NOTE:,} characters, not {len(note):,}.")


def _change(
    connection: Connection, submission_id: int, before: Collection[str], **values: Any
) -> bool:
    statement = update(submissions).where(
        submissions.c.id == submission_id, submissions.c.state.in_(before)
    )
    return connection.execute(statement.values(**values)).rowcount == 1
