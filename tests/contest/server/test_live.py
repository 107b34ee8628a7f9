"""The live channel over real sockets: who may listen, what is told, and when it ends."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import pytest
import uvicorn
from fastapi import FastAPI
from staging import ClientOf, People
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from tokumei.contest.opening import Contest
from tokumei.contest.server import live
from tokumei.contest.server.access import COOKIE
from tokumei.contest.server.hub import LOGGED_OUT, TOO_SLOW, Hub
from tokumei.contest.store import accounts, api_tokens, events, sessions
from tokumei.contest.store.accounts import User
from tokumei.contest.store.viewing import EVERYBODY, only_team

SOON = 10
ABNORMAL = 1006
"""There was no reason: the connection broke."""


@dataclass(frozen=True)
class Site:
    """A server on a port of its own."""

    host: str
    hub: Hub

    def follow(
        self, since: int | None = None, **headers: str
    ) -> AbstractContextManager[ClientConnection]:
        query = "" if since is None else f"?since={since}"
        given = {"Origin": f"http://{self.host}"} | headers
        origin = given.pop("Origin")
        return connect(
            f"ws://{self.host}/live{query}",
            origin=origin or None,
            additional_headers=given,
            open_timeout=SOON,
            proxy=None,
        )


Cookie = Callable[[User], dict[str, str]]


@pytest.fixture
def site(app: FastAPI, contest: Contest) -> Iterator[Site]:
    app.state.hub = Hub(contest, pause=0.02, beat=0.3)
    listening = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(app, log_config=None, ws_ping_interval=5, timeout_graceful_shutdown=5)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        until(lambda: server.started)
        yield Site(f"127.0.0.1:{listening.getsockname()[1]}", app.state.hub)
    finally:
        server.should_exit = True
        thread.join(SOON)
        listening.close()
        assert not thread.is_alive()


@pytest.fixture
def cookie(contest: Contest) -> Cookie:
    def log_in(user: User) -> dict[str, str]:
        with contest.database.write() as connection:
            return {"Cookie": f"{COOKIE}={sessions.log_in(connection, user.id).secret}"}

    return log_in


def until(happened: Callable[[], bool]) -> None:
    end = time.monotonic() + SOON
    while not happened():
        assert time.monotonic() < end
        time.sleep(0.01)


def told(connection: ClientConnection, kind: str) -> dict[str, Any]:
    """Return the next message of a type."""
    end = time.monotonic() + SOON
    while (message := json.loads(connection.recv(SOON)))["type"] != kind:
        assert time.monotonic() < end, message
    return message


def say(contest: Contest, kind: str) -> int:
    with contest.database.write() as connection:
        return events.append(connection, kind, EVERYBODY, {"k": kind})


def code_of(connection: ClientConnection) -> int:
    """Listen until the server ends it; return its reason."""
    end = time.monotonic() + SOON
    while time.monotonic() < end:
        try:
            connection.recv(SOON)
        except ConnectionClosed as closed:
            return closed.rcvd.code if closed.rcvd else ABNORMAL
    raise TimeoutError


def test_a_client_gets_a_snapshot_then_events_and_comes_back_with_its_number(
    site: Site, contest: Contest, people: People, cookie: Cookie
) -> None:
    mine = cookie(people.captain)
    with site.follow(**mine) as connection:
        first = json.loads(connection.recv(SOON))
        assert (first["type"], first["seq"]) == ("snapshot", 0)
        assert [team["name"] for team in first["state"]["teams"]] == ["ice", "fire"]
        say(contest, "hello")
        message = told(connection, "events")
        assert message["seq"] == 1
        assert [event["kind"] for event in message["events"]] == ["hello"]
        assert told(connection, "ping") == {"type": "ping", "seq": 1}
    until(lambda: not site.hub.clients)
    say(contest, "missed")
    with site.follow(1, **mine) as connection:
        message = json.loads(connection.recv(SOON))
        assert [event["kind"] for event in message["events"]] == ["missed"]
    with site.follow(2, **mine) as connection:
        assert json.loads(connection.recv(SOON)) == {"type": "events", "seq": 2, "events": []}


def test_only_somebody_who_is_logged_in_listens(
    site: Site, contest: Contest, people: People, cookie: Cookie
) -> None:
    worker = ("worker", None)
    secrets = {}
    with contest.database.write() as connection:
        for scope, user_id in (("read", people.rival.id), worker):
            made = api_tokens.create(connection, user_id=user_id, scope=scope, name="t", seconds=60)
            secrets[scope] = f"Bearer {made.secret}"
    for headers in (
        {},
        {"Cookie": f"{COOKIE}=x"},
        {"Authorization": "Bearer tokumei_x"},
        {"Authorization": secrets["worker"]},
    ):
        with site.follow(**headers) as connection:
            assert code_of(connection) == LOGGED_OUT
    with site.follow(Origin="", Authorization=secrets["read"]) as connection:
        assert told(connection, "snapshot")


@pytest.mark.parametrize("origin", ["http://evil.test", "null", "http://127.0.0.1:1"])
def test_pages_of_other_sites_do_not_get_in(
    site: Site, people: People, cookie: Cookie, origin: str
) -> None:
    with (
        pytest.raises(InvalidStatus) as refused,
        site.follow(**cookie(people.captain), Origin=origin),
    ):
        pass
    assert refused.value.response.status_code == 403


def test_a_session_that_ends_ends_the_connection(
    site: Site, contest: Contest, people: People, cookie: Cookie
) -> None:
    with site.follow(**cookie(people.member)) as mine, site.follow(**cookie(people.rival)) as other:
        told(mine, "snapshot")
        with contest.database.write() as connection:
            accounts.disable(connection, people.member.id)
        assert code_of(mine) == LOGGED_OUT
        told(other, "ping")


def test_a_client_that_does_not_read_is_dropped_and_the_others_go_on(
    site: Site, contest: Contest, people: People, cookie: Cookie, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "CLOSE_SECONDS", 0.1)
    with silent(site, cookie(people.rival)), site.follow(**cookie(people.captain)) as quick:
        told(quick, "snapshot")
        until(lambda: len(site.hub.clients) == 2)
        payload = {"filler": "x" * 300_000}
        for number in range(1, 200):
            with contest.database.write() as connection:
                events.append(connection, "big", EVERYBODY, payload)
            assert told(quick, "events")["seq"] == number
            if len(site.hub.clients) == 1:
                break
        assert len(site.hub.clients) == 1


@contextmanager
def silent(site: Site, headers: dict[str, str]) -> Iterator[socket.socket]:
    """Open a connection and never read from it."""
    host, port = site.host.split(":")
    lines = [
        "GET /live HTTP/1.1",
        f"Host: {site.host}",
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        *(f"{name}: {value}" for name, value in headers.items()),
    ]
    with socket.create_connection((host, int(port)), SOON) as raw:
        raw.sendall("\r\n".join([*lines, "", ""]).encode())
        yield raw


def test_the_code_of_a_slow_client_is_told_when_it_reads_again(
    site: Site, contest: Contest, people: People, cookie: Cookie
) -> None:
    with site.follow(**cookie(people.captain)) as connection:
        told(connection, "snapshot")
        (client,) = site.hub.clients
        client.ended.get_loop().call_soon_threadsafe(client.end, TOO_SLOW)
        assert code_of(connection) == TOO_SLOW


@pytest.mark.parametrize("said", [["x" * 5_000], [b"x" * 5_000], ["x"] * 101])
def test_what_a_client_says_is_ignored_but_not_without_end(
    site: Site, people: People, cookie: Cookie, said: list[str | bytes]
) -> None:
    with site.follow(**cookie(people.captain)) as connection:
        connection.send('{"type": "hello"}')
        assert told(connection, "snapshot")
        with suppress(ConnectionClosed):
            for one in said:
                connection.send(one)
        assert code_of(connection) == live.SAYS_TOO_MUCH
    until(lambda: not site.hub.clients)


def test_asking_again_and_again_gives_the_same(
    client_of: ClientOf, contest: Contest, people: People
) -> None:
    captain, rival = client_of(people.captain), client_of(people.rival)
    state = captain.get("/api/state").json()
    assert captain.get("/api/events").json() == state
    assert (state["type"], state["seq"]) == ("snapshot", 0)
    with contest.database.write() as connection:
        events.append(connection, "mine", only_team(people.captain.team_id or 0), {"n": 1})
    message = captain.get("/api/events", params={"since": 0}).json()
    assert [(event["kind"], event["payload"]) for event in message["events"]] == [
        ("mine", {"n": 1})
    ]
    hidden = rival.get("/api/events", params={"since": 0}).json()
    assert hidden == {"type": "events", "seq": 1, "events": []}
    assert captain.get("/api/events", params={"since": -1}).status_code == 422
    assert captain.get("/api/events", params={"since": "9" * 30}).json()["type"] == "snapshot"
    for path in ("/api/state", "/api/events"):
        assert client_of(None).get(path).status_code == 401
