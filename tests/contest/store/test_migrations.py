"""The migrations make exactly the tables of the schema, on both databases."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.operations import Operations
from people import new_team, new_user
from sqlalchemy import Connection, Inspector, insert, inspect, select, text
from sqlalchemy.exc import IntegrityError

from tokumei.contest.store import migrations
from tokumei.contest.store.database import Database, open_database
from tokumei.contest.store.errors import DatabaseUnavailable, StoreError
from tokumei.contest.store.migrations import downgrade, upgrade
from tokumei.contest.store.schema import metadata, teams


def differences(connection: Connection) -> list[Any]:
    context = MigrationContext.configure(connection, opts={"compare_type": True})
    return compare_metadata(context, metadata)


def told(options: dict[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in sorted(options.items()))


def constraints(inspector: Inspector) -> dict[str, Any]:
    """What alembic does not compare: checks, and the rows that a unique index is about."""
    return {
        name: (
            sorted((c["name"], c["sqltext"]) for c in inspector.get_check_constraints(name)),
            sorted(
                (i["name"], told(i.get("dialect_options", {}))) for i in inspector.get_indexes(name)
            ),
        )
        for name in metadata.tables
    }


def test_an_upgrade_from_nothing_makes_the_schema(empty_url: str) -> None:
    with open_database(empty_url) as database:
        upgrade(database)
        with database.read() as connection:
            assert differences(connection) == []


def test_checks_and_partial_indexes_are_those_of_the_schema(empty_url: str) -> None:
    with open_database(empty_url) as database:
        with database.write() as connection:
            metadata.create_all(connection)
        with database.read() as connection:
            meant = constraints(inspect(connection))
        with database.write() as connection:
            metadata.drop_all(connection)
        upgrade(database)
        with database.read() as connection:
            assert constraints(inspect(connection)) == meant


def test_down_to_nothing_and_up_again(empty_url: str) -> None:
    with open_database(empty_url) as database:
        upgrade(database)
        downgrade(database)
        with database.read() as connection:
            assert inspect(connection).get_table_names() == ["alembic_version"]
        upgrade(database)
        with database.read() as connection:
            assert differences(connection) == []


def test_what_is_stored_survives_another_upgrade(database: Database) -> None:
    with database.write() as connection:
        connection.execute(insert(teams).values(name="氷", key="氷", created=1))
    upgrade(database)
    with database.read() as connection:
        assert connection.execute(select(teams.c.name)).scalars().all() == ["氷"]


def test_a_failing_migration_leaves_nothing(
    empty_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("in the middle")

    with open_database(empty_url) as database:
        with monkeypatch.context() as patch:
            patch.setattr(Operations, "execute", fail)
            with pytest.raises(RuntimeError, match="in the middle"):
                upgrade(database)
        with database.read() as connection:
            assert not inspect(connection).get_table_names()
        upgrade(database)


def test_several_servers_start_at_once(empty_url: str) -> None:
    def start(_: int) -> None:
        with open_database(empty_url) as database:
            upgrade(database)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(start, range(4)))
    with open_database(empty_url) as database, database.read() as connection:
        assert differences(connection) == []


def test_a_newer_database_is_refused(database: Database) -> None:
    with database.write() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(DatabaseUnavailable, match="newer version; update tokumei"):
        upgrade(database)


def test_a_table_that_is_made_anew_keeps_those_that_point_to_it(database: Database) -> None:
    """SQLite changes a table by making it anew: with foreign keys on, the old could not go."""
    with database.write() as connection:
        new_user(connection, "yuki", new_team(connection, "Ice"))
    with migrations._alone(database) as connection:
        operations = Operations(MigrationContext.configure(connection))
        with operations.batch_alter_table("teams") as batch:
            batch.alter_column("name", new_column_name="title")
    with database.read() as connection:
        assert connection.execute(text("SELECT title FROM teams")).scalars().all() == ["Ice"]
        assert connection.execute(text("SELECT team_id FROM users")).scalars().all() == [1]


def test_rows_that_would_point_to_nothing_stop_a_migration(database: Database) -> None:
    with database.write() as connection:
        new_user(connection, "yuki", new_team(connection, "Ice"))

    def migrate() -> None:
        with migrations._alone(database) as connection:
            connection.execute(text("DELETE FROM teams"))

    with pytest.raises((StoreError, IntegrityError)):
        migrate()
    with database.read() as connection:
        assert connection.execute(text("SELECT name FROM teams")).scalars().all() == ["Ice"]
