"""Tables as plain arrays: what an attacker reads out of a published file and out of an original."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property

import numpy as np
import polars as pl
from by_hand import Noise

from tokumei import History
from tokumei.tables import frame

EPOCH = date(1970, 1, 1).toordinal()
ROLES = ("row", "person", "item", "time", "price", "quantity", "basket")


@dataclass(frozen=True)
class Rows:
    """The rows of a table: the owner of each as a number, and its cells."""

    names: list[str]
    owner: np.ndarray
    items: list[frozenset[str] | None] | None
    """The items that a row can be of; None where it can be any."""
    low: dict[str, np.ndarray]
    high: dict[str, np.ndarray]
    """The ends of day, price and quantity, in days since 1970, and as they are."""
    minute: np.ndarray | None
    basket: np.ndarray | None
    others: dict[str, np.ndarray]
    attributes: dict[str, list[tuple[str, ...]]]
    listed: np.ndarray
    """The owners in the order of the customers table."""

    @cached_property
    def counts(self) -> np.ndarray:
        return np.bincount(self.owner, minlength=len(self.names)).astype(float)

    @cached_property
    def month(self) -> np.ndarray:
        """The first month of each owner."""
        first = np.full(len(self.names), np.inf)
        np.minimum.at(first, self.owner, self.low["day"])
        return np.array([date.fromordinal(int(day) + EPOCH).strftime("%Y-%m") for day in first])

    def only(self, kept: np.ndarray) -> Rows:
        """Return some of the rows."""
        places = np.flatnonzero(kept)
        return replace(
            self,
            owner=self.owner[places],
            items=None if self.items is None else [self.items[place] for place in places],
            low={name: ends[places] for name, ends in self.low.items()},
            high={name: ends[places] for name, ends in self.high.items()},
            minute=None if self.minute is None else self.minute[places],
            basket=None if self.basket is None else self.basket[places],
            others={name: cells[places] for name, cells in self.others.items()},
        )

    def of(self, people: np.ndarray) -> Rows:
        """Return the rows of some owners, who are numbered anew."""
        rows = self.only(np.isin(self.owner, people))
        number = np.full(len(self.names), -1)
        number[people] = np.arange(len(people))
        return replace(
            rows,
            names=[self.names[person] for person in people],
            owner=number[rows.owner],
            attributes={
                name: [cells[person] for person in people]
                for name, cells in self.attributes.items()
            },
            listed=number[self.listed][number[self.listed] >= 0],
        )


@dataclass(frozen=True)
class View:
    """All that an attacker has."""

    public: Rows
    known: Rows
    noise: Noise
    monthly: bool = False

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.public.names), len(self.known.names)


def rows_of(history: History) -> Rows:
    """Read a history into arrays."""
    rows = history.frame().sort("row")
    people = None if history.customers is None else frame(history.customers)
    listed = [] if people is None else people["person"].to_list()
    names = sorted({*rows["person"], *listed})
    places = {name: place for place, name in enumerate(names)}
    low, high = {}, {}
    for role, name in (("time", "day"), ("price", "price"), ("quantity", "quantity")):
        if role in rows.columns:
            low[name], high[name] = (_numbers(_end(rows[role], end)) for end in ("lo", "hi"))
    others = [name for name in rows.columns if name not in ROLES]
    return Rows(
        names=names,
        owner=np.array([places[name] for name in rows["person"]], dtype=np.int64),
        items=_items(rows["item"]) if "item" in rows.columns else None,
        low=low,
        high=high,
        minute=_minutes(rows["time"]) if "time" in rows.columns else None,
        basket=rows["basket"].fill_null("").to_numpy() if "basket" in rows.columns else None,
        others={name: rows[name].cast(pl.String).fill_null("").to_numpy() for name in others},
        attributes={} if people is None else _attributes(people, names),
        listed=np.array([places[name] for name in listed], dtype=np.int64),
    )


def _end(cells: pl.Series, end: str) -> pl.Series:
    return cells.struct.field(end) if isinstance(cells.dtype, pl.Struct) else cells


def _numbers(cells: pl.Series) -> np.ndarray:
    if cells.dtype.is_temporal():
        cells = cells.cast(pl.Date).to_physical()
    return cells.cast(pl.Float64).fill_null(float("nan")).to_numpy()


def _minutes(cells: pl.Series) -> np.ndarray | None:
    cells = _end(cells, "lo")
    if not isinstance(cells.dtype, pl.Datetime):
        return None
    seconds = (cells - cells.dt.truncate("1d")).dt.total_seconds()
    if not (seconds.fill_null(0) > 0).any():
        return None
    return (seconds.cast(pl.Float64).fill_null(float("nan")) / 60).to_numpy()


def _items(cells: pl.Series) -> list[frozenset[str] | None]:
    if isinstance(cells.dtype, pl.List):
        return [None if cell is None else frozenset(cell) for cell in cells.to_list()]
    return [None if cell is None else frozenset((cell,)) for cell in cells.to_list()]


def _attributes(people: pl.DataFrame, names: list[str]) -> dict[str, list[tuple[str, ...]]]:
    result = {}
    for name in people.columns:
        if name != "person":
            cells: dict[str, list[str]] = {}
            for person, cell in zip(people["person"], people[name].to_list(), strict=True):
                cells.setdefault(person, []).append(str(cell))
            result[name] = [tuple(sorted(cells.get(person, []))) for person in names]
    return result
