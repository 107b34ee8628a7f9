"""Spark tables become histories, and histories Spark tables again."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path

from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as sf
from pyspark.sql import types as st

from tokumei.data.cleaning import RULES, Cleaning, rows_in_words
from tokumei.data.columns import READERS
from tokumei.data.roles import find_roles
from tokumei.errors import ReadError, SchemaError
from tokumei.history import ROLES, ROW, History, Source
from tokumei.spark.frames import (
    MOST_BUCKETS,
    ROWS_OF_A_BUCKET,
    check_once,
    native,
    numbered,
    remembered,
    to_read,
)
from tokumei.spark.session import reason_of
from tokumei.tables import table

log = logging.getLogger(__name__)

NESTED = (st.BinaryType, st.ArrayType, st.MapType, st.StructType)
NO_NUMBER = (*NESTED, st.BooleanType, st.DateType, st.TimestampType, st.TimestampNTZType)
UNREADABLE: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("person", "item", "basket"), NESTED),
    **dict.fromkeys(("price", "quantity"), NO_NUMBER),
}


def load(name: str, spark: SparkSession) -> DataFrame:
    """Return a table of the catalog, or a Parquet file or folder wherever Spark looks for files."""
    try:
        if Path(name).exists():  # from the folder of the command, which may not be Spark's
            return spark.read.parquet(to_read(Path(name)))
        if "/" not in name and spark.catalog.tableExists(name):
            return spark.table(name)
        return spark.read.parquet(name)
    except PySparkException as error:
        raise ReadError(
            f"There is no Parquet file, folder or table {name} ({reason_of(error)})."
        ) from error


def read(
    purchases: DataFrame,
    customers: DataFrame | None,
    given: Mapping[str, str],
    keep: Sequence[str],
    cleaning: Cleaning,
    period: tuple[date, date] | None,
) -> History:
    """Read Spark tables into a History; nothing but counts leaves the cluster.

    A Spark table has no order: rows get their ids by what is in them, so that the ids do not depend
    on how the table is spread over files and machines.
    """
    roles = find_roles(purchases.columns, given)
    log.info("roles: %s", ", ".join(f"{role} = {column}" for role, column in roles.items()))
    keep = list(dict.fromkeys(keep))
    kept = [name for name in keep if name in purchases.columns and name not in roles.values()]
    if unknown := [
        name
        for name in keep
        if name not in purchases.columns and (customers is None or name not in customers.columns)
    ]:
        have = ", ".join(purchases.columns)
        raise SchemaError(f"There is no column '{unknown[0]}'; the columns are {have}.")
    names = dict(roles)
    for name in kept:
        # Spark's names have no case, and a dot in them means a field.
        safe = name.replace(".", "_").lstrip("_") or "column"
        taken = {other.lower() for other in (*ROLES, ROW, *names)}
        while safe.lower() in taken:
            safe += "_"
        names[safe] = name
    extra = [
        name
        for name in cleaning.extra_columns
        if name not in names.values() and name in purchases.columns
    ]
    rows = purchases.select(
        *(_typed(purchases, column, inside) for inside, column in names.items()), *extra
    )
    if "time" in roles and isinstance(purchases.schema[roles["time"]].dataType, st.TimestampType):
        zone = purchases.sparkSession.conf.get("spark.sql.session.timeZone")
        log.info("times are those of the clock in the session's zone %s", zone)
    rows, dropped = _cleaned(rows, cleaning)
    rows = rows.drop(*extra)
    _check(rows, names, period)
    people = None
    if customers is not None:
        people = remembered(_people(customers, given.get("person"), keep))
        _check_same_people(rows, people)
    return History(
        purchases=table(remembered(_with_ids(rows))),
        customers=None if people is None else table(people),
        source=Source("spark", names, dropped=dropped),
    )


def _typed(rows: DataFrame, name: str, role: str) -> Column:
    """Give a role column its type; cells that are not well formed become null."""
    kind, cell = rows.schema[name].dataType, sf.col(f"`{name}`")
    if isinstance(kind, UNREADABLE.get(role, ())):
        raise SchemaError(
            f"The {role} cannot be read from values of type {kind.simpleString()} (column {name})."
        )
    if isinstance(kind, st.StringType):
        cell = sf.when(cell.rlike(r"(?U)\S"), cell)
    match role:
        case "person" | "item" | "basket":
            if isinstance(kind, st.FloatType | st.DoubleType):
                cell = sf.when(~sf.isnan(cell), cell)
            if isinstance(kind, st.FractionalType):
                whole = sf.when(cell == sf.floor(cell), cell.try_cast("decimal(38,0)"))
                cell = sf.coalesce(whole.cast("string"), cell.cast("string"))
            cell = cell.cast("string")
        case "time":
            if not isinstance(kind, st.DateType | st.TimestampType | st.TimestampNTZType):
                raise SchemaError(
                    f"On Spark a time must be a date or a timestamp; column {name} holds values of "
                    f"type {kind.simpleString()}."
                )
            cell = cell if isinstance(kind, st.DateType) else cell.cast("timestamp_ntz")
        case "price":
            cell = cell.try_cast("double")
        case "quantity":
            number = cell.try_cast("double")
            cell = sf.when(number == sf.floor(number), number.cast("bigint"))
    return cell.alias(role)


def _unwanted(rule: str) -> Column:
    return {
        "no-customer": sf.col("person").isNull(),
        "returns": sf.col("quantity") <= 0,
        "free": sf.col("price") <= 0,
        "unspecified-country": sf.col("Country") == "Unspecified",
    }[rule]


def _cleaned(rows: DataFrame, cleaning: Cleaning) -> tuple[DataFrame, dict[str, int]]:
    dropped: dict[str, int] = {}
    if not cleaning.drop and cleaning.first_customers is None:
        return rows, dropped
    before = rows.count()
    for rule in cleaning.drop:
        if missing := [column for column in RULES[rule][0] if column not in rows.columns]:
            raise SchemaError(f"To drop '{rule}', a column for {missing[0]} is needed.")
        if rule == "duplicates":
            rows = rows.dropDuplicates()
        else:
            rows = rows.filter(~sf.coalesce(_unwanted(rule), sf.lit(False)))  # noqa: FBT003
        left = rows.count()
        dropped[rule], before = before - left, left
    if (first := cleaning.first_customers) is not None:
        number = sf.col("person").try_cast("bigint").asc_nulls_first()
        chosen = rows.select("person").distinct().orderBy(number, "person").limit(first)
        rows = rows.join(chosen, "person", "left_semi").select(rows.columns)
        dropped[f"beyond the first {first:,} customers"] = before - rows.count()
    for rule, count in dropped.items():
        log.info("dropped by the rule '%s': %s", rule, rows_in_words(count))
    return rows, dropped


def _check(rows: DataFrame, names: Mapping[str, str], period: tuple[date, date] | None) -> None:
    """Raise a SchemaError unless all cells of role columns are there and in range."""
    rules = {
        role: (READERS[role][1], sf.col(role).isNull()) for role in READERS if role in rows.columns
    }
    for role, drop in (("price", "free"), ("quantity", "returns")):
        if role in rows.columns:
            endless = sf.isnan(role) | (sf.col(role) == float("inf")) | (sf.col(role) <= 0)
            rule = f"A {role} must be a finite number above zero (the rule '{drop}' drops others)"
            rules[f"{role}/range"] = (rule, endless)
    if period is not None and "time" in rows.columns:
        day = sf.to_date("time")
        rule = f"A time must lie in the period {period[0]} to {period[1]}"
        rules["time/range"] = (rule, ~day.between(*map(sf.lit, period)))
    counted = rows.agg(
        sf.count("*").alias("rows"),
        *(sf.count_if(bad).alias(name) for name, (_, bad) in rules.items()),
    ).first()
    if counted is None or not counted["rows"]:
        raise ReadError("No row is left after cleaning; a history needs at least one row.")
    for name, (rule, _) in rules.items():
        if counted[name]:
            column = names[name.split("/")[0]]
            count = "1 row does" if counted[name] == 1 else f"{counted[name]:,} rows do"
            raise SchemaError(f"{rule}; in column {column}, {count} not keep this.")


def _people(customers: DataFrame, person: str | None, keep: Sequence[str]) -> DataFrame:
    given = {"person": person} if person is not None and person in customers.columns else {}
    column = find_roles(customers.columns, given)["person"]
    # The customer's own column is never an attribute: it would be published beside the pseudonym.
    kept = [name for name in keep if name in customers.columns and name != column]
    found = customers.select(
        _typed(customers, column, "person"), *(sf.col(f"`{name}`") for name in kept)
    )
    check_once(found)
    return found


def _check_same_people(rows: DataFrame, people: DataFrame) -> None:
    stranger = rows.select("person").join(people, "person", "left_anti").first()
    if stranger is not None:
        raise SchemaError(
            "Every customer of the purchases must stand in the customers table; "
            f"{stranger['person']!r} does not."
        )


def _with_ids(rows: DataFrame) -> DataFrame:
    """Give every row an id by what is in it; equal rows have ids side by side."""
    buckets = min(MOST_BUCKETS, max(1, rows.count() // ROWS_OF_A_BUCKET))
    keyed = rows.withColumn("_key", sf.xxhash64(*rows.columns))
    # The upper end of the key: buckets in their order are keys in their order.
    parted = keyed.withColumn(
        "_bucket", sf.floor((sf.col("_key") / 2.0**63 + 1) / 2 * buckets).cast("int")
    )
    whole = numbered(parted, ["_bucket"], ["_key", *rows.columns], ROW)
    return whole.withColumn(ROW, sf.col(ROW).cast("bigint")).select(ROW, *rows.columns)


def restored(history: History) -> DataFrame:
    """Return the purchases as a Spark table under the user's column names."""
    rows = native(history.purchases).drop(ROW)
    return rows.withColumnsRenamed({name: history.source.name(name) for name in rows.columns})
