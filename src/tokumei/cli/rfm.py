"""`tokumei rfm FILE`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import polars as pl

from tokumei.cli.drawing import print_json, print_table
from tokumei.cli.localized import Command, Option, tr
from tokumei.cli.options import common, output_option, reading_options
from tokumei.data.writing import check_new, whole_folder, write_frame
from tokumei.report import charts, rfm_charts
from tokumei.rfm import analyze, ranks
from tokumei.rfm.analysis import cuts_of


@click.command("rfm", cls=Command)
@click.argument("file", type=click.Path(path_type=Path))
@output_option("New folder for rfm.csv and the charts (SVG, PNG).", name="folder")
@click.option(
    "--bins",
    type=click.IntRange(2, 100),
    default=10,
    cls=Option,
    help="How many ranks R, F and M are cut into.",
)
@reading_options
@common
def command(
    file: Path,
    read_history: Callable[[Path], Any],
    *,
    folder: Path | None,
    bins: int,
    as_json: bool,
) -> None:
    """Analyze recency, frequency and spend (RFM) of every customer.

    R is the days since the last purchase, F the number of purchase dates, M the spend; each is cut
    into ranks by its quantiles. FILE may be generalized (PWSCUP 2018): intervals stand for their
    middles.
    """
    if folder is not None:
        check_new(folder)
    table = analyze(read_history(file))
    ranked = table.with_columns(
        pl.Series(f"{name} rank", ranks(table[name].to_numpy(), bins) + 1) for name in "RFM"
    )
    if folder is not None:
        with whole_folder(folder) as part:
            write_frame(ranked, part / "rfm.csv")
            for name, chart in (
                ("pareto", rfm_charts.pareto(table)[1]),
                ("scatter", rfm_charts.scatter(table, bins)[1]),
            ):
                charts.save(chart, part / f"{name}.svg")
                charts.save(chart, part / f"{name}.png")
    found = ranked.select("R rank", "F rank", "M rank").n_unique()
    cuts = {name: cuts_of(table[name].to_numpy(), bins).tolist() for name in "RFM"}
    if as_json:
        print_json({"customers": len(table), "classes": found, "bins": bins, "cuts": cuts})
        return
    rows = [
        (name, *(f"{table[name].quantile(share, 'linear'):,.2f}" for share in (0.1, 0.5, 0.9)))
        for name in "RFM"
    ]
    print_table(str(file), (tr("what"), "10%", tr("median"), "90%"), rows, numbers=[1, 2, 3])
    click.echo(f"{tr('customers')}: {len(table):,}; {tr('RFM classes in use')}: {found:,}")
    if folder is not None:
        click.echo(f"{tr('The table and charts are here:')} {folder}")
