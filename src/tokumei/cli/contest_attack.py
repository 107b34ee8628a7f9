"""`tokumei contest attack GUESS --team NAME`, and `--download`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from tokumei.cli.contest_files import show_problems
from tokumei.cli.contest_options import (
    PATH,
    at_server,
    drawn,
    seconds_option,
    wait_option,
)
from tokumei.cli.contest_submit import broken
from tokumei.cli.drawing import print_json, print_table
from tokumei.cli.localized import Command, Option, tr
from tokumei.cli.options import output_option
from tokumei.contest.client import Client
from tokumei.errors import ParameterError
from tokumei.progress import track


@click.command("attack", cls=Command)
@click.argument("guess", metavar="[GUESS]", required=False, type=PATH)
@click.option("--team", cls=Option, help="The team whose data is attacked.")
@click.option("--all", "everyone", is_flag=True, cls=Option, help="All teams, to download.")
@click.option(
    "--download", is_flag=True, cls=Option, help="Download what was published, into --output."
)
@output_option("Folder for what is downloaded.", name="folder")
@wait_option
@seconds_option
@at_server
@drawn
def command(
    guess: Path | None,
    team: str | None,
    folder: Path | None,
    seconds: float,
    *,
    everyone: bool,
    download: bool,
    wait: bool,
    client: Client,
    as_json: bool,
) -> int:
    """Download what the other teams published, or hand in a guess against one.

    GUESS has the form that the rules ask for, as tokumei judge --guess takes it. How many guesses a
    team has against each other, the contest says.
    """
    if download:
        if guess is not None or folder is None or everyone == (team is not None):
            raise ParameterError("A download needs --output, and --team NAME or --all.")
        _download(client, None if everyone else team, folder, as_json=as_json)
        return 0
    if guess is None or team is None or everyone or folder is not None:
        raise ParameterError("An attack needs a file and --team NAME.")
    made = client.attack(client.team(team)["id"], guess)
    if wait:
        made = client.wait_for_mark(made["id"], seconds)
    if as_json:
        print_json(made)
    else:
        _show(made)
    return 2 if made["state"] in ("invalid", "error") else 0


def _download(client: Client, team: str | None, folder: Path, *, as_json: bool) -> None:
    wanted = None if team is None else client.team(team)["id"]
    releases = [
        one["team"] for one in client.releases() if wanted is None or one["team"]["id"] == wanted
    ]
    if not releases:
        raise ParameterError("There is nothing to download: no such data is published.")
    folder.mkdir(parents=True, exist_ok=True)
    files = [
        (one["name"], str(client.download_release(one["id"], folder)))
        for one in track(releases, len(releases), "downloading")
    ]
    if as_json:
        print_json([{"team": name, "file": file} for name, file in files])
    else:
        print_table(str(folder), (tr("team"), tr("file")), files)


def _show(made: dict[str, Any]) -> None:
    title = f"{tr('guess')} {made['id']}: {made['defender']['name']}"
    if made["report"] is not None:
        summary = [broken(part) for part in made["report"]["summary"]]
        show_problems(title, summary, valid=made["report"]["valid"])
    elif made["success"] is not None:
        click.echo(f"{title}: {made['hits']:,} / {made['total']:,} ({made['success']:.2%})")
    elif made["state"] == "error":
        click.echo(f"{title}: {tr('The server could not mark it; that costs the team nothing.')}")
    else:
        click.echo(f"{title} ({tr('received; it will be marked')})")
