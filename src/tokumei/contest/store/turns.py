"""Whose job is next: the teams take turns, however many jobs each of them has."""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger, Select, bindparam, case, func, or_, select

from tokumei.contest.store import clock
from tokumei.contest.store.schema import jobs

TURN_SECONDS = 600
"""How long it is remembered that a team had its turn."""


def next_job() -> Select[Any]:
    """Choose by priority, then the team with the least running, then the one served longest ago.

    With a single worker nothing is running when it asks: without the turns the team that uploaded
    a hundred files first would have it for itself. Needs `now` and `kinds`.
    """
    now = bindparam("now", type_=BigInteger)
    running = func.sum(case((jobs.c.state == "running", 1), else_=0))
    turns = (
        # Jobs without a team are one more team, which has no id.
        select(
            func.coalesce(jobs.c.team_id, 0).label("team"),
            running.label("running"),
            func.max(jobs.c.started).label("served"),
        )
        .where(or_(jobs.c.state == "running", jobs.c.started > now - TURN_SECONDS * clock.SECOND))
        .group_by(jobs.c.team_id)
        .subquery("turns")
    )
    waiting = jobs.alias("waiting")
    same_team = func.coalesce(waiting.c.team_id, 0) == turns.c.team
    return (
        select(waiting.c.id)
        .select_from(waiting.outerjoin(turns, same_team))
        .where(
            waiting.c.state == "queued",
            waiting.c.ready <= now,
            waiting.c.kind.in_(bindparam("kinds", expanding=True)),
        )
        .order_by(
            waiting.c.priority.desc(),
            func.coalesce(turns.c.running, 0),
            func.coalesce(turns.c.served, 0),
            waiting.c.id,
        )
        .limit(1)
        .with_for_update(of=waiting, skip_locked=True)
    )
