"""Rows in the order in which attackers get them, and the key to it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from tokumei.contracts import Release
from tokumei.data.columns import LINE
from tokumei.data.pwscup import COLUMNS, contest_text
from tokumei.errors import Unachievable
from tokumei.history import ROW, History
from tokumei.publishing import Period, publish, row_draws
from tokumei.rules.lines import WHOLE_LINE, read_cells
from tokumei.rules.problems import Problems
from tokumei.tables import frame, table

TEXT = "_text"
"""A whole row as it was written."""
Order = npt.NDArray[np.int64]
"""Which row comes first, second and so on."""


def random_order(rows: pl.DataFrame, secret: bytes) -> Order:
    """Draw an order, as that of a release."""
    return np.argsort(row_draws(secret, rows[ROW]), kind="stable")


def order_of_file(path: Path, rows: pl.DataFrame, year: str) -> Order:
    """Return the order in which a published file has these rows, and no others."""
    problems = Problems(path.name)
    given = read_cells(path, COLUMNS[year], problems)
    problems.report().require_valid()
    line = pl.concat_str(COLUMNS[year], separator=",")
    lines, wanted = rows.select(line).to_series(), given.select(line).to_series()
    _require_same(
        problems, given.with_columns(wanted.alias(TEXT)), rows.with_columns(lines.alias(TEXT))
    )
    # Which of several equal rows is which cannot be told, and need not be.
    order, wanted_order = lines.arg_sort(), wanted.arg_sort()
    places = np.empty(len(rows), dtype=np.int64)
    places[wanted_order.to_numpy()] = order.to_numpy()
    return places


def _require_same(problems: Problems, given: pl.DataFrame, rows: pl.DataFrame) -> None:
    """Raise a SubmissionError if rows are published too often or not at all."""
    copy = pl.int_range(pl.len()).over(TEXT).alias("_copy")
    given, rows = given.with_columns(copy), rows.with_columns(copy)
    foreign, missing = (
        part.join(other, on=[TEXT, "_copy"], how="anti", maintain_order="left")
        for part, other in ((given, rows), (rows, given))
    )
    rule = "A published row must stand in the submission, as often as it is published"
    problems.breaks(rule, "person", foreign[LINE], foreign["person"])
    rule = "A row of the submission that is not deleted must be published"
    problems.breaks(rule, WHOLE_LINE, missing[LINE], [None] * len(missing))
    problems.report().require_valid()


def aligned(
    original: History, anonymized: History, year: str, period: Period | None, secret: bytes | None
) -> str:
    """Write an anonymized history as a submission whose rows stand where those of T stand."""
    if (invented := (anonymized.frame()[ROW] < 0).sum()) > 0:
        raise Unachievable(
            f"A submission to {year} has a row for each row of T and no others; the method "
            f"invented {invented:,} rows."
        )
    release = publish(original, anonymized, secret=secret, period=period)
    origins = frame(release.key.rows).select(ROW, "origin")
    rows = release.public.frame().join(origins, on=ROW).drop(ROW).rename({"origin": ROW})
    return contest_text(History(table(rows)), year, lines=original.rows)


def secret_pairs(release: Release) -> str:
    """Write the answer: a pseudonym and its customer in each line."""
    pairs = frame(release.key.pseudonyms).select("pseudonym", "person")
    return pairs.write_csv(include_header=False)
