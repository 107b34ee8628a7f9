"""A whole contest with people, on both databases, and a client for each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from remote import serving
from staging import ORIGINAL, TOML, People

from tokumei.contest.actions import people as accounts_of
from tokumei.contest.opening import Contest, new_seed, open_contest
from tokumei.contest.remote_desk import RemoteDesk
from tokumei.contest.server.access import COOKIE, CSRF_HEADER
from tokumei.contest.server.app import make_app
from tokumei.contest.store import accounts, sessions
from tokumei.contest.store.accounts import User
from tokumei.contest.store.passwords import hash_password
from tokumei.contest.store.secret_texts import new_secret
from tokumei.contest.working import Worker


@pytest.fixture
def more_settings() -> str:
    """What a test adds to contest.toml before the tables; parametrize or override it."""
    return ""


@pytest.fixture
def folder(tmp_path: Path, more_settings: str) -> Path:
    """A contest's folder: settings, data and a seed."""
    made = tmp_path / "contest"
    (made / "data").mkdir(parents=True)
    (made / "contest.toml").write_text(TOML.format(more=more_settings), encoding="utf-8")
    (made / "data" / "T.csv").write_text(ORIGINAL)
    new_seed(made)
    return made


@pytest.fixture
def contest(folder: Path, url: str) -> Iterator[Contest]:
    with open_contest(folder, database_url=url) as opened:
        yield opened


@cache
def password_of_nobody() -> str:
    return hash_password(new_secret())


@pytest.fixture
def people(contest: Contest) -> People:
    """Accounts whose passwords nobody knows."""
    locked = password_of_nobody()
    with contest.database.write() as connection:
        ice = accounts.add_team(connection, "ice").id
        fire = accounts.add_team(connection, "fire").id
        return People(
            organizer=accounts.add_user(connection, "desk", locked, "organizer"),
            observer=accounts.add_user(connection, "press", locked, "observer"),
            captain=accounts.add_user(connection, "yuki", locked, "captain", ice),
            member=accounts.add_user(connection, "koori", locked, "member", ice),
            rival=accounts.add_user(connection, "honoo", locked, "captain", fire),
        )


@pytest.fixture
def app(contest: Contest) -> FastAPI:
    return make_app(contest, ticking=False)


@pytest.fixture
def client_of(app: FastAPI, contest: Contest) -> Iterator[Callable[[User | None], TestClient]]:
    """A browser of somebody who is logged in, or of nobody; it sends the CSRF token."""
    opened: list[TestClient] = []

    def make(user: User | None) -> TestClient:
        client = TestClient(app, base_url="http://contest.test", raise_server_exceptions=False)
        opened.append(client)
        if user is not None:
            with contest.database.write() as connection:
                session = sessions.log_in(connection, user.id)
            client.cookies.set(COOKIE, session.secret)
            client.headers[CSRF_HEADER] = session.csrf
        return client

    yield make
    for client in opened:
        client.close()


@pytest.fixture
def server(app: FastAPI) -> Iterator[str]:
    with serving(app) as address:
        yield address


@pytest.fixture
def token(contest: Contest, people: People) -> str:
    return accounts_of.new_worker_token(contest, people.organizer, "lab", 1).secret


@pytest.fixture
def desk(server: str, token: str) -> Iterator[RemoteDesk]:
    with RemoteDesk(server, token) as made:
        yield made


@pytest.fixture
def worker(desk: RemoteDesk) -> Worker:
    return Worker("far", desk, desk.evaluation)
