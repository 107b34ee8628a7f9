"""`tokumei contest backup DIR -o FILE`."""

from __future__ import annotations

from pathlib import Path

import click

from tokumei.cli.contest_options import drawn, folder_argument
from tokumei.cli.drawing import print_json
from tokumei.cli.localized import Command, tr
from tokumei.cli.options import output_option
from tokumei.contest.backing_up import back_up
from tokumei.contest.opening import open_contest


@click.command("backup", cls=Command)
@folder_argument
@output_option("New file to write (.zip).", required=True)
@drawn
def command(folder: Path, output: Path, *, as_json: bool) -> None:
    """Save a whole contest into one file, also while the server runs.

    The database is read where it is, on SQLite or PostgreSQL; a backup can be restored into either.
    """
    with open_contest(folder) as contest:
        files = back_up(contest, output)
    if as_json:
        print_json({"file": str(output), "files": files, "bytes": output.stat().st_size})
        return
    click.echo(f"{tr('Saved:')} {output} ({files:,} {tr('files')})")
    click.echo(
        tr("It holds the contest's secret and the hashes of passwords: keep it where nobody looks.")
    )
