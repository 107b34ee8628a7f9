"""The table of results as the page, the API and the files have it: who may see it, in which order.

Ranks are those of the whole table, whatever is filtered out of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pydantic import BaseModel
from sqlalchemy import Connection

from tokumei.contest.opening import Contest
from tokumei.contest.phases import sees
from tokumei.contest.store import accounts, guesses
from tokumei.contest.store.contest_state import read_state
from tokumei.contest.store.errors import NotFound
from tokumei.contest.store.metrics import Metric
from tokumei.contest.store.names import key_of
from tokumei.contest.store.standings import Standing, Value, history, standings
from tokumei.contest.store.states import Better
from tokumei.contest.store.viewing import Sees, Viewer
from tokumei.errors import ParameterError

Order = Literal["asc", "desc"]
ShownRows = Literal["counting", "all"]
Sortable = float | str | None
MISSING = Value(None, None)
"""What a metric said that has not measured the submission yet."""


@dataclass(frozen=True)
class ResultsQuery:
    """Which part of the table somebody wants, and how it is sorted."""

    shown: ShownRows = "counting"
    sort: str = "rank"
    order: Order = "asc"
    filter: str = ""
    """A part of a team's name; large and small letters are the same."""


@dataclass(frozen=True)
class ResultsRow:
    """A submission in the table."""

    rank: int | None
    team_id: int
    team: str
    submission_id: int
    created: int
    chosen: bool
    total: float | None
    values: Mapping[str, Value]
    own: bool
    """Whether it is of the team that looks."""


@dataclass(frozen=True)
class ResultsTable:
    """What a viewer sees of the results."""

    metrics: tuple[Metric, ...]
    better: Better
    """Which totals are the better ones."""
    by_ranks: bool
    """Whether the total is the mean of the ranks in the columns."""
    frozen: int | None
    sees: Sees
    rows: tuple[ResultsRow, ...]


_SORTS: Mapping[str, Callable[[ResultsRow], Sortable]] = {
    "rank": lambda row: row.rank,
    "team": lambda row: key_of(row.team),
    "submission": lambda row: row.submission_id,
    "created": lambda row: row.created,
    "total": lambda row: row.total,
}


def results_table(
    contest: Contest, connection: Connection, viewer: Viewer, query: ResultsQuery
) -> ResultsTable:
    """Return what a viewer may see of the table, filtered and sorted."""
    allowed = sees(connection, contest.settings, viewer)
    shown = "all" if query.shown == "all" else contest.settings.counts
    whole = standings(connection, viewer, shown)
    rows = [_row(one, whole.metrics, viewer) for one in whole.rows]
    if allowed != "all":
        rows = [
            _alone(row, by_ranks=whole.by_ranks) for row in rows if row.own and allowed == "own"
        ]
    if query.filter.strip():
        part = key_of(query.filter.strip())
        rows = [row for row in rows if part in key_of(row.team)]
    key = _key(query.sort, whole.metrics)
    return ResultsTable(
        metrics=whole.metrics,
        better=whole.better,
        by_ranks=whole.by_ranks,
        frozen=whole.frozen,
        sees=allowed,
        rows=tuple(_sorted(rows, key, query.order)),
    )


def team_history(
    contest: Contest, connection: Connection, viewer: Viewer, team_id: int
) -> tuple[Standing, ...]:
    """Return the evaluated submissions of a team that a viewer may see, the newest first."""
    team = accounts.find_team(connection, team_id)
    allowed = sees(connection, contest.settings, viewer)
    own = viewer.organizer or viewer.team_id == team.id
    if allowed == "none" or (allowed == "own" and not own):
        raise NotFound("The results of this team are not shown now.")
    until = None if own else read_state(connection).frozen
    return history(connection, team.id, until=until)


def _row(standing: Standing, metrics: Sequence[Metric], viewer: Viewer) -> ResultsRow:
    return ResultsRow(
        rank=standing.rank,
        team_id=standing.team_id,
        team=standing.team,
        submission_id=standing.submission_id,
        created=standing.created,
        chosen=standing.chosen,
        total=standing.total,
        values={metric.name: standing.values.get(metric.name, MISSING) for metric in metrics},
        own=standing.team_id == viewer.team_id,
    )


def _alone(row: ResultsRow, *, by_ranks: bool) -> ResultsRow:
    """Take out what would tell of the others' hidden results."""
    return replace(row, rank=None, total=None if by_ranks else row.total)


def _key(sort: str, metrics: Sequence[Metric]) -> Callable[[ResultsRow], Sortable]:
    if sort in _SORTS:
        return _SORTS[sort]
    names = [metric.name for metric in metrics]
    if sort not in names:
        known = ", ".join([*_SORTS, *(name for name in names if name not in _SORTS)])
        raise ParameterError(f"The table has no column {sort[:60]!r}; there are {known}.")
    return lambda row: row.values[sort].value


def _sorted(
    rows: Sequence[ResultsRow], key: Callable[[ResultsRow], Sortable], order: Order
) -> list[ResultsRow]:
    """Sort; what is missing comes last in both orders, and equal rows keep the order of ranks."""
    there = [row for row in rows if key(row) is not None]
    missing = [row for row in rows if key(row) is None]
    return sorted(there, key=key, reverse=order == "desc") + missing  # type: ignore[arg-type]


class Cell(BaseModel):
    """The best guess of an attacker against a defender; `used` guesses count against the limit."""

    attacker: int
    defender: int
    used: int
    hits: int | None
    total: int | None
    success: float | None


def attack_cells(connection: Connection, viewer: Viewer, allowed: Sees) -> list[Cell]:
    """Return the cells of the attack matrix that a viewer may see: all, or the own team's."""
    own = {viewer.team_id} if allowed == "own" else set()
    return [
        Cell(
            attacker=cell.attacker_id,
            defender=cell.defender_id,
            used=cell.used,
            hits=cell.hits,
            total=cell.total,
            success=cell.success,
        )
        for cell in guesses.matrix(connection, viewer)
        if allowed == "all" or own & {cell.attacker_id, cell.defender_id}
    ]
