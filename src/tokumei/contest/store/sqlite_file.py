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
    _prepare(engine, "foreign_keys = ON", "query_only = ON")

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
    _prepare(engine, f"foreign_keys = {foreign_keys}", "busy_timeout = 0")

    @event.listens_for(engine, "begin")
    def start(connection: Connection) -> None:
        # SQLite itself would sleep longer each time, so that who waits longest asks least.
        file: Any = connection.connection.driver_connection
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                file.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError as error:
                if not is_busy(error):
                    break
                time.sleep(random.uniform(0.001, 0.003))  # noqa: S311
            else:
                return
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine


def is_busy(error: BaseException | None) -> bool:
    """Tell whether another process has the file's lock."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def _prepare(engine: Engine, *pragmas: str) -> None:
    @event.listens_for(engine, "connect")
    def prepare(connection: sqlite3.Connection, _: ConnectionPoolEntry) -> None:
        # The module's own BEGIN comes too late, and not before every statement.
        connection.isolation_level = None
        mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
        if mode != "wal":
            raise sqlite3.OperationalError("the file system has no write-ahead log")
        for pragma in (*PRAGMAS, *pragmas):
            connection.execute(f"PRAGMA {pragma}")
