"""`tokumei contest serve DIR`."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import click

from tokumei.cli.contest_options import folder_argument, json_option
from tokumei.cli.localized import Command, Option, language, language_option, tr
from tokumei.contest import sandbox
from tokumei.contest.opening import open_contest
from tokumei.contest.serving import address_of, bind, serve


@click.command("serve", cls=Command)
@folder_argument
@click.option(
    "--host",
    default="127.0.0.1",
    cls=Option,
    help="Address to listen at; 0.0.0.0 for all of this machine.",
)
@click.option(
    "--port", type=click.IntRange(0, 65_535), default=8000, cls=Option, help="Port to listen at."
)
@click.option(
    "--workers",
    type=click.IntRange(0, 64),
    default=1,
    cls=Option,
    help="How many workers evaluate on this machine.",
)
@click.option(
    "--behind-proxy",
    is_flag=True,
    cls=Option,
    help="Believe what a proxy on this machine says of its clients and of https.",
)
@json_option
@language_option
def command(
    folder: Path, host: str, port: int, workers: int, *, behind_proxy: bool, as_json: bool
) -> None:
    """Serve a contest until Ctrl-C: pages, REST API, live view, and workers.

    The database is a file in DIR, or PostgreSQL where TOKUMEI_DATABASE_URL says so.
    """
    with open_contest(folder) as contest, bind(host, port) as listening:
        # A server's log has times and tracebacks; what a command notes has neither.
        logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
        logging.getLogger("uvicorn").setLevel(logging.WARNING)
        jail, address = sandbox.available(), address_of(listening)
        if as_json:
            told = {"address": address, "workers": workers, "sandbox": jail and jail.name}
            click.echo(json.dumps(told))
        else:
            click.echo(_about_scripts(jail.name if jail else None))
            click.echo(f"{contest.settings.title[language()]}: {address}  ({tr('Ctrl-C ends it')})")
        serve(contest, listening, workers=workers, behind_proxy=behind_proxy)


def _about_scripts(jail: str | None) -> str:
    if jail is None:
        return tr("Uploaded scripts are refused: no sandbox works on this machine.")
    return tr("Uploaded scripts run in the sandbox {jail}.").format(jail=jail)
