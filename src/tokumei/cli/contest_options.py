"""What the commands of a contest share: their options, and how links are shown."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from tokumei.cli.drawing import drawing
from tokumei.cli.localized import Option, language, language_option, tr
from tokumei.contest.client import Client
from tokumei.contest.creating import Link
from tokumei.errors import ParameterError, ReadError

F = TypeVar("F", bound=Callable[..., Any])
PATH = click.Path(path_type=Path)
SERVER, TOKEN = "TOKUMEI_CONTEST_SERVER", "TOKUMEI_CONTEST_TOKEN"
SECONDS = 600.0

folder_argument = click.argument("folder", metavar="DIR", type=PATH)
json_option = click.option("--json", "as_json", is_flag=True, cls=Option, help="Print JSON.")
wait_option = click.option(
    "--wait", is_flag=True, cls=Option, help="Wait until it is evaluated, and show how it went."
)
seconds_option = click.option(
    "--seconds",
    type=click.FloatRange(min=0),
    default=SECONDS,
    cls=Option,
    help="How long to wait at most.",
)


def url_option(usual: str) -> Callable[[F], F]:
    """Add `--url`, with which links begin."""
    text = "The address of the server, as those see it who get the links."
    return click.option("--url", default=usual, cls=Option, help=text)


def drawn(function: F) -> F:
    """Add `--json` and `--lang`; draw progress and notes while the command runs."""

    @functools.wraps(function)
    def with_notes(*args: Any, **options: Any) -> Any:
        with drawing():
            return function(*args, **options)

    return language_option(json_option(with_notes))  # type: ignore[return-value]


def at_server(function: F) -> F:
    """Add `--server` and `--token-file`; they arrive as one `client`.

    The token is never an argument: whoever lists the processes of a machine sees those.
    """

    @functools.wraps(function)
    def with_client(*args: Any, server: str | None, token_file: Path | None, **options: Any) -> Any:
        if not server:
            raise ParameterError(f"Say which server by --server, or in {SERVER}.")
        with Client(server, _token(token_file), language()) as client:
            return function(*args, client=client, **options)

    for option in (
        click.option(
            "--token-file", type=PATH, cls=Option, help=f"File with the token; or {TOKEN} has it."
        ),
        click.option(
            "--server", envvar=SERVER, cls=Option, help=f"Address of the server; or {SERVER}."
        ),
    ):
        with_client = option(with_client)
    return with_client  # type: ignore[return-value]


def _token(file: Path | None) -> str:
    if file is None:
        token = os.environ.get(TOKEN, "")
        if not token.strip():
            raise ParameterError(f"Give a token by --token-file, or in {TOKEN}.")
        return token.strip()
    try:
        return file.read_text(encoding="ascii").strip()
    except UnicodeDecodeError:
        raise ReadError(f"{file} has no token.") from None


def links_json(links: Sequence[Link]) -> list[dict[str, str | None]]:
    """Return links for `--json`."""
    return [{"role": link.role, "team": link.team, "link": link.url} for link in links]


def show_links(links: Sequence[Link]) -> None:
    """Print links; they stand alone in their lines, so that one can copy them."""
    roles = {
        "organizer": tr("organizer"),
        "captain": tr("captain"),
        "member": tr("member"),
        "observer": tr("observer"),
    }
    for link in links:
        of_team = f" ({link.team})" if link.team else ""
        click.echo(f"{roles[link.role]}{of_team}:")
        click.echo(f"  {link.url}")
    click.echo(tr("Each link works once, for seven days; who opens it chooses a login."))
