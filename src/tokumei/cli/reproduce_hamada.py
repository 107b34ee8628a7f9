"""`tokumei reproduce hamada2018`."""

from __future__ import annotations

from pathlib import Path

import click

from tokumei.cli.localized import Command
from tokumei.cli.options import common, seed_option
from tokumei.cli.paper_output import PAGE, data_option, present, seconds_option
from tokumei.data.reading import read
from tokumei.data.writing import check_new
from tokumei.papers import hamada2018
from tokumei.report.hamada2018_page import Results, sections, to_json
from tokumei.report.paper_page import find_data


@click.command("hamada2018", cls=Command)
@PAGE
@data_option("Folder with pwscup2017/T.csv and M.csv; without it the worked example alone is made.")
@seconds_option(60.0)
@seed_option()
@common
def command(
    folder: Path, data: Path | None, seconds: float, *, as_json: bool, seed: int | None
) -> None:
    """Hamada 2018: groups of customers made identical."""
    check_new(folder)
    seed = seed or 0
    example = hamada2018.example()
    results = Results(example, [], {}, [])
    if data is not None:
        contest = find_data(data, "pwscup2017/T.csv").parent
        history = hamada2018.simplified(read(contest / "T.csv", format="pwscup2017"))
        points, searched = hamada2018.frontier(history, seconds=seconds, seed=seed)
        results = Results(
            example,
            points,
            hamada2018.attacked(history, searched, seed=seed),
            hamada2018.judged(contest, seconds=seconds, seed=seed),
        )
    real = "" if data is None else " --data DIR"
    present(
        folder,
        to_json(results),
        title="Hamada 2018, reproduced",
        lead="The winner of PWSCUP 2017 made groups of customers identical and chose the groups by "
        "combinatorial optimization. The article's example, and what it leaves out: the real "
        "data, by the simplified game and by the full rules.",
        sections=sections(results),
        made_by=f"tokumei reproduce hamada2018{real} --seconds {seconds:g} --seed {seed}",
        as_json=as_json,
    )
