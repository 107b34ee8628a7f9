"""`History`: who bought what, when, in a form that every method can rely on.

The purchases have a row for each purchase and these columns; only `person` must be there:

| column | role | type |
|---|---|---|
| `row` | hidden row id: 0, 1, … as read; negative where an anonymizer invented the row | Int64 |
| `person` | the customer, or in a release the pseudonym | String |
| `item` | what was bought | String, or a set |
| `time` | when | Date or Datetime, or an interval |
| `price`, `quantity` | amounts | Float64, Int64, or an interval |
| `basket` | what was bought together (an invoice) | String |

Other columns keep their names. The user's own names of the role columns are kept in `source` and
come back when the history is written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import narwhals as nw
import polars as pl

from tokumei.errors import SchemaError
from tokumei.tables import Table, columns, frame, height, on_spark, settle, spark_form, table

ROW = "row"
ROLES = ("person", "item", "time", "price", "quantity", "basket")
Kernel = Callable[[pl.DataFrame], pl.DataFrame]
"""A step over a block of rows; it may not depend on which other rows are in the block."""


@dataclass(frozen=True)
class Source:
    """How the tables came, so that they can go back the same way."""

    kind: str = "polars"
    names: Mapping[str, str] = field(default_factory=dict)
    types: Mapping[str, pl.DataType] = field(default_factory=dict)
    dropped: Mapping[str, int] = field(default_factory=dict)

    def name(self, column: str) -> str:
        """Return the user's name of a column."""
        return self.names.get(column, column)


@dataclass(frozen=True, eq=False)
class History:
    """Purchases, and optionally what is known about each customer."""

    purchases: Table
    customers: Table | None = None
    source: Source = field(default_factory=Source)

    def __post_init__(self) -> None:
        names = columns(self.purchases)
        for needed in (ROW, "person"):
            if needed not in names:
                raise SchemaError(f"The purchases of a history need a column '{needed}'.")
        if self.customers is not None:
            if "person" not in columns(self.customers):
                raise SchemaError("The customers of a history need a column 'person'.")
            _check_once(self.customers)

    @property
    def visible(self) -> tuple[str, ...]:
        """All columns of the purchases but the hidden row id."""
        return tuple(name for name in columns(self.purchases) if name != ROW)

    @property
    def on_spark(self) -> bool:
        """Whether the purchases are a Spark table."""
        return on_spark(self.purchases)

    @property
    def rows(self) -> int:
        """The number of purchases."""
        return height(self.purchases)

    def require(self, *roles: str, to: str) -> None:
        """Raise a SchemaError unless these columns are there and exact; `to` says what for."""
        schema = self.purchases.collect_schema()
        for role in roles:
            if role not in schema:
                have = ", ".join(self.visible)
                raise SchemaError(f"To {to}, the history needs a column for {role}; it has {have}.")
            if schema[role].is_nested():
                raise SchemaError(f"To {to}, every {role} must be exact; some are generalized.")

    def frame(self) -> pl.DataFrame:
        """Return the purchases as a polars frame."""
        return self._frame.clone()  # who changes it changes their own

    @cached_property
    def _frame(self) -> pl.DataFrame:
        return frame(self.purchases)

    def in_row_order(self) -> pl.DataFrame:
        """Return the purchases in the order of their row ids."""
        rows = self.frame()
        return rows if rows[ROW].is_sorted() else rows.sort(ROW)

    def persons(self) -> list[str]:
        """Return the customers, of purchases and customers table, sorted."""
        return frame(self.people()).to_series().sort().to_list()

    def people(self) -> Table:
        """Return the customers as a table with the column person, each once, in any order."""
        found = self.purchases.select("person")
        if self.customers is not None:
            found = nw.concat([found, self.customers.select("person")])
        return found.unique()

    def with_purchases(self, purchases: Table | pl.DataFrame) -> History:
        """Return this history with other purchases."""
        if isinstance(purchases, pl.DataFrame):
            return replace(self, purchases=table(purchases))
        return replace(self, purchases=settle(purchases))

    def map_rows(self, kernel: Kernel) -> History:
        """Run a kernel over blocks of rows; it may change and drop rows."""
        if self.on_spark:
            mapped: Table = spark_form("frames:map_blocks")(self.purchases, kernel)
            return replace(self, purchases=mapped)
        return self.with_purchases(kernel(self.frame()))

    def add_rows(self, invented: pl.DataFrame) -> History:
        """Return this history with invented rows (no row ids yet) added."""
        rows = self.frame()
        lowest: int = rows.select(pl.min_horizontal(pl.col(ROW).min(), 0)).item()
        ids = pl.int_range(lowest - 1, lowest - 1 - len(invented), -1, eager=True).alias(ROW)
        added = invented.with_columns(ids).select(rows.columns)
        return self.with_purchases(pl.concat([rows, added]))

    def to_native(self) -> Any:
        """Return the purchases as the kind of table that came in, under the user's column names."""
        if self.on_spark:
            return spark_form("reading:restored")(self)
        return as_kind(restore_names(self.frame().drop(ROW), self.source), self.source.kind)

    def __repr__(self) -> str:
        # Counting the rows of a Spark table may take minutes.
        size = "on Spark" if self.on_spark else f"{self.rows:,} purchases"
        return f"History({size}; {', '.join(self.visible)})"


def _check_once(customers: Table) -> None:
    """Raise a SchemaError if a customer has two rows: such a table makes one customer look as many.

    On Spark it is checked where a table is read or verified: this would run the plan.
    """
    if on_spark(customers):
        return
    people = frame(customers.select("person")).to_series()
    if (twice := people.filter(people.is_duplicated())).len():
        raise SchemaError(
            f"A customer may have one row in the customers table; {twice[0]!r} has "
            f"{(twice == twice[0]).sum():,}."
        )


def months(times: pl.Series) -> pl.Series:
    """Return the month of each date, as 2011-02; dates may also stand as texts (2011/2/28)."""
    if times.is_empty():  # where there is nothing to replace, polars does not tell the type
        return times.cast(pl.String)
    # A year has few dates and many rows.
    distinct = times.unique()
    dates = distinct.str.to_date("%Y/%m/%d") if times.dtype == pl.String else distinct
    return times.replace_strict(distinct, dates.dt.strftime("%Y-%m"), return_dtype=pl.String)


def restore_names(rows: pl.DataFrame, source: Source) -> pl.DataFrame:
    """Give columns the user's names back, and ids and prices their type where they still fit it."""
    for column, dtype in source.types.items():
        if column not in rows.columns or rows[column].dtype.is_nested():
            continue
        cells = rows[column]
        cast = cells.cast(dtype, strict=False)
        fits = cast.is_null() == cells.is_null() if cells.dtype == pl.String else cast == cells
        if fits.all():
            rows = rows.with_columns(cast)
    return rows.rename({name: source.name(name) for name in rows.columns})


def as_kind(rows: pl.DataFrame, kind: str) -> Any:
    """Turn a polars frame into another kind of table."""
    match kind:
        case "polars-lazy":
            return rows.lazy()
        case "pandas":
            return rows.to_pandas()
        case "pyarrow":
            return rows.to_arrow()
        case "duckdb":
            import duckdb

            return duckdb.from_arrow(rows.to_arrow())
    return rows
