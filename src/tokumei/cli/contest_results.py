"""`tokumei contest results`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import click

from tokumei.cli.contest_options import at_server, drawn
from tokumei.cli.drawing import print_json, print_table
from tokumei.cli.localized import Command, Option, tr
from tokumei.contest.client import Client

F = TypeVar("F", bound=Callable[..., Any])
WIDEST = 8
"""Columns of metrics that a terminal holds; --json has all."""


def query_options(function: F) -> F:
    """Add the options that say which part of the table is meant; they arrive as one `query`."""

    @functools.wraps(function)
    def with_query(
        *args: Any, sort: str, descending: bool, all_rows: bool, text: str, **options: Any
    ) -> Any:
        query = {
            "shown": "all" if all_rows else "counting",
            "sort": sort,
            "order": "desc" if descending else "asc",
            "filter": text,
        }
        return function(*args, query=query, **options)

    for option in (
        click.option("--filter", "text", default="", cls=Option, help="A part of a team's name."),
        click.option(
            "--all",
            "all_rows",
            is_flag=True,
            cls=Option,
            help="Every submission, not only those that count.",
        ),
        click.option("--descending", is_flag=True, cls=Option, help="The largest first."),
        click.option(
            "--sort",
            default="rank",
            cls=Option,
            help="Sort by rank, team, submission, created, total, or a metric.",
        ),
    ):
        with_query = option(with_query)
    return with_query  # type: ignore[return-value]


@click.command("results", cls=Command)
@query_options
@at_server
@drawn
def command(*, query: dict[str, str], client: Client, as_json: bool) -> None:
    """Show the table of results of a contest."""
    found = client.results(query)
    if as_json:
        print_json(found)
        return
    metrics = [one for one in found["metrics"] if one["kind"] != "total"]
    arrows = {"lower": "▼", "higher": "▲"}
    heads = [tr("rank"), tr("team"), tr("submission"), f"{tr('total')} {arrows[found['better']]}"]
    heads += [f"{tr(one['title'])} {arrows[one['better']]}" for one in metrics[:WIDEST]]
    rows = [_row(row, [one["name"] for one in metrics[:WIDEST]]) for row in found["rows"]]
    title = tr("Results") + (f" ({tr('frozen')})" if found["frozen"] else "")
    print_table(title, heads, rows, numbers=[0, *range(2, len(heads))])
    if len(metrics) > WIDEST:
        more = len(metrics) - WIDEST
        click.echo(tr("{more} more metrics are shown by --json.").format(more=more))


def _row(row: dict[str, Any], names: list[str]) -> list[str]:
    own = " *" if row["own"] else ""
    values = [row["values"].get(name, {"value": None, "problem": None}) for name in names]
    return [
        "–" if row["rank"] is None else f"{row['rank']}",
        f"{row['team']['name']}{own}",
        f"{row['submission']}",
        _number(row["total"]),
        *(tr("problem") if value["problem"] else _number(value["value"]) for value in values),
    ]


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.6g}"
