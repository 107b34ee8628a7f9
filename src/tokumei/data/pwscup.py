"""The files of the PWSCUP contests, in and out.

All are CSV without a header; `simplified` is the game of Hamada's article. The row of a submission
stands where the row of T stood that it came from; a deleted row is `DEL,,,,,,` (2017) or
`*,*,*,*,*` (2018). So the line number is the row id, and reading a submission gives a history whose
kept rows are matched with those of T. As values the cells are typed; as texts they stay as they
were written, which is what contests compare.
"""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import polars as pl

from tokumei.cells import Convert, Kind, parse, to_text
from tokumei.data.columns import LINE, fail, ids, prices, quantities
from tokumei.data.text import read_strings
from tokumei.errors import SchemaError
from tokumei.history import ROW, History
from tokumei.tables import Table, frame, table

WITH_INVOICES = ("person", "basket", "date", "clock", "item", "price", "quantity")
COLUMNS: dict[str, tuple[str, ...]] = {
    "pwscup2016": WITH_INVOICES,
    "pwscup2017": WITH_INVOICES,
    "pwscup2018": ("person", "date", "item", "price", "quantity"),
    "simplified": ("person", "date", "item"),
}
DELETED = {"pwscup2016": None, "pwscup2017": "DEL", "pwscup2018": "*", "simplified": "DEL"}
PERIODS = {
    "pwscup2016": (date(2010, 12, 1), date(2011, 12, 9)),
    "pwscup2017": (date(2010, 12, 1), date(2011, 11, 30)),
    "pwscup2018": (date(2010, 12, 1), date(2011, 11, 30)),
}
CUSTOMER_COLUMNS = ("person", "sex", "birth", "country")


def _dates(texts: pl.Series) -> pl.Series:
    return texts.str.to_date("%Y/%m/%d", strict=False)


CELLS: dict[str, tuple[Convert, Kind, str]] = {
    "date": (_dates, "interval", "A date must look like 2011/2/28"),
    "item": (ids, "set", "Every purchase needs an item"),
    "price": (prices, "interval", "A price must be a number"),
    "quantity": (quantities, "interval", "A quantity must be a whole number"),
}
GENERALIZED = "pwscup2018"
"""The year in which cells may be intervals, sets or suppressed."""


def _read(path: Any, names: tuple[str, ...], encoding: str | None) -> pl.DataFrame:
    if not isinstance(path, str | Path):
        raise SchemaError(f"A contest file is read from a file, not from {type(path).__name__}.")
    path = Path(path)
    rows = read_strings(path, header=False, encoding=encoding)
    if rows.width != len(names):
        raise SchemaError(
            f"{path.name} must have {len(names)} columns ({', '.join(names)}); it has {rows.width}."
        )
    rows.columns = list(names)
    return rows.with_columns(pl.int_range(1, pl.len() + 1).alias(LINE))


def read_contest_texts(path: Any, year: str, encoding: str | None = None) -> pl.DataFrame:
    """Read T, a submission or published data as texts, with row ids by line."""
    rows = _read(path, COLUMNS[year], encoding)
    if rows["person"][0] == "X1":  # the second round of 2018 came with a header
        rows = rows[1:]
    rows = rows.with_columns(pl.int_range(pl.len(), dtype=pl.Int64).alias(ROW))
    if (mark := DELETED[year]) is not None:
        rows = rows.filter(pl.col("person").ne_missing(mark))
    return rows


def count_lines(path: Path, year: str) -> int:
    """Return the number of rows of a contest file, deleted ones included."""
    rows = _read(path, COLUMNS[year], None)
    return len(rows) - int(rows["person"][0] == "X1")


def read_contest_purchases(path: Any, year: str, encoding: str | None = None) -> pl.DataFrame:
    """Read T, a submission or published data of a contest year, with row ids by line."""
    return typed_purchases(read_contest_texts(path, year, encoding), year)


def typed_purchases(rows: pl.DataFrame, year: str) -> pl.DataFrame:
    """Turn texts into values."""
    for column in (name for name in COLUMNS[year] if name in CELLS):
        read, wide, rule = CELLS[column]
        cells, bad = parse(rows[column], read, of=wide if year == GENERALIZED else "exact")
        fail(rows, bad, column, column, rule)
        rows = rows.with_columns(cells)
    if "clock" in rows.columns:
        clock = ("2000/1/1 " + rows["clock"]).str.to_datetime("%Y/%m/%d %H:%M", strict=False)
        fail(rows, clock.is_null(), "clock", "time", "A time must look like 9:05")
        rows = rows.with_columns(clock.dt.time().alias("clock"))
        rows = rows.with_columns(pl.col("date").dt.combine(pl.col("clock")))
    return rows.rename({"date": "time"}).drop("clock", strict=False)


