"""The server's clock goes on, whatever happens, and says nothing of the data."""

from __future__ import annotations

import asyncio
import logging
import threading

import pytest
from fastapi.testclient import TestClient
from playing import events
from staging import People

from tokumei.contest.actions import organizing
from tokumei.contest.opening import Contest
from tokumei.contest.server.app import make_app
from tokumei.contest.server.ticking import ticking


def test_a_tick_that_fails_is_logged_without_data_and_the_next_comes(
    contest: Contest, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    ticks: list[int] = []
    enough = threading.Event()

    def tick(_: Contest) -> None:
        ticks.append(len(ticks))
        if len(ticks) == 1:
            raise ValueError("Alice bought a pear")
        enough.set()

    tick.__name__ = "tick"
    monkeypatch.setattr(organizing, "tick", tick)

    async def run() -> None:
        async with ticking(contest, seconds=0.01):
            await asyncio.to_thread(enough.wait, 10)

    with caplog.at_level(logging.ERROR):
        asyncio.run(run())
    assert len(ticks) >= 2
    assert caplog.messages == ["tick failed by ValueError; it is tried again."]
    assert "Alice" not in caplog.text


def test_the_last_tick_ends_before_the_server_does(
    contest: Contest, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, ended = threading.Event(), threading.Event()

    def slow(_: Contest) -> None:
        begun.set()
        threading.Event().wait(0.2)
        ended.set()

    monkeypatch.setattr(organizing, "tick", slow)

    async def run() -> None:
        async with ticking(contest, seconds=60):
            await asyncio.to_thread(begun.wait, 10)

    asyncio.run(run())
    assert ended.is_set()


def test_a_server_ticks_from_its_start(contest: Contest, people: People) -> None:
    with TestClient(make_app(contest), base_url="http://contest.test"):
        for _ in range(500):
            if events(contest, "contest.phase"):
                break
            threading.Event().wait(0.01)
    assert [event.payload["phase"] for event in events(contest, "contest.phase")] == ["anonymize"]
