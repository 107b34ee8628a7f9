"""The story of a contest, from its database, as somebody may see it now.

Freezes and what is public hold as in the table of results and in the matrix of attacks. A
re-evaluation changes the past too: a submission has the scores of today from the moment at which it
was first evaluated.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from sqlalchemy import ColumnElement, Connection, or_, select

from tokumei.arena.story import Line, Story, header
from tokumei.contest.opening import Contest
from tokumei.contest.phases import phase_now, sees
from tokumei.contest.settings import Settings
from tokumei.contest.store import accounts, clock, metrics
from tokumei.contest.store.contest_state import read_state
from tokumei.contest.store.control import PHASE
from tokumei.contest.store.metrics import Metric
from tokumei.contest.store.schema import evaluation_sets, events, guesses, results, submissions
from tokumei.contest.store.viewing import Sees, Viewer
from tokumei.words import LANGUAGES, translate

DECISIONS = {"submission.chosen": "choose", "submission.withdrawn": "withdraw"}


def story(contest: Contest, connection: Connection, viewer: Viewer) -> Story:
    """Tell a contest up to now."""
    allowed = sees(connection, contest.settings, viewer)
    frozen = None if viewer.organizer else read_state(connection).frozen
    listed = metrics.listed(connection)
    total = next((metric for metric in listed if metric.kind == "total"), None)
    entries = list(_submissions(connection, viewer, allowed, frozen, total))
    lines = [
        *_teams(connection),
        *_phases(connection, contest.settings),
        *entries,
        *_decisions(connection, {line["submission"] for line in entries}),
        *_guesses(connection, viewer, allowed, frozen),
    ]
    first = header(
        title=contest.settings.title,
        counts=contest.settings.counts,
        better=total.better if total else "lower",
        by_ranks=total is None,
        # The rank of a team says something of the others, whose results are hidden.
        ranked=allowed == "all",
        frozen=None if frozen is None else _iso(frozen),
        until=_iso(clock.now()),
        metrics=[_metric(metric) for metric in listed],
    )
    return Story(first, tuple(sorted(lines, key=lambda line: line["t"])))


def _iso(moment: int) -> str:
    """Write a time so that the order of texts is that of times."""
    text = clock.as_datetime(moment).isoformat(timespec="microseconds")
    return text.replace("+00:00", "Z")


def _metric(metric: Metric) -> dict[str, Any]:
    title = {language: translate(metric.title, language) for language in LANGUAGES}
    return {"name": metric.name, "title": title, "kind": metric.kind, "better": metric.better}


def _teams(connection: Connection) -> Iterator[Line]:
    for team in accounts.listed_teams(connection):
        yield {"t": _iso(team.created), "kind": "team", "team": team.id, "name": team.name}


def _phases(connection: Connection, settings: Settings) -> Iterator[Line]:
    """Tell what was announced; without an announcement, the phase in which the contest is."""
    announced = select(events.c.created, events.c.payload).where(events.c.kind == PHASE)
    last = None
    for created, payload in connection.execute(announced.order_by(events.c.seq)):
        last = payload["phase"]
        yield {"t": _iso(created), "kind": "phase", "phase": last}
    now = phase_now(connection, settings)
    if now != last:
        teams = accounts.listed_teams(connection)
        joined = min((team.created for team in teams), default=clock.now())
        planned = settings.phase_at(clock.as_datetime(clock.now()))
        # A plan can begin long before anybody is there.
        begun = max(joined, clock.as_moment(planned.starts)) if planned else joined
        yield {"t": _iso(begun), "kind": "phase", "phase": now}


def _submissions(
    connection: Connection,
    viewer: Viewer,
    allowed: Sees,
    frozen: int | None,
    total: Metric | None,
) -> Iterator[Line]:
    if allowed == "none":
        return
    # A withdrawn one was there until it was withdrawn.
    wanted: list[ColumnElement[bool]] = [
        submissions.c.state.in_(("evaluated", "withdrawn")),
        submissions.c.evaluated.is_not(None),
    ]
    if allowed == "own":
        wanted.append(submissions.c.team_id == viewer.team_id)
    if frozen is not None:
        wanted.append(submissions.c.evaluated <= frozen)
    measured = (
        select(results.c.submission_id, results.c.metric, results.c.value)
        .join(evaluation_sets)
        .join(submissions)
        .where(evaluation_sets.c.state == "active", *wanted)
    )
    values: defaultdict[int, dict[str, float | None]] = defaultdict(dict)
    for submission_id, metric, value in connection.execute(measured):
        values[submission_id][metric] = value
    evaluated = select(submissions.c.id, submissions.c.team_id, submissions.c.evaluated)
    for submission_id, team_id, moment in connection.execute(evaluated.where(*wanted)):
        said = values[submission_id]
        yield {
            "t": _iso(moment),
            "kind": "submission",
            "team": team_id,
            "submission": submission_id,
            "total": said.get(total.name) if total else None,
            "values": said,
        }


def _decisions(connection: Connection, shown: set[int]) -> Iterator[Line]:
    """Tell when submissions that are shown were chosen and withdrawn."""
    statement = select(events.c.created, events.c.kind, events.c.team_id, events.c.payload)
    statement = statement.where(events.c.kind.in_(DECISIONS)).order_by(events.c.seq)
    for created, kind, team_id, payload in connection.execute(statement):
        if payload["submission"] in shown:
            told = {"t": _iso(created), "kind": DECISIONS[kind], "team": team_id}
            yield told | {"submission": payload["submission"]}


def _guesses(
    connection: Connection, viewer: Viewer, allowed: Sees, frozen: int | None
) -> Iterator[Line]:
    if allowed == "none":
        return
    own = viewer.team_id or -1
    wanted: list[ColumnElement[bool]] = [guesses.c.state == "marked"]
    if allowed == "own":
        wanted.append(or_(guesses.c.attacker_id == own, guesses.c.defender_id == own))
    if frozen is not None:
        wanted.append(or_(guesses.c.marked <= frozen, guesses.c.attacker_id == own))
    for guess in connection.execute(select(guesses).where(*wanted).order_by(guesses.c.id)):
        yield {
            "t": _iso(guess.marked),
            "kind": "guess",
            "attacker": guess.attacker_id,
            "defender": guess.defender_id,
            "hits": guess.hits,
            "total": guess.total,
            "success": guess.success,
        }
