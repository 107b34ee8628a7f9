"""`tokumei reproduce PAPER`: a paper's tables and figures, ours beside theirs."""

from __future__ import annotations

import click

from tokumei.cli.localized import Group
from tokumei.cli.reproduce_hamada import command as hamada
from tokumei.cli.reproduce_harada import command as harada
from tokumei.cli.reproduce_kobayashi import command as kobayashi
from tokumei.cli.reproduce_saito import command as saito


@click.group("reproduce", cls=Group)
def command() -> None:
    """Reproduce the tables and figures of a paper, with ours beside."""


for paper in (kobayashi, hamada, saito, harada):
    command.add_command(paper)
