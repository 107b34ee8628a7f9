"""Releases that no method of tokumei made: noise by a user's own script, files named by hand."""

from __future__ import annotations

import base64
import hashlib
import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import polars as pl

from tokumei import History, Key, Release
from tokumei.tables import frame, table


@dataclass(frozen=True, kw_only=True)
class Noise:
    """What was done to the rows. The attackers know it; they do not know what was drawn."""

    days: int = 0
    """A date moves by up to this many days, to either side."""
    together: Literal["row", "customer"] = "row"
    price: float = 0.0
    quantity: float = 0.0
    """An amount changes by up to this share of it."""
    item_kept: float = 1.0
    """The probability that an item is kept; it is drawn from all items otherwise."""
    kept: float = 1.0
    """The probability that a row is kept."""

    def __call__(self, history: History, /, *, seed: int) -> History:
        """Make this noise on dates with the time of day left as it is."""
        rng = np.random.default_rng(seed)
        rows = history.frame()
        rows = rows.filter(pl.Series(rng.random(len(rows)) < self.kept))
        if "time" in rows.columns and self.days:
            moves = self._moves(rows, rng)
            rows = rows.with_columns(pl.col("time") + pl.duration(days=pl.Series(moves)))
        if "item" in rows.columns and self.item_kept < 1:
            items = rows["item"].unique().sort()
            drawn = items.gather(rng.integers(0, len(items), len(rows)))
            stay = pl.Series(rng.random(len(rows)) < self.item_kept)
            rows = rows.with_columns(rows["item"].zip_with(stay, drawn).alias("item"))
        for name, digits in (("price", 2), ("quantity", 0)):
            if name in rows.columns and getattr(self, name):
                factor = 1 + getattr(self, name) * rng.uniform(-1, 1, len(rows))
                amounts = (rows[name] * pl.Series(factor)).round(digits)
                least = amounts.clip(lower_bound=10.0**-digits).cast(rows[name].dtype)
                rows = rows.with_columns(least.alias(name))
        return history.with_purchases(rows)

    def _moves(self, rows: pl.DataFrame, rng: np.random.Generator) -> np.ndarray:
        if self.together == "row":
            return rng.integers(-self.days, self.days + 1, len(rows))
        people, codes = np.unique(rows["person"].to_numpy(), return_inverse=True)
        return rng.integers(-self.days, self.days + 1, len(people))[codes]


@dataclass(frozen=True)
class Shuffled:
    """Every column but these drawn anew from all values of the column: nothing fits any more."""

    kept: tuple[str, ...] = ()

    def __call__(self, history: History, /, *, seed: int) -> History:
        rng = np.random.default_rng(seed)
        rows = history.frame()
        for name in rows.columns:
            if name not in ("row", "person", "basket", *self.kept):
                drawn = rows[name].gather(rng.integers(0, len(rows), len(rows)))
                rows = rows.with_columns(drawn.alias(name))
        return history.with_purchases(rows)


Naming = Callable[[list[str]], list[str]]
NAMINGS: dict[str, Naming] = {
    "numbers": lambda ids: [f"U{place:04d}" for place in _mixed(len(ids))],
    "same": lambda ids: ids,
    "affix": lambda ids: [f"C-{name}" for name in ids],
    "suffix": lambda ids: [f"{name}_{len(name)}" for name in ids],
    "order": lambda ids: [f"N{7 * place + 3:05d}" for place in range(len(ids))],
    "reversed order": lambda ids: [f"N{len(ids) - place:05d}" for place in range(len(ids))],
    "turned around": lambda ids: [f"T{name[::-1]}" for name in ids],
    "base64": lambda ids: [base64.b64encode(name.encode()).decode() for name in ids],
    "crc32": lambda ids: [f"{zlib.crc32(name.encode()):08x}" for name in ids],
    "md5": lambda ids: [hashlib.md5(name.encode()).hexdigest() for name in ids],
    "sha1": lambda ids: [hashlib.sha1(name.encode()).hexdigest()[:12] for name in ids],
    "sha256": lambda ids: [hashlib.sha256(name.encode()).hexdigest().upper() for name in ids],
}


def _mixed(count: int) -> list[int]:
    return np.random.default_rng(99).permutation(count).tolist()


Order = Literal["shuffled", "kept", "reversed", "by customer", "by day"]


