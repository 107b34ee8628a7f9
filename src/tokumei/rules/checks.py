"""The checks of single cells and of pseudonyms that the contest years share."""

from __future__ import annotations

import polars as pl

from tokumei.data.columns import LINE
from tokumei.data.pwscup import COLUMNS, typed_purchases
from tokumei.history import ROW
from tokumei.rules.problems import Problems, Severity

NAME = r"^[A-Za-z0-9_-]+$"
DATE = r"[1-9][0-9]{3}/(?:[1-9]|1[0-2])/(?:[1-9]|[12][0-9]|3[01])"
CLOCK = r"^(?:[0-9]|1[0-9]|2[0-3]):[0-5][0-9]$"
PRICE = r"^[0-9]{1,5}(?:\.[0-9]{1,2})?$"
QUANTITY = r"^[0-9]{1,6}$"


def note(
    rows: pl.DataFrame,
    bad: pl.Expr,
    rule: str,
    column: str,
    problems: Problems,
    severity: Severity = "failure",
) -> None:
    """Note the rows that break a rule; what cannot be told does not."""
    found = rows.filter(bad)
    problems.breaks(rule, column, found[LINE], found[column], severity)


def check_rows(rows: pl.DataFrame, needed: int, original: str, problems: Problems) -> None:
    """Check that a submission has a row for every row of the original."""
    if len(rows) != needed:
        rule = f"A submission must have {needed:,} rows, as {original} has"
        problems.breaks(rule, "whole line", [min(needed, len(rows)) + 1], [f"{len(rows):,}"])


def check_deleted(
    rows: pl.DataFrame, columns: tuple[str, ...], mark: str, problems: Problems
) -> pl.DataFrame:
    """Check that deleted rows hold the mark and nothing else; return the other whole rows."""
    person, *others = columns
    filler = mark if mark == "*" else ""
    deleted = pl.col(person) == mark
    full = ",".join([mark, *[filler] * len(others)])
    marred = deleted & pl.any_horizontal(pl.col(name) != filler for name in others)
    note(rows, marred, f"A deleted row must be {full}", person, problems)
    return rows.filter(~deleted)


def check_names(
    rows: pl.DataFrame, customers: pl.Series, problems: Problems, *, column: str = "person"
) -> None:
    """Check the form of pseudonyms, and that none is the id of a customer."""
    rule = "A pseudonym must consist of letters, digits, - and _"
    note(rows, ~pl.col(column).str.contains(NAME), rule, column, problems)
    rule = "A pseudonym must not be the id of a customer"
    note(rows, pl.col(column).is_in(customers.implode()), rule, column, problems)


def check_one_name_each(
    rows: pl.DataFrame, holder: tuple[str, ...], rule: str, problems: Problems
) -> None:
    """Check that every holder (columns of the original) has one pseudonym."""
    first = pl.col("person").first().over(holder)
    note(rows, pl.col("person") != first, rule, "person", problems)


def check_own_names(rows: pl.DataFrame, owner: str, severity: Severity, problems: Problems) -> None:
    """Check that no pseudonym stands for two customers; note the first row of the second one."""
    taken = rows.filter(pl.col(owner) != pl.col(owner).first().over("person"))
    taken = taken.unique(["person", owner], keep="first")
    rule = "Two customers should not share a pseudonym"
    if severity == "failure":
        rule = "Two customers must not share a pseudonym"
    problems.breaks(rule, "person", taken[LINE], taken["person"], severity)


def check_dates(rows: pl.DataFrame, problems: Problems) -> None:
    """Check that dates exist and are written as the contests write them."""
    rule = "A date must exist and look like 2011/2/8"
    note(rows, is_no_date(pl.col("date")), rule, "date", problems)


def is_no_date(text: pl.Expr) -> pl.Expr:
    """Tell which texts are no date of the calendar, or written otherwise."""
    shaped = text.str.contains(f"^{DATE}$")
    return ~shaped | text.str.to_date("%Y/%m/%d", strict=False).is_null()


def check_clocks(rows: pl.DataFrame, problems: Problems) -> None:
    """Check times of day."""
    rule = "A time must look like 9:05 or 23:59"
    note(rows, ~pl.col("clock").str.contains(CLOCK), rule, "clock", problems)


def check_items(rows: pl.DataFrame, items: pl.Series, problems: Problems) -> None:
    """Check that items are those of the original."""
    note(
        rows,
        ~pl.col("item").is_in(items.implode()),
        "An item must occur in the original",
        "item",
        problems,
    )


def check_amounts(rows: pl.DataFrame, problems: Problems) -> None:
    """Check prices and quantities."""
    price, quantity = pl.col("price"), pl.col("quantity")
    rule = "A price must have up to 5 digits and 2 decimals and be above zero"
    zero = price.cast(pl.Float64, strict=False) == 0
    note(rows, ~price.str.contains(PRICE) | zero, rule, "price", problems)
    rule = "A quantity must be a whole number of 1 to 6 digits, above zero"
    none = quantity.cast(pl.Int64, strict=False) == 0
    note(rows, ~quantity.str.contains(QUANTITY) | none, rule, "quantity", problems)


def values_of(rows: pl.DataFrame, year: str, problems: Problems) -> pl.DataFrame:
    """Return the rows with typed cells, if they are valid."""
    if not problems.report().valid:
        return pl.DataFrame()
    return typed_purchases(rows.select(*COLUMNS[year], ROW, LINE), year).drop(LINE)
