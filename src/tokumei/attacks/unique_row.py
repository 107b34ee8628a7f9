"""The first sample attack of PWSCUP 2018: rows that stand once."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from tokumei.attacks.exact_row import REPLACED
from tokumei.attacks.naming import guess
from tokumei.cells import plain
from tokumei.contracts import Challenge, Guess
from tokumei.errors import SchemaError
from tokumei.parameters import Checked
from tokumei.registry import attack


@attack("unique-row")
@dataclass(frozen=True, kw_only=True)
class UniqueRow(Checked):
    """Name the customer of a released row that equals one known row and no other.

    Rows are compared in every column but customer and basket; generalized rows are passed over.
    Where the rows of a pseudonym name several customers, the last one wins. The exact-row attack of
    PWSCUP 2018.

    Limits: one wrong row can overrule many right ones, and a release without exact rows tells it
    nothing.
    """

    def __call__(self, challenge: Challenge, /, *, seed: int) -> Guess:
        rows, known = challenge.release.in_row_order(), challenge.known.frame()
        names = [name for name in challenge.release.visible if name not in REPLACED]
        cells = {name: plain(rows[name]) for name in names if name in known.columns}
        shared = [name for name, cell in cells.items() if cell.dtype == known.schema[name]]
        if not shared:
            raise SchemaError("To find rows again, release and knowledge must share a column.")
        released = pl.DataFrame([rows["person"].alias("pseudonym"), *(cells[n] for n in shared)])
        own = known.select("person", *shared).unique(shared, keep="none")
        found = released.drop_nulls().join(own, on=shared, how="inner", maintain_order="left")
        last = found.unique("pseudonym", keep="last")
        return guess(challenge, last.select("pseudonym", "person", weight=pl.lit(1.0)))
