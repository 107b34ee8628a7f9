"""The attacker who knows what was bought, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from tokumei.contracts import Answer, Challenge, Release
from tokumei.history import ROW, History
from tokumei.parameters import Checked
from tokumei.registry import threat
from tokumei.tables import table
from tokumei.threats.asking import who_is_who


@threat("item-sets", spark="threats:item_sets")
@dataclass(frozen=True, kw_only=True)
class ItemSets(Checked):
    """The attacker knows which items every customer bought, and nothing else.

    Neither when, nor how many, nor at what price: so much is known of whoever shows their shelves.

    Limits: whoever has seen a part of the shelves knows less, whoever has a receipt knows more.

    References
    ----------
    [harada2017] Section 2.

    """

    def __call__(
        self, history: History, release: Release, /, *, seed: int
    ) -> tuple[Challenge, Answer]:
        history.require("item", to="know item sets")
        pairs = (
            history.frame().select("person", "item").drop_nulls().unique().sort("person", "item")
        )
        rows = pairs.with_columns(pl.int_range(pl.len(), dtype=pl.Int64).alias(ROW))
        known = History(table(rows), None, history.source)
        return who_is_who(
            history, release, known, "The attacker knows which items every customer bought."
        )
