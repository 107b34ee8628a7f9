"""`publish`: pseudonyms, basket numbers and the order of rows, and the key apart from them.

What hides people is drawn here and nowhere else, by `row_draws` and `name_draws`: the form for
Spark draws with them too, and contests, whose teams choose the pseudonyms themselves, draw the
order of the rows with `row_draws`.
"""

from __future__ import annotations

import logging
import secrets
import string
from dataclasses import replace
from itertools import count
from typing import Literal

import numpy as np
import polars as pl
from polars.datatypes import DataTypeClass

from tokumei.cells import low
from tokumei.contracts import Key, Release
from tokumei.draws import Floats, hidden_uniform, hidden_uniform_of
from tokumei.errors import SchemaError, Unachievable
from tokumei.history import ROW, History
from tokumei.tables import Table, frame, joined_text, spark_form, table

log = logging.getLogger(__name__)

Period = Literal["month"]
SECRET_BYTES = 32
# While publishing; names that no column of a history has.
PERIOD, PSEUDONYM, NUMBER = "_period", "_pseudonym", "_number"
BASKET = ("person", PERIOD, "basket")
"""Who had a basket, and when: shops number the baskets of each customer, day or till from 1 on."""


def new_secret() -> bytes:
    """Draw what nobody can guess."""
    return secrets.token_bytes(SECRET_BYTES)


def row_draws(secret: bytes, rows: pl.Series) -> Floats:
    """Return a number for every row id; a release has its rows in the order of these numbers."""
    return hidden_uniform(secret, "publish/rows", rows.to_numpy())


def name_draws(secret: bytes, what: str, names: pl.DataFrame) -> Floats:
    """Return a number for every row of names; they are numbered in the order of these numbers."""
    texts = names.select(joined_text(names.columns).alias("text"))["text"]
    return hidden_uniform_of(secret, f"publish/{what}", texts)


def publish(
    original: History,
    anonymized: History,
    /,
    *,
    secret: bytes | None = None,
    period: Period | None = None,
) -> Release:
    """Draw pseudonyms, shuffle the rows, and keep the key apart.

    Baskets are renumbered as well: an invoice number that stands in the shop's own books would
    link a release to its customers at once. No two pseudonyms share a basket number. With
    `period="month"` a customer has another pseudonym in every month, and the customers table is
    not published: a birth date would link the months again.

    Pseudonyms, basket numbers and the order of rows are drawn with a secret, which is drawn itself
    unless a test fixes it. The key keeps it: it can undo the pseudonyms.
    """
    secret = new_secret() if secret is None else secret
    if original.on_spark != anonymized.on_spark:
        raise SchemaError("The original and the anonymized history must both be on Spark, or none.")
    if original.on_spark:
        distant: Release = spark_form("publishing:publish")(
            original, anonymized, secret=secret, period=period
        )
        return distant
    if period is not None and anonymized.customers is not None:
        log.warning("With monthly pseudonyms the customers table is not published.")
    rows = anonymized.frame()
    if rows.is_empty():
        raise Unachievable("Nothing is left to publish: the anonymized history has no rows.")
    _check_rows(original, rows)
    rows = rows.with_columns(_periods(rows, period))
    pseudonyms = _pseudonyms(original, anonymized, rows, secret, period)
    order = np.argsort(row_draws(secret, rows[ROW]), kind="stable")
    rows = rows[order].join(
        pseudonyms, on=["person", PERIOD], how="left", nulls_equal=True, maintain_order="left"
    )
    key_rows = pl.DataFrame(
        {
            "row": pl.int_range(len(rows), eager=True),
            "origin": rows.select(pl.when(pl.col(ROW) >= 0).then(ROW)).to_series(),
        }
    )
    public_rows = rows.with_columns(key_rows["row"].alias(ROW), person=PSEUDONYM)
    if "basket" in rows.columns:
        held = rows.select(BASKET).drop_nulls("basket").unique().sort(BASKET)
        numbers = _numbered(held, secret, "baskets", "B")
        numbered = rows.select(BASKET).join(
            numbers, on=BASKET, how="left", nulls_equal=True, maintain_order="left"
        )
        public_rows = public_rows.with_columns(numbered[NUMBER].alias("basket"))
    public = replace(
        anonymized,
        purchases=table(_plain(public_rows.select(anonymized.frame().columns))),
        customers=_public_customers(anonymized, pseudonyms) if period is None else None,
        source=replace(anonymized.source, dropped={}),
    )
    names = pseudonyms.select(
        pl.col(PSEUDONYM).alias("pseudonym"),
        "person",
        *([pl.col(PERIOD).alias("period")] if period else []),
    ).sort("pseudonym")
    return Release(public, Key(table(names), table(key_rows), secret))


