"""Guesses that name a customer for a pseudonym, a pair in each line."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from tokumei.contracts import Guess
from tokumei.data.columns import LINE
from tokumei.rules import checks
from tokumei.rules.lines import WHOLE, read_cells
from tokumei.rules.problems import Problems, Report


def read_pairs(path: Path, pseudonyms: pl.Series, customers: pl.Series) -> tuple[Guess, Report]:
    """Read lines pseudonym,customer; a repeated line counts once, an unknown name is only wrong."""
    problems = Problems(path.name)
    rows = read_cells(path, ("person", "customer"), problems).filter(WHOLE)
    for column, known, rule in (
        ("person", pseudonyms, "A pseudonym should occur in the published data"),
        ("customer", customers, "A customer should occur in the original"),
    ):
        stranger = ~pl.col(column).is_in(known.implode())
        checks.note(rows, stranger, rule, column, problems, "warning")
    again = rows.filter(~pl.struct("person", "customer").is_first_distinct())
    rule = "A line should stand once; repeated lines count once"
    problems.breaks(rule, "person", again[LINE], again["person"], "warning")
    pairs = rows.select(target="person", value="customer", weight=pl.lit(1.0))
    return Guess(pairs), problems.report()
