"""`tokumei plan`: what decoys will cost, before they are made."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from tokumei.cli.drawing import print_json, print_table
from tokumei.cli.localized import Command, Option, tr
from tokumei.cli.options import common, output_option, reading_options
from tokumei.data.writing import check_new
from tokumei.errors import ParameterError
from tokumei.report.charts import save
from tokumei.report.plan import draw, plan_decoys


@click.command("plan", cls=Command)
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--risk",
    type=float,
    cls=Option,
    allowed="(0, 1]",
    help="Largest share of customers that may be found; without it, the optimum is proposed.",
)
@output_option("File for the chart: .svg, .png, .html or .json.")
@reading_options
@common
def command(
    file: Path,
    read_history: Callable[[Path], Any],
    *,
    risk: float | None,
    output: Path | None,
    as_json: bool,
) -> None:
    """Plan decoys: the trade-off between their number and the risk, and a proposal.

    Two curves are given: the formula of the paper, and the exact expectation for clusters drawn at
    random. A search does better than both.
    """
    if risk is not None and not 0 < risk <= 1:
        raise ParameterError(f"risk must lie in (0, 1], not {risk}.")
    if output is not None:
        check_new(output)
    plan = plan_decoys(read_history(file), risk=risk)
    if output is not None:
        title = tr("Decoys against risk; the line is the proposal")
        axes = tr("customers found again (c / n)"), tr("decoys to add")
        save(
            draw(plan, title=title, axes=axes, labels=(tr("formula"), tr("random clusters"))),
            output,
        )
    if as_json:
        print_json(plan.to_json())
        return
    heads = (
        tr("clusters"),
        tr("risk"),
        tr("decoys by the formula"),
        tr("decoys of random clusters"),
    )
    rows = [
        (
            f"{row['clusters']:,}",
            f"{row['risk']:.1%}",
            f"{max(row['added'], 0):,.0f}",
            f"{max(row['added_at_random'], 0):,.0f}",
        )
        for row in plan.curve.iter_rows(named=True)
    ]
    print_table(str(file), heads, rows, numbers=range(4))
    click.echo(tr("The risk is that of an attacker who compares item sets; others may find more."))
    size = f"--clusters {plan.clusters} --min-size {plan.min_size}"
    proposal = f"tokumei anonymize decoys {file} -o FOLDER {size}"
    click.echo(f"{tr('Proposal:')} {proposal}")
