"""`tokumei judge RULES --original T --submission A`."""

from __future__ import annotations

import re
from pathlib import Path

import click

from tokumei import rules
from tokumei.cli.contest_files import FILE, contest_files, show_report, tell_check
from tokumei.cli.drawing import print_json, print_table
from tokumei.cli.localized import Command, Option, tr
from tokumei.cli.options import common, seed_option
from tokumei.rules import Judgment

SAMPLE = re.compile(r"(S\d)@(\d+)")
"""A sample attack of 2017 and the share of rows that it knows."""


@click.command("judge", cls=Command)
@contest_files
@click.option(
    "--published",
    type=FILE,
    cls=Option,
    help="S or A', whose order of rows is used; without it one is drawn by the seed.",
)
@click.option(
    "--views",
    type=FILE,
    cls=Option,
    help="Folder with the attackers' views T25.csv to T100.csv of 2017; without it they are drawn.",
)
@click.option(
    "--guess",
    "guesses",
    type=FILE,
    multiple=True,
    cls=Option,
    help="An attacker's guess to mark: F^, F' or Q (repeatable).",
)
@seed_option()
@common
def command(
    rules_name: str,
    original: Path,
    master: Path | None,
    submission: Path,
    published: Path | None,
    views: Path | None,
    guesses: tuple[Path, ...],
    *,
    as_json: bool,
    seed: int | None,
) -> int:
    """Judge a submission by the rules of a contest: utilities, sample attacks, guesses, total.

    RULES is pwscup2016, pwscup2017, pwscup2018 or simplified. A submission that breaks the rules
    has no score: every problem is named, and the exit code is 2.
    """
    contest = rules.find(rules_name)
    files = contest.read(original, master)
    entry = contest.check(files, submission)
    if not entry.report.valid:
        answer = {"rules": rules_name, "total": None, "check": entry.report.to_json()}
        return tell_check(entry.report, answer, as_json=as_json)
    judgment = contest.judge(
        files, entry, seed=seed or 0, published=published, views=views, guesses=guesses
    )
    if as_json:
        print_json(judgment.to_json())
        return 0
    if len(entry.report.found):
        show_report(entry.report)
    show_judgment(f"{contest.title}: {submission.name}", judgment)
    return 0


def show_judgment(title: str, judgment: Judgment) -> None:
    """Print the scores; what several attackers with one method found stands in one row."""
    parts = {score.name: SAMPLE.fullmatch(score.name) for score in judgment.scores}
    heads = (tr("score"), tr("value"), tr("better"), tr("n"))
    rows = [
        (score.name, f"{score.value:.10g}", f"▼ {tr('lower')}", f"{score.n:,}")
        for score in judgment.scores
        if not parts[score.name]
    ]
    print_table(title, heads, rows, numbers=[1, 3])
    samples = [(part[1], part[2], part[0]) for part in parts.values() if part]
    if samples:
        views = list(dict.fromkeys(view for _, view, _ in samples))
        rates: dict[str, list[str]] = {}
        for attack, _, name in samples:
            rates.setdefault(attack, []).append(f"{judgment.scores[name].value:.6g}")
        print_table(
            tr("Re-identification rate, by the share of rows that the attacker knows"),
            (tr("attack"), *(f"{view}%" for view in views)),
            [(attack, *values) for attack, values in rates.items()],
            numbers=range(1, len(views) + 1),
        )
