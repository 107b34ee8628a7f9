"""`tokumei contest submit FILE…`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from tokumei.cli.contest_files import show_problems
from tokumei.cli.contest_options import PATH, at_server, drawn, seconds_option, wait_option
from tokumei.cli.drawing import print_json, print_table
from tokumei.cli.localized import Command, Option, tr
from tokumei.contest.client import Client
from tokumei.rules.problems import Broken


@click.command("submit", cls=Command)
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=PATH)
@click.option("--note", default="", cls=Option, help="What the team says of it.")
@wait_option
@seconds_option
@at_server
@drawn
def command(
    files: tuple[Path, ...],
    note: str,
    seconds: float,
    *,
    wait: bool,
    client: Client,
    as_json: bool,
) -> int:
    """Hand in submissions to a contest's server.

    With --wait every problem of a file is shown as tokumei check does, and then the scores. The
    exit code is 2 if a file breaks the rules.
    """
    found = []
    for file in files:
        made = client.submit(file)
        if note:
            made = client.set_note(made["id"], note)
        found.append(made)
    if wait:
        found = [client.wait_for_scores(made["id"], seconds) for made in found]
    if as_json:
        print_json(found)
    else:
        titles = client.titles() if wait else {}
        for made in found:
            _show(made, titles)
    return 2 if any(made["state"] in ("invalid", "error") for made in found) else 0


def _show(made: dict[str, Any], titles: dict[str, str]) -> None:
    title = f"{tr('submission')} {made['id']}: {made['name']}"
    report = made.get("report")
    if report is None:
        click.echo(f"{title} ({tr('received; it will be checked and scored')})")
        return
    show_problems(title, [broken(part) for part in report["summary"]], valid=report["valid"])
    if made["state"] == "error":
        click.echo(tr("The server could not evaluate it; that costs the team nothing."))
    if made["results"]:
        rows = [
            (
                titles.get(name, name),
                "–" if part["value"] is None else f"{part['value']:.6g}",
                part["problem"] or "",
            )
            for name, part in made["results"].items()
        ]
        print_table(title, (tr("score"), tr("value"), tr("problem")), rows, numbers=[1])


def broken(part: dict[str, Any]) -> Broken:
    """Return a broken rule from the report of the server; one of a whole file has no place."""
    return Broken(
        part["rule"],
        part["column"] or "",
        part["severity"],
        part["count"],
        tuple(part["rows"]),
        part["value"],
    )
