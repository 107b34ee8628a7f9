"""The numbers of the legal page, counted from the original, the release and its key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import polars as pl

from tokumei.cells import high, kind, plain
from tokumei.contracts import Release
from tokumei.history import ROLES, ROW, History
from tokumei.metrics.cells_changed import CellsChanged
from tokumei.metrics.indistinguishable import kinds_of_customers
from tokumei.tables import frame

DIGITS = 3
"""Of shares of the original's rows: all digits would tell the count."""
HIGH = 0.999
"""Amounts beyond this quantile are what a single customer might be known for."""

# Whole cells, but for the e-mail address, so that a code of an item is seldom taken for another.
LOOKS_LIKE: dict[str, str] = {
    "Cells that look like e-mail addresses, in column {column}: {cells:,}": (
        r"[^\s@]+@[^\s@]+\.[A-Za-z]{2,}"
    ),
    "Cells that look like telephone numbers, in column {column}: {cells:,}": (
        r"^(\+81[ -]?|0)(\d{1,4}-\d{1,4}-\d{3,4}|[5789]0\d{8})$"
    ),
    "Cells of 12 digits (My Number, driver's license), in column {column}: {cells:,}": (
        r"^\d{4}[ -]?\d{4}[ -]?\d{4}$"
    ),
    "Cells that look like passport numbers, in column {column}: {cells:,}": r"^[A-Z]{2}\d{7}$",
    "Cells that look like basic pension numbers, in column {column}: {cells:,}": r"^\d{4}-\d{6}$",
    "Cells that look like residence card numbers, in column {column}: {cells:,}": (
        r"^[A-Z]{2}\d{8}[A-Z]{2}$"
    ),
}


@dataclass(frozen=True)
class Columns:
    """The columns of a history by their public names, the customer left out."""

    purchases: tuple[str, ...]
    customers: tuple[str, ...]
    beyond_roles: tuple[str, ...]


def columns_of(history: History) -> Columns:
    """Return the columns, and which of them have no role in purchases."""
    purchases = [name for name in history.visible if name != "person"]
    people = [] if history.customers is None else _attributes(frame(history.customers))
    extra = [history.source.name(name) for name in purchases if name not in ROLES]
    return Columns(
        tuple(map(history.source.name, purchases)),
        tuple(people),
        tuple(dict.fromkeys([*extra, *people])),
    )


def _attributes(people: pl.DataFrame) -> list[str]:
    return [name for name in people.columns if name != "person"]


@dataclass(frozen=True)
class Names:
    """The pseudonyms: how many, how many are customer ids, and the most that one customer has."""

    pseudonyms: int
    equal: int
    most: int


def names_of(original: History, release: Release) -> Names:
    """Compare pseudonyms and customer ids, and see in the key whether pseudonyms last."""
    pseudonyms = release.public.persons()
    most = frame(release.key.pseudonyms)["person"].value_counts()["count"].to_numpy().max()
    return Names(len(pseudonyms), len(set(pseudonyms) & set(original.persons())), int(most))


def lookalikes(public: History) -> list[tuple[str, str, int]]:
    """Return text, column and number of cells for every kind of code that a column may hold."""
    tables = [public.frame().drop(ROW)]
    if public.customers is not None:
        tables.append(frame(public.customers).drop("person"))
    found = []
    for cells in (_texts(rows[name]) for rows in tables for name in rows.columns):
        for text, pattern in LOOKS_LIKE.items():
            if count := int(cells.str.contains(pattern).sum()):
                found.append((text, public.source.name(cells.name), count))
    return found


def _texts(cells: pl.Series) -> pl.Series:
    """Return ids and texts, also those in sets, as texts; nothing for amounts and times."""
    values = cells.explode() if kind(cells.dtype) == "set" else cells
    if values.dtype == pl.String or values.dtype.is_integer():
        return values.cast(pl.String)
    return pl.Series(cells.name, [], dtype=pl.String)


def shared(released: pl.Series, original: pl.Series) -> int:
    """Count the different values of a released column that the original has too."""
    return len(set(released.drop_nulls()) & set(original.drop_nulls()))


def linking_columns(original: History, public: History) -> list[tuple[str, int]]:
    """Return columns without a role that look like codes: most values belong to one customer each.

    Beside a column stands how many of these values the original has too.
    """
    tables = [(public.frame(), original.frame())]
    if public.customers is not None and original.customers is not None:
        tables.append((frame(public.customers), frame(original.customers)))
    found = []
    for now, before in tables:
        for name in now.columns:
            if name in (ROW, *ROLES) or name not in before.columns:
                continue
            own = _texts(lone_values(now, name)[name])
            if 2 * own.n_unique() > _texts(now[name]).drop_nulls().n_unique():
                found.append((public.source.name(name), shared(own, _texts(before[name]))))
    return [(column, values) for column, values in found if values]


