"""`publish` on Spark: the same release as on one machine, without a machine that holds it."""

from __future__ import annotations

import logging
import string
from dataclasses import replace
from itertools import count as counting

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf
from pyspark.sql.types import StructType

from tokumei.contracts import Key, Release
from tokumei.errors import SchemaError, Unachievable
from tokumei.history import ROW, History
from tokumei.publishing import BASKET, NUMBER, PERIOD, PSEUDONYM, name_draws, row_draws
from tokumei.spark.frames import in_drawn_order, native, remembered
from tokumei.tables import Table, table

log = logging.getLogger(__name__)


def publish(
    original: History, anonymized: History, *, secret: bytes, period: str | None
) -> Release:
    """Draw pseudonyms, shuffle the rows, and keep the key apart."""
    if period is not None and anonymized.customers is not None:
        log.warning("With monthly pseudonyms the customers table is not published.")
    rows = remembered(native(anonymized.purchases))
    names = rows.columns
    _check_rows(original, rows)
    rows = _with_period(rows, period)
    pseudonyms = remembered(_pseudonyms(original, anonymized, rows, secret, period))
    order = in_drawn_order(rows, lambda block: row_draws(secret, block[ROW]), [ROW], "_place")
    public = order.join(pseudonyms, ["person", PERIOD])
    if "basket" in names:
        held = rows.select(*BASKET).filter("basket is not null").distinct()
        baskets = _numbered(held, secret, "baskets", "B")
        public = public.join(baskets, [*BASKET], "left").withColumn("basket", sf.col(NUMBER))
    placed = remembered(
        public.select(
            sf.when(sf.col(ROW) >= 0, sf.col(ROW)).alias("_origin"),
            sf.col("_place").cast("bigint").alias(ROW),
            sf.col(PSEUDONYM).alias("person"),
            *(name for name in names if name not in (ROW, "person")),
        )
    )
    key = pseudonyms.select(
        sf.col(PSEUDONYM).alias("pseudonym"),
        "person",
        *([sf.col(PERIOD).alias("period")] if period else []),
    )
    return Release(
        public=replace(
            anonymized,
            purchases=table(placed.select(names)),
            customers=None if period else _public_customers(anonymized, pseudonyms),
            source=replace(anonymized.source, dropped={}),
        ),
        key=Key(
            pseudonyms=table(key),
            rows=table(placed.select(ROW, sf.col("_origin").alias("origin"))),
            secret=secret,
        ),
    )


def _check_rows(original: History, rows: DataFrame) -> None:
    if (row := rows.groupBy(ROW).count().filter("count > 1").first()) is not None:
        raise SchemaError(f"An anonymizer may use a row id once; {row[ROW]} occurs twice.")
    known = native(original.purchases).select(ROW)
    foreign = rows.filter(sf.col(ROW) >= 0).select(ROW).join(known, ROW, "left_anti").first()
    if foreign is not None:
        raise SchemaError(
            f"An anonymizer may keep rows or invent new ones; row {foreign[ROW]} is neither."
        )
    people = native(original.people())
    stranger = rows.select("person").join(people, "person", "left_anti").first()
    if stranger is not None:
        raise SchemaError(
            f"Customer {stranger['person']!r} of the anonymized history does not occur in the "
            "original."
        )
    if not rows.take(1):
        raise Unachievable("Nothing is left to publish: the anonymized history has no rows.")


def _with_period(rows: DataFrame, period: str | None) -> DataFrame:
    if period is None:
        return rows.withColumn(PERIOD, sf.lit(""))
    if "time" in rows.columns:
        interval = isinstance(rows.schema["time"].dataType, StructType)
        found = rows.withColumn(
            PERIOD, sf.date_format("time.lo" if interval else "time", "yyyy-MM")
        )
        if not found.filter(f"{PERIOD} is null").take(1):
            return found
    raise Unachievable("Monthly pseudonyms need a time in every row of the history.")


def _pseudonyms(
    original: History, anonymized: History, rows: DataFrame, secret: bytes, period: str | None
) -> DataFrame:
    holders = rows.select("person", PERIOD)
    if period is None and anonymized.customers is not None:
        everyone = native(anonymized.customers).select("person", sf.lit("").alias(PERIOD))
        holders = holders.union(everyone)
    prefix = _free_prefix(original)
    named = _numbered(holders.distinct(), secret, "pseudonyms", prefix)
    return named.withColumnRenamed(NUMBER, PSEUDONYM)


def _numbered(names: DataFrame, secret: bytes, what: str, prefix: str) -> DataFrame:
    """Give the names the numbers 1..n in random order, so that a number says nothing."""
    count = names.count()
    width = len(str(count))
    placed = in_drawn_order(
        names, lambda block: name_draws(secret, what, block), names.columns, "_place", count=count
    )
    number = sf.lpad((sf.col("_place") + 1).cast("string"), width, "0")
    return placed.withColumn(NUMBER, sf.concat(sf.lit(prefix), number)).drop("_place")


def _free_prefix(original: History) -> str:
    """Return a prefix that no customer id begins with, so that no pseudonym equals one."""
    people = native(original.people())
    for length in counting(1):
        start = sf.substring("person", 1, length)
        repeated = sf.col("start").rlike(r"^([A-Z])\1*$") & (sf.length("start") == length)
        taken = {
            row["start"]
            for row in people.select(start.alias("start")).filter(repeated).distinct().collect()
        }
        for letter in "P" + string.ascii_uppercase:
            if letter * length not in taken:
                return letter * length
    raise AssertionError


def _public_customers(anonymized: History, pseudonyms: DataFrame) -> Table | None:
    if anonymized.customers is None:
        return None
    attributes = native(anonymized.customers)
    own = [f"`{name}`" for name in attributes.columns]  # a dot in a name means a field elsewhere
    named = attributes.join(pseudonyms.select("person", PSEUDONYM), "person")
    return table(named.withColumn("person", sf.col(PSEUDONYM)).select(own))
