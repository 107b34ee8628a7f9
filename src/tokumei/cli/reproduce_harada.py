"""`tokumei reproduce harada2017`."""

from __future__ import annotations

from pathlib import Path

import click

from tokumei.cli.localized import Command
from tokumei.cli.options import common, seed_option
from tokumei.cli.paper_output import PAGE, data_option, present, seconds_option, trials_option
from tokumei.data.cleaning import Cleaning
from tokumei.data.generating import generate
from tokumei.data.reading import read
from tokumei.data.writing import check_new
from tokumei.history import History
from tokumei.papers import harada2017
from tokumei.report.harada2017_figures import Results
from tokumei.report.harada2017_page import sections
from tokumei.report.paper_page import find_data


def _others(root: Path) -> dict[str, History]:
    """Return other histories of at most 400 customers, those that are there."""
    first = Cleaning(drop=("returns",), first_customers=400)
    plain = Cleaning(first_customers=400)
    retail = Cleaning(drop=("no-customer", "returns", "free"), first_customers=400)
    found = {}
    for name, path, cleaning in (
        ("Online Retail 2009-10", root / "online_retail/online_retail_2009_2010.parquet", retail),
        ("Complete Journey", root / "other/completejourney_transactions_sample.parquet", first),
        ("Ta-Feng", root / "other/tafeng_dnntsp.parquet", plain),
    ):
        if path.is_file():
            found[name] = read(path, cleaning=cleaning)
    return found | {"generated shop": generate("shop", customers=400, seed=0)}


@click.command("harada2017", cls=Command)
@data_option(
    "Folder with pwscup2016/T.csv and M.csv, and other data sets where they are.", required=True
)
@PAGE
@trials_option(10)
@seconds_option(20.0)
@seed_option()
@common
def command(
    data: Path, folder: Path, trials: int, seconds: float, *, as_json: bool, seed: int | None
) -> None:
    """Harada 2017: re-identification by item sets, and decoys."""
    check_new(folder)
    seed = seed or 0
    contest = find_data(data, "pwscup2016/T.csv").parent
    root = contest.parent
    history = read(contest / "T.csv", contest / "M.csv", format="pwscup2016")
    retail = root / "online_retail/online_retail.parquet"
    rules = ("no-customer", "returns", "free", "unspecified-country")
    full = (
        read(retail, format="online-retail", cleaning=Cleaning(drop=rules))
        if retail.is_file()
        else None
    )
    results = Results(
        history=history,
        full=full,
        table4=harada2017.table4(history, trials=trials, seed=seed, seconds=seconds),
        measured=harada2017.measurements(history, seed=seed),
        strip=harada2017.stripped(history, seed=seed),
        theory=harada2017.theory(),
        others=[
            harada2017.elsewhere(name, other, seed=seed, seconds=seconds)
            for name, other in _others(root).items()
        ],
        seed=seed,
    )
    present(
        folder,
        results.to_json(),
        title="Harada 2017, reproduced",
        lead="Customers are found again by the set of items that they bought; decoys hide them in "
        "clusters. Every table and figure of the paper and of the thesis it came from, with the "
        "papers' numbers beside ours.",
        sections=sections(results),
        made_by=f"tokumei reproduce harada2017 --data DIR --trials {trials} --seconds {seconds:g} "
        f"--seed {seed}",
        as_json=as_json,
    )
