"""`tokumei check RULES --original T --submission A`."""

from __future__ import annotations

from pathlib import Path

import click

from tokumei import rules
from tokumei.cli.contest_files import contest_files, tell_check
from tokumei.cli.localized import Command
from tokumei.cli.options import common


@click.command("check", cls=Command)
@contest_files
@common
def command(
    rules_name: str,
    original: Path,
    master: Path | None,
    submission: Path,
    *,
    as_json: bool,
) -> int:
    """Check a submission by the rules of a contest, and name every problem.

    RULES is pwscup2016, pwscup2017, pwscup2018 or simplified. The exit code is 2 if a rule is
    broken; warnings do not count.
    """
    contest = rules.find(rules_name)
    report = contest.check(contest.read(original, master), submission).report
    return tell_check(report, {"rules": rules_name, **report.to_json()}, as_json=as_json)
