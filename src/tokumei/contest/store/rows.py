"""From rows of the database to frozen records whose fields are called as the columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Connection, Executable, FromClause
from sqlalchemy.dialects import postgresql, sqlite

from tokumei.contest.store.errors import NotFound

R = TypeVar("R")


def columns(table: FromClause, record: type[Any]) -> list[ColumnElement[Any]]:
    """Return the columns that a record has."""
    return [table.c[field.name] for field in fields(record)]


def several(connection: Connection, statement: Executable, record: type[R]) -> list[R]:
    """Return all rows as records."""
    return [record(**row) for row in connection.execute(statement).mappings()]


def perhaps(
    connection: Connection,
    statement: Executable,
    record: type[R],
    values: Mapping[str, Any] | None = None,
) -> R | None:
    """Return the first row as a record, if there is one."""
    row = connection.execute(statement, values).mappings().first()
    return record(**row) if row else None


def one(connection: Connection, statement: Executable, record: type[R], what: str) -> R:
    """Return the row as a record; what is not there is named."""
    found = perhaps(connection, statement, record)
    if found is None:
        raise NotFound(f"There is no {what}.")
    return found


def count(connection: Connection, statement: Executable) -> int:
    """Return the number that a statement counts."""
    return int(connection.execute(statement).scalar_one())


def insert_into(connection: Connection, table: Any) -> postgresql.Insert | sqlite.Insert:
    """Return an INSERT that can say what happens where the row is there already."""
    if connection.dialect.name == "postgresql":
        return postgresql.insert(table)
    return sqlite.insert(table)
