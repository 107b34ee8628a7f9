"""`tokumei reproduce saito2014`."""

from __future__ import annotations

from pathlib import Path

import click

from tokumei.cli.localized import Command, Option
from tokumei.cli.options import common
from tokumei.cli.paper_output import PAGE, tell
from tokumei.data.writing import check_new
from tokumei.papers import saito2014
from tokumei.report.paper_page import write_page
from tokumei.report.saito2014_page import Results, lead, sections, to_json


@click.command("saito2014", cls=Command)
@PAGE
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    cls=Option,
    help="File of US Census 1990 (raw or discretized), Adult or ACS 2018; without it a table of "
    "the census's shape is generated.",
)
@click.option(
    "--records",
    type=click.IntRange(100),
    cls=Option,
    help="Size of the generated table, instead of the paper's 2,002,755 records.",
)
@click.option("--trials", type=click.IntRange(1), default=5, cls=Option, help="Number of trials.")
@common
def command(
    folder: Path,
    data: Path | None,
    records: int | None,
    trials: int,
    *,
    as_json: bool,
    seed: int | None,
) -> None:
    """Saito 2014: Pk-anonymity with correlated attributes."""
    check_new(folder)
    seed = seed or 0
    people = saito2014.data_of(data, seed=seed, records=records)
    results = Results(
        people,
        saito2014.accuracy(people, trials=trials, seed=seed),
        saito2014.association(people, trials=trials, seed=seed),
    )
    size = f" --records {records}" if records else ""
    table = size if data is None else " --data FILE"
    write_page(
        folder,
        title="Saito 2014, reproduced",
        lead=lead(results),
        sections=sections(results),
        made_by=f"tokumei reproduce saito2014{table} --trials {trials} --seed {seed} -o OUT",
    )
    tell(folder, to_json(results), as_json=as_json)
