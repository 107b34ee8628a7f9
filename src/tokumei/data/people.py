"""The customers table, and whether it fits the purchases."""

from __future__ import annotations

import logging
from collections.abc import Sequence

import polars as pl

from tokumei.data.columns import LINE, fail, ids
from tokumei.data.loading import Loaded
from tokumei.data.roles import find_roles, free_name
from tokumei.errors import SchemaError, place
from tokumei.history import Source

log = logging.getLogger(__name__)


def read_customers(
    loaded: Loaded, person: str | None, keep: Sequence[str]
) -> tuple[pl.DataFrame, list[str]]:
    """Return the customers with the attributes that are kept, and the names of those."""
    columns = loaded.rows.columns
    given = {"person": person} if person is not None and person in columns else {}
    column = find_roles(columns, given)["person"]
    kept = [name for name in dict.fromkeys(keep) if name in columns and name != column]
    left_out = [name for name in columns if name not in (column, *kept)]
    if left_out:
        log.info("columns of the customers table are left out: %s", ", ".join(left_out))
    clashing = {name: free_name(name, columns) for name in kept if name in ("person", LINE)}
    people = loaded.rows.select(column, *kept).rename({**clashing, column: "person"})
    people = people.with_columns(
        ids(loaded.rows[column]).alias("person"),
        pl.int_range(loaded.first_line, pl.len() + loaded.first_line).alias(LINE),
    )
    fail(people, people["person"].is_null(), "person", column, "Every customer needs a name")
    return people, kept


def check_once(people: pl.DataFrame) -> None:
    """Raise a SchemaError if a customer has two rows in the customers table."""
    twice = people.filter(people["person"].is_duplicated())
    if len(twice):
        name = twice["person"][0]
        first, second = twice.filter(person=name)[LINE][:2]
        raise SchemaError(
            f"A customer may have one row in the customers table; {name!r} has rows {first:,} and "
            f"{second:,}."
        )


def check_same_people(rows: pl.DataFrame, people: pl.DataFrame, source: Source) -> None:
    """Raise a SchemaError unless every buyer stands in the customers table, and once."""
    check_once(people)
    strangers = rows.join(people, on="person", how="anti", maintain_order="left")
    if len(strangers):
        where = place(strangers[LINE].to_list(), source.name("person"))
        raise SchemaError(
            f"Every customer of the purchases must stand in the customers table; "
            f"{strangers['person'][0]!r} does not ({where})."
        )
    idle = people.join(rows, on="person", how="anti", maintain_order="left")
    if len(idle):
        log.warning(
            "%s no purchases (first: %r, row %s of the customers table); all are kept.",
            f"{len(idle):,} customers have" if len(idle) > 1 else "1 customer has",
            idle["person"][0],
            f"{idle[LINE][0]:,}",
        )
