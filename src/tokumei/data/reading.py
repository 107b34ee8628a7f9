"""`read`: a file or a data frame becomes a History."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import date
from typing import Any, Literal, get_args

import polars as pl

from tokumei.data.cleaning import ONLINE_RETAIL, Cleaning
from tokumei.data.columns import LINE, check_roles, fail, ids, read_role
from tokumei.data.loading import Loaded, load, only
from tokumei.data.pwscup import PERIODS, read_contest_customers, read_contest_purchases
from tokumei.data.roles import find_roles
from tokumei.errors import ParameterError, ReadError, SchemaError, place
from tokumei.history import ROLES, ROW, History, Source
from tokumei.tables import table

log = logging.getLogger(__name__)

Format = Literal["table", "online-retail", "pwscup2016", "pwscup2017", "pwscup2018"]
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

    Roles that are not given are guessed from the column names. Columns without a role are left out
    unless `keep` names them, because a forgotten column can give a customer away. A row that is
    not well formed raises a SchemaError with its row and column; `cleaning` leaves rows out by rule
    and counts them in `history.source.dropped`.
    """
    if format not in FORMATS:
        raise ParameterError(f"format must be one of {', '.join(FORMATS)}, not '{format}'.")
    given = {
        role: column
        for role, column in zip(ROLES, (person, item, time, price, quantity, basket), strict=True)
        if column is not None
    }
    cleaning = cleaning or (ONLINE_RETAIL if format == "online-retail" else Cleaning())
    if format.startswith("pwscup"):
        if given or keep:
            raise ParameterError(f"The columns of a {format} file have fixed roles; give none.")
        rows = read_contest_purchases(purchases, format, encoding)
        source = Source()
        period = period or PERIODS[format]
    else:
        defaults = ONLINE_RETAIL_ROLES if format == "online-retail" else {}
        loaded = load(purchases, encoding=encoding)
        rows, source = _with_roles(loaded, {**defaults, **given}, keep, cleaning)
    rows, dropped = cleaning(rows)
    if "Country" not in keep:
        rows = rows.drop("Country", strict=False)
    if rows.is_empty():
        raise ReadError("No row is left after cleaning; a history needs at least one row.")
    check_roles(rows, source.name, period=period, generalized=format == "pwscup2018")
    _note_duplicates(rows)
    if ROW not in rows.columns:
        rows = rows.with_columns(pl.int_range(pl.len(), dtype=pl.Int64).alias(ROW))
    history = History(
        purchases=table(rows.drop(LINE)),
        source=Source(source.kind, source.names, source.types, dropped),
    )
    if customers is None:
        return history
    if format in ("pwscup2016", "pwscup2017"):
        people = read_contest_customers(customers, encoding)
    else:
        people = _read_customers(load(customers, encoding=encoding), given.get("person"))
    _check_same_people(rows, people, source)
    return History(history.purchases, table(people.drop(LINE)), history.source)


def _with_roles(
    loaded: Loaded, given: dict[str, str], keep: Sequence[str], cleaning: Cleaning
) -> tuple[pl.DataFrame, Source]:
    roles = find_roles(loaded.rows.columns, given)
    log.info("roles: %s", ", ".join(f"{role} = {column}" for role, column in roles.items()))
    kept = [column for column in keep if column not in roles.values()]
    for_rules = (
        ["Country"] if "unspecified-country" in cleaning.drop and "Country" not in kept else []
    )
    rows = only(loaded.rows, [*roles.values(), *kept, *for_rules])
    left_out = [name for name in loaded.rows.columns if name not in rows.columns]
    if left_out:
        log.info("columns without a role are left out: %s", ", ".join(left_out))
    internal = {column: role for role, column in roles.items()}
    # A kept column may be called like a role or a hidden column; inside it gets another name.
    internal |= {name: f"{name}_" for name in kept if name in (*ROLES, ROW) or name.startswith("_")}
    names = {inside: outside for outside, inside in internal.items()}
    types: dict[str, pl.DataType] = {
        role: loaded.rows.schema[roles[role]]
        for role in ("person", "item", "basket")
        if role in roles and loaded.rows.schema[roles[role]] != pl.String
    }
    rows = rows.rename(internal).with_columns(
        pl.int_range(loaded.first_line, pl.len() + loaded.first_line).alias(LINE)
    )
    for role in roles:
        rows = read_role(rows, role, names[role])
    return rows, Source(loaded.kind, names, types)


def _read_customers(loaded: Loaded, person: str | None) -> pl.DataFrame:
    given = {"person": person} if person in loaded.rows.columns else {}
    column = find_roles(loaded.rows.columns, given)["person"]
    people = loaded.rows.rename({column: "person"}).with_columns(
        ids(loaded.rows[column]).alias("person"),
        pl.int_range(loaded.first_line, pl.len() + loaded.first_line).alias(LINE),
    )
    fail(people, people["person"].is_null(), "person", column, "Every customer needs a name")
    return people


def _check_same_people(rows: pl.DataFrame, people: pl.DataFrame, source: Source) -> None:
    twice = people.filter(people["person"].is_duplicated())
    if len(twice):
        raise SchemaError(
            f"A customer may stand once in the customers table; {twice['person'][0]!r} stands in "
            f"rows {twice[LINE][0]:,} and {twice.filter(person=twice['person'][0])[LINE][1]:,}."
        )
    known = people["person"].implode()
    strangers = rows.filter(~rows["person"].is_in(known))
    if len(strangers):
        where = place(strangers[LINE].to_list(), source.name("person"))
        raise SchemaError(
            f"Every customer of the purchases must stand in the customers table; "
            f"{strangers['person'][0]!r} does not ({where})."
        )
    idle = people.filter(~people["person"].is_in(rows["person"].unique().implode()))
    if len(idle):
        log.warning(
            "%s of the customers table have no purchases (first: %r, row %s); they are kept.",
            f"{len(idle):,} customers" if len(idle) > 1 else "1 customer",
            idle["person"][0],
            f"{idle[LINE][0]:,}",
        )


def _note_duplicates(rows: pl.DataFrame) -> None:
    comparable = rows.drop(LINE, ROW, strict=False)
    repeated = ~comparable.select(pl.struct(pl.all()).is_first_distinct()).to_series()
    if repeated.any():
        log.warning(
            "%s rows repeat an earlier row in every column (first: row %s); they are kept: "
            "leave them out with --drop duplicates.",
            f"{repeated.sum():,}",
            f"{rows.filter(repeated)[LINE][0]:,}",
        )
