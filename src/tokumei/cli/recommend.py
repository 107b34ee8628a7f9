"""`tokumei recommend ORIGINAL --risk 0.1`."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

import click

from tokumei.audit.frontier import figure, title
from tokumei.audit.recommending import Recommendation, recommend
from tokumei.audit.trial_files import replacing
from tokumei.audit.trials import KEEP, Trial
from tokumei.audit.wording import percent
from tokumei.cli.anonymize import command as anonymize
from tokumei.cli.audit import command as audit
from tokumei.cli.drawing import print_json, print_table
from tokumei.cli.localized import Command, Option, tr
from tokumei.cli.options import (
    READING,
    F,
    Reader,
    common,
    keep_option,
    output_option,
    seed_option,
    with_reader,
)
from tokumei.data.writing import write_frame
from tokumei.report.charts import save

RELEASE = "recommended"
"""The folder of the release in the commands that are proposed."""
CHARTS = ("svg", "png", "html")


def _reading_options(function: F) -> F:
    """Add the reading options; --keep says here what to keep of the use, not which columns."""
    return with_reader(function, {**READING, "keep": keep_option("--keep-column")})


@click.command("recommend", cls=Command)
@click.argument("original", type=click.Path(path_type=Path))
@click.option(
    "--risk",
    type=float,
    required=True,
    cls=Option,
    allowed="(0, 1]",
    help="Largest chance of being found that a single customer may have.",
)
@click.option(
    "--keep",
    "wished",
    default="",
    cls=Option,
    allowed=", ".join(KEEP),
    help="What must stay useful, separated by commas; without it, all that the columns allow.",
)
@click.option(
    "--seconds",
    type=float,
    default=300.0,
    cls=Option,
    allowed="> 0",
    help="Time for all trials together.",
)
@output_option(
    "Folder for the trials and the chart; a folder of an earlier run is gone on with.",
    name="folder",
)
@_reading_options
@seed_option()
@common
def command(
    original: Path,
    read_history: Reader,
    *,
    risk: float,
    wished: str,
    seconds: float,
    folder: Path | None,
    as_json: bool,
    seed: int | None,
) -> None:
    """Recommend an anonymizer: the one that keeps the most at a wished risk.

    Anonymizers are tried with several parameters, the most promising first. Every release is
    attacked, and what it is still good for is measured; the best one has to pass tokumei audit with
    this risk as its limit. The command that makes a release like it is printed, and the command
    that audits it. A seed is printed only if you gave one.
    """
    keep = [name.strip() for name in wished.split(",") if name.strip()]
    history = read_history(original)
    found = recommend(history, risk=risk, keep=keep, seconds=seconds, seed=seed, folder=folder)
    if folder is not None:
        _write(found, folder)
    commands: tuple[str, ...] = ()
    if found.best is not None:
        commands = _commands(found.best, original, read_history, found.risk, seed=seed)
    if as_json:
        print_json(found.to_json() | {"commands": list(commands)})
        return
    _show(found, original)
    for line in commands:
        click.echo(f"  {line}")
    if folder is not None:
        click.echo(f"{tr('Trials and chart are here:')} {folder}")


def _write(found: Recommendation, folder: Path) -> None:
    drawn = figure(found, tr)
    with replacing(folder / "frontier.csv") as part:
        write_frame(drawn.data, part)
    for ending in CHARTS:
        with replacing(folder / f"frontier.{ending}") as part:
            save(drawn.chart, part)


def _commands(
    best: Trial, original: Path, reader: Reader, risk: float, *, seed: int | None
) -> tuple[str, str]:
    """Return what makes the release and what checks it, in names that each command has.

    A drawn seed is not among them: a shell keeps the commands that it ran.
    """
    method, *parameters = best.words.split(" ", maxsplit=1)
    file = shlex.quote(str(original))
    context = click.get_current_context()
    reading = _reading_words(reader, anonymize.get_command(context, method))
    made = ["tokumei anonymize", method, file, "-o", RELEASE, *parameters, *reading]
    made += [] if seed is None else [f"--seed {seed}"]
    # A limit that nobody can exceed is none.
    limit = [f"--max-risk {risk:g}"] if risk < 1 else []
    checked = ["tokumei audit", file, RELEASE, *limit, *_reading_words(reader, audit)]
    return " ".join(made), " ".join(checked)


def _reading_words(reader: Reader, command: click.Command) -> Iterator[str]:
    names = {option.name: option.opts[0] for option in command.params}
    for name, value in reader.options.items():
        given = value if isinstance(value, tuple) else (value,)
        for one in given:
            if one is not None and (name, one) != ("format", "table"):
                yield f"{names[name]} {shlex.quote(str(one))}"


def _show(found: Recommendation, original: Path) -> None:
    heads = (
        "",
        tr("anonymizer"),
        tr("customers found again"),
        tr("by the attacker"),
        tr("chance of the worst-off"),
        tr("loss"),
    )
    shown = list(found.frontier)
    if found.best is not None and found.best not in shown:
        shown.append(found.best)
    rows = [_row(trial, found) for trial in shown]
    print_table(str(original), heads, rows, numbers=(2, 4, 5))
    click.echo(f"{tr('anonymizers tried:')} {len(found.trials)}")
    if found.not_tried:
        click.echo(f"{tr('no time was left for:')} {'; '.join(found.not_tried)}")
    for one in found.left_out:
        click.echo(f"{tr('does not apply:')} {one.name} ({one.reason})")
    click.echo(title(found, tr))
    if found.best is not None:
        _explain(found.best, found)
    elif found.risk * found.customers < 1:
        said = tr("Among {n} customers nobody can promise less than {least}.")
        click.echo(said.format(n=found.customers, least=percent(1 / found.customers)))


def _explain(best: Trial, found: Recommendation) -> None:
    """Say what the loss consists of, and what bounds the risk."""
    parts = ", ".join(f"{name} {best.losses[name]:.2f}" for name in found.keep)
    click.echo(f"{tr('Lost of each:')} {parts}")
    said = tr(
        "Nobody's chance of being found exceeds {worst} if pseudonyms, basket numbers and row "
        "order are random; the best attacker here finds {rate} of the customers, which chance "
        "allows."
    )
    click.echo(said.format(worst=percent(best.worst), rate=percent(best.largest.value)))
    click.echo(tr("Make the release, and check it, because its random draws are others:"))


def _row(trial: Trial, found: Recommendation) -> tuple[str, ...]:
    return (
        "★" if trial == found.best else "",
        trial.words,
        percent(trial.largest.value),
        trial.largest.name,
        percent(trial.risk),
        f"{found.loss(trial):.3f}",
    )
