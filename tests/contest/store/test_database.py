"""Two doors, one writer, bounded patience, and no password in any sentence."""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from people import new_team
from sqlalchemy import Connection, func, insert, select, text, update
from sqlalchemy.exc import DBAPIError, IntegrityError, StatementError

from tokumei.contest.store import database as module
from tokumei.contest.store.database import Database, open_database, sqlite_url
from tokumei.contest.store.errors import DatabaseBusy, DatabaseUnavailable
from tokumei.contest.store.schema import audit_log, teams, users
from tokumei.errors import ParameterError


def number_of_teams(connection: Connection) -> int:
    return int(connection.execute(select(func.count()).select_from(teams)).scalar_one())


def test_an_error_undoes_the_transaction(database: Database) -> None:
    def half(connection: Connection) -> None:
        new_team(connection, "a")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        database.run(half)
    with database.read() as connection:
        assert number_of_teams(connection) == 0


def test_a_reader_cannot_write(database: Database) -> None:
    with pytest.raises(DBAPIError), database.read() as connection:
        new_team(connection, "a")
    with database.write() as connection:
        new_team(connection, "a")


def test_a_reader_sees_one_moment(database: Database) -> None:
    with database.read() as reader:
        assert number_of_teams(reader) == 0
        with database.write() as writer:
            new_team(writer, "a")
        assert number_of_teams(reader) == 0
    with database.read() as reader:
        assert number_of_teams(reader) == 1


def test_foreign_keys_and_checks_are_kept(database: Database) -> None:
    row = {"login": "a", "password_hash": "-", "created": 1}
    for wrong in ({"role": "captain", "team_id": 99}, {"role": "captain"}, {"role": "king"}):
        with pytest.raises(IntegrityError), database.write() as connection:
            connection.execute(insert(users).values(**row, **wrong))


def test_no_update_is_lost_between_writers(database: Database) -> None:
    with database.write() as connection:
        new_team(connection, "a")

    def add(_: int) -> None:
        def work(connection: Connection) -> None:
            row = select(teams.c.created).with_for_update()
            before = connection.execute(row).scalar_one()
            time.sleep(0.001)
            connection.execute(update(teams).values(created=before + 1))

        database.run(work)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(add, range(40)))
    with database.read() as connection:
        assert connection.execute(select(teams.c.created)).scalar_one() == 41


@pytest.mark.parametrize("url", ["postgresql"], indirect=True)
def test_a_deadlock_is_resolved_by_trying_again(database: Database) -> None:
    with database.write() as connection:
        ids = [new_team(connection, name) for name in "ab"]
    barrier = threading.Barrier(2, timeout=60)
    tries = []

    def work(order: list[int]) -> None:
        waits = [barrier.wait]

        def cross(connection: Connection) -> None:
            tries.append(1)
            for team_id in order:
                one = update(teams).where(teams.c.id == team_id)
                connection.execute(one.values(created=teams.c.created + 1))
                if waits:
                    waits.pop()()

        database.run(cross)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(work, [ids, ids[::-1]]))
    with database.read() as connection:
        assert connection.execute(select(teams.c.created)).scalars().all() == [3, 3]
    assert len(tries) >= 3  # one gave way, perhaps more than once


