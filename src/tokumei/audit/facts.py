"""What the original tells of each customer: whatever a rule for naming them could be made from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import overload

import numpy as np
import polars as pl

from tokumei.audit.link_orders import text_orders
from tokumei.audit.orders import Values
from tokumei.cells import kind, low
from tokumei.history import ROW, History
from tokumei.tables import frame

DATES: tuple[str, ...] = (
    *("%Y-%m-%d", "%Y%m%d", "%y%m%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%Y/%m/%d"),
    *("%d%m%Y", "%m%d%Y", "%d%m%y", "%m%d%y"),
)
TIMES: tuple[str, ...] = (
    *("%Y-%m-%d %H:%M:%S", "%Y-%m-%d", "%Y-%m-%dT%H:%M:%S", "%Y%m%d", "%Y%m%d%H%M%S"),
    *("%Y-%m-%d %H:%M", "%Y%m%d%H%M", "%s"),
)
"""How times are commonly written."""
JOINED_DATES = 4
"""How many of them are tried where a date is joined with something else."""
PARTS = ("%Y", "%y", "%m", "%d", "%y%m", "%H")
"""What a code often has of a time."""
SEPARATORS = ("", "-", "_", ":", "|", "/", " ", ",")
MOST_JOINED = 6
"""Of how many attributes pairs are tried."""
PAIR, FEW = 2, 4
"""Of how many attributes, with the id, threes are tried as well."""
ENDS = ("time, first", "item, first", "time, last", "basket, first")
"""The purchases that are tried together with an id, and with each other."""


@dataclass(frozen=True)
class Fact:
    """Something about every customer, in the ways in which it may be written."""

    label: str
    texts: tuple[tuple[str, ...], ...]
    """All customers' texts, for each way of writing; empty where nothing is known."""
    orders: tuple[Values, ...]
    """A number for each customer, by which they can be sorted, in one way or another."""
    classes: tuple[tuple[str, ...], ...]
    """What many customers may have in common."""
    dated: bool
    """Whether it is a time, of which the first texts are the usual ways to write one."""
    own: bool
    """Whether it is in the customers table, or is the id, so that it is joined with others."""


@dataclass(frozen=True)
class Joined(Sequence[str]):
    """Texts of customers, joined where they are asked for: most are asked for a few only."""

    columns: Sequence[Sequence[str]]
    between: str

    def __len__(self) -> int:
        return len(self.columns[0])

    @overload
    def __getitem__(self, at: int) -> str: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[str]: ...

    def __getitem__(self, at: int | slice) -> str | Sequence[str]:
        if isinstance(at, slice):
            return Joined([column[at] for column in self.columns], self.between)
        return self.between.join([column[at] for column in self.columns])


def facts_of(original: History, persons: pl.Series) -> list[Fact]:
    """Return the ids, attributes and purchases of these customers as facts, in their order."""
    known = _known(original)
    found = pl.DataFrame({"person": persons}).join(
        known, on="person", how="left", maintain_order="left"
    )
    attributes = [] if original.customers is None else frame(original.customers).columns
    own = {"person", *attributes}
    return [_fact(found[name], own=name in own) for name in found.columns]


def joined(facts: list[Fact]) -> Iterator[tuple[str, Joined]]:
    """Return facts that are joined to one text, in any order, with what may stand between."""
    for chosen in _together(facts):
        label = " + ".join(fact.label for fact in chosen)
        for way in range(JOINED_DATES if any(fact.dated for fact in chosen) else 1):
            columns = [fact.texts[way if fact.dated else 0] for fact in chosen]
            for between in SEPARATORS:
                yield label, Joined(columns, between)


def _together(facts: list[Fact]) -> Iterator[Sequence[Fact]]:
    """Return two or three attributes, all of them, and the id with the first and last purchase."""
    own = [fact for fact in facts if fact.own][: MOST_JOINED + 1]
    yield from permutations(own, PAIR)
    if len(own) <= FEW:
        yield from permutations(own, PAIR + 1)
    if len(own) > PAIR:
        yield own
        yield own[1:]
    ends = [fact for fact in facts if fact.label in ENDS]
    for fact in ends:
        yield from permutations([*own[:1], fact])
    yield from permutations(ends, PAIR)


