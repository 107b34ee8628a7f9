"""`tokumei contest`: make a contest, serve it, and take part in one."""

from __future__ import annotations

from importlib import import_module

import click

from tokumei.cli.localized import Group
from tokumei.errors import MissingExtra

COMMANDS = (
    "init",
    "serve",
    "worker",
    "invite",
    "submit",
    "attack",
    "results",
    "export",
    "backup",
    "restore",
)


class Contest(Group):
    """The commands, each from a module of its name; they need packages that others do not."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name the commands in the order in which one needs them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load the module of a command."""
        if cmd_name not in COMMANDS:
            return None
        try:
            module = import_module(f"tokumei.cli.contest_{cmd_name}")
        except ModuleNotFoundError as error:
            if (error.name or "").startswith("tokumei"):
                raise
            raise MissingExtra("A contest", "contest") from error
        command: click.Command = module.command
        return command


@click.group("contest", cls=Contest)
def command() -> None:
    """Run a contest on a server of one's own, or take part in one.

    An organizer needs init and serve. A team needs the address of the server and a token, which
    the page of its account makes.
    """
