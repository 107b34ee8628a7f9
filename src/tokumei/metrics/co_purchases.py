"""How alike items are by who bought them: what item-based recommendation runs on."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl

from tokumei.history import History

Ints = npt.NDArray[np.int64]


def distance(before: pl.DataFrame, after: pl.DataFrame, items: pl.Series) -> tuple[float, int]:
    """Compare the cosines of items by two tables of person, item, score, and count their pairs.

    Scores are whole numbers above zero. The distance is the sum of differences over all pairs of
    items that share a person in `before`, as a share of the sum of their cosines there. A pair
    counts once here and twice in the contest (in both orders), which no ratio can tell.
    """
    from tokumei.itemsets.cosines import compare

    changed, total, pairs = compare(_by_person(before, items), _by_person(after, items), len(items))
    return (min(1.0, changed / total) if pairs else 0.0), pairs


def _by_person(scores: pl.DataFrame, items: pl.Series) -> tuple[Ints, Ints, Ints]:
    """Return where each person's row starts, and the items by number, with their scores."""
    number = pl.col("item").cast(pl.Enum(items)).to_physical().cast(pl.Int64)
    rows = scores.select("person", number, pl.col("score").cast(pl.Int64)).sort("person", "item")
    ends = rows["person"].rle().struct.field("len").cum_sum().cast(pl.Int64).to_numpy()
    return np.append(0, ends), rows["item"].to_numpy(), rows["score"].to_numpy()


def most_bought(history: History, items: pl.Series, k: int) -> pl.Series:
    """Return the k items with the most users; of equal ones those with the largest names."""
    users = history.frame().select("person", "item").unique().group_by("item").len("users")
    ranked = items.to_frame("item").join(users, on="item", how="left")
    return ranked.with_columns(pl.col("users").fill_null(0)).sort("users", "item", descending=True)[
        "item"
    ][:k]


def known_items(history: History) -> pl.Series:
    """Return the items of the original, in order; a suppressed item is none."""
    return history.frame()["item"].drop_nulls().unique().sort()
