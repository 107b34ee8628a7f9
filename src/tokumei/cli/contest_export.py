"""`tokumei contest export -o FILE`."""

from __future__ import annotations

from pathlib import Path

import click

from tokumei.cli.contest_options import at_server, drawn
from tokumei.cli.contest_results import query_options
from tokumei.cli.drawing import print_json
from tokumei.cli.localized import Command, Option, tr
from tokumei.cli.options import output_option
from tokumei.contest.client import Client
from tokumei.data.writing import check_new, whole_file


@click.command("export", cls=Command)
@output_option("New file to write.", required=True)
@click.option(
    "--format",
    "form",
    type=click.Choice(("csv", "json", "parquet")),
    default="csv",
    cls=Option,
    help="Form of the file.",
)
@click.option(
    "--everything",
    is_flag=True,
    cls=Option,
    help="All tables, for organizers: one JSON file, or a ZIP of CSV or Parquet files.",
)
@query_options
@at_server
@drawn
def command(
    output: Path,
    form: str,
    *,
    everything: bool,
    query: dict[str, str],
    client: Client,
    as_json: bool,
) -> None:
    """Save the table of results as a file, exactly as the same options show it."""
    check_new(output)
    asked = {"format": form, **({} if everything else query)}
    content = client.export(asked, everything=everything)
    with whole_file(output) as file:
        file.write(content)
    if as_json:
        print_json({"file": str(output), "bytes": len(content)})
    else:
        click.echo(f"{tr('Saved:')} {output}")
