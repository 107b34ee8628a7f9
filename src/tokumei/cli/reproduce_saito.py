"""`tokumei reproduce saito2014`."""

from __future__ import annotations

from pathlib import Path

import click

from tokumei.cli.localized import Command, Option
from tokumei.cli.options import common, seed_option
from tokumei.cli.paper_output import PAGE, data_option, present, trials_option
from tokumei.data.writing import check_new
from tokumei.papers import saito2014
from tokumei.report.saito2014_page import Results, lead, sections, to_json


@click.command("saito2014", cls=Command)
@PAGE
@data_option(
    "File of US Census 1990 (raw or discretized), Adult or ACS 2018; without it a table of "
    "the census's shape is generated."
)
@click.option(
    "--records",
    type=click.IntRange(100),
    cls=Option,
    help="Size of the generated table, instead of the paper's 2,002,755 records.",
)
@trials_option(5)
@seed_option()
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
    present(
        folder,
        to_json(results),
        title="Saito 2014, reproduced",
        lead=lead(results),
        sections=sections(results),
        made_by=f"tokumei reproduce saito2014{table} --trials {trials} --seed {seed}",
        as_json=as_json,
    )
