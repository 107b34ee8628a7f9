"""The rows that a release kept, beside what they were."""

from __future__ import annotations

from collections.abc import Sequence

import narwhals as nw
import polars as pl

from tokumei.contracts import Release
from tokumei.history import ROW, History
from tokumei.tables import frame

TRUE = "{}/true"
"""The name of a column as it was in the original."""


def kept_rows(history: History, release: Release, columns: Sequence[str]) -> pl.DataFrame:
    """Return the kept rows, in the order of the original, with these columns now and before."""
    truth = history.purchases.select(ROW, *columns).rename(
        {ROW: "origin"} | {name: TRUE.format(name) for name in columns}
    )
    pairs = (
        release.public.purchases.select(ROW, *columns)
        .join(release.origins().filter(~nw.col("origin").is_null()), on=ROW, how="inner")
        .join(truth, on="origin", how="inner")
    )
    return frame(pairs).sort("origin")
