"""Sessions, tokens, the limit on failed logins, and what is thrown away."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from clocks import Clock
from looking import rows, stored
from people import organizer

from tokumei.contest.store import (
    accounts,
    api_tokens,
    audit,
    housekeeping,
    login_attempts,
    sessions,
)
from tokumei.contest.store.database import Database
from tokumei.contest.store.errors import (
    NotFound,
    TooManyAttempts,
)


def test_a_session_has_a_new_id_at_every_login(database: Database) -> None:
    with database.write() as connection:
        user = organizer(connection)
        first = sessions.log_in(connection, user.id)
        second = sessions.log_in(connection, user.id, replaces=first.secret)
        assert sessions.find(connection, first.secret) is None
        found = sessions.find(connection, second.secret)
    assert found is not None
    assert (found.user, found.csrf) == (user, second.csrf)
    assert second.secret not in stored(database)


def test_a_session_ends(database: Database, moving: Clock) -> None:
    with database.write() as connection:
        user = organizer(connection)
        made = sessions.log_in(connection, user.id)
        for _ in range(7):
            moving.move(sessions.IDLE_SECONDS - 1)
            found = sessions.find(connection, made.secret)
            assert found is not None
            assert found.stale
            sessions.touch(connection, made.secret)
            assert not sessions.find(connection, made.secret).stale  # type: ignore[union-attr]
        moving.move(8)
        assert sessions.find(connection, made.secret) is None
        idle = sessions.log_in(connection, user.id)
        moving.move(sessions.IDLE_SECONDS)
        assert sessions.find(connection, idle.secret) is None


def test_everything_that_ends_all_sessions(database: Database) -> None:
    with database.write() as connection:
        user = organizer(connection)
        organizer(connection, "second")
        for end in (
            lambda: accounts.set_password(connection, user.id, "new"),
            lambda: accounts.disable(connection, user.id),
        ):
            made = [sessions.log_in(connection, user.id) for _ in range(2)]
            end()
            assert [sessions.find(connection, one.secret) for one in made] == [None, None]


def test_tokens_of_users_and_workers(database: Database, moving: Clock) -> None:
    with database.write() as connection:
        user = organizer(connection)
        organizer(connection, "second")
        mine = api_tokens.create(
            connection, user_id=user.id, scope="write", name="laptop", seconds=60
        )
        worker = api_tokens.create(
            connection, user_id=None, scope="worker", name="lab 3", seconds=600
        )
    assert mine.secret not in stored(database)
    with database.write() as connection:
        assert api_tokens.find(connection, mine.secret) == (mine.token, user)
        assert api_tokens.find(connection, worker.secret) == (worker.token, None)
        assert api_tokens.find(connection, "tokumei_made_up") is None
        assert [t.name for t in api_tokens.listed(connection, user_id=user.id)] == ["laptop"]
        assert [t.name for t in api_tokens.listed(connection, user_id=None)] == ["lab 3"]
        api_tokens.used(connection, worker.token.id)
        assert api_tokens.listed(connection, user_id=None)[0].last_used == moving.time
        accounts.disable(connection, user.id)
        assert api_tokens.find(connection, mine.secret) is None
        accounts.enable(connection, user.id)
        with pytest.raises(NotFound):
            api_tokens.revoke(connection, worker.token.id, user_id=user.id)
        api_tokens.revoke(connection, worker.token.id, user_id=None)
        assert api_tokens.find(connection, worker.secret) is None
        moving.move(60)
        assert api_tokens.find(connection, mine.secret) is None


def attempts(database: Database, login: str, address: str) -> int | None:
    """Return for how many seconds an attempt is refused."""
    try:
        with database.write() as connection:
            login_attempts.begin(connection, login, address)
    except TooManyAttempts as refused:
        return refused.seconds
    return None


def test_failed_logins_are_limited_for_a_while(database: Database, moving: Clock) -> None:
    for _ in range(5):
        assert attempts(database, "desk", "192.0.2.1") is None
        moving.move(10)
    assert attempts(database, "DESK ", "192.0.2.1") == 850
    assert attempts(database, "desk", "192.0.2.2") is None
    assert attempts(database, "other", "192.0.2.1") is None
    moving.move(850)
    assert attempts(database, "desk", "192.0.2.1") is None
    assert attempts(database, "desk", "192.0.2.1") is not None


def test_a_right_password_forgets_the_wrong_ones(database: Database) -> None:
    for _ in range(4):
        attempts(database, "desk", "192.0.2.1")
    with database.write() as connection:
        login_attempts.begin(connection, "desk", "192.0.2.1")
        login_attempts.succeeded(connection, "desk", "192.0.2.1")
    assert [attempts(database, "desk", "192.0.2.1") for _ in range(5)] == [None] * 5


def test_logins_and_addresses_have_limits_of_their_own(database: Database) -> None:
    refused = [attempts(database, "desk", f"198.51.100.{n}") for n in range(51)]
    assert [n for n, seconds in enumerate(refused) if seconds] == [50]
    refused = [attempts(database, f"user{n}", "2001:db8::1") for n in range(101)]
    assert [n for n, seconds in enumerate(refused) if seconds] == [100]
    assert attempts(database, "new", "2001:db8::ffff:1")
    assert attempts(database, "new", "2001:db8:0:1::1") is None


def test_a_burst_of_attempts_does_not_pass_the_limit(database: Database) -> None:
    with ThreadPoolExecutor(8) as pool:
        refused = list(pool.map(lambda _: attempts(database, "desk", "unix"), range(16)))
    assert refused.count(None) == 5


def test_the_audit_log(database: Database) -> None:
    with database.write() as connection:
        for number in range(5):
            audit.note(connection, "desk", "freeze", "contest", number=number)
        newest = audit.entries(connection, limit=2)
        older = audit.entries(connection, before=newest[-1].id, limit=2)
    assert [entry.detail["number"] for entry in newest + older] == [4, 3, 2, 1]


def test_what_has_ended_is_thrown_away(database: Database, moving: Clock) -> None:
    with database.write() as connection:
        user = organizer(connection)
        sessions.log_in(connection, user.id)
        api_tokens.create(connection, user_id=None, scope="worker", name="w", seconds=60)
        login_attempts.begin(connection, "desk", "unix")
        housekeeping.prune(connection)
    tables = ("sessions", "api_tokens", "login_attempts")
    assert [rows(database, table) for table in tables] == [1, 1, 1]
    moving.move(sessions.LIFE_SECONDS + 1)
    with database.write() as connection:
        housekeeping.prune(connection)
    assert [rows(database, table) for table in tables] == [0, 0, 0]
