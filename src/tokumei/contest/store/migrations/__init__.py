"""Changes of the tables from one version of tokumei to the next, run at every start.

A new one is a file in `versions` with the next revision; a test tells what it leaves out. They are
run from here, without alembic's `env.py` and `alembic.ini`: nothing is left to configure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection, text

from tokumei.contest.store.database import Database, serialize
from tokumei.contest.store.errors import DatabaseUnavailable, StoreError
from tokumei.contest.store.schema import metadata
from tokumei.contest.store.sqlite_file import writing_engine

PATIENCE_SECONDS = 600
"""How long a server waits on SQLite for another one that migrates; on PostgreSQL to the end."""


def upgrade(database: Database) -> None:
    """Bring the tables up to this version of tokumei; where they are, nothing is done."""
    scripts = _scripts()
    _run(database, lambda revision, _: scripts._upgrade_revs("head", revision))


def downgrade(database: Database, revision: str = "base") -> None:
    """Take the tables back to an older revision; what only newer ones can hold is lost."""
    scripts = _scripts()
    _run(database, lambda current, _: scripts._downgrade_revs(revision, current))


def _scripts() -> ScriptDirectory:
    config = Config()
    config.set_main_option("script_location", "tokumei.contest.store:migrations")
    return ScriptDirectory.from_config(config)


def _run(database: Database, steps: Callable[[Any, Any], Any]) -> None:
    environment = EnvironmentContext(Config(), _scripts(), fn=steps)
    try:
        with _alone(database) as connection, environment:
            environment.configure(
                connection=connection,
                target_metadata=metadata,
                # SQLite changes a table by making it anew.
                render_as_batch=True,
                transactional_ddl=True,
            )
            environment.run_migrations()
    except CommandError:
        raise DatabaseUnavailable(
            f"The {database.name} was made by a newer version; update tokumei to open it."
        ) from None


@contextmanager
def _alone(database: Database) -> Iterator[Connection]:
    """Give one transaction for all steps; several servers that start at once go one by one."""
    if not database.is_sqlite:
        with database.write() as connection:
            connection.execute(text("SET LOCAL lock_timeout = 0"))
            serialize(connection, "migrations")
            yield connection
        return
    # While a table is made anew, those that point to it point nowhere.
    engine = writing_engine(database.writer.url, PATIENCE_SECONDS, foreign_keys=False)
    try:
        with engine.begin() as connection:
            yield connection
            if connection.execute(text("PRAGMA foreign_key_check")).first():
                raise StoreError(f"The {database.name} would have rows that point to nothing.")
    finally:
        engine.dispose()
