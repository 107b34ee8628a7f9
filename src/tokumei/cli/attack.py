"""`tokumei attack METHOD ORIGINAL RELEASE`."""

from __future__ import annotations

from pathlib import Path

import click

from tokumei.cli.drawing import print_json, print_table
from tokumei.cli.localized import Option, tr
from tokumei.cli.methods_group import MethodGroup
from tokumei.cli.options import (
    PLACE,
    Reader,
    common,
    method_from_text,
    output_option,
    reading_options_and_spark,
    seed_option,
)
from tokumei.contracts import Attack, Key, Release
from tokumei.data.matching import check_pair
from tokumei.data.writing import check_new, write_frame
from tokumei.errors import ParameterError
from tokumei.metrics.risk import Risk
from tokumei.registry import spec
from tokumei.report.terminal import score_rows
from tokumei.tables import small


@click.command()
@click.argument("original", type=PLACE)
@click.argument("release_folder", metavar="RELEASE", type=click.Path(path_type=Path))
@click.option(
    "--threat",
    "threat_text",
    default="full-knowledge",
    cls=Option,
    help="What the attacker knows, as in --threat 'partial-rows --share 0.25'.",
)
@click.option(
    "--judge", "judge_text", default="hit-rate", cls=Option, help="How the guess is marked."
)
@output_option("File for the guess: target, value, weight.")
@reading_options_and_spark
@seed_option()
@common
def run(
    original: str,
    release_folder: Path,
    read_history: Reader,
    *,
    method: Attack,
    threat_text: str,
    judge_text: str,
    output: Path | None,
    as_json: bool,
    seed: int | None,
) -> None:
    """Attack with any method."""
    if output is not None:
        check_new(output)
    threat = method_from_text("threat", threat_text)
    risk = Risk(threat=threat, attack=method, judge=method_from_text("judge", judge_text))
    public = read_history.public(release_folder)
    marked = (release_folder / "secret").is_dir()
    if not marked and output is None:
        raise ParameterError(
            f"{release_folder} has no secret part to mark the guess with; write it with --output."
        )
    history = read_history(original)
    release = read_history.release(release_folder) if marked else Release(public, Key.unknown())
    check_pair(history, release)
    guess, score = risk.play(history, release, seed=seed or 0)
    if output is not None:
        write_frame(small(guess.pairs).sort("target", "weight", descending=[False, True]), output)
    if as_json:
        methods = {"attack": spec(method), "threat": spec(threat), "judge": spec(risk.judge)}
        told = {
            "score": score.to_json() if marked else None,
            "guess": str(output) if output else None,
        }
        print_json({**methods, **told})
    elif marked:
        heads, rows = score_rows([score], tr)
        print_table(str(release_folder), heads, rows, numbers=[1, 3, 4])
    else:
        click.echo(f"{tr('Without the secret part the guess is not marked; it is here:')} {output}")


command = MethodGroup(
    "attack",
    run,
    name="attack",
    help="""Attack a release with one of the methods below and mark the guess.

    ORIGINAL is the file that was anonymized, RELEASE the folder that tokumei anonymize wrote. The
    attack sees the public part and what the threat lets it know; the secret part, where it is
    there, marks the guess.""",
)