def test_patience_with_others_has_a_bound(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BUSY_SECONDS", 0.2)
    monkeypatch.setattr(module, "PAUSES", (0.01, 0.01))
    tries = []

    def work(connection: Connection) -> None:
        tries.append(1)
        connection.execute(update(teams).values(created=2))

    with open_database(url) as mine, open_database(url) as other:
        with other.write() as holder:
            new_team(holder, "a")
        with other.write() as holder:
            holder.execute(update(teams).values(created=1))
            with pytest.raises(DatabaseBusy, match="is busy; try again"):
                mine.run(work)
        mine.run(work)
    # On SQLite it is not even begun while another one writes.
    assert len(tries) == (1 if mine.is_sqlite else 4)


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("mysql://root:hunter2secret@localhost/x", "not mysql"),
        ("sqlite://", "not sqlite"),
        ("sqlite:///:memory:", "not sqlite"),
        ("hunter2secret", "cannot be read"),
        ("postgresql://u:hunter2secret@host:port/x", "cannot be read"),
    ],
)
def test_a_url_that_is_none_of_ours(url: str, sentence: str) -> None:
    with pytest.raises(ParameterError, match=sentence) as caught:
        open_database(url)
    assert "hunter2secret" not in str(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://u:hunter2secret@127.0.0.1:1/x",
        "postgresql://u@127.0.0.1:1/x?password=hunter2secret",
        "postgresql://u:hunter2secret@/x?host=/nowhere&connect_timeout=abc",
        "postgresql://u:hunter2secret@/x?host=/nowhere&nonsense=hunter2secret",
        "sqlite:////nowhere/hunter2/contest.db",
    ],
)
def test_a_database_out_of_reach_is_named_without_its_password(
    url: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with pytest.raises(DatabaseUnavailable, match="cannot be opened") as caught:
        open_database(url)
    assert "hunter2secret" not in str(caught.value)
    assert caught.value.__suppress_context__
    assert "hunter2secret" not in caplog.text
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize("url", ["postgresql"], indirect=True)
def test_a_password_is_not_shown_with_the_database(url: str) -> None:
    with open_database(f"{url}&password=hunter2secret") as database:
        assert "hunter2secret" not in f"{database!r} {database.name}"


def test_values_are_kept_out_of_errors(database: Database) -> None:
    with database.write() as connection:
        new_team(connection, "topsecret")
    with pytest.raises(IntegrityError) as caught, database.write() as connection:
        new_team(connection, "topsecret")
    assert "hidden" in str(caught.value)


def test_numbers_that_json_does_not_have_are_refused_on_both(database: Database) -> None:
    row = {"created": 1, "actor": "a", "action": "b", "subject": "c"}
    with pytest.raises((StatementError, ValueError)), database.write() as connection:
        connection.execute(insert(audit_log).values(**row, detail={"x": float("nan")}))


def test_a_file_has_a_write_ahead_log(tmp_path: Path) -> None:
    file = tmp_path / "a b%20?c#.db"
    with open_database(sqlite_url(file)) as database:
        for door in (database.read, database.write):
            with door() as connection:
                assert connection.execute(text("PRAGMA journal_mode")).scalar() == "wal"
                assert connection.execute(text("PRAGMA foreign_keys")).scalar() == 1
                assert connection.execute(text("PRAGMA synchronous")).scalar() == 2
    assert file.exists()


def test_who_opens_a_new_file_waits_for_another_who_does(tmp_path: Path) -> None:
    """SQLite's own patience does not hold for the switch to a write-ahead log."""
    file = tmp_path / "contest.db"
    other = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    release = threading.Timer(0.2, other.rollback)
    release.start()
    with open_database(sqlite_url(file)):
        pass
    release.join()
    other.close()


def test_what_is_no_database_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "contest.db"
    file.write_text("not a database, but long enough to have a header of its own " * 30)
    with pytest.raises(DatabaseUnavailable, match="file is not a database"):
        open_database(f"sqlite:///{file}")


@pytest.mark.parametrize("url", ["postgresql"], indirect=True)
def test_a_connection_that_the_server_closed_is_replaced(database: Database) -> None:
    with database.write() as connection:
        pid = connection.execute(text("SELECT pg_backend_pid()")).scalar_one()
    with pytest.raises(DatabaseUnavailable, match="is lost"), database.write() as connection:
        connection.execute(text("SELECT pg_terminate_backend(pg_backend_pid())"))
    with database.write() as connection:
        assert connection.execute(text("SELECT pg_backend_pid()")).scalar_one() != pid


def test_sqlite_is_new_enough() -> None:
    assert sqlite3.sqlite_version_info >= (3, 35)
