"""One SQLite file, or a PostgreSQL database by its URL, behind the same two doors.

`write()` gives a transaction that may change things, `read()` one that sees a single moment and
may not. Transactions are short: nothing is computed inside them.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Self, TypeVar

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.pool import ConnectionPoolEntry

from tokumei.contest.store.columns import to_json
from tokumei.contest.store.errors import DatabaseBusy, DatabaseUnavailable
from tokumei.contest.store.sqlite_file import is_busy, reading_engine, writing_engine
from tokumei.errors import ParameterError

T = TypeVar("T")

BUSY_SECONDS = 10
"""How long a transaction waits for others before the database counts as busy."""
PAUSES = (0.02, 0.05, 0.2, 0.5, 1.0)
"""Seconds before a transaction that collided is tried again; after the last one it is given up."""
CONNECTIONS = 8
PASSING = {"40001", "40P01", "55P03"}
"""PostgreSQL: not serializable, a deadlock, a lock that did not come."""


@dataclass(frozen=True)
class Database:
    """A contest's database; `name` is for people and has no password."""

    name: str
    # An engine shows its URL, and a password can be among the URL's options.
    writer: Engine = field(repr=False)
    reader: Engine = field(repr=False)

    @property
    def is_sqlite(self) -> bool:
        """Whether it is a file."""
        return self.writer.dialect.name == "sqlite"

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """Give a transaction that is committed at the end, and undone by an error."""
        with self._told(), self.writer.begin() as connection:
            yield connection

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Give a transaction that sees one moment and cannot write."""
        with self._told(), self.reader.begin() as connection:
            yield connection

    def run(self, work: Callable[[Connection], T]) -> T:
        """Do some work in a write transaction, again where it collides with that of others."""
        for pause in PAUSES:
            try:
                with self.write() as connection:
                    return work(connection)
            except DatabaseBusy:
                # A random pause, so that two that collided do not meet again.
                time.sleep(pause * random.uniform(0.5, 1.5))  # noqa: S311
        with self.write() as connection:
            return work(connection)

    def close(self) -> None:
        """Close all connections."""
        self.writer.dispose()
        self.reader.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except PoolTimeout:
            raise DatabaseBusy(f"The {self.name} is busy; try again.") from None
        except DBAPIError as error:
            if _is_passing(error.orig):
                raise DatabaseBusy(f"The {self.name} is busy; try again.") from error
            if error.connection_invalidated:
                raise DatabaseUnavailable(f"The connection to the {self.name} is lost.") from error
            raise


def open_database(url: str | URL) -> Database:
    """Open `sqlite:///FILE` or `postgresql://…`; the tables are made by `migrations.upgrade`."""
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        # The URL is not repeated: it can have a password.
        raise ParameterError("The database's URL cannot be read.") from None
    backend = parsed.get_backend_name()
    if backend == "sqlite" and parsed.database and parsed.database != ":memory:":
        database = _open_sqlite(sqlite_url(parsed.database))
    elif backend in ("postgresql", "postgres"):
        database = _open_postgresql(parsed)
    else:
        raise ParameterError(
            "A contest's database is a file (sqlite:///FILE) or PostgreSQL (postgresql://…), "
            f"not {backend}."
        )
    try:
        with database.read() as connection:
            connection.execute(text("SELECT 1"))
    except (SQLAlchemyError, DatabaseUnavailable) as error:
        database.close()
        raise DatabaseUnavailable(
            f"The {database.name} cannot be opened{_reason(error)}."
        ) from None
    return database


def sqlite_url(file: str | Path) -> URL:
    """Return the URL of a file, whatever characters its name has."""
    return URL.create("sqlite", database=str(file))


def serialize(connection: Connection, name: str) -> None:
    """Let transactions that ask for the same name go one after the other, until their end."""
    # On SQLite there is a single writer anyway.
    if connection.dialect.name == "postgresql":
        key = int.from_bytes(sha256(name.encode()).digest()[:8], signed=True)
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": key})


def _open_sqlite(url: URL) -> Database:
    writer = writing_engine(url, BUSY_SECONDS, **_common())
    reader = reading_engine(url, BUSY_SECONDS, **_common())
    return Database(f"database {url.database}", writer, reader)


def _common() -> dict[str, Any]:
    # Parameters can be hashes of passwords: they are kept out of errors and logs.
    return {"hide_parameters": True, "json_serializer": to_json, "pool_timeout": 3 * BUSY_SECONDS}


def _open_postgresql(url: URL) -> Database:
    url = url.set(drivername="postgresql+psycopg")
    writer = create_engine(url, pool_pre_ping=True, pool_size=CONNECTIONS, **_common())
    # All statements of a reader see the same moment.
    reader = writer.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)

    @event.listens_for(writer, "connect")
    def prepare(connection: Any, _: ConnectionPoolEntry) -> None:
        with connection.cursor() as cursor:
            cursor.execute(f"SET lock_timeout = '{BUSY_SECONDS}s'")
            # A process that hangs in the middle must not keep its locks.
            cursor.execute(f"SET idle_in_transaction_session_timeout = '{6 * BUSY_SECONDS}s'")
        connection.commit()

    place = "/".join(part for part in (url.host, url.database) if part)
    return Database(f"PostgreSQL database {place}".rstrip(), writer, reader)


def _is_passing(error: BaseException | None) -> bool:
    return is_busy(error) or getattr(error, "sqlstate", None) in PASSING


def _reason(error: BaseException) -> str:
    """Return why, in the driver's words, which name the server and the user only."""
    told = error if isinstance(error, DBAPIError) else error.__cause__
    lines = str(getattr(told, "orig", "")).strip().splitlines()
    return f": {lines[0].rstrip('.')}" if lines else ""
