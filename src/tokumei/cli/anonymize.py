"""`tokumei anonymize METHOD FILE -o FOLDER`."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from tokumei.anonymizers import Chain
from tokumei.cli.drawing import print_json, print_table
from tokumei.cli.localized import Option, tr
from tokumei.cli.methods_group import MethodGroup
from tokumei.cli.options import common, method_from_text, output_option, reading_options
from tokumei.contracts import Anonymizer
from tokumei.data.folder import write_release
from tokumei.data.writing import check_new
from tokumei.publishing import Period, publish
from tokumei.registry import spec


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@output_option(
    "New folder for the release: public/ to give away, secret/ to keep.",
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
    type=click.Choice(["csv", "parquet"]),
    default="csv",
    cls=Option,
    help="Kind of the public files.",
)
@reading_options
@common
def run(
    file: Path,
    read_history: Callable[[Path], Any],
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
    steps = (method, *(method_from_text("anonymizer", text) for text in then))
    chosen = steps[0] if len(steps) == 1 else Chain(steps=steps)
    # Whoever knows the seed can undo the pseudonyms, so it is drawn well and kept with the key.
    seed = secrets.randbits(62) if seed is None else seed
    original = read_history(file)
    anonymized = chosen(original, seed=seed)
    period: Period | None = "month" if pseudonyms == "monthly" else None
    release = publish(original, anonymized, seed=seed, period=period)
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
        (tr("purchases before"), f"{original.rows:,}"),
        (tr("purchases after"), f"{release.public.rows:,}"),
        (tr("to give away"), str(folder / "public")),
        (tr("to keep secret"), str(folder / "secret")),
    ]
    print_table(str(folder), (tr("what"), tr("value")), rows)


command = MethodGroup(
    "anonymizer",
    run,
    name="anonymize",
    help="""Anonymize a history with one of the methods below and publish it.

    The release is a new folder with public/ and secret/ apart. See the options of a method with
    tokumei anonymize METHOD --help.""",
)
