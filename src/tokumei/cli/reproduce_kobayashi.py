"""`tokumei reproduce kobayashi2019`."""

from __future__ import annotations

from pathlib import Path

import click

from tokumei.cli.localized import Command
from tokumei.cli.options import common, seed_option
from tokumei.cli.paper_output import PAGE, data_option, present, seconds_option
from tokumei.data.reading import read
from tokumei.data.writing import check_new
from tokumei.papers import kobayashi2019
from tokumei.report.kobayashi2019_page import Results, sections, to_json
from tokumei.report.paper_page import find_data


@click.command("kobayashi2019", cls=Command)
@data_option("Folder with pwscup2018/T.csv.", required=True)
@PAGE
@seconds_option(60.0)
@seed_option()
@common
def command(data: Path, folder: Path, seconds: float, *, as_json: bool, seed: int | None) -> None:
    """Kobayashi 2019: k-anonymous generalization, judged by RFM analysis."""
    check_new(folder)
    seed = seed or 0
    history = read(find_data(data, "pwscup2018/T.csv"), format="pwscup2018")
    rows, releases = kobayashi2019.table4(history, seconds=seconds, seed=seed)
    searched = {
        row.k: row
        for row in rows
        if (row.grouping, row.objective) == ("search", "information-loss")
    }
    results = Results(
        history=history,
        rows=rows,
        entries=[
            kobayashi2019.contest_entry(history, release, searched[k], seed=seed)
            for k, release in releases.items()
        ],
        paper_release=kobayashi2019.measured(
            history, kobayashi2019.methods(2, seconds)[0], seed=seed
        )[1],
    )
    present(
        folder,
        to_json(results),
        title="Kobayashi 2019, reproduced",
        lead="Customers are put into groups of k and generalized until all of a group are alike. "
        "What RFM analysis still says about them, with the paper's numbers beside ours, and the "
        "same machinery as an entry to PWSCUP 2018.",
        sections=sections(results),
        made_by=f"tokumei reproduce kobayashi2019 --data DIR --seconds {seconds:g} --seed {seed}",
        as_json=as_json,
    )
