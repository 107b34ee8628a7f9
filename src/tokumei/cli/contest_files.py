"""What `check`, `judge` and `publish` share: the files of a contest, and how a check is shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from tokumei.cli.drawing import print_json, print_table
from tokumei.cli.localized import Option, tr
from tokumei.rules import RULES
from tokumei.rules.problems import Broken, Report

F = TypeVar("F", bound=Callable[..., Any])
FILE = click.Path(path_type=Path)
SHOWN_ROWS = 5


def contest_files(function: F) -> F:
    """Add the argument RULES and the options for T, M and the submission."""
    for option in (
        click.option(
            "--submission",
            type=FILE,
            required=True,
            cls=Option,
            help="The submission: AT, A, or for 2016 a folder with M.csv, T.csv and P.csv.",
        ),
        click.option(
            "--master", type=FILE, cls=Option, help="M, the customers table (2016 and 2017)."
        ),
        click.option(
            "--original", type=FILE, required=True, cls=Option, help="T, the original purchases."
        ),
        click.argument("rules_name", metavar="RULES", type=click.Choice(tuple(RULES))),
    ):
        function = option(function)
    return function


def tell_check(report: Report, answer: dict[str, Any], *, as_json: bool) -> int:
    """Print what a check found, or an answer in JSON, and return the exit code."""
    if as_json:
        print_json(answer)
    else:
        show_report(report)
    return 0 if report.valid else 2


def show_report(report: Report) -> None:
    """Print what a check found, one line for each broken rule."""
    show_problems(report.file, report.summary(), valid=report.valid)


def show_problems(file: str, summary: Sequence[Broken], *, valid: bool) -> None:
    """Print whether a file keeps the rules, and one line for each that it breaks."""
    if valid:
        click.echo(f"{file}: {tr('the submission keeps the rules.')}")
    else:
        click.echo(f"{file}: {tr('the submission breaks the rules.')}")
    if not summary:
        return
    heads = (tr("severity"), tr("rule"), tr("column"), tr("places"), tr("rows"), tr("first value"))
    rows = [
        (
            tr(part.severity),
            tr(part.rule),
            tr(part.column),
            f"{part.count:,}",
            ", ".join(f"{row:,}" for row in part.rows) + (" …" if part.count > SHOWN_ROWS else ""),
            part.value,
        )
        for part in summary
    ]
    print_table(tr("Problems"), heads, rows, numbers=[3])
