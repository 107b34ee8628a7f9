"""`tokumei audit ORIGINAL RELEASE`."""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from tokumei.audit.auditing import Audit, audit
from tokumei.audit.figure import Figure
from tokumei.audit.frontier import figure
from tokumei.audit.markdown import markdown
from tokumei.audit.page import html
from tokumei.audit.printing import pdf
from tokumei.audit.recommending import recalled
from tokumei.audit.summary import summarize
from tokumei.audit.verdict import MAX_RISK
from tokumei.audit.wording import attack_name, counted, interval, knowledge, percent
from tokumei.cli.drawing import print_json, print_table
from tokumei.cli.localized import Command, Option, language, tr
from tokumei.cli.options import common, output_option, reading_options, seed_option
from tokumei.contracts import Key, Release
from tokumei.data.folder import read_key, read_release
from tokumei.data.writing import check_new, whole_file
from tokumei.errors import ParameterError
from tokumei.metrics.question import Marked
from tokumei.report.terminal import score_rows

FORMS = ("html", "md", "json", "pdf")


@click.command("audit", cls=Command)
@click.argument("original", type=click.Path(path_type=Path))
@click.argument("release_path", metavar="RELEASE", type=click.Path(path_type=Path))
@click.option(
    "--key",
    "key_file",
    type=click.Path(path_type=Path),
    cls=Option,
    help="Key of a published file: CSV with the columns pseudonym and person.",
)
@click.option(
    "--max-risk",
    type=float,
    default=MAX_RISK,
    cls=Option,
    allowed="(0, 1)",
    help="Largest chance of being found that a single customer may have. Given explicitly, a "
    "release above it ends the command with exit code 1.",
)
@output_option("New file for the report, by its ending: .html, .md, .json or .pdf.")
@click.option(
    "--as",
    "form",
    type=click.Choice(FORMS),
    cls=Option,
    help="Form of the report, where the name's ending does not tell.",
)
@click.option(
    "--frontier",
    "trials",
    type=click.Path(path_type=Path),
    cls=Option,
    help="Folder of tokumei recommend, whose trials are drawn in the report.",
)
@reading_options
@seed_option()
@common
def command(
    original: Path,
    release_path: Path,
    read_history: Callable[[Path], Any],
    *,
    key_file: Path | None,
    max_risk: float,
    output: Path | None,
    form: str | None,
    trials: Path | None,
    as_json: bool,
    seed: int | None,
) -> int:
    """Audit a release: who finds whom, what is guaranteed, and what the data is still good for.

    The verdict, safe or exposed, goes by the worst-off customer and the limit --max-risk. Every
    attack runs with every kind of knowledge, guarantees are counted in the release, utilities are
    measured; the report says what was left out and why, and sets the findings beside the criteria
    of the law. ORIGINAL is the file that was anonymized, RELEASE the folder that tokumei anonymize
    wrote, or a published file with its key.
    """
    if output is not None:
        check_new(output)
        form = form or _form_of(output)
    if original.is_dir():
        raise ParameterError(
            f"ORIGINAL must be the file that was anonymized, but {original} is a folder; "
            "give the original first and the release second."
        )
    release = _release(release_path, key_file, read_history)
    found = audit(
        read_history(original),
        release,
        max_risk=max_risk,
        seed=seed or 0,
        command=_command(),
    )
    if output is not None:
        _write(found, output, form or "html", trials)
    if as_json:
        print_json(found.to_json() | {"report": str(output) if output else None})
    else:
        _show(found, release_path)
        if output is not None:
            click.echo(f"{tr('The report is here:')} {output}")
    asked = click.get_current_context().get_parameter_source("max_risk") != ParameterSource.DEFAULT
    return 1 if asked and found.verdict == "exposed" else 0


def _form_of(output: Path) -> str:
    form = output.suffix.removeprefix(".").lower()
    if form not in FORMS:
        raise ParameterError(
            f"A report must end in {', '.join(f'.{name}' for name in FORMS)}, not "
            f"'{output.suffix}'; or say its form by --as."
        )
    return form


def _release(path: Path, key_file: Path | None, read_history: Callable[[Path], Any]) -> Release:
    if path.is_dir():
        if key_file is not None:
            raise ParameterError(f"{path} is a folder and has its own key; leave --key out.")
        return read_release(path)
    if key_file is None:
        raise ParameterError(
            f"RELEASE must be a folder that tokumei anonymize wrote, or a published file with its "
            f"key (--key); {path} is neither."
        )
    return Release(read_history(path), Key(read_key(key_file), Key.unknown().rows))


def _command() -> str:
    """Return the command without the folders of this machine, which are not for the reader."""
    words = (re.sub(r"[^\s=']*/(?=[^/])", "", word) for word in sys.argv[1:])
    return shlex.join(["tokumei", *words])


def _write(found: Audit, output: Path, form: str, trials: Path | None) -> None:
    if form == "md":
        text = markdown(found, language=language())
    elif form == "json":
        text = json.dumps(found.to_json(), ensure_ascii=False, indent=1)
    else:
        text = html(found, language=language(), frontier=_frontier(found, trials))
    if form == "pdf":
        pdf(text, output)
        return
    with whole_file(output) as file:
        file.write(text.encode())


def _frontier(found: Audit, trials: Path | None) -> Figure | None:
    """Draw what other methods reach at the same risk."""
    if trials is None:
        return None
    return figure(recalled(found.original, trials, risk=found.headline.score.value), tr)


def _show(found: Audit, release: Path) -> None:
    said = summarize(found, tr)
    for sentence in (said.verdict, said.measured, *said.notes):
        click.echo(sentence)
    heads = (
        tr("attack"),
        tr("finds the most when knowing"),
        tr("{who} found").format(who=counted(found, tr)),
        tr("95% interval"),
        tr("random guess"),
    )
    best: dict[str, Marked] = {}  # the risks come in falling order
    for one in found.risks:
        best.setdefault(attack_name(one), one)
    rows = [
        (
            name,
            knowledge(one.threat, tr),
            percent(one.score.value),
            interval(one.score),
            percent(one.score.baseline or 0.0),
        )
        for name, one in best.items()
    ]
    print_table(str(release), heads, rows, numbers=[2, 3, 4])
    scores = [one.score for one in (*found.guarantees, *found.facts, *found.utilities)]
    print_table(tr("Guarantees and utility"), *score_rows(scores, tr), numbers=[1, 3, 4])
    click.echo(
        f"{tr('attackers tried:')} {len(found.risks)}; {tr('left out:')} {len(found.left_out)}"
    )