def _check_rows(original: History, rows: pl.DataFrame) -> None:
    if rows[ROW].is_duplicated().any():
        twice = rows[ROW].filter(rows[ROW].is_duplicated())[0]
        raise SchemaError(f"An anonymizer may use a row id once; {twice} occurs twice.")
    kept = rows.filter(pl.col(ROW) >= 0)[ROW]
    foreign = kept.filter(~kept.is_in(original.frame()[ROW].implode()))
    if len(foreign):
        raise SchemaError(
            f"An anonymizer may keep rows or invent new ones; row {foreign[0]} is neither."
        )
    strangers = set(rows["person"].unique()) - set(original.persons())
    if strangers:
        raise SchemaError(
            f"Customer {min(strangers)!r} of the anonymized history does not occur in the original."
        )


def _periods(rows: pl.DataFrame, period: Period | None) -> pl.Series:
    if period is None:
        return pl.Series(PERIOD, [None] * len(rows), dtype=pl.String)
    if "time" not in rows.columns or low(rows["time"]).null_count():
        raise Unachievable("Monthly pseudonyms need a time in every row of the history.")
    return low(rows["time"]).dt.strftime("%Y-%m").alias(PERIOD)


def _pseudonyms(
    original: History, anonymized: History, rows: pl.DataFrame, secret: bytes, period: Period | None
) -> pl.DataFrame:
    holders = rows.select("person", PERIOD).unique()
    if period is None and anonymized.customers is not None:
        everyone = frame(anonymized.customers.select("person")).with_columns(
            pl.lit(None, pl.String).alias(PERIOD)
        )
        holders = pl.concat([holders, everyone]).unique()
    prefix = _free_prefix(original.persons())
    numbers = _numbered(holders.sort("person", PERIOD), secret, "pseudonyms", prefix)
    return numbers.rename({NUMBER: PSEUDONYM})


def _numbered(names: pl.DataFrame, secret: bytes, what: str, prefix: str) -> pl.DataFrame:
    """Give the names the numbers 1..n in random order, so that a number says nothing."""
    order = np.argsort(name_draws(secret, what, names), kind="stable")
    numbers = pl.int_range(1, len(names) + 1, eager=True).cast(pl.String)
    padded = prefix + numbers.str.zfill(len(str(len(names))))
    return names[order].with_columns(padded.alias(NUMBER))


def _free_prefix(persons: list[str]) -> str:
    """Return a prefix that no customer id begins with, so that no pseudonym equals one."""
    for length in count(1):
        for letter in "P" + string.ascii_uppercase:
            if not any(person.startswith(letter * length) for person in persons):
                return letter * length
    raise AssertionError


def _public_customers(anonymized: History, pseudonyms: pl.DataFrame) -> Table | None:
    if anonymized.customers is None:
        return None
    attributes = frame(anonymized.customers)
    named = attributes.join(pseudonyms.select("person", PSEUDONYM), on="person", how="inner")
    shown = named.with_columns(person=PSEUDONYM).select(attributes.columns).sort("person")
    return table(_plain(shown))


def _plain(rows: pl.DataFrame) -> pl.DataFrame:
    """Return categories as texts: their type lists values of rows that are not released."""
    return rows.cast({name: _plain_type(dtype) for name, dtype in rows.schema.items()})


def _plain_type(dtype: pl.DataType | DataTypeClass) -> pl.DataType | DataTypeClass:
    match dtype:
        case pl.Enum() | pl.Categorical():
            return pl.String()
        case pl.List():
            return pl.List(_plain_type(dtype.inner))
        case pl.Array():
            return pl.Array(_plain_type(dtype.inner), dtype.size)
        case pl.Struct():
            return pl.Struct({part.name: _plain_type(part.dtype) for part in dtype.fields})
    return dtype
