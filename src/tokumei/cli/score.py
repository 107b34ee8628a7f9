"""`tokumei score ORIGINAL RELEASE`."""

from __future__ import annotations

from pathlib import Path

import click

from tokumei.cli.drawing import print_json, print_table
from tokumei.cli.localized import Command, tr
from tokumei.cli.options import PLACE, Reader, common, reading_options_and_spark, seed_option
from tokumei.data.matching import check_pair
from tokumei.report.scoring import scorecard
from tokumei.report.terminal import score_rows


@click.command("score", cls=Command)
@click.argument("original", type=PLACE)
@click.argument("release_folder", metavar="RELEASE", type=click.Path(path_type=Path))
@reading_options_and_spark
@seed_option()
@common
def command(
    original: str,
    release_folder: Path,
    read_history: Reader,
    *,
    as_json: bool,
    seed: int | None,
) -> None:
    """Score a release: every metric, and every attack under every threat.

    ORIGINAL is the file that was anonymized, RELEASE the folder that tokumei anonymize wrote.
    """
    history, release = read_history(original), read_history.release(release_folder)
    check_pair(history, release)
    card = scorecard(history, release, seed=seed or 0)
    if as_json:
        print_json({"scores": card.to_json()})
        return
    heads, rows = score_rows(card, tr)
    print_table(str(release_folder), heads, rows, numbers=[1, 3, 4])
