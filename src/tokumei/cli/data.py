"""`tokumei data`: make or fetch histories."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import polars as pl

from tokumei.cli.drawing import print_json, print_table
from tokumei.cli.localized import Group, Option, tr
from tokumei.cli.options import common, output_option, seed_option
from tokumei.data.census import allowed_pairs
from tokumei.data.census_like import RECORDS, generate_census
from tokumei.data.cleaning import PWSCUP2016
from tokumei.data.download import URL, download_online_retail
from tokumei.data.generating import World, blocks
from tokumei.data.pwscup import contest_text
from tokumei.data.reading import read
from tokumei.data.writing import check_new, is_parquet, whole_file, write_blocks, write_frame

OUTPUT = output_option("New file to write: .csv or .parquet.", required=True)


@click.group("data", cls=Group)
def command() -> None:
    """Make or fetch histories to work with."""


def _report(output: Path, rows: int, extra: dict[str, int], *, as_json: bool) -> None:
    if as_json:
        print_json({"file": str(output), "rows": rows, "dropped": extra})
        return
    shown = [(tr("purchases (rows)"), f"{rows:,}")]
    shown += [(f"{tr('dropped:')} {rule}", f"{count:,}") for rule, count in extra.items()]
    print_table(str(output), (tr("what"), tr("value")), shown, numbers=[1])


def _generate(of: World, output: Path, customers: int, seed: int | None, *, as_json: bool) -> None:
    is_parquet(output)
    check_new(output)
    rows = 0

    def counted() -> Iterator[pl.DataFrame]:
        nonlocal rows
        for block in blocks(of, customers, seed or 0):
            rows += len(block)
            yield block

    write_blocks(counted(), output)
    _report(output, rows, {}, as_json=as_json)


@command.command("shop")
@click.option("-n", "--customers", type=int, default=400, cls=Option, help="Number of customers.")
@OUTPUT
@seed_option()
@common
def shop(customers: int, output: Path, *, as_json: bool, seed: int | None) -> None:
    """Generate a gift shop's year of purchases."""
    _generate("shop", output, customers, seed, as_json=as_json)


@command.command("transit")
@click.option("-n", "--cards", type=int, default=400, cls=Option, help="Number of cards.")
@OUTPUT
@seed_option()
@common
def transit(cards: int, output: Path, *, as_json: bool, seed: int | None) -> None:
    """Generate three months of rides with transit cards."""
    _generate("transit", output, cards, seed, as_json=as_json)


@command.command("census")
@click.option(
    "--records", type=click.IntRange(1), default=RECORDS, cls=Option, help="Number of records."
)
@click.option(
    "--allowed",
    type=click.Path(path_type=Path),
    cls=Option,
    help="New file for the pairs of age and education that can occur (.csv).",
)
@OUTPUT
@seed_option()
@common
def census(
    records: int, allowed: Path | None, output: Path, *, as_json: bool, seed: int | None
) -> None:
    """Generate a table of age, education and sex of the shape of the US Census 1990."""
    for file in filter(None, (output, allowed)):
        is_parquet(file)
        check_new(file)
    write_frame(generate_census(records, seed=seed or 0).cast(pl.String), output)
    if allowed is not None:
        write_frame(allowed_pairs(), allowed)
    if as_json:
        print_json({"file": str(output), "rows": records})
        return
    print_table(str(output), (tr("what"), tr("value")), [(tr("records"), f"{records:,}")])


@command.command("online-retail")
@OUTPUT
@click.option("--url", default=URL, cls=Option, help="Where the archive is.")
@common
def online_retail(output: Path, url: str, *, as_json: bool) -> None:
    """Download the UCI Online Retail data set and check its content."""
    _report(output, download_online_retail(output, url=url), {}, as_json=as_json)


@command.command("pwscup2016")
@click.argument("file", type=click.Path(path_type=Path))
@OUTPUT
@common
def pwscup2016(file: Path, output: Path, *, as_json: bool) -> None:
    """Rebuild the table of PWSCUP 2016 from UCI Online Retail, row for row.

    FILE is Online Retail as CSV, Parquet or Excel.
    """
    check_new(output)
    history = read(file, format="online-retail", cleaning=PWSCUP2016)
    with whole_file(output) as target:
        target.write(contest_text(history, "pwscup2016").encode())
    _report(output, history.rows, dict(history.source.dropped), as_json=as_json)
