"""Whose data is to be published when the attack phase begins."""

from __future__ import annotations

from sqlalchemy import Connection, select

from tokumei.contest.store.schema import jobs, releases, submissions

PUBLISH = "publish"
"""The kind of the jobs that publish a submission."""


def unpublished(connection: Connection) -> set[int]:
    """Return the teams whose data can be published and is not on its way yet.

    A team waits for the end of its last evaluation, which can change what counts. One whose
    publication failed waits for the organizer.
    """
    team = submissions.c.team_id
    open_states = ("received", "valid")
    in_evaluation = select(team).where(submissions.c.state.in_(open_states))
    begun = (
        select(team)
        .join(jobs, jobs.c.submission_id == submissions.c.id)
        .where(jobs.c.kind == PUBLISH, submissions.c.state != "withdrawn")
    )
    statement = (
        select(team)
        .where(
            submissions.c.state == "evaluated",
            team.not_in(in_evaluation),
            team.not_in(begun),
            team.not_in(select(releases.c.team_id)),
        )
        .distinct()
    )
    return set(connection.execute(statement).scalars())
