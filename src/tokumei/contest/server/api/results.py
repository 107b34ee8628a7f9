"""The table of results, and files of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Protocol

from fastapi import APIRouter, Depends, Query
from fastapi.responses import Response
from pydantic import BaseModel

from tokumei.contest.server import exporting
from tokumei.contest.server.access import LoggedIn, Organizer, TheContest, iso
from tokumei.contest.server.api.metrics import MetricAnswer, metric_answer
from tokumei.contest.server.api.session import TeamName
from tokumei.contest.server.everything import everything
from tokumei.contest.server.exporting import MEDIA_TYPES, Format
from tokumei.contest.server.files import answers_with, made_file
from tokumei.contest.server.ids import Id
from tokumei.contest.server.tables import (
    Order,
    ResultsQuery,
    ResultsRow,
    ShownRows,
    results_table,
    team_history,
)
from tokumei.contest.store import accounts
from tokumei.contest.store.states import Better
from tokumei.contest.store.viewing import Sees

router = APIRouter(prefix="/api", tags=["results"])


class MetricValue(BaseModel):
    """A finite number, or why there is none; neither while it is not measured."""

    value: float | None
    problem: str | None


class RowAnswer(BaseModel):
    """A submission in the table; without a total it has no rank."""

    rank: int | None
    team: TeamName
    submission: int
    total: float | None
    values: dict[str, MetricValue]
    own: bool
    created: str
    chosen: bool


class ResultsAnswer(BaseModel):
    """The table as the caller sees it.

    `better` says which totals are the better ones; `by_ranks` that a total is the mean of the ranks
    in the columns; `frozen` since when the others' newer results are hidden; `sees` whose results
    are shown.
    """

    metrics: list[MetricAnswer]
    better: Better
    by_ranks: bool
    frozen: str | None
    sees: Sees
    rows: list[RowAnswer]


class HistoryRow(BaseModel):
    """An evaluated submission of a team."""

    submission: int
    created: str
    chosen: bool
    total: float | None
    values: dict[str, MetricValue]


def asked(
    shown: Annotated[
        ShownRows, Query(description="What counts, or every submission.")
    ] = "counting",
    sort: Annotated[
        str,
        Query(max_length=200, description="rank, team, submission, created, total, or a metric."),
    ] = "rank",
    order: Annotated[Order, Query(description="What is missing comes last in both.")] = "asc",
    filter: Annotated[  # noqa: A002
        str, Query(max_length=200, description="A part of a team's name.")
    ] = "",
) -> ResultsQuery:
    """Read which part of the table is asked for."""
    return ResultsQuery(shown, sort, order, filter)


Asked = Annotated[ResultsQuery, Depends(asked)]


@router.get("/results", summary="The table of results")
def get_results(query: Asked, caller: LoggedIn, contest: TheContest) -> ResultsAnswer:
    """Return what the caller may see of the table; ranks are those of the whole table."""
    with contest.database.read() as connection:
        table = results_table(contest, connection, caller.viewer, query)
    return ResultsAnswer(
        metrics=[metric_answer(metric) for metric in table.metrics],
        better=table.better,
        by_ranks=table.by_ranks,
        frozen=None if table.frozen is None else iso(table.frozen),
        sees=table.sees,
        rows=[_row(row) for row in table.rows],
    )


@router.get(
    "/results/export",
    summary="The table of results as a file",
    response_class=Response,
    responses=answers_with(*(MEDIA_TYPES[form] for form in ("csv", "json", "parquet"))),
)
def export_results(
    query: Asked,
    caller: LoggedIn,
    contest: TheContest,
    format: Format = "csv",  # noqa: A002
) -> Response:
    """Download exactly what the same query shows: the same rows, order and columns."""
    with contest.database.read() as connection:
        table = results_table(contest, connection, caller.viewer, query)
    content = exporting.write(exporting.results_sheet(table), format)
    return made_file(content, MEDIA_TYPES[format], f"results.{format}")


@router.get(
    "/export",
    summary="Everything as a file",
    response_class=Response,
    responses=answers_with(MEDIA_TYPES["json"], MEDIA_TYPES["zip"]),
)
def export_everything(
    _: Organizer,
    contest: TheContest,
    format: Format = "json",  # noqa: A002
) -> Response:
    """Download all tables but no secrets: one JSON object, or a ZIP of CSV or Parquet files."""
    with contest.database.read() as connection:
        sheets = everything(connection)
    suffix = "json" if format == "json" else "zip"
    content = exporting.write_all(sheets, format)
    return made_file(content, MEDIA_TYPES[suffix], f"contest.{suffix}")


@router.get("/teams", summary="The teams")
def list_teams(_: LoggedIn, contest: TheContest) -> list[TeamName]:
    """List the teams in the order of their arrival."""
    with contest.database.read() as connection:
        found = accounts.listed_teams(connection)
    return [TeamName(id=team.id, name=team.name) for team in found]


@router.get("/teams/{team_id}/history", summary="The evaluated submissions of a team")
def get_history(team_id: Id, caller: LoggedIn, contest: TheContest) -> list[HistoryRow]:
    """List a team's evaluated submissions, the newest first, if their results can be seen now."""
    with contest.database.read() as connection:
        found = team_history(contest, connection, caller.viewer, team_id)
    return [
        HistoryRow(
            submission=row.submission_id,
            created=iso(row.created),
            chosen=row.chosen,
            total=row.total,
            values=metric_values(row.values),
        )
        for row in found
    ]


class _Said(Protocol):
    @property
    def value(self) -> float | None: ...
    @property
    def problem(self) -> str | None: ...


def metric_values(values: Mapping[str, _Said]) -> dict[str, MetricValue]:
    """Return values by metric as the API tells them."""
    return {
        name: MetricValue(value=said.value, problem=said.problem) for name, said in values.items()
    }


def _row(row: ResultsRow) -> RowAnswer:
    return RowAnswer(
        rank=row.rank,
        team=TeamName(id=row.team_id, name=row.team),
        submission=row.submission_id,
        total=row.total,
        values=metric_values(row.values),
        own=row.own,
        created=iso(row.created),
        chosen=row.chosen,
    )
