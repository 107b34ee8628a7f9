"""The simplified game of Hamada's article: names, dates and items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import ClassVar

import polars as pl

from tokumei.contracts import Answer, Guess, Release, Score
from tokumei.data.columns import LINE
from tokumei.data.pwscup import COLUMNS
from tokumei.history import ROW, History
from tokumei.judges.hit_rate import HitRate
from tokumei.metrics.cells_changed import CellsChanged
from tokumei.metrics.indistinguishable import kinds_of_customers
from tokumei.metrics.rows_deleted import RowsDeleted
from tokumei.rules import checks
from tokumei.rules.contract import Entry, Original, Published, Step, Utility, plain, titled
from tokumei.rules.lines import read_cells
from tokumei.rules.one_name import OneName, check_pseudonyms, names_of
from tokumei.rules.problems import Problems
from tokumei.threats.asking import ABSENT

COUNTED = 2
"""Cells of a row that count as changed: date and item."""


@dataclass(frozen=True)
class ChangedOfAll:
    """Share of all cells of the original that are changed, names not counted."""

    def __call__(self, history: History, release: Release, /, *, seed: int) -> Score:
        """Return the share."""
        kept = CellsChanged()(history, release, seed=seed)
        cells = COUNTED * history.rows
        return Score("changed", round(kept.value * kept.n) / cells, "lower", (0.0, 1.0), cells)


class Simplified(OneName):
    """The rules of the simplified game."""

    name = "simplified"
    title = "The simplified game of Hamada 2018"
    published_file = "S.csv"
    utilities = (Utility("deleted", RowsDeleted()), Utility("changed", ChangedOfAll()))
    means: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "expected": (
            "The share of customers that the best attacker can expect to name rightly: one in "
            "each group of customers whose rows are equal.",
        ),
        "utility": ("What is lost: deleted and changed added.",),
        "safety": ("What is found: the largest share of customers named rightly.",),
        "total": ("Utility and safety added.",),
    }

    def check(self, original: Original, submission: str | Path) -> Entry:
        """Check the rows, which stand where those of the original stand."""
        problems = Problems(Path(submission).name)
        columns = COLUMNS[self.name]
        rows = read_cells(Path(submission), columns, problems)
        truth = original.texts.in_row_order()
        checks.check_rows(rows, len(truth), original.file, problems)
        rows = rows.with_columns((pl.col(LINE) - 1).alias(ROW))
        kept = checks.check_deleted(rows, columns, ABSENT, problems)
        owners = truth.select(ROW, pl.col("person").alias("person/true"))
        kept = kept.join(owners, on=ROW, how="left", maintain_order="left")
        check_pseudonyms(kept, original, problems)
        checks.check_dates(kept, problems)
        checks.note(kept, pl.col("item") == "", "An item must not be empty", "item", problems)
        values = checks.values_of(kept, self.name, problems)
        return Entry(problems.report(), kept, values, names_of(kept))

    def attacks(self, published: Published, *, seed: int, views: Path | None) -> Iterator[Step]:
        """Return what the best attacker can expect: one right name in each group of equals."""
        yield partial(self._expected, published)

    def _expected(self, published: Published) -> list[Score]:
        groups = kinds_of_customers(published.release.public, by="rows")["kind"].n_unique()
        n = len(published.original.customers)
        assumes = "The attacker knows every purchase of every customer."
        return [Score("expected", groups / n, "lower", (0.0, 1.0), n, assumes=assumes)]

    def marked(self, title: str, guess: Guess, answer: Answer) -> list[Score]:
        """Return the share of pseudonyms that are named rightly."""
        return [titled(HitRate()(guess, answer), title)]

    def total(self, losses: list[Score], risks: list[Score]) -> list[Score]:
        """Add deleted rows, changed cells and the largest share of re-identified names."""
        loss = sum(score.value for score in losses)
        risk = max(score.value for score in risks)
        return [plain("utility", loss), plain("safety", risk), plain("total", loss + risk)]
