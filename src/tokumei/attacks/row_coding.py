"""Released and known rows in whole numbers, for the loops that compare them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from tokumei.attacks.naming import people, pseudonyms
from tokumei.cells import high, kind, low, widened
from tokumei.contracts import Challenge
from tokumei.errors import SchemaError
from tokumei.history import History

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

UNTOLD = -(2**31)
"""A suppressed cell."""
ROW_PAIRS = 2**23
"""About so many pairs of rows are compared at most; of a large bucket, those nearest in time."""


class Released(NamedTuple):
    """The released rows, sorted by pseudonym."""

    first: Ints
    """Where the rows of each pseudonym begin, and the end of all."""
    starts: Ints
    """Where the buckets of each row begin in `buckets`, and the end of all."""
    buckets: Ints
    """The buckets of known rows that may be a row's origin: its items, or all rows."""
    rarity: Floats
    """One over the share of the known rows that are in a row's buckets."""
    low: Ints
    """The lower ends of each row's cells; the first column is the time."""
    high: Ints
    """The upper ends."""


class Known(NamedTuple):
    """The known rows, in buckets: one for each item, and one of all rows."""

    begin: Ints
    """Where each bucket begins in `rows` and `times`, and the end of all."""
    rows: Ints
    """The rows of each bucket, sorted by time."""
    times: Ints
    """Their times."""
    owner: Ints
    """The person of each row."""
    counts: Ints
    """The number of rows of each person."""
    cells: Ints
    """The cells of each row; the first column is the time."""
    nearest: int
    """How many rows of a bucket are compared at most."""


def coded(challenge: Challenge) -> tuple[pl.Series, pl.Series, Released, Known]:
    """Return the pseudonyms and the persons that have rows, and the rows of both."""
    numbers, items = _shared(challenge.release, challenge.known)
    (targets, released), (persons, owned) = (
        _asked(history.frame(), asked)
        for history, asked in (
            (challenge.release, pseudonyms(challenge)),
            (challenge.known, people(challenge)),
        )
    )
    names = owned["item"].drop_nulls().unique().sort() if items else pl.Series([], dtype=pl.String)
    columns = [_cells(released, owned, name) for name in numbers]
    lows, highs, cells = (np.column_stack(parts) for parts in zip(*columns, strict=True))
    item = _codes(owned["item"], names) if items else np.full(len(owned), -1)
    begin, rows = _in_buckets(item, cells, owned["_who"].to_numpy(), len(names))
    counts, buckets = _candidates(released, names, items=items)
    share = np.diff(begin) / max(len(owned), 1)
    row = np.repeat(np.arange(len(released)), counts)
    rarity = 1 / np.maximum(np.bincount(row, share[buckets], len(released)), 1 / max(len(owned), 1))
    who = released["_who"].to_numpy()
    # In an order that does not depend on that of the file, so that sums repeat to the last digit.
    order = np.lexsort((*highs.T, *lows.T, rarity, who))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return (
        targets,
        persons,
        Released(
            first=np.searchsorted(who[order], np.arange(len(targets) + 1)),
            starts=np.concatenate([[0], np.cumsum(counts[order])]),
            buckets=buckets[np.lexsort((buckets, place[row]))],
            rarity=rarity[order],
            low=np.ascontiguousarray(lows[order]),
            high=np.ascontiguousarray(highs[order]),
        ),
        Known(
            begin=begin,
            rows=rows,
            times=cells[rows, 0],
            owner=owned["_who"].to_numpy(),
            counts=np.bincount(owned["_who"].to_numpy(), minlength=len(persons)),
            cells=np.ascontiguousarray(cells),
            nearest=_most(np.diff(begin)[buckets]),
        ),
    )


def _shared(release: History, known: History) -> tuple[list[str], bool]:
    """Return the columns of numbers that can be compared, and whether items can.

    The time comes first, also where it cannot be compared.
    """
    schemas = [history.frame().schema for history in (release, known)]
    both = [
        name
        for name in ("time", "item", "price", "quantity")
        if all(name in schema for schema in schemas) and kind(schemas[1][name]) == "exact"
    ]
    numbers = [name for name in both if name != "item" and kind(schemas[0][name]) != "set"]
    if not numbers and "item" not in both:
        raise SchemaError("To compare rows, release and knowledge must share a column.")
    clock = ["clock"] if "time" in numbers and _timed(release) and _timed(known) else []
    return ["time", *(name for name in numbers if name != "time"), *clock], "item" in both


