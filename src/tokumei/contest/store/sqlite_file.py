"""How a SQLite file is opened: a write-ahead log, foreign keys, one writer, many readers."""

from __future__ import annotations

import random
import sqlite3
import time
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.pool import ConnectionPoolEntry

READERS = 8
# What a team was told is stored stays stored, also when the power fails.
PRAGMAS = ("synchronous = FULL", "trusted_schema = OFF")


def reading_engine(url: URL, seconds: float, **options: Any) -> Engine:
    """Return an engine whose transactions see one moment and cannot write."""
    engine = create_engine(url, pool_size=READERS, connect_args={"timeout": seconds}, **options)
    _prepare(engine, seconds, "foreign_keys = ON", "query_only = ON")

    @event.listens_for(engine, "begin")
    def start(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN")

    return engine


def writing_engine(
    url: URL, seconds: float, *, foreign_keys: bool = True, **options: Any
) -> Engine:
    """Return an engine whose transactions take the lock at once, waiting for it so many seconds.

    A transaction that reads first and writes later fails without waiting where another was faster.
    """
    # One connection: threads of a process wait in a fair line, not at the file's lock.
    engine = create_engine(
        url, pool_size=1, max_overflow=0, connect_args={"timeout": seconds}, **options
    )
    _prepare(engine, seconds, f"foreign_keys = {foreign_keys}", "busy_timeout = 0")

    @event.listens_for(engine, "begin")
    def start(connection: Connection) -> None:
        file: Any = connection.connection.driver_connection
        try:
            _patiently(file, "BEGIN IMMEDIATE", seconds)
        except sqlite3.OperationalError:
            connection.exec_driver_sql("BEGIN IMMEDIATE")  # fails again, as SQLAlchemy tells it

    return engine


def is_busy(error: BaseException | None) -> bool:
    """Tell whether another process has the file's lock."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def _patiently(file: sqlite3.Connection, statement: str, seconds: float) -> sqlite3.Cursor:
    """Run a statement as soon as no other process has the lock that it needs."""
    # SQLite itself would sleep longer each time, so that who waits longest asks least.
    end = time.monotonic() + seconds
    while True:
        try:
            return file.execute(statement)
        except sqlite3.OperationalError as error:
            if not is_busy(error) or time.monotonic() > end:
                raise
            time.sleep(random.uniform(0.001, 0.003))  # noqa: S311


def _prepare(engine: Engine, seconds: float, *pragmas: str) -> None:
    @event.listens_for(engine, "connect")
    def prepare(connection: sqlite3.Connection, _: ConnectionPoolEntry) -> None:
        # The module's own BEGIN comes too late, and not before every statement.
        connection.isolation_level = None
        # Where two open a new file at once, SQLite refuses one of them without waiting.
        mode = _patiently(connection, "PRAGMA journal_mode = WAL", seconds).fetchone()[0]
        if mode != "wal":
            raise sqlite3.OperationalError("the file system has no write-ahead log")
        for pragma in (*PRAGMAS, *pragmas):
            connection.execute(f"PRAGMA {pragma}")
