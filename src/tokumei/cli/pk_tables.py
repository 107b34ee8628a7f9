"""`tokumei pk reconstruct` and `tokumei pk crosstab`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import polars as pl

from tokumei.cli.drawing import print_json, print_table
from tokumei.cli.localized import Command, Option, tr
from tokumei.cli.options import common, output_option, seed_option
from tokumei.cli.pk_space import Space, mechanism_file, space_options
from tokumei.data.writing import check_new, write_frame
from tokumei.pk import crosstab, intervals, mechanism, reconstruct, tabulate
from tokumei.pk.files import read_mechanism
from tokumei.pk.perturbation import read_records

LIMIT = 20
"""Cells that a table at the terminal shows."""


@click.command("reconstruct", cls=Command)
@click.argument("file", type=click.Path(path_type=Path))
@output_option("New file for the whole cross tabulation (.csv or .parquet).")
@click.option(
    "--mechanism",
    "mechanism_path",
    type=click.Path(path_type=Path),
    cls=Option,
    help="File of the mechanism; without it, the one beside FILE.",
)
@click.option(
    "--method",
    type=click.Choice(["bayes", "inverse"]),
    default="bayes",
    cls=Option,
    help="The most likely counts, or those of the inverse matrix with negative ones cut off.",
)
@click.option(
    "--intervals",
    "level",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    cls=Option,
    allowed="(0, 1)",
    help="Also give an approximate confidence interval of this level for every count.",
)
@seed_option()
@common
def reconstruct_records(
    file: Path,
    output: Path | None,
    mechanism_path: Path | None,
    method: Any,
    level: float | None,
    *,
    as_json: bool,
    seed: int | None,
) -> None:
    """Estimate the cross tabulation of the original from perturbed records."""
    if output is not None:
        check_new(output)
    of = read_mechanism(mechanism_path or mechanism_file(file))
    counts = tabulate(read_records(file, of.space).cells, of)
    found = reconstruct(counts, of, method=method)
    table = crosstab(found.counts, of)
    if level is not None:
        low, high = intervals(counts, of, level=level)
        table = table.with_columns(low=low, high=high)
    _show(table, file, output, as_json=as_json, steps=found.steps, gap=found.gap)


@click.command("crosstab", cls=Command)
@click.argument("file", type=click.Path(path_type=Path))
@output_option("New file for the whole cross tabulation (.csv or .parquet).")
@space_options
@common
def count_records(file: Path, output: Path | None, *, space: Space, as_json: bool) -> None:
    """Count the records of every combination of values."""
    if output is not None:
        check_new(output)
    allowed = space.of(file)
    of = mechanism(allowed, 0.0)
    table = crosstab(tabulate(space.read(file, allowed).cells, of), of)
    _show(table, file, output, as_json=as_json)


def _show(
    table: pl.DataFrame, file: Path, output: Path | None, *, as_json: bool, **facts: Any
) -> None:
    if output is not None:
        write_frame(table, output)
    if as_json:
        print_json({"cells": len(table), **facts, "counts": table.rows(named=True)})
        return
    decimals = 1 if facts else 0  # an estimate, or a count
    most = table.sort("count", descending=True, maintain_order=True).head(LIMIT)
    numbers = {"count": tr("count"), "low": tr("low"), "high": tr("high")}
    rows = [
        tuple(
            f"{value:,.{decimals}f}" if name in numbers else str(value)
            for name, value in row.items()
        )
        for row in most.iter_rows(named=True)
    ]
    heads = [numbers.get(name, name) for name in table.columns]
    print_table(str(file), heads, rows, numbers=range(table.columns.index("count"), len(heads)))
    if len(table) > LIMIT:
        click.echo(f"{tr('cells')}: {len(table):,}; {tr('the largest are shown')}")
    if output is not None:
        click.echo(f"{tr('The cross tabulation is here:')} {output}")
