"""How well the release tells what sells."""

from __future__ import annotations

import math
from dataclasses import dataclass

import polars as pl

from tokumei.cells import kind
from tokumei.contracts import Release, Score
from tokumei.history import History
from tokumei.parameters import Checked
from tokumei.registry import metric


@metric("item-count-error", spark="metrics:item_count_error")
@dataclass(frozen=True, kw_only=True)
class ItemCountError(Checked):
    r"""Error of the number of rows of each item, as a share of all rows.

    :math:`\sum_i |c_i - c'_i| / \sum_i c_i` with :math:`c_i` and :math:`c'_i` the rows of item
    :math:`i` in the original and in the release. A set of s items counts 1/s for each.

    Limits: items that customers exchange among each other cost nothing here.
    """

    def __call__(self, history: History, release: Release, /, *, seed: int) -> Score:
        history.require("item", to="compare item counts")
        release_rows = release.public.frame()
        if "item" not in release_rows.columns:
            release_rows = pl.DataFrame({"item": []}, schema={"item": pl.String})
        before, after = _counts(history.frame()), _counts(release_rows)
        both = before.join(after, on="item", how="full", coalesce=True, suffix="_after")
        error = (both["count"].fill_null(0) - both["count_after"].fill_null(0)).abs().sum()
        value = round(float(error) / history.rows, 12)
        return Score("item-count-error", value, "lower", (0.0, math.inf), len(before))


def _counts(rows: pl.DataFrame) -> pl.DataFrame:
    items = rows.select("item", count=pl.lit(1.0))
    if kind(rows["item"].dtype) == "set":
        items = items.with_columns(count=1.0 / pl.col("item").list.len()).explode("item")
    return items.drop_nulls("item").group_by("item").agg(pl.col("count").sum())
