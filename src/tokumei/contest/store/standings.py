"""The table of results as a viewer sees it: values, totals and ranks.

A rank comes from the total alone; where the total is missing or failed there is no rank, so an
error never stands first. Where a contest has no total of its own, it is the mean of the ranks in
the utility and safety columns.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from sqlalchemy import ColumnElement, Connection, Select, and_, case, func, select

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
    by_ranks: bool
    """Whether the total is a mean of ranks, which has a meaning in this table only."""


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
    metric = None if total else _total_metric(listed)
    only = _leading(metric, shown, frozen) if metric and shown != "all" else None
    total = total or _measured_total(metric)
    rows = _with_totals(_rows(connection, until=frozen, only=only), total, listed)
    better = total.better if total else "lower"
    if shown != "all":
        # A mean of ranks changes with the rows that are ranked.
        rows = _with_totals(_counting(rows, shown, better), total, listed)
    return Standings(listed, better, _ranked(rows, better), frozen, by_ranks=total is None)


def history(
    connection: Connection, team_id: int, total: Total | None = None, *, until: int | None = None
) -> tuple[Standing, ...]:
    """Return the evaluated submissions of a team, the newest first, or those up to a time.

    Those of a freeze are among them without `until`. A mean of ranks is no total here.
    """
    total = total or _measured_total(_total_metric(metric_rows.listed(connection)))
    rows = _rows(connection, until=until, team_id=team_id)
    return tuple(_with_total(row, total) for row in rows) if total else tuple(rows)


def _total_metric(listed: Sequence[Metric]) -> Metric | None:
    return next((metric for metric in listed if metric.kind == "total"), None)


def _measured_total(metric: Metric | None) -> Total | None:
    return Total(metric.better, lambda values: values.get(metric.name)) if metric else None


def _leading(metric: Metric, shown: Shown, until: int | None) -> Select[int]:
    """Let the database find the submission of each team that counts.

    To read all of them would take longer with every submission, for each look at the table.
    """
    active = select(evaluation_sets.c.id).where(evaluation_sets.c.state == "active")
    total = and_(
        results.c.submission_id == submissions.c.id,
        results.c.metric == metric.name,
        results.c.set_id == active.scalar_subquery(),
    )
    number, value = submissions.c.id, results.c.value
    orders: dict[Shown, tuple[ColumnElement[Any], ...]] = {
        "best": (
            value.is_(None),
            value if metric.better == "lower" else -value,
            # Of equals the earliest, of those without a total the latest.
            case((value.is_(None), -number), else_=number),
        ),
        "latest": (number.desc(),),
        "chosen": (submissions.c.chosen.desc(), number.desc()),
    }
    place = func.row_number().over(partition_by=submissions.c.team_id, order_by=orders[shown])
    placed = (
        select(number, place.label("place"))
        .select_from(submissions.outerjoin(results, total))
        .where(*_evaluated(until))
        .subquery()
    )
    return select(placed.c.id).where(placed.c.place == 1)


def _evaluated(until: int | None) -> list[ColumnElement[bool]]:
    wanted = [submissions.c.state == "evaluated"]
    if until is not None:
        wanted.append(submissions.c.evaluated <= until)
    return wanted


def _rows(
    connection: Connection,
    *,
    until: int | None = None,
    team_id: int | None = None,
    only: Select[int] | None = None,
) -> list[Standing]:
    wanted = _evaluated(until)
    if team_id is not None:
        wanted.append(submissions.c.team_id == team_id)
    if only is not None:
        wanted.append(submissions.c.id.in_(connection.execute(only).scalars().all()))
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


def _with_totals(
    rows: Sequence[Standing], total: Total | None, listed: Sequence[Metric]
) -> list[Standing]:
    if total is not None:
        return [_with_total(row, total) for row in rows]
    means = _mean_ranks({row.submission_id: _numbers(row) for row in rows}, listed)
    return [replace(row, total=means.get(row.submission_id)) for row in rows]


def _with_total(row: Standing, total: Total) -> Standing:
    found = total.of(_numbers(row))
    return replace(row, total=found if found is not None and math.isfinite(found) else None)


def _numbers(row: Standing) -> dict[str, float]:
    return {name: said.value for name, said in row.values.items() if said.value is not None}


def _mean_ranks(
    values: Mapping[int, Mapping[str, float]], listed: Sequence[Metric]
) -> dict[int, float]:
    """Rank the rows that have every value in each column; the others neither get nor take one."""
    complete = {
        row: numbers
        for row, numbers in values.items()
        if listed and all(metric.name in numbers for metric in listed)
    }
    sums = dict.fromkeys(complete, 0)
    for metric in listed:
        sign = 1 if metric.better == "lower" else -1
        column = {row: sign * numbers[metric.name] for row, numbers in complete.items()}
        ordered = sorted(column.values())
        for row, value in column.items():
            # Equal values share the place of the first of them.
            sums[row] += bisect_left(ordered, value) + 1
    return {row: places / len(listed) for row, places in sums.items()}


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
