"""`tokumei contest restore FILE DIR`."""

from __future__ import annotations

from pathlib import Path

import click

from tokumei.cli.contest_options import PATH, drawn, folder_argument
from tokumei.cli.drawing import print_json
from tokumei.cli.localized import Command, tr
from tokumei.contest.backing_up import restore


@click.command("restore", cls=Command)
@click.argument("file", type=PATH)
@folder_argument
@drawn
def command(file: Path, folder: Path, *, as_json: bool) -> None:
    """Make a contest's folder again from a backup.

    The database becomes a file in DIR, or PostgreSQL where TOKUMEI_DATABASE_URL says so; it must be
    empty.
    """
    files = restore(file, folder)
    if as_json:
        print_json({"folder": str(folder), "files": files})
        return
    click.echo(f"{tr('The contest is here:')} {folder} ({files:,} {tr('files')})")
    click.echo(f"{tr('Start the server:')} tokumei contest serve {folder}")
