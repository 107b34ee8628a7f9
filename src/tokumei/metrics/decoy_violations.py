"""Whether a release keeps what decoys promise."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Literal

import polars as pl
from annotated_types import Ge
from typing_extensions import Doc

from tokumei.contracts import Release, Score
from tokumei.history import ROW, History
from tokumei.metrics.cells_changed import CellsChanged
from tokumei.metrics.indistinguishable import kinds_of_customers
from tokumei.metrics.kept_rows import origins
from tokumei.parameters import Checked
from tokumei.registry import metric
from tokumei.tables import frame


@metric("decoy-violations")
@dataclass(frozen=True, kw_only=True)
class DecoyViolations(Checked):
    """Violations of what decoys promise, counted from the release and its key.

    At least min-size customers have each item set (or the same rows); every original purchase is
    there, unchanged and under the pseudonym of its customer; every decoy lies in a basket that the
    customer really had.

    Limits: 0 says that the promise is kept, not that it is enough. The key decides which rows count
    as decoys.
    """

    min_size: Annotated[int, Ge(1), Doc("Least number of customers who are equal.")] = 1
    share: Annotated[
        Literal["items", "rows"], Doc("What the customers of a cluster have in common.")
    ] = "items"

    def __call__(self, history: History, release: Release, /, *, seed: int) -> Score:
        found = sum(self.counts(history, release).values())
        return Score("decoy-violations", found, "lower", (0.0, math.inf), release.public.rows)

    def counts(self, history: History, release: Release) -> dict[str, int]:
        """Return how often each promise is broken."""
        kinds = kinds_of_customers(release.public, by=self.share)
        small = kinds.filter(pl.len().over("kind") < self.min_size)
        sources = frame(origins(release))
        changed = CellsChanged()(history, release, seed=0)
        kept = sources.join(history.frame().select(origin=ROW, owner="person"), on="origin")
        names = frame(release.key.pseudonyms).select("person", shown="pseudonym")
        owned = release.public.frame().select(ROW, shown="person").join(names, on="shown")
        moved = kept.join(owned, left_on=[ROW, "owner"], right_on=[ROW, "person"], how="anti")
        broken = {
            "customers in a group that is too small": len(small),
            "original purchases missing": history.rows - len(kept),
            "original purchases under another customer": len(moved),
            "cells of original purchases changed": round(changed.value * changed.n),
        }
        if self.share == "items" and "basket" in release.public.visible:
            rows = release.public.frame().join(sources, on=ROW)
            real = rows.filter(pl.col("origin").is_not_null())
            stray = rows.filter(pl.col("origin").is_null()).join(
                real, on=["person", "basket"], how="anti"
            )
            broken["decoys outside a real basket"] = len(stray)
        return broken
