"""`tokumei pk`: Pk-anonymity for tables of records."""

from __future__ import annotations

import logging
from pathlib import Path

import click
import numpy as np

from tokumei.cli.drawing import print_json, print_table
from tokumei.cli.localized import Group, Option, tr
from tokumei.cli.options import common, output_option, seed_option
from tokumei.cli.pk_space import Space, mechanism_file, space_options
from tokumei.cli.pk_tables import count_records, reconstruct_records
from tokumei.data.writing import check_new
from tokumei.draws import GUESSABLE, new_seed
from tokumei.errors import ParameterError
from tokumei.pk import (
    Correlation,
    Domain,
    anonymity,
    best_rho,
    expected_l1,
    largest_rho,
    mechanism,
)
from tokumei.pk.files import write_mechanism
from tokumei.pk.perturbation import write_shuffled

log = logging.getLogger(__name__)


@click.group("pk", cls=Group)
def command() -> None:
    """Perturb tables with Pk-anonymity, and reconstruct their cross tabulations."""


command.add_command(reconstruct_records)
command.add_command(count_records)


K = click.option(
    "--k", type=float, default=2.0, cls=Option, allowed="> 1", help="Pk-anonymity to reach."
)


@command.command("plan")
@click.argument("file", type=click.Path(path_type=Path), required=False)
@K
@click.option(
    "--records",
    type=click.IntRange(2),
    cls=Option,
    help="Number of records, where no FILE is given.",
)
@space_options
@common
def plan(
    file: Path | None,
    k: float,
    records: int | None,
    *,
    space: Space,
    as_json: bool,
) -> None:
    """Show which rho gives a k, and the error to expect.

    The error is the expected L1 distance of the reconstructed cross tabulation, for values that are
    equally frequent. With a correlation, both ways are shown.
    """
    allowed = space.of(file)
    if file is not None:
        records = len(space.read(file, allowed).cells)
    elif records is None:
        raise ParameterError("Give a file, or the number of records by --records.")
    spaces: dict[str, Domain | Correlation] = {"independent": allowed}
    if isinstance(allowed, Correlation):
        spaces = {"independent": allowed.domain, "correlated": allowed}
    plans = [
        (name, choice, mechanism(part, rho))
        for name, part in spaces.items()
        for choice, rho in (
            ("one", largest_rho(part, k, records)),
            ("each", best_rho(part, k, records)),
        )
    ]
    if as_json:
        found = [
            {
                "attributes": name,
                "choose": choice,
                "rho": dict(zip(of.domain.names, of.rho, strict=True)),
                "k": anonymity(of, records),
                "cells": of.cells,
                "expected_l1": expected_l1(of, records),
            }
            for name, choice, of in plans
        ]
        print_json({"records": records, "plans": found})
        return
    names = plans[0][2].domain.names
    words = {
        "independent": tr("independent"),
        "correlated": tr("correlated"),
        "one": tr("one"),
        "each": tr("each"),
    }
    heads = (tr("attributes"), "rho", *names, "k", tr("cells"), tr("expected L1"))
    rows = [
        (
            words[name],
            words[choice],
            *(f"{rho:.4f}" for rho in of.rho),
            f"{anonymity(of, records):.4g}",
            f"{of.cells:,}",
            f"{expected_l1(of, records):.4f}",
        )
        for name, choice, of in plans
    ]
    print_table(f"{records:,} {tr('records')}", heads, rows, numbers=range(2, len(heads)))


@command.command("perturb")
@click.argument("file", type=click.Path(path_type=Path))
@output_option("New file for the perturbed records (.csv or .parquet).", required=True)
@K
@click.option(
    "--rho",
    cls=Option,
    help="Probability of keeping a value, or one for each column by commas; instead of k.",
)
@click.option(
    "--choose",
    type=click.Choice(["one", "each"]),
    default="one",
    cls=Option,
    help="One rho for all columns, or for each the one with the least expected error.",
)
@space_options
@seed_option()
@common
def perturb(
    file: Path,
    output: Path,
    k: float,
    rho: str | None,
    choose: str,
    *,
    space: Space,
    as_json: bool,
    seed: int | None,
) -> None:
    """Perturb the records of a table, and write them in random order.

    Only the perturbed columns are written: any other would be outside the promise. Beside the
    table, a file ending in .pk.json has what a reconstruction needs; it may be given away with it.
    Whoever knows the seed can undo the perturbation.
    """
    beside = mechanism_file(output)
    check_new(output)
    check_new(beside)
    allowed = space.of(file)
    if space.domain is None:
        log.warning(
            "The ranges are the values that occur in the data, which tells what occurs; "
            "--domain gives them instead."
        )
    cells = space.read(file, allowed).cells
    of = mechanism(allowed, _rho(allowed, rho, choose, k, len(cells)))
    if seed is not None and seed < GUESSABLE:
        log.warning(
            "Anyone who guesses the seed can undo the perturbation; leave --seed out for a table "
            "that you give away."
        )
    seed = new_seed() if seed is None else seed
    drawn = of.draw(cells, np.arange(len(cells)), seed=seed)
    reached = anonymity(of, len(cells))
    write_shuffled(drawn, of, output, seed=seed)
    write_mechanism(of, beside, k=reached, records=len(cells))
    rhos = dict(zip(of.domain.names, of.rho, strict=True))
    told = {
        "records": len(cells),
        "k": reached,
        "rho": rhos,
        "table": str(output),
        "mechanism": str(beside),
    }
    if as_json:
        print_json(told)
        return
    rows = [
        (tr("records"), f"{len(cells):,}"),
        ("k", f"{reached:.6g}"),
        *((f"rho: {name}", f"{value:.6f}") for name, value in rhos.items()),
        (tr("perturbed records"), str(output)),
        (tr("for the reconstruction"), str(beside)),
    ]
    print_table(str(file), (tr("what"), tr("value")), rows)


def _rho(
    space: Domain | Correlation, rho: str | None, choose: str, k: float, records: int
) -> float | tuple[float, ...]:
    if rho is None:
        return (largest_rho if choose == "one" else best_rho)(space, k, records)
    try:
        return tuple(float(part) for part in rho.split(","))
    except ValueError as error:
        raise ParameterError(f"rho must be a number, or numbers by commas, not '{rho}'.") from error
