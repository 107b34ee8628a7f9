"""`read`: a file or a data frame becomes a History."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import Any, Literal, get_args

import polars as pl

from tokumei.data.cleaning import ONLINE_RETAIL, Cleaning, rows_in_words
from tokumei.data.columns import LINE, check_roles, read_role
from tokumei.data.loading import Loaded, load, only
from tokumei.data.people import check_same_people, read_customers
from tokumei.data.pwscup import COLUMNS as CONTESTS
from tokumei.data.pwscup import (
    PERIODS,
    read_contest_customers,
    read_contest_purchases,
)
from tokumei.data.roles import find_roles, free_name
from tokumei.errors import ParameterError, ReadError
from tokumei.history import ROLES, ROW, History, Source
from tokumei.tables import spark_form, table

log = logging.getLogger(__name__)

Format = Literal["table", "online-retail", "pwscup2016", "pwscup2017", "pwscup2018", "simplified"]
FORMATS: tuple[Format, ...] = get_args(Format)
ONLINE_RETAIL_ROLES = {
    "person": "CustomerID",
    "item": "StockCode",
    "time": "InvoiceDate",
    "price": "UnitPrice",
    "quantity": "Quantity",
    "basket": "InvoiceNo",
}


def read(
    purchases: Any,
    customers: Any = None,
    *,
    format: Format = "table",  # noqa: A002
    person: str | None = None,
    item: str | None = None,
    time: str | None = None,
    price: str | None = None,
    quantity: str | None = None,
    basket: str | None = None,
    keep: Sequence[str] = (),
    cleaning: Cleaning | None = None,
    period: tuple[date, date] | None = None,
    encoding: str | None = None,
) -> History:
    """Read purchases, and optionally customers, into a History.

    Roles that are not given are guessed from the column names; an empty name gives a role to no
    column. Columns of either table without a role are left out unless `keep` names them, because
    a forgotten column can give a customer away. A row that is not well formed raises a
    SchemaError with its row and column; `cleaning` leaves rows out by rule, after the rules of the
    format, and counts them in `history.source.dropped`.
    """
    _check_format(format)
    given = {
        role: column
        for role, column in zip(ROLES, (person, item, time, price, quantity, basket), strict=True)
        if column is not None
    }
    if type(purchases).__module__.startswith("pyspark."):
        return _read_spark(purchases, customers, format, given, keep, cleaning, period)
    people: pl.DataFrame | None = None
    if format in CONTESTS:
        if given or keep:
            raise ParameterError(f"The columns of a {format} file have fixed roles; give none.")
        rows, source = read_contest_purchases(purchases, format, encoding), Source()
        period = period or PERIODS.get(format)
        if customers is not None:
            people = read_contest_customers(customers, encoding)
    else:
        if format == "online-retail":
            given = ONLINE_RETAIL_ROLES | given
            cleaning = ONLINE_RETAIL.followed_by(cleaning)
        loaded = load(purchases, encoding=encoding)
        kept_here = list(dict.fromkeys(keep))
        if customers is not None:
            people, kept_there = read_customers(
                load(customers, encoding=encoding), given.get("person"), keep
            )
            columns = loaded.rows.columns
            kept_here = [name for name in kept_here if name in columns or name not in kept_there]
        rows, source = _with_roles(loaded, given, kept_here, cleaning or Cleaning())
    rows, dropped = _clean(rows, cleaning or Cleaning(), keep)
    check_roles(rows, source.name, period=period, generalized=format == "pwscup2018")
    if format not in CONTESTS:  # whose data is as it is
        _note_duplicates(rows)
    if ROW not in rows.columns:
        rows = rows.with_columns(pl.int_range(pl.len(), dtype=pl.Int64).alias(ROW))
    if people is not None:
        check_same_people(rows, people, source)
    return History(
        purchases=table(rows.drop(LINE)),
        customers=table(people.drop(LINE)) if people is not None else None,
        source=replace(source, dropped=dropped),
    )


def _check_format(form: str) -> None:
    if form not in FORMATS:
        raise ParameterError(f"format must be one of {', '.join(FORMATS)}, not '{form}'.")


def _read_spark(
    purchases: Any,
    customers: Any,
    form: Format,
    given: dict[str, str],
    keep: Sequence[str],
    cleaning: Cleaning | None,
    period: tuple[date, date] | None,
) -> History:
    if form not in ("table", "online-retail"):
        raise ParameterError(f"A Spark table has the format table or online-retail, not {form}.")
    if form == "online-retail":
        given, cleaning = ONLINE_RETAIL_ROLES | given, ONLINE_RETAIL.followed_by(cleaning)
    distant: History = spark_form("reading:read")(
        purchases, customers, given, keep, cleaning or Cleaning(), period
    )
    return distant


def _with_roles(
    loaded: Loaded, given: dict[str, str], keep: Sequence[str], cleaning: Cleaning
) -> tuple[pl.DataFrame, Source]:
    roles = find_roles(loaded.rows.columns, given)
    if roles != given:  # something was guessed
        log.info("roles: %s", ", ".join(f"{role} = {column}" for role, column in roles.items()))
    kept = [column for column in keep if column not in roles.values()]
    for_rules = [c for c in cleaning.extra_columns if c not in (*kept, *roles.values())]
    rows = only(loaded.rows, [*roles.values(), *kept, *for_rules])
    left_out = [name for name in loaded.rows.columns if name not in rows.columns]
    if left_out:
        log.info("columns without a role are left out: %s", ", ".join(left_out))
    internal = {column: role for role, column in roles.items()}
    # A kept column may be called like a role or a hidden column; inside it gets another name.
    for name in kept:
        if name in (*ROLES, ROW) or name.startswith("_"):
            internal[name] = free_name(name, (*ROLES, *rows.columns, *internal.values()))
    names = {inside: outside for outside, inside in internal.items()}
    types: dict[str, pl.DataType] = {
        role: loaded.rows.schema[roles[role]]
        for role in ("person", "item", "basket")
        if role in roles and loaded.rows.schema[roles[role]] != pl.String
    }
    if "price" in roles and _are_whole(loaded.rows[roles["price"]]):
        types["price"] = pl.Int64()
    rows = rows.rename(internal).with_columns(
        pl.int_range(loaded.first_line, pl.len() + loaded.first_line).alias(LINE)
    )
    for role in roles:
        rows = read_role(rows, role, names[role])
    return rows, Source(loaded.kind, names, types)


def _are_whole(prices: pl.Series) -> bool:
    """Tell whether prices came as whole numbers, as those in yen do."""
    if prices.dtype == pl.String:
        return not prices.str.contains(r"[^\d\s-]").any()
    return prices.dtype.is_integer()


def _clean(
    rows: pl.DataFrame, cleaning: Cleaning, keep: Sequence[str]
) -> tuple[pl.DataFrame, dict[str, int]]:
    rows, dropped = cleaning(rows)
    for rule, count in dropped.items():
        log.info("dropped by the rule '%s': %s", rule, rows_in_words(count))
    if rows.is_empty():
        raise ReadError("No row is left after cleaning; a history needs at least one row.")
    unwanted = [column for column in cleaning.extra_columns if column not in keep]
    return rows.drop(unwanted, strict=False), dict(dropped)


def _note_duplicates(rows: pl.DataFrame) -> None:
    comparable = rows.drop(LINE, ROW, strict=False)
    repeated = ~comparable.select(pl.struct(pl.all()).is_first_distinct()).to_series()
    if repeated.any():
        log.warning(
            "%s an earlier row in every column (first: row %s); all are kept: "
            "the rule 'duplicates' drops such rows.",
            "1 row repeats" if repeated.sum() == 1 else f"{repeated.sum():,} rows repeat",
            f"{rows.filter(repeated)[LINE][0]:,}",
        )
