"""Columns and constraints that mean the same on SQLite and on PostgreSQL."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    CheckConstraint,
    Column,
    Dialect,
    ForeignKey,
    Index,
    Integer,
    Text,
    TypeDecorator,
    text,
)

# SQLite numbers rows by itself only in a column called INTEGER.
Number = BigInteger().with_variant(Integer, "sqlite")
Json = JSON(none_as_null=True)

NAMES = {
    "pk": "pk_%(table_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
}
"""How constraints are called: a migration can then name the one that it changes."""


class Words(TypeDecorator[str]):
    """Text that both databases can keep: PostgreSQL has no NUL, neither has halves of a pair."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        """Put a replacement character where a text cannot be kept as it is."""
        if value is None:
            return None
        whole = value.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
        return whole.replace("\0", "\N{REPLACEMENT CHARACTER}")


def to_json(value: Any) -> str:
    """Write JSON that both databases take; NaN is refused on both, not only on PostgreSQL."""
    text = json.dumps(value, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def number_key() -> Column[int]:
    """Return the column `id` that the database numbers."""
    return Column("id", Number, primary_key=True)


def moment(name: str, *, optional: bool = False) -> Column[int]:
    """Return a column for a time, in microseconds since 1970 in UTC."""
    return Column(name, BigInteger, nullable=optional)


def words(name: str, *, optional: bool = False, **more: Any) -> Column[str]:
    """Return a column for a text."""
    return Column(name, Words, nullable=optional, **more)


def reference(name: str, target: str, *, optional: bool = False, **more: Any) -> Column[int]:
    """Return a column that names a row of another table by its id."""
    return Column(name, Number, ForeignKey(f"{target}.id"), nullable=optional, **more)


def one_of(column: str, values: Iterable[str]) -> CheckConstraint:
    """Return the rule that a column has one of these texts."""
    listed = ", ".join(f"'{value}'" for value in values)
    return CheckConstraint(f"{column} IN ({listed})", name=column)


def only_one(name: str, column: str, *, where: str) -> Index:
    """Return the rule that among these rows no two have the same value in a column."""
    rows = text(where)
    return Index(name, column, unique=True, sqlite_where=rows, postgresql_where=rows)
