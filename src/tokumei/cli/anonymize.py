"""`tokumei anonymize METHOD FILE -o FOLDER`."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from tokumei import rules
from tokumei.anonymizers import Chain
from tokumei.cli.drawing import print_json, print_table
from tokumei.cli.localized import Option, tr
from tokumei.cli.methods_group import MethodGroup
from tokumei.cli.options import (
    CONTESTS,
    PLACE,
    Reader,
    common,
    method_from_text,
    output_option,
    reading_options_and_spark,
    seed_option,
)
from tokumei.contracts import Anonymizer
from tokumei.data.folder import write_release
from tokumei.data.writing import check_new, whole_file, write_texts
from tokumei.draws import GUESSABLE, new_seed
from tokumei.errors import ParameterError
from tokumei.publishing import Period, publish
from tokumei.registry import spec

log = logging.getLogger(__name__)


@click.command()
@click.argument("file", type=PLACE)
@output_option(
    "New folder for the release: public/ to give away, secret/ to keep; or the new submission.",
    name="folder",
    required=True,
)
@click.option(
    "--then",
    multiple=True,
    cls=Option,
    help="A further anonymizer, as in --then 'delete-rows --share 0.1' (repeatable).",
)
@click.option(
    "--pseudonyms",
    type=click.Choice(["lasting", "monthly"]),
    default="lasting",
    cls=Option,
    help="Whether a customer keeps one pseudonym or has another in every month.",
)
@click.option(
    "--as",
    "file_kind",
    type=click.Choice(["csv", "parquet", *CONTESTS]),
    default="csv",
    cls=Option,
    help="Kind of the public files, or the contest for which a submission is written.",
)
@reading_options_and_spark
@seed_option(
    "Seed of the method's random draws. It does not set pseudonyms, basket numbers or the order of "
    "rows: those come from a secret."
)
@common
def run(
    file: str,
    read_history: Reader,
    *,
    method: Anonymizer,
    folder: Path,
    then: tuple[str, ...],
    pseudonyms: str,
    file_kind: Any,
    as_json: bool,
    seed: int | None,
) -> None:
    """Anonymize with any method."""
    check_new(folder)
    asked = click.get_current_context().get_parameter_source("file_kind") != ParameterSource.DEFAULT
    if asked and file_kind != "parquet" and read_history.spark is not None:
        raise ParameterError(f"On Spark a release is Parquet, not {file_kind}; leave --as out.")
    steps = (method, *(method_from_text("anonymizer", text) for text in then))
    chosen = steps[0] if len(steps) == 1 else Chain(steps=steps)
    if seed is not None and seed < GUESSABLE:
        log.warning(
            "Anyone who guesses the seed can repeat the random draws of the method, but not those "
            "of the pseudonyms; leave --seed out for a release that you give away."
        )
    seed = new_seed() if seed is None else seed
    original = read_history(file)
    anonymized = chosen(original, seed=seed)
    if file_kind in CONTESTS:
        texts = rules.find(file_kind).submission(original, anonymized)
        _write_submission(texts, folder)
        _report_submission(spec(chosen), original.rows, anonymized.rows, folder, as_json=as_json)
        return
    period: Period | None = "month" if pseudonyms == "monthly" else None
    release = publish(original, anonymized, period=period)
    secret = {**spec(chosen), "pseudonyms": pseudonyms, "seed": seed}
    write_release(release, folder, method=secret, file_kind=file_kind)
    found = {
        "method": spec(chosen),
        "rows_before": original.rows,
        "rows_after": release.public.rows,
        "public": str(folder / "public"),
        "secret": str(folder / "secret"),
    }
    if as_json:
        print_json(found)
        return
    rows = [
        (tr("purchases before"), f"{found['rows_before']:,}"),
        (tr("purchases after"), f"{found['rows_after']:,}"),
        (tr("to give away"), str(folder / "public")),
        (tr("to keep secret"), str(folder / "secret")),
    ]
    print_table(str(folder), (tr("what"), tr("value")), rows)


def _write_submission(texts: dict[str, str], path: Path) -> None:
    if len(texts) > 1:
        write_texts(texts, path)
        return
    with whole_file(path) as file:
        file.write(next(iter(texts.values())).encode())


def _report_submission(
    method: dict[str, Any], before: int, after: int, path: Path, *, as_json: bool
) -> None:
    if as_json:
        found = {"method": method, "rows_before": before, "rows_after": after}
        print_json({**found, "submission": str(path)})
        return
    rows = [(tr("purchases before"), f"{before:,}"), (tr("purchases after"), f"{after:,}")]
    print_table(str(path), (tr("what"), tr("value")), rows)


command = MethodGroup(
    "anonymizer",
    run,
    name="anonymize",
    help="""Anonymize a history with one of the methods below and publish it.

    The release is a new folder with public/ and secret/ apart. See the options of a method with
    tokumei anonymize METHOD --help.""",
)
