"""`tokumei contest invite DIR --organizer | --observer | --team NAME`."""

from __future__ import annotations

from pathlib import Path

import click

from tokumei.cli.contest_options import (
    drawn,
    folder_argument,
    links_json,
    show_links,
    url_option,
)
from tokumei.cli.drawing import print_json
from tokumei.cli.localized import Command, Option
from tokumei.contest.creating import URL, Link, invite
from tokumei.contest.opening import Contest, open_contest
from tokumei.contest.store import accounts
from tokumei.contest.store.names import key_of
from tokumei.errors import ParameterError


@click.command("invite", cls=Command)
@folder_argument
@click.option("--organizer", is_flag=True, cls=Option, help="Invite an organizer.")
@click.option("--observer", is_flag=True, cls=Option, help="Invite somebody who only looks.")
@click.option(
    "--team",
    "teams",
    multiple=True,
    cls=Option,
    help="Invite a captain, who founds the team unless there is one of that name (repeatable).",
)
@url_option(URL)
@drawn
def command(
    folder: Path,
    teams: tuple[str, ...],
    url: str,
    *,
    organizer: bool,
    observer: bool,
    as_json: bool,
) -> None:
    """Make links that invite somebody, also while the server runs.

    A link works once, for seven days. Whoever has it can come in, so give it to nobody else.
    """
    if not (organizer or observer or teams):
        raise ParameterError("Say whom to invite: --organizer, --observer or --team NAME.")
    with open_contest(folder) as contest:
        links = [_captain(contest, name, url) for name in teams]
        links += [invite(contest, "organizer", url=url)] if organizer else []
        links += [invite(contest, "observer", url=url)] if observer else []
    if as_json:
        print_json({"links": links_json(links)})
    else:
        show_links(links)


def _captain(contest: Contest, name: str, url: str) -> Link:
    with contest.database.read() as connection:
        same = [
            team
            for team in accounts.listed_teams(connection)
            if key_of(team.name) == key_of(" ".join(name.split()))
        ]
    if same:
        return invite(contest, "captain", url=url, team_id=same[0].id, team=same[0].name)
    return invite(contest, "captain", url=url, team=name)