def text_history(rows: pl.DataFrame, customers: Table | None = None) -> History:
    """Make a history whose cells are texts: its time is the date as it was written."""
    named = rows.rename({"date": "time"}).drop("clock", strict=False)
    return History(table(named), customers)


def read_contest_customers(path: Any, encoding: str | None = None) -> pl.DataFrame:
    """Read M: customer, sex, birth date, country."""
    people = _read(path, CUSTOMER_COLUMNS, encoding)
    born = _dates(people["birth"])
    fail(people, born.is_null(), "birth", "birth date", "A birth date must look like 1951/8/14")
    return people.with_columns(born.alias("birth"))


def _date_text(dates: pl.Series) -> pl.Series:
    return dates.dt.strftime("%Y/%-m/%-d")


def _price_text(values: pl.Series) -> pl.Series:
    return values.cast(pl.String).str.strip_suffix(".0")


def _number_text(values: pl.Series) -> pl.Series:
    return values.cast(pl.String)


WRITERS = {"date": _date_text, "item": _number_text, "price": _price_text, "quantity": _number_text}


def contest_text(history: History, year: str, *, lines: int | None = None) -> str:
    """Write purchases as a contest file.

    With `lines`, the number of rows of T, the rows stand at their row ids and the gaps are written
    as deleted; without it, the rows stand in the order of the history.
    """
    parts = {"date": "time", "item": "item", "price": "price", "quantity": "quantity"}
    needed = [role for name, role in parts.items() if name in COLUMNS[year]]
    to = f"write a {year} file"
    rows = history.frame()
    if year == GENERALIZED:
        history.require(*(role for role in needed if role not in rows.columns), to=to)
    else:
        history.require(*needed, to=to)
        if gaps := [role for role in needed if rows[role].null_count()]:
            raise SchemaError(f"To {to}, every {gaps[0]} must be exact; some are suppressed.")
    texts = {"person": rows["person"]} | {
        name: to_text(rows[role], WRITERS[name])
        for name, role in parts.items()
        if name in COLUMNS[year]
    }
    if "clock" in COLUMNS[year]:
        texts["clock"] = rows["time"].cast(pl.Datetime).dt.strftime("%-H:%M")
        no_baskets = pl.repeat("0", len(rows), eager=True)
        texts["basket"] = rows["basket"] if "basket" in rows.columns else no_baskets
    for name, cells in texts.items():
        _check_plain(cells.alias(name), year)
    written = pl.DataFrame(texts | {ROW: rows[ROW]}).select(*COLUMNS[year], ROW)
    if lines is not None:
        written = _with_deleted(written, year, lines)
    return written.drop(ROW).write_csv(include_header=False)


def _check_plain(cells: pl.Series, year: str) -> None:
    """Raise a SchemaError if a cell cannot stand in a file without quotation marks."""
    if (strange := cells.str.contains(r'[,"\r\n]').fill_null(value=False)).any():
        value = cells.filter(strange)[0]
        raise SchemaError(
            f"A cell of a {year} file may not hold a comma, quotation mark or line end; "
            f"{value!r} in column {cells.name} does."
        )


def _with_deleted(written: pl.DataFrame, year: str, lines: int) -> pl.DataFrame:
    mark = DELETED[year]
    if mark is None:
        raise SchemaError(f"A {year} file has no form for deleted rows.")
    every = pl.DataFrame({ROW: pl.int_range(lines, eager=True)})
    full = every.join(written, on=ROW, how="left", maintain_order="left")
    person, *others = COLUMNS[year]
    marked = (person,) if mark == "DEL" else (person, *others)
    return full.with_columns(pl.col(*marked).fill_null(mark))


def customers_text(history: History) -> str:
    """Write customers as M."""
    if history.customers is None:
        raise SchemaError("The history has no customers table to write as M.")
    people = frame(history.customers).select(CUSTOMER_COLUMNS)
    return people.with_columns(_date_text(people["birth"]).alias("birth")).write_csv(
        include_header=False
    )
