"""Generalized cells have types, not text.

| cell | in the table | text at the edge |
|---|---|---|
| exact | the plain value | `2.10` |
| interval | a struct (lo, hi) | `[1.83;2.96]` |
| set | a list | `{20685;85194L}` |
| suppressed | null | `*` |

A column in which some cell is an interval holds intervals throughout (an exact value x is lo = hi =
x), likewise for sets. The text forms are those of PWSCUP 2018.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import polars as pl

from tokumei.errors import SchemaError

SUPPRESSED = "*"
HUNDREDTHS = 100
Kind = Literal["exact", "interval", "set"]
Convert = Callable[[pl.Series], pl.Series]
"""Turns a column of texts into values (null where a text is none), or values into texts."""


def kind(dtype: pl.DataType) -> Kind:
    """Return what the cells of a column of this type are."""
    if isinstance(dtype, pl.Struct):
        return "interval"
    return "set" if isinstance(dtype, pl.List) else "exact"


def low(cells: pl.Series) -> pl.Series:
    """Return the lower ends of intervals, and exact values as they are."""
    return cells.struct.field("lo") if kind(cells.dtype) == "interval" else cells


def high(cells: pl.Series) -> pl.Series:
    """Return the upper ends of intervals, and exact values as they are."""
    return cells.struct.field("hi") if kind(cells.dtype) == "interval" else cells


def intervals(lo: pl.Series, hi: pl.Series) -> pl.Series:
    """Make interval cells; where an end is null the cell is suppressed."""
    whole = lo.is_not_null() & hi.is_not_null()
    ends = pl.DataFrame({"lo": lo, "hi": hi, "whole": whole})
    return ends.select(pl.when("whole").then(pl.struct("lo", "hi")).alias(lo.name)).to_series()


def widened(cells: pl.Series, to: str) -> pl.Series:
    """Return exact cells as intervals or sets that hold one value each."""
    if kind(cells.dtype) != "exact" or to == "exact":
        return cells
    if to == "interval":
        return intervals(cells, cells)
    single = pl.when(pl.col(cells.name).is_not_null()).then(pl.concat_list(cells.name))
    return cells.to_frame().select(single.alias(cells.name)).to_series()


def deviation(values: pl.Series) -> float:
    """Return the standard deviation of a column in days, hundredths or pieces; items have none."""
    if values.dtype == pl.String:
        return 0.0
    return float(units(values).std(ddof=0) or 0.0)  # type: ignore[arg-type]


def units(values: pl.Series) -> pl.Series:
    """Return whole numbers: days, hundredths of a price, pieces."""
    if values.dtype.is_temporal():
        return values.cast(pl.Date).to_physical().cast(pl.Int64)
    if values.dtype.is_float():
        return (values * HUNDREDTHS).round().cast(pl.Int64)
    return values.cast(pl.Int64)


def covers(cells: pl.Series, truth: pl.Series) -> pl.Series:
    """Tell for every cell whether the true value lies in it; a suppressed cell covers all."""
    data = pl.DataFrame({"cell": cells, "truth": truth})
    match kind(cells.dtype):
        case "interval":
            inside = pl.col("truth").is_between(_numbers(low(cells)), _numbers(high(cells)))
        case "set":
            inside = pl.col("cell").list.contains(pl.col("truth"))
        case "exact":
            inside = pl.col("cell") == pl.col("truth")
    return data.select(inside.fill_null(pl.col("cell").is_null())).to_series()


def _numbers(ends: pl.Series) -> pl.Series:
    """Return ends of intervals, null where one is NaN: to polars it would be the largest number."""
    return ends.fill_nan(None) if ends.dtype.is_float() else ends


def exactly(cells: pl.Series, truth: pl.Series) -> pl.Series:
    """Tell for every cell whether it says the true value and nothing else."""
    match kind(cells.dtype):
        case "interval":
            narrow = low(cells) == high(cells)
        case "set":
            narrow = cells.list.len() == 1
        case "exact":
            return cells.eq_missing(truth)
    return (narrow & covers(cells, truth)).fill_null(value=False)


def plain(cells: pl.Series) -> pl.Series:
    """Return the value of every cell that says one value and nothing else, null elsewhere."""
    match kind(cells.dtype):
        case "interval":
            same = (low(cells) == high(cells)).fill_null(value=False)
            return low(cells).set(~same, None).alias(cells.name)
        case "set":
            single = cells.list.len() == 1
            return cells.list.first().set(~single.fill_null(value=False), None)
        case "exact":
            return cells


def parse(
    texts: pl.Series, read: Convert, *, of: Kind | None = None
) -> tuple[pl.Series, pl.Series]:
    """Read a column of contest texts; with `of`, its cells are exact, suppressed or of that kind.

    `read` turns exact texts into values. Returned beside the cells: which rows are not well formed
    (no value, an interval whose ends are in the wrong order, an empty set).
    """
    suppressed = (texts == SUPPRESSED).fill_null(value=False)
    braces = texts.str.starts_with("{") & texts.str.ends_with("}") & (of in (None, "set"))
    brackets = texts.str.starts_with("[") & texts.str.ends_with("]") & (of in (None, "interval"))
    if braces.any() and brackets.any():
        raise SchemaError(
            f"Column {texts.name} mixes intervals [lo;hi] and sets {{a;b}}; it may hold one kind."
        )
    if braces.any():
        cells = _sets(texts, braces)
        bad = cells.list.eval(pl.element() == "").list.any().fill_null(value=False)
    elif brackets.any():
        inner = texts.str.slice(1, texts.str.len_chars() - 2)
        ends = inner.str.splitn(";", 2)
        low_text = ends.struct[0].zip_with(brackets, texts)
        high_text = ends.struct[1].zip_with(brackets, texts)
        lo, hi = _numbers(read(low_text)), _numbers(read(high_text))
        cells = intervals(lo.alias(texts.name), hi)
        bad = (lo > hi).fill_null(value=False)
    else:
        cells = read(texts.set(suppressed, None))
        bad = suppressed & False
    unread = cells.is_null() & ~suppressed
    return cells.alias(texts.name), bad | unread


def _sets(texts: pl.Series, braces: pl.Series) -> pl.Series:
    cell = pl.col("texts")
    members = cell.str.slice(1, cell.str.len_chars() - 2).str.split(";")
    single = pl.when(cell != SUPPRESSED).then(pl.concat_list(cell))
    frame = pl.DataFrame({"texts": texts, "braces": braces})
    return frame.select(pl.when("braces").then(members).otherwise(single)).to_series()


def to_text(cells: pl.Series, write: Convert) -> pl.Series:
    """Write cells as contest texts; `write` turns exact values into texts."""
    match kind(cells.dtype):
        case "interval":
            lo, hi = write(low(cells)), write(high(cells))
            wide = "[" + lo + ";" + hi + "]"
            texts = lo.zip_with(low(cells) == high(cells), wide)
        case "set":
            items = cells.list.sort()
            strange = items.explode().str.contains(r"[;{}]")
            if strange.any():
                item = items.explode().filter(strange)[0]
                raise SchemaError(
                    f"An item of a set may not hold any of ; {{ }}; {item!r} in {cells.name} does."
                )
            texts = items.list.first().zip_with(
                items.list.len() == 1, "{" + items.list.join(";") + "}"
            )
        case "exact":
            texts = write(cells)
    return texts.fill_null(SUPPRESSED).alias(cells.name)
