"""`tokumei publish RULES --original T --submission A -o FOLDER`."""

from __future__ import annotations

from pathlib import Path

import click

from tokumei import rules
from tokumei.cli.contest_files import contest_files, tell_check
from tokumei.cli.drawing import print_json, print_table
from tokumei.cli.localized import Command, Option, tr
from tokumei.cli.options import common, output_option, seed_option
from tokumei.data.writing import check_new, write_texts
from tokumei.draws import new_seed
from tokumei.errors import ParameterError


@click.command("publish", cls=Command)
@contest_files
@output_option("New folder: public/ for the attackers, secret/ for the answer.", required=True)
@click.option(
    "--make-views",
    is_flag=True,
    cls=Option,
    help="Draw the attackers' views T25.csv to T100.csv of 2017 as well, into views/.",
)
@seed_option()
@common
def command(
    rules_name: str,
    original: Path,
    master: Path | None,
    submission: Path,
    output: Path,
    *,
    make_views: bool,
    as_json: bool,
    seed: int | None,
) -> int:
    """Make what the attackers of a contest get, and the secret answer.

    RULES is pwscup2016, pwscup2017, pwscup2018 or simplified. Deleted rows are left out and the
    rest is shuffled, by a draw that nobody can repeat; --seed is for --make-views.
    """
    if seed is not None and not make_views:
        raise ParameterError("Only the views of --make-views are drawn by --seed; leave it out.")
    check_new(output)
    contest = rules.find(rules_name)
    files = contest.read(original, master)
    entry = contest.check(files, submission)
    if not entry.report.valid:
        answer = {"rules": rules_name, "files": [], "check": entry.report.to_json()}
        return tell_check(entry.report, answer, as_json=as_json)
    texts = contest.files(contest.publish(files, entry))
    if make_views:
        texts |= contest.view_files(files, seed=new_seed() if seed is None else seed)
    write_texts(texts, output)
    if as_json:
        check = entry.report.to_json()
        print_json({"rules": rules_name, "files": [str(output / n) for n in texts], "check": check})
        return 0
    named = {
        "public": tr("to give away"),
        "secret": tr("to keep secret"),
        "views": tr("for the attackers"),
    }
    rows = [(named[name.split("/")[0]], str(output / name)) for name in texts]
    print_table(str(output), (tr("what"), tr("file")), rows)
    return 0