def _known(original: History) -> pl.DataFrame:
    """Return one line for each customer: attributes, and what a rule would take of purchases."""
    rows = original.frame()
    bought = rows.with_columns(_plain(rows[name]) for name in rows.columns if name != "person")
    by_time = bought.sort("time", ROW) if "time" in bought.columns else bought.sort(ROW)
    described = by_time.group_by("person", maintain_order=True).agg(*_measures(bought))
    if original.customers is None:
        return described
    listed = frame(original.customers).with_columns(
        _plain(frame(original.customers)[name])
        for name in frame(original.customers).columns
        if name != "person"
    )
    places = pl.int_range(pl.len()).alias("place in the customers table")
    return listed.with_columns(places).join(described, on="person", how="full", coalesce=True)


def _plain(cells: pl.Series) -> pl.Series:
    """Return values that can be sorted and written: lower ends, sets as texts, spans as numbers."""
    if kind(cells.dtype) == "set":
        return cells.cast(pl.List(pl.String)).list.sort().list.join(",")
    ends = low(cells)
    if ends.dtype == pl.Binary:
        return ends.bin.encode("hex")
    return ends.to_physical() if ends.dtype == pl.Duration else ends


def _measures(rows: pl.DataFrame) -> Iterator[pl.Expr]:
    yield pl.len().alias("rows")
    yield pl.col(ROW).min().alias("first row")
    yield pl.col(ROW).median().alias("middle row")
    if {"price", "quantity"} <= set(rows.columns):
        yield (pl.col("price") * pl.col("quantity")).sum().alias("price x quantity, sum")
    for name in rows.columns:
        cell, dtype = pl.col(name), rows.schema[name]
        if name in ("person", ROW):
            continue
        yield cell.first().alias(f"{name}, first")
        yield cell.last().alias(f"{name}, last")
        if dtype.is_numeric():
            yield cell.sum().alias(f"{name}, sum")
            yield cell.max().alias(f"{name}, largest")
        elif not dtype.is_temporal():
            yield cell.n_unique().alias(f"{name}, count")
            yield cell.cast(pl.String).mode().sort().first().alias(f"{name}, most frequent")
            for end in (",", ""):
                in_turn = cell.cast(pl.String).drop_nulls()
                yield in_turn.str.join(end).alias(f"{name}, in turn{end}")
                different = cell.cast(pl.String).drop_nulls().unique().sort()
                yield different.str.join(end).alias(f"{name}, all{end}")


def _fact(cells: pl.Series, *, own: bool) -> Fact:
    dtype, times = cells.dtype, _times(cells)
    written: list[pl.Series]
    classes: list[pl.Series]
    if times is not None:
        clocked = bool((times.dt.truncate("1d") != times).any())
        ways = dict.fromkeys((*TIMES, *DATES) if clocked else (*DATES, *TIMES))
        written = [times.dt.to_string(way) for way in ways]
        classes = [times.dt.to_string(way) for way in PARTS]
        classes.append(times.dt.weekday().cast(pl.String))
    elif dtype.is_float():
        written = [cells.cast(pl.String), cells.round(2).map_elements("{:.2f}".format, pl.String)]
        written.append(cells.round().cast(pl.Int64, strict=False).cast(pl.String))
        classes = []
    else:
        written, classes = [cells.cast(pl.String, strict=False)], []
    if dtype == pl.String and times is None:
        text = cells.str.strip_chars()
        written = [cells, *written, text, text.str.to_lowercase(), text.str.to_uppercase()]
        written += [text.str.replace_all(r"\D", ""), text.str.strip_chars_start("0")]
        written.append(text.str.replace_all(r"\D", "").str.strip_chars_start("0"))
        classes.append(text.str.slice(0, 1))
    return Fact(
        "id" if cells.name == "person" else cells.name.rstrip(","),
        _different(written),
        tuple(_orders(cells if times is None else times)),
        _different([cells.cast(pl.String, strict=False), *classes]),
        times is not None,
        own,
    )


def _orders(cells: pl.Series) -> list[Values]:
    if cells.dtype == pl.String:
        return text_orders(cells.fill_null(""))
    return [cells.rank("dense").cast(pl.Float64).fill_null(np.inf).to_numpy()]


def _times(cells: pl.Series) -> pl.Series | None:
    """Return the times in a column, also those that are written as texts."""
    if cells.dtype.is_temporal():
        usable = cells.dtype in (pl.Date, pl.Datetime)
        return cells.cast(pl.Datetime("us")) if usable else None
    if cells.dtype != pl.String:
        return None
    for way in (*DATES[:9], *TIMES[:3:2]):
        read = cells.str.to_datetime(way, strict=False, time_unit="us")
        if read.null_count() == cells.null_count() < len(cells):
            return read
    return None


def _different(columns: list[pl.Series]) -> tuple[tuple[str, ...], ...]:
    texts = (tuple(column.fill_null("").to_list()) for column in columns)
    return tuple(dict.fromkeys(texts))
