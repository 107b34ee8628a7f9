"""`publish`: the only place that splits public from secret."""

from __future__ import annotations

import logging
import secrets
import string
from dataclasses import replace
from itertools import count
from typing import Literal

import numpy as np
import polars as pl

from tokumei.cells import low
from tokumei.contracts import Key, Release
from tokumei.draws import hidden_uniform, hidden_uniform_of
from tokumei.errors import SchemaError, Unachievable
from tokumei.history import ROW, History
from tokumei.tables import Table, frame, spark_form, table

log = logging.getLogger(__name__)

Period = Literal["month"]
SECRET_BYTES = 32
# While publishing; names that no column of a history has.
PERIOD, PSEUDONYM = "_period", "_pseudonym"


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
    link a release to its customers at once. With `period="month"` a customer has another
    pseudonym in every month, and the customers table is not published: a birth date would link the
    months again.

    Pseudonyms, basket numbers and the order of rows are drawn with a secret, which is drawn itself
    unless a test fixes it: whoever knows it can undo the pseudonyms.
    """
    secret = secrets.token_bytes(SECRET_BYTES) if secret is None else secret
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
    order = np.argsort(hidden_uniform(secret, "publish/rows", rows[ROW].to_numpy()), kind="stable")
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
        numbers = _numbered(
            rows["basket"].drop_nulls().unique().sort(), secret, "publish/baskets", "B"
        )
        public_rows = public_rows.with_columns(
            pl.col("basket").replace_strict(numbers, default=None, return_dtype=pl.String)
        )
    public = replace(
        anonymized,
        purchases=table(public_rows.select(anonymized.frame().columns)),
        customers=_public_customers(anonymized, pseudonyms) if period is None else None,
        source=replace(anonymized.source, dropped={}),
    )
    names = pseudonyms.select(
        pl.col(PSEUDONYM).alias("pseudonym"),
        "person",
        *([pl.col(PERIOD).alias("period")] if period else []),
    ).sort("pseudonym")
    return Release(public=public, key=Key(pseudonyms=table(names), rows=table(key_rows)))


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
    holders = holders.sort("person", PERIOD)
    # One label per holder; the zero byte cannot occur inside a name read from text.
    labels = holders["person"] + "\0" + holders[PERIOD].fill_null("")
    prefix = _free_prefix(original.persons())
    names = _numbered(labels, secret, "publish/pseudonyms", prefix)
    numbered = labels.replace_strict(names, return_dtype=pl.String)
    return holders.with_columns(numbered.alias(PSEUDONYM))


def _numbered(labels: pl.Series, secret: bytes, stream: str, prefix: str) -> dict[str, str]:
    """Give the labels the numbers 1..n in random order, so that a number says nothing."""
    order = np.argsort(hidden_uniform_of(secret, stream, labels), kind="stable")
    width = len(str(len(labels)))
    shuffled = labels[order].to_list()
    return {label: f"{prefix}{number:0{width}d}" for number, label in enumerate(shuffled, start=1)}


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
    return table(named.with_columns(person=PSEUDONYM).select(attributes.columns).sort("person"))