def published_by_hand(
    anonymized: History,
    *,
    naming: str = "numbers",
    order: Order = "shuffled",
    customers_in_order: bool = False,
    baskets: Literal["kept", "in order", "named by customer"] = "kept",
    times: int = 1,
    original: History | None = None,
) -> Release:
    """Publish as a user would with a script: a file, and a key with the pseudonyms alone.

    Basket numbers stay as they are in the shop's books, count the baskets of one customer after the
    other, or have the customer's id in them. Everybody may be published several times, under as
    many pseudonyms. With the original, pseudonyms are made of its birth dates.
    """
    people = anonymized.persons()
    rows = _ordered(anonymized.frame().sort("row"), order)
    if baskets == "in order":
        number = pl.struct("person", "basket").rank("dense").cast(pl.String).str.zfill(6)
        rows = rows.with_columns(basket=number)
    elif baskets == "named by customer":
        number = pl.col("basket").rank("dense").over("person").cast(pl.String)
        rows = rows.with_columns(basket=pl.format("{}/{}", "person", number))
    listed = anonymized.customers
    if listed is None and customers_in_order:
        listed = table(pl.DataFrame({"person": people, "country": "Japan"}))
    keys, parts, tables = [], [], []
    for copy in range(times):
        names = _by_birth(original, people) if original else NAMINGS[naming](people)
        names = [f"{name}{chr(97 + copy)}" for name in names] if times > 1 else names
        key = pl.DataFrame({"pseudonym": names, "person": people})
        keys.append(key)
        parts.append(rows.with_columns(_renamed(rows, key)))
        if listed is not None:
            tables.append(frame(listed).with_columns(_renamed(frame(listed), key)))
    published = pl.concat(parts)
    ids = pl.int_range(len(published), dtype=pl.Int64, eager=True)
    public = replace(
        anonymized,
        purchases=table(published.with_columns(ids.alias("row"))),
        customers=table(_listed(pl.concat(tables), customers_in_order)) if tables else None,
    )
    return Release(public, Key(table(pl.concat(keys)), Key.unknown().rows))


def shadowed(original: History, *, times: int) -> Release:
    """Show everybody's purchases so many times: once as theirs, else as those of silent people."""
    rows, everybody = original.frame(), frame(original.customers)["person"].to_list()
    buyers = rows["person"].unique().sort().to_list()
    silent = sorted(set(everybody) - set(buyers))
    shown = [person for person in buyers for _ in range(times)]
    behind = [
        person if copy == 0 else silent[place * (times - 1) + copy - 1]
        for place, person in enumerate(buyers)
        for copy in range(times)
    ]
    names = [f"S{place:04d}" for place in _mixed(len(shown))]
    copied = pl.DataFrame({"person": shown, "_name": names}).join(rows, on="person")
    copied = (
        copied.with_columns(person="_name")
        .drop("_name", "row")
        .sample(fraction=1.0, shuffle=True, seed=8)
    )
    ids = pl.int_range(len(copied), dtype=pl.Int64, eager=True)
    public = replace(
        original, purchases=table(copied.with_columns(ids.alias("row"))), customers=None
    )
    key = pl.DataFrame({"pseudonym": names, "person": behind})
    return Release(public, Key(table(key), Key.unknown().rows))


def _by_birth(original: History, people: list[str]) -> list[str]:
    births = dict(frame(original.customers).select("person", "birth").iter_rows())
    return [f"M{births[name]:%y%m%d}" for name in people]


def _ordered(rows: pl.DataFrame, order: Order) -> pl.DataFrame:
    match order:
        case "shuffled":
            return rows.sample(fraction=1.0, shuffle=True, seed=8)
        case "reversed":
            return rows.reverse()
        case "by customer":
            return rows.sort("person", maintain_order=True)
        case "by day":  # those with equal days stay in the order of the customers
            return rows.sort(pl.col("time"), "item", "person", maintain_order=True)
    return rows


def _listed(customers: pl.DataFrame, in_order: bool) -> pl.DataFrame:
    return customers if in_order else customers.sort("person")


def _renamed(rows: pl.DataFrame, key: pl.DataFrame) -> pl.Series:
    return rows["person"].replace_strict(key["person"], key["pseudonym"])


def repeated_customers(release: Release, times: int) -> Release:
    """List every customer several times in the customers table, as in a folder made by hand."""
    people = frame(release.public.customers)
    public = replace(release.public, customers=table(pl.concat([people] * times)))
    return replace(release, public=public)
