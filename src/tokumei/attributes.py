"""Some columns of a history as the attributes of records: what methods on columns share."""

from __future__ import annotations

from typing import Annotated, Literal

import polars as pl
from typing_extensions import Doc

from tokumei.errors import ParameterError, SchemaError
from tokumei.history import ROW, History
from tokumei.tables import Table, frame

Columns = Annotated[str, Doc("Columns, separated by commas.")]
WhichTable = Annotated[
    Literal["purchases", "customers"], Doc("The table whose rows are the records.")
]
RENAMED = (ROW, "person", "basket")
"""Publishing gives these new values, whatever an anonymizer does."""


def column_names(columns: str, *, least: int = 1) -> list[str]:
    """Return the columns that a text names; they must differ, and be such as a release keeps."""
    names = [name.strip() for name in columns.split(",")]
    if len(names) < least or len(set(names)) < len(names) or "" in names:
        count = "two or more different columns" if least > 1 else "different columns"
        raise ParameterError(f"columns must name {count}, separated by commas, not {columns!r}.")
    if renamed := [name for name in names if name in RENAMED]:
        raise ParameterError(
            f"columns may not have {renamed[0]!r}, whose values a release never keeps."
        )
    return names


def records(of: History, part: str, names: list[str], *, to: str) -> pl.DataFrame:
    """Return a table of a history that has these columns, with exact values."""
    return frame(chosen_table(of, part, names, to=to))


def chosen_table(of: History, part: str, names: list[str], *, to: str) -> Table:
    """Return the same wherever it lies."""
    chosen = of.purchases if part == "purchases" else of.customers
    if chosen is None:
        raise SchemaError(f"To {to} of customers, the history needs a customers table.")
    schema = chosen.collect_schema()
    for name in names:
        if name not in schema:
            have = ", ".join(column for column in schema if column not in RENAMED)
            raise SchemaError(f"To {to}, the {part} need a column '{name}'; they have {have}.")
        if schema[name].is_nested():
            raise SchemaError(f"To {to}, every {name} must be exact; some are generalized.")
    return chosen
