"""What the commands that reproduce papers share: their options, and how they end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from tokumei.cli.drawing import print_json
from tokumei.cli.localized import Option, tr
from tokumei.cli.options import output_option
from tokumei.report.paper_page import Section, write_page

F = TypeVar("F", bound=Callable[..., Any])

PAGE = output_option(
    "New folder for the page, the tables (CSV) and the figures (SVG, PNG).",
    name="folder",
    required=True,
)


def data_option(text: str, *, required: bool = False) -> Callable[[F], F]:
    """Add `--data`, where the paper's data lie."""
    kind = click.Path(path_type=Path)
    return click.option("--data", type=kind, required=required, cls=Option, help=text)


def seconds_option(default: float) -> Callable[[F], F]:
    """Add `--seconds`."""
    text = "Time that each search may take, nominally."
    return click.option("--seconds", type=float, default=default, cls=Option, help=text)


def trials_option(default: int) -> Callable[[F], F]:
    """Add `--trials`."""
    kind = click.IntRange(1)
    return click.option(
        "--trials", type=kind, default=default, cls=Option, help="Number of trials."
    )


def present(
    folder: Path,
    found: Any,
    *,
    title: str,
    lead: str,
    sections: Sequence[Section],
    made_by: str,
    as_json: bool,
) -> None:
    """Write the page, and print what was found, or where the page is."""
    write_page(folder, title=title, lead=lead, sections=sections, made_by=f"{made_by} -o OUT")
    if as_json:
        print_json(found)
    else:
        click.echo(f"{tr('Open the page:')} {folder / 'index.html'}")
