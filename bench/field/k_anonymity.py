"""k counted in a table, and a table generalized until it has a k."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import numpy as np
import polars as pl

from bench.field.comparing import Comparison, Measured, peer_process
from bench.measuring import core_seconds
from tokumei import History, generate
from tokumei.anonymizers import Generalize
from tokumei.data.census_like import generate_census
from tokumei.history import ROW
from tokumei.metrics.identical_groups import group_sizes
from tokumei.tables import table

TITLE = "k-anonymity"
SECONDS = 0.1
ABOUT = f"""\
pycanon counts the k of a table of records, one for each person; ours counts it in a history,
where a person may have many. anjana generalizes whole columns by levels of given hierarchies
(days, weeks, months, quarters; items by their first characters; prices and quantities by bins)
and may delete 10 % of the records; ours puts records into groups of k by search ({SECONDS}
nominal seconds) and needs no hierarchy. The loss is the normalized certainty penalty, which neither
minimizes: the width of a cell over that of its column, for items the share of the others in the
cell, 1 where it is suppressed or the record deleted. Cells of ours differ from group to group,
which loses less and is harder to tabulate."""

RECORDS = 100_000
CUSTOMERS = 1_000
K = 5
DELETED = 10.0
COLUMNS = ("time", "item", "price", "quantity")
WIDTHS = {"time": (7, 28, 91), "price": (100, 500, 2_000), "quantity": (5, 20, 100)}
PREFIXES = (3, 2)


def comparisons() -> list[Comparison]:
    records = f"generated census, {RECORDS:,} records x 2"
    people = f"generated shop, a purchase of each of {CUSTOMERS:,} customers"
    return [
        Comparison("count k", records, "pycanon", against_pycanon),
        Comparison(f"generalize to k = {K}", people, "anjana", against_anjana),
    ]


def against_pycanon() -> Measured:
    rows = generate_census(RECORDS, seed=0).select("age", "sex").cast(pl.String)
    numbers = pl.int_range(len(rows), eager=True)
    history = History(table(rows.with_columns(numbers.alias(ROW), person=numbers.cast(pl.String))))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        rows.write_csv(path)
        theirs = peer_process("k_anonymity", "pycanon", str(path), ",".join(rows.columns))
    k = int(group_sizes(history).min())
    ours = core_seconds(lambda: group_sizes(history))
    quality = f"k = {k}, peer {theirs['k']}"
    return Measured(ours, theirs["seconds"], quality, k == theirs["k"])


def against_anjana() -> Measured:
    shop = generate("shop", customers=CUSTOMERS, seed=0)
    history = shop.with_purchases(
        shop.frame().unique("person", keep="first", maintain_order=True).select(
            ROW, "person", *COLUMNS
        )
    )  # fmt: skip
    rows = whole_numbers(history.frame())
    with tempfile.TemporaryDirectory() as folder:
        path, levels = Path(folder) / "table.csv", Path(folder) / "levels.json"
        rows.cast(pl.String).write_csv(path)
        levels.write_text(json.dumps(hierarchies(rows)))
        words = ("anjana", str(path), ",".join(COLUMNS), str(levels), str(K), str(DELETED))
        theirs = peer_process("k_anonymity", *words)
        made = pl.read_csv(path.with_name("made.csv"), infer_schema=False).select(COLUMNS)
    method = Generalize(k=K, seconds=SECONDS)
    Generalize(k=K, seconds=0.01)(history, seed=0)  # compiles
    found: list[History] = []
    ours = core_seconds(lambda: found.append(method(history, seed=0)), repeat=1)
    groups = group_sizes(found[0])
    theirs_k = made.group_by(COLUMNS).len()["len"].min()
    losses = penalty(widths_of_cells(found[0].frame()), rows), penalty(widths_of_texts(made), rows)
    deleted = 1 - len(made) / len(rows)
    quality = (
        f"k = {groups.min()}, loss {losses[0]:.3f}; peer k = {theirs_k}, loss {losses[1]:.3f}, "
        f"{deleted:.1%} deleted"
    )
    return Measured(ours, theirs["seconds"], quality, bool(groups.min() >= K))


def whole_numbers(rows: pl.DataFrame) -> pl.DataFrame:
    """Return days, items, hundredths and pieces."""
    return rows.select(
        pl.col("time").dt.date().cast(pl.Int32).cast(pl.Int64),
        "item",
        (pl.col("price") * 100).round().cast(pl.Int64),
        pl.col("quantity").cast(pl.Int64),
    )


def hierarchies(rows: pl.DataFrame) -> dict[str, dict[int, list[str]]]:
    """Return for each column the values, what each becomes at every level, and at last `*`."""
    found: dict[str, dict[int, list[str]]] = {}
    for name in COLUMNS:
        values = rows[name].unique().sort().to_list()
        if name == "item":
            levels = [[value[:size] for value in values] for size in PREFIXES]
        else:
            levels = [
                [f"{value - value % width};{value - value % width + width - 1}" for value in values]
                for width in WIDTHS[name]
            ]
        all_levels = [[str(value) for value in values], *levels, ["*"] * len(values)]
        found[name] = dict(enumerate(all_levels))
    return found


Widths = dict[str, pl.Series]
"""For every column the width of each cell (for items, how many they are), null where suppressed."""


def widths_of_cells(rows: pl.DataFrame) -> Widths:
    """Read generalized cells of ours; an exact one has the width 0, or is one item."""

    def width(name: str) -> pl.Series:
        ends = rows[name].struct.unnest()
        if name == "time":
            return (ends["hi"].dt.date() - ends["lo"].dt.date()).dt.total_days()
        return (ends["hi"] - ends["lo"]) * (100 if name == "price" else 1)

    return {name: rows[name].list.len() if name == "item" else width(name) for name in COLUMNS}


def widths_of_texts(rows: pl.DataFrame) -> Widths:
    """Read what the hierarchies wrote; an item cell holds all items that begin like it."""
    found = {}
    for name in ("time", "price", "quantity"):
        ends = rows[name].str.split_exact(";", 1).struct.unnest()
        low, high = (ends[end].cast(pl.Int64, strict=False) for end in ends.columns)
        found[name] = high.fill_null(low) - low
    found["item"] = rows["item"]
    return found


def penalty(widths: Widths, rows: pl.DataFrame) -> float:
    """Return the mean normalized certainty penalty over all cells of the original."""
    total = 0.0
    for name, cells in widths.items():
        if name == "item":
            items = rows["item"].unique()
            if cells.dtype == pl.String:
                beginnings = {text: items.str.starts_with(text).sum() for text in cells.unique()}
                sizes = cells.replace_strict(beginnings, return_dtype=pl.Int64)
                cells = sizes.set(cells == "*", None)
            shares = (cells - 1) / (len(items) - 1)
        else:
            shares = cells / (rows[name].max() - rows[name].min())
        lost = shares.fill_null(1.0).clip(0, 1).to_numpy()
        total += float(np.sum(lost)) + len(rows) - len(cells)
    return total / (len(rows) * len(COLUMNS))
