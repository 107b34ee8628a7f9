"""`tokumei convert FILE -o FILE --to FORMAT`."""

from __future__ import annotations

from pathlib import Path

import click

from tokumei.cli.drawing import print_json, print_table
from tokumei.cli.localized import Command, Option, tr
from tokumei.cli.options import CONTESTS, Reader, common, output_option, reading_options
from tokumei.data.converting import read_typed, write_as
from tokumei.data.pwscup import count_lines, customers_text
from tokumei.data.writing import check_new, whole_file


@click.command("convert", cls=Command)
@click.argument("file", type=click.Path(path_type=Path))
@output_option("New file to write.", required=True)
@click.option(
    "--to",
    "form",
    type=click.Choice(("table", *CONTESTS)),
    default="table",
    cls=Option,
    help="Form of the new file; a table is .csv or .parquet.",
)
@click.option(
    "--customers-output",
    type=click.Path(path_type=Path),
    cls=Option,
    help="New file for the customers table, as M of a contest.",
)
@reading_options
@common
def command(
    file: Path,
    read_history: Reader,
    *,
    output: Path,
    form: str,
    customers_output: Path | None,
    as_json: bool,
) -> None:
    """Convert a history between the contests' formats, CSV and Parquet.

    Say with --format what FILE is and with --to what it becomes. Deleted rows of a submission keep
    their places where the new form has them.
    """
    for path in (output, customers_output):
        if path is not None:
            check_new(path)
    typed = read_typed(file) if read_history.format == "table" else None
    lines: int | None
    if typed is not None:
        history, lines = typed
    else:
        history = read_history(file)
        lines = count_lines(file, read_history.format) if read_history.format in CONTESTS else None
    customers = customers_text(history) if customers_output is not None else ""
    write_as(history, form, output, lines=lines)
    if customers_output is not None:
        with whole_file(customers_output) as target:
            target.write(customers.encode())
    deleted = (lines or history.rows) - history.rows
    if as_json:
        print_json({"file": str(output), "rows": history.rows, "deleted": deleted})
        return
    rows = [(tr("purchases (rows)"), f"{history.rows:,}"), (tr("deleted rows"), f"{deleted:,}")]
    print_table(str(output), (tr("what"), tr("value")), rows, numbers=[1])
