"""The table of results as a viewer sees it: values, totals and ranks.

A rank comes from the total alone; where the total is missing or failed there is no rank, so an
error never stands first.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from sqlalchemy import Connection, select

from tokumei.contest.store import metrics as metric_rows
from tokumei.contest.store.contest_state import read_state
from tokumei.contest.store.metrics import Metric
from tokumei.contest.store.schema import evaluation_sets, results, submissions, teams
from tokumei.contest.store.states import Better
from tokumei.contest.store.viewing import Viewer

Shown = Literal["best", "latest", "chosen", "all"]
"""Which submissions of a team are shown: the one that counts, or all of them."""


@dataclass(frozen=True)
class Value:
    """A finite number, or why there is none."""

    value: float | None
    problem: str | None


@dataclass(frozen=True)
class Standing:
    """A submission in the table; without a total it has no rank."""

    team_id: int
    team: str
    submission_id: int
    created: int
    chosen: bool
    values: Mapping[str, Value]
    total: float | None = None
    rank: int | None = None


@dataclass(frozen=True)
class Standings:
    """The table; `frozen` says since when the others' newer results are hidden."""

    metrics: tuple[Metric, ...]
    better: Better
    rows: tuple[Standing, ...]
    frozen: int | None


@dataclass(frozen=True)
class Total:
    """How a contest sums up its metrics, where no metric is the total itself."""

    better: Better
    of: Callable[[Mapping[str, float]], float | None]


def standings(
    connection: Connection, viewer: Viewer, shown: Shown, total: Total | None = None
) -> Standings:
    """Return the table; in a freeze everybody but the organizers sees that of before."""
    frozen = None if viewer.organizer else read_state(connection).frozen
    listed = tuple(metric_rows.listed(connection))
    total = total or _measured_total(listed)
    rows = [_with_total(row, total) for row in _rows(connection, until=frozen)]
    counting = rows if shown == "all" else _counting(rows, shown, total.better)
    return Standings(listed, total.better, _ranked(counting, total.better), frozen)


def history(
    connection: Connection, team_id: int, total: Total | None = None
) -> tuple[Standing, ...]:
    """Return all evaluated submissions of a team, also those of a freeze, the newest first."""
    total = total or _measured_total(metric_rows.listed(connection))
    return tuple(_with_total(row, total) for row in _rows(connection, team_id=team_id))


def _measured_total(listed: Sequence[Metric]) -> Total:
    """Take the metric that is the total; without one nothing is ranked."""
    found = next((metric for metric in listed if metric.kind == "total"), None)
    if found is None:
        return Total("lower", lambda _: None)
    return Total(found.better, lambda values: values.get(found.name))


def _rows(
    connection: Connection, *, until: int | None = None, team_id: int | None = None
) -> list[Standing]:
    wanted = [submissions.c.state == "evaluated"]
    if until is not None:
        wanted.append(submissions.c.evaluated <= until)
    if team_id is not None:
        wanted.append(submissions.c.team_id == team_id)
    measured = (
        select(results.c.submission_id, results.c.metric, results.c.value, results.c.problem)
        .join(evaluation_sets)
        .join(submissions)
        .where(evaluation_sets.c.state == "active", *wanted)
    )
    values: defaultdict[int, dict[str, Value]] = defaultdict(dict)
    for submission_id, metric, value, problem in connection.execute(measured):
        values[submission_id][metric] = Value(value, problem)
    listed = (
        select(
            submissions.c.team_id,
            teams.c.name.label("team"),
            submissions.c.id.label("submission_id"),
            submissions.c.created,
            submissions.c.chosen,
        )
        .join(teams)
        .where(*wanted)
        .order_by(submissions.c.id.desc())
    )
    found = connection.execute(listed).mappings()
    return [Standing(**row, values=values.get(row["submission_id"], {})) for row in found]


def _with_total(row: Standing, total: Total) -> Standing:
    numbers = {name: said.value for name, said in row.values.items() if said.value is not None}
    found = total.of(numbers)
    return replace(row, total=found if found is not None and math.isfinite(found) else None)


def _counting(rows: Sequence[Standing], shown: Shown, better: Better) -> list[Standing]:
    """Choose one submission of each team; rows come newest first."""
    of_team: defaultdict[int, list[Standing]] = defaultdict(list)
    for row in rows:
        of_team[row.team_id].append(row)
    return [_choice(own, shown, better) for own in of_team.values()]


def _choice(own: list[Standing], shown: Shown, better: Better) -> Standing:
    ranked = [row for row in own if row.total is not None]
    if shown == "best" and ranked:
        # Of equals the earliest counts.
        return min(ranked, key=lambda row: (_sortable(row, better), row.submission_id))
    if shown == "chosen":
        return next((row for row in own if row.chosen), own[0])
    return own[0]


def _ranked(rows: Sequence[Standing], better: Better) -> tuple[Standing, ...]:
    """Give equal totals the same rank, and the next one the number of those before it plus one."""
    ordered = sorted(rows, key=lambda row: (_sortable(row, better), row.submission_id))
    places: dict[float, int] = {}
    for place, row in enumerate(ordered, start=1):
        if row.total is not None:
            places.setdefault(row.total, place)
    return tuple(
        row if row.total is None else replace(row, rank=places[row.total]) for row in ordered
    )


def _sortable(row: Standing, better: Better) -> float:
    if row.total is None:
        return float("inf")
    return row.total if better == "lower" else -row.total