def _timed(history: History) -> bool:
    """Tell whether times of the day differ."""
    times = low(history.frame()["time"])
    return isinstance(times.dtype, pl.Datetime) and times.dt.time().n_unique() > 1


def _asked(rows: pl.DataFrame, asked: pl.Series) -> tuple[pl.Series, pl.DataFrame]:
    """Return who of those asked about has rows, and these rows, each with a number in _who."""
    names = asked.filter(asked.is_in(rows["person"].unique().implode())).unique().sort()
    rows = rows.filter(pl.col("person").is_in(names.implode()))
    return names, rows.with_columns(_who=pl.Series(_codes(rows["person"], names)))


def _codes(values: pl.Series, names: pl.Series) -> Ints:
    codes = values.cast(pl.Enum(names)).to_physical().cast(pl.Int64)
    return codes.fill_null(-1).to_numpy()


def _cells(released: pl.DataFrame, owned: pl.DataFrame, name: str) -> tuple[Ints, Ints, Ints]:
    """Return lower ends, upper ends and known values of a column."""
    column = "time" if name == "clock" else name
    comparable = column in owned.columns and kind(owned.schema[column]) == "exact"
    if not comparable or column not in released.columns or kind(released.schema[column]) == "set":
        nothing = np.full(len(released), UNTOLD)
        return nothing, nothing, np.full(len(owned), UNTOLD)
    lows, highs, values = (
        _whole(cells, name)
        for cells in (low(released[column]), high(released[column]), owned[column])
    )
    if name == "clock":
        # Past midnight there is no lower end: where the ends differ, nothing is told.
        lows = highs = np.where(lows == highs, lows, UNTOLD)
    return lows, highs, values


def _whole(values: pl.Series, name: str) -> Ints:
    """Return days, minutes of the day, or thousandths of the logarithm of an amount."""
    if name == "clock":
        whole = values.dt.hour().cast(pl.Int64) * 60 + values.dt.minute()
    elif values.dtype.is_temporal():
        whole = values.cast(pl.Date).to_physical().cast(pl.Int64)
    else:
        # Like 1,000 ln(200 x), and defined for all numbers.
        amounts = values.cast(pl.Float64).fill_nan(None)
        whole = ((amounts * 100).arcsinh() * 1000).round().cast(pl.Int64)
    return whole.fill_null(UNTOLD).to_numpy()


def _in_buckets(item: Ints, cells: Ints, who: Ints, items: int) -> tuple[Ints, Ints]:
    """Return where buckets begin, and their rows: by item and time, then all rows by time."""
    order = np.lexsort((*cells.T[::-1], who))
    by_time = order[np.argsort(cells[order, 0], kind="stable")]
    by_item = by_time[np.argsort(item[by_time], kind="stable")]
    by_item = by_item[item[by_item] >= 0]
    begin = np.searchsorted(item[by_item], np.arange(items + 1))
    return (
        np.append(begin, len(by_item) + len(by_time)),
        np.concatenate([by_item, by_time]),
    )


def _candidates(released: pl.DataFrame, names: pl.Series, *, items: bool) -> tuple[Ints, Ints]:
    """Return how many buckets each released row has, and which: its items', or that of all rows."""
    n = len(released)
    if not items:
        return np.ones(n, dtype=np.int64), np.full(n, len(names))
    sets = released.select(item=widened(released["item"], "set").list.unique())
    sets = sets.with_row_index("_row")
    codes = pl.DataFrame({"item": names, "_bucket": np.arange(len(names))})
    told = sets.explode("item").join(codes, on="item").select("_row", "_bucket")
    anything = sets.filter(pl.col("item").is_null()).select("_row", _bucket=pl.lit(len(names)))
    found = pl.concat([told, anything.cast(told.schema)]).sort("_row", "_bucket")
    return np.bincount(found["_row"].to_numpy(), minlength=n), found["_bucket"].to_numpy()


def _most(sizes: Ints) -> int:
    """Return how many rows of each bucket can be compared within ROW_PAIRS."""
    most = int(sizes.max(initial=1))
    while most > 1 and np.minimum(sizes, most).sum() > ROW_PAIRS:
        most //= 2
    return most
