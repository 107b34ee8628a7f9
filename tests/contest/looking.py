"""What is in the tables."""

from __future__ import annotations

from sqlalchemy import func, select

from tokumei.contest.store import schema
from tokumei.contest.store.database import Database


def rows(database: Database, table: str) -> int:
    with database.read() as connection:
        counted = select(func.count()).select_from(schema.metadata.tables[table])
        return int(connection.execute(counted).scalar_one())


def stored(database: Database) -> str:
    """Everything in the tables as one text."""
    with database.read() as connection:
        return "".join(
            str(connection.execute(select(table)).all()) for table in schema.metadata.sorted_tables
        )