def lone_values(rows: pl.DataFrame, column: str) -> pl.DataFrame:
    """Return person and value wherever only one customer has a value; sets count by member."""
    held = rows.select("person", column)
    if kind(held.schema[column]) == "set":
        held = held.explode(column)
    return held.drop_nulls().unique().filter(pl.len().over(column) == 1)


def order_kept(release: Release) -> float | None:
    """Return for how many neighboring rows the later one was the later one before.

    It is 1 in a release in the order of the original, 0 in the reversed one, and about one half in
    a shuffled one. None where the key does not tell.
    """
    origins = frame(release.key.rows).sort("row")["origin"].drop_nulls()
    steps = origins.diff().drop_nulls()
    return float((steps > 0).sum()) / len(steps) if len(steps) else None


@dataclass(frozen=True)
class Extreme:
    """The largest amount of a column, and how many times what is usual it is."""

    largest: float
    times: float


def extreme(cells: pl.Series) -> Extreme | None:
    """Return the largest amount beside the 99.9 percentile; intervals count by their upper end."""
    amounts = high(cells).drop_nulls().cast(pl.Float64)
    usual = amounts.quantile(HIGH, "lower")
    if not usual or usual <= 0:
        return None
    largest = float(amounts.max())  # type: ignore[arg-type]
    return Extreme(largest, largest / usual)


@dataclass(frozen=True)
class Alikeness:
    """Customers of a history by how many have the very same rows, or the same item sets."""

    customers: int
    alone: int
    smallest: int


def alikeness(history: History, by: Literal["rows", "items"]) -> Alikeness:
    """Return how alike the customers are."""
    sizes = kinds_of_customers(history, by=by)["kind"].value_counts()["count"].to_numpy()
    return Alikeness(int(sizes.sum()), int((sizes == 1).sum()), int(sizes.min()))


def item_alikeness(history: History) -> Alikeness | None:
    """Return how alike the item sets are; None where there are no items, or none that are exact."""
    exact = history.frame().schema.get("item") == pl.String
    return alikeness(history, "items") if exact else None


def alone_in_attributes(people: pl.DataFrame) -> int:
    """Count the customers who share all their attributes with nobody."""
    names = _attributes(people)
    return int((people.group_by(names).len()["len"] == 1).sum()) if names else 0


@dataclass(frozen=True)
class Changes:
    """What became of the original's rows, in shares: a count could be one customer's own."""

    deleted: float
    invented: float
    cells: float


def changes(original: History, release: Release) -> Changes | None:
    """Return deleted and invented rows and changed cells; None where the key does not tell."""
    origins = frame(release.key.rows)["origin"]
    if origins.is_empty():
        return None
    return Changes(
        round(1 - origins.count() / original.rows, DIGITS),
        round(origins.null_count() / len(origins), DIGITS),
        round(CellsChanged()(original, release, seed=0).value, DIGITS),
    )


def customers_left_out(original: History, release: Release) -> int:
    """Count the customers of the original who have no pseudonym."""
    return len(set(original.persons()) - set(frame(release.key.pseudonyms)["person"]))


@dataclass(frozen=True)
class Inference:
    """How true the release is to whom it speaks of, and what a guess without it would be."""

    true: float
    chance: float


def inference(original: History, release: Release, column: str = "item") -> Inference | None:
    """Return how many of the values that a release ascribes to customers they really have.

    The chance is that of the same values ascribed to a customer drawn at random. Values are those
    of cells that say one value, or of sets all in them; times count by the day.
    """
    if column not in release.public.visible or column not in original.visible:
        return None
    names = frame(release.key.pseudonyms).select("person", pseudonym="pseudonym").unique()
    said = _values(release.public.frame(), column).rename({"person": "pseudonym"})
    said = said.join(names, on="pseudonym").select("person", "value").unique()
    had = _values(original.frame(), column).unique()
    if said.is_empty() or said.schema["value"] != had.schema["value"]:
        return None
    holders = had["value"].value_counts(name="holders")
    chance = int(said.join(holders, on="value")["holders"].sum())
    true = len(said.join(had, on=["person", "value"], how="semi"))
    return Inference(true / len(said), chance / len(said) / had["person"].n_unique())


def _values(rows: pl.DataFrame, column: str) -> pl.DataFrame:
    """Return person and value, of times the day."""
    held = rows.select("person", value=column)
    if kind(held.schema["value"]) == "set":
        held = held.explode("value")
    else:
        held = held.with_columns(value=plain(held["value"]))
    if held.schema["value"] in (pl.Date, pl.Datetime):
        held = held.with_columns(pl.col("value").dt.date())
    return held.drop_nulls()
