"""From cells as they come to typed columns; what is not well formed is said by row and column."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import date

import polars as pl

from tokumei.cells import high, low
from tokumei.errors import SchemaError, place

log = logging.getLogger(__name__)

LINE = "_line"
"""While reading: the line of the file, so that errors can name it."""

TIME_FORMATS = (
    "%Y-%m-%dT%H:%M:%S%.f",
    "%Y-%m-%dT%H:%M:%S%.fZ",
    "%Y-%m-%d %H:%M:%S%.f",
    "%Y-%m-%d %H:%M",
    "%Y-%m-%d",
    "%Y/%m/%d %H:%M:%S",
    "%Y/%m/%d %H:%M",
    "%Y/%m/%d",
    "%Y%m%d",
    "%Y年%m月%d日",
    "%m/%d/%Y %H:%M",
    "%m/%d/%Y",
    "%d/%m/%Y %H:%M",
    "%d/%m/%Y",
)


def fail(rows: pl.DataFrame, bad: pl.Series, column: str, name: str, rule: str) -> None:
    """Raise a SchemaError for the bad rows, if there are any."""
    if not bad.any():
        return
    lines = rows.filter(bad)[LINE].to_list()
    value = rows.filter(bad)[column][0]
    raise SchemaError(f"{rule}, not {_shown(value)} ({place(lines, name)}).")


def _shown(value: object) -> str:
    match value:
        case None:
            return "empty"
        case {"lo": lo, "hi": hi}:
            return f"[{lo};{hi}]"
    return repr(value)


def ids(cells: pl.Series) -> pl.Series:
    """Read customers, items and baskets: text as it is, whole numbers without a decimal point."""
    if cells.dtype.is_float():
        whole = cells.cast(pl.Int64, strict=False)
        return (whole if (whole == cells).all() else cells).cast(pl.String)
    if cells.dtype != pl.String:
        return cells.cast(pl.String)
    from_floats = cells.str.contains(r"^\d+\.0$").all() and cells.count() > 0
    return cells.str.strip_suffix(".0") if from_floats else cells


def times(cells: pl.Series) -> pl.Series:
    """Read dates and times; null where a text is neither."""
    if cells.dtype == pl.Date:
        return cells
    if isinstance(cells.dtype, pl.Datetime):
        return cells.dt.replace_time_zone(None).dt.cast_time_unit("us")
    texts = cells.cast(pl.String)
    # Not the first ones: in a file in order of time, 1/12/2010 tells days from months too late.
    some = texts.drop_nulls().unique(maintain_order=True)
    some = some.gather_every(max(1, len(some) // 2_000))
    shape = max(TIME_FORMATS, key=lambda fmt: _read_time(some, fmt).count())
    log.debug("times of column %s are read as %s", cells.name, shape)
    return _read_time(texts, shape)


def _read_time(texts: pl.Series, shape: str) -> pl.Series:
    if "%H" in shape:
        found = texts.str.to_datetime(shape, strict=False, time_unit="us")
    else:
        found = texts.str.to_date(shape, strict=False)
    return found.set(found.dt.year() < 1000, None)  # 12/1/10 is not the year 12


def prices(cells: pl.Series) -> pl.Series:
    """Read prices; null where a text is no number."""
    return cells.cast(pl.Float64, strict=False)


def quantities(cells: pl.Series) -> pl.Series:
    """Read quantities; null where a text is no whole number."""
    whole = cells.cast(pl.Int64, strict=False)
    if whole.null_count() == 0:
        return whole if not cells.dtype.is_float() else whole.set(whole != cells, None)
    numbers = cells.cast(pl.Float64, strict=False)
    rounded = numbers.set(~numbers.is_finite(), None).cast(pl.Int64, strict=False)
    return rounded.set((rounded != numbers).fill_null(value=True), None)


UNREADABLE = (pl.Binary, pl.Duration, pl.Object)
READERS: dict[str, tuple[Callable[[pl.Series], pl.Series], str]] = {
    "person": (ids, "Every purchase needs a customer"),
    "item": (ids, "Every purchase needs an item"),
    "time": (times, "A time must be a date such as 2011-02-28 or 2011/2/28 13:05"),
    "price": (prices, "A price must be a number"),
    "quantity": (quantities, "A quantity must be a whole number"),
    "basket": (ids, "Every purchase needs a basket"),
}


def read_role(rows: pl.DataFrame, role: str, name: str) -> pl.DataFrame:
    """Give a role column its type; empty cells and amounts out of range are judged later."""
    read, rule = READERS[role]
    cells = rows[role]
    if not has_texts(cells.dtype) or _no_amounts(role, cells.dtype):
        raise SchemaError(f"{rule}; column {name} holds values of type {cells.dtype}.")
    if cells.dtype in (pl.Categorical, pl.Enum):
        cells = cells.cast(pl.String)
    if read is ids and cells.dtype.is_float():
        cells = cells.fill_nan(None)
    values = read(cells)
    fail(rows, values.is_null() & cells.is_not_null(), role, name, rule)
    return rows.with_columns(values.alias(role))


def has_texts(dtype: pl.DataType) -> bool:
    """Tell whether values of a type can be written as text."""
    return not dtype.is_nested() and dtype not in UNREADABLE


def _no_amounts(role: str, dtype: pl.DataType) -> bool:
    return role in ("price", "quantity") and (dtype.is_temporal() or dtype == pl.Boolean)


def check_roles(
    rows: pl.DataFrame,
    name: Callable[[str], str],
    *,
    period: tuple[date, date] | None = None,
    generalized: bool = False,
) -> None:
    """Raise a SchemaError unless role columns are in range and, if not generalized, complete."""
    for role, (_, rule) in READERS.items():
        if role in rows.columns and not (generalized and role != "person"):
            fail(rows, rows[role].is_null(), role, name(role), rule)
    for role, drop in (("price", "free"), ("quantity", "returns")):
        if role in rows.columns:
            least, most = low(rows[role]), high(rows[role])
            endless = ~(least.is_finite() & most.is_finite())
            fail(rows, endless, role, name(role), f"A {role} must be a finite number")
            rule = f"A {role} must be above zero (the rule '{drop}' drops such rows)"
            fail(rows, least <= 0, role, name(role), rule)
    if period is not None and "time" in rows.columns:
        first, last = period
        outside = (low(rows["time"]).dt.date() < first) | (high(rows["time"]).dt.date() > last)
        rule = f"A time must lie in the period {first} to {last}"
        texts = low(rows["time"]).cast(pl.String).str.strip_suffix(".000000")
        shown = rows.with_columns(texts.alias("time"))
        fail(shown, outside, "time", name("time"), rule)
