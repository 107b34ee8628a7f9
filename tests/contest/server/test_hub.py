"""No gap and no double, one text for all clients of a viewer, and nothing that stops it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import text
from staging import People

from tokumei.contest.actions import organizing
from tokumei.contest.opening import Contest
from tokumei.contest.server import hub as hub_module
from tokumei.contest.server.hub import LOGGED_OUT, MOST_MISSED, MOST_WAITING, TOO_SLOW, Hub, Pass
from tokumei.contest.server.messages import Message
from tokumei.contest.store import api_tokens, control, events, sessions
from tokumei.contest.store.events import Event
from tokumei.contest.store.viewing import (
    ANYBODY,
    EVERYBODY,
    ORGANIZER,
    Audience,
    Viewer,
    about_team,
    only_team,
)

NOBODY = Pass("nobody", token=False)
SOON = 10


def event(seq: int) -> Event:
    return Event(seq, 0, "e", None, {"n": seq})


def say(
    contest: Contest, kind: str, audience: Audience = EVERYBODY, *, scores: bool = False
) -> int:
    with contest.database.write() as connection:
        return events.append(connection, kind, audience, {}, tells_scores=scores)


def read(message: Message) -> dict[str, Any]:
    return json.loads(message.text)


def kinds(message: Message) -> list[str]:
    return [one["kind"] for one in read(message)["events"]]


async def soon(happened: Callable[[], bool]) -> None:
    async with asyncio.timeout(SOON):
        while not happened():
            await asyncio.sleep(0.01)


def test_an_event_is_told_in_full() -> None:
    told = Message.of_events(8, [Event(7, 1_500_000, "team.joined", 3, {"team": 3, "name": "氷"})])
    assert read(told) == {
        "type": "events",
        "seq": 8,
        "events": [
            {
                "seq": 7,
                "created": "1970-01-01T00:00:01.500000Z",
                "kind": "team.joined",
                "team": 3,
                "payload": {"team": 3, "name": "氷"},
            }
        ],
    }


def test_a_client_gets_what_it_does_not_know_yet() -> None:
    news = Message.of_events(6, [event(4), event(6)])
    assert news.newer_than(3) is news
    assert news.newer_than(6) is None
    part = news.newer_than(4)
    assert part is not None
    assert read(part)["events"] == read(Message.of_events(6, [event(6)]))["events"]
    assert part.last == 6
    assert Message.ping(6).newer_than(6) is not None
    assert Message.ping(5).newer_than(6) is None, "a client never goes back"


def test_all_clients_of_a_viewer_share_one_text(contest: Contest, people: People) -> None:
    ice = Viewer(people.captain.team_id)

    async def play() -> None:
        hub = Hub(contest, pause=0.01)
        async with hub.running():
            mine, mate, desk = (
                hub.join(ice, NOBODY),
                hub.join(ice, NOBODY),
                hub.join(ORGANIZER, NOBODY),
            )
            say(contest, "hello")
            async with asyncio.timeout(SOON):
                first, second, third = [await one.waiting.get() for one in (mine, mate, desk)]
            assert first is second
            assert kinds(first) == kinds(third) == ["hello"]
            hub.leave(mate)
            say(contest, "again")
            async with asyncio.timeout(SOON):
                assert kinds(await mine.waiting.get()) == ["again"]
            assert mate.waiting.empty()

    asyncio.run(play())


def test_each_viewer_is_told_its_own_and_silence_is_no_message(
    contest: Contest, people: People
) -> None:
    ice, fire = people.captain.team_id, people.rival.team_id
    assert ice
    assert fire

    async def play() -> None:
        hub = Hub(contest, pause=0.01)
        async with hub.running():
            clients = {who: hub.join(who, NOBODY) for who in (Viewer(ice), Viewer(fire), ANYBODY)}
            say(contest, "ice only", only_team(ice))
            say(contest, "score", about_team(fire), scores=True)
            last = say(contest, "end")
            told: dict[Viewer, list[str]] = {who: [] for who in clients}
            for who, client in clients.items():
                while "end" not in told[who]:
                    async with asyncio.timeout(SOON):
                        told[who] += kinds(message := await client.waiting.get())
                assert message.last == last
            assert told[Viewer(ice)] == ["ice only", "score", "end"]
            assert told[Viewer(fire)] == told[ANYBODY] == ["score", "end"]

    asyncio.run(play())


@pytest.mark.parametrize("more_settings", ['[public]\nresults = "own"\n'])
def test_scores_go_to_whom_the_settings_let_see_them(contest: Contest, people: People) -> None:
    ice, fire = people.captain.team_id, people.rival.team_id
    assert ice
    assert fire
    say(contest, "score", about_team(fire), scores=True)
    last = say(contest, "end")

    async def play() -> None:
        hub = Hub(contest)
        told = {
            who: (await hub.missed(who, 0))[0] for who in (Viewer(ice), Viewer(fire), ORGANIZER)
        }
        assert kinds(told[Viewer(ice)]) == ["end"]
        assert kinds(told[Viewer(fire)]) == kinds(told[ORGANIZER]) == ["score", "end"]
        assert {message.last for message in told.values()} == {last}
        organizing.set_phase(contest, None, "closed")
        news, snapshot = await hub.missed(Viewer(ice), last)
        assert "contest.phase" in kinds(news)
        assert read(snapshot)["state"]["sees"] == "all"

    asyncio.run(play())


def test_the_past_and_the_present_meet_without_gap_or_double(
    contest: Contest, people: People
) -> None:
    """Clients join at any moment while others write, and read the past after it."""
    wanted = 40

    def write() -> None:
        for _ in range(wanted):
            say(contest, "e")

    async def follow(hub: Hub) -> list[int]:
        client = hub.join(ANYBODY, NOBODY)
        await asyncio.sleep(0)
        known, got = 0, []
        for message in await hub.missed(ANYBODY, 0):
            known = message.last
            got += [one["seq"] for one in read(message)["events"]]
        while known < wanted:
            async with asyncio.timeout(SOON):
                new = (await client.waiting.get()).newer_than(known)
            if new is not None:
                known = new.last
                got += [one["seq"] for one in read(new)["events"]]
        hub.leave(client)
        return got

    async def play() -> None:
        hub = Hub(contest, pause=0.001)
        async with hub.running():
            async with asyncio.TaskGroup() as group:
                group.create_task(asyncio.to_thread(write))
                following = []
                for _ in range(20):
                    following.append(group.create_task(follow(hub)))
                    await asyncio.sleep(0.003)
            for one in following:
                assert one.result() == list(range(1, wanted + 1))

    asyncio.run(play())


def test_who_is_far_behind_or_ahead_begins_anew(contest: Contest) -> None:
    def write(number: int) -> None:
        with contest.database.write() as connection:
            for _ in range(number):
                events.append(connection, "e", EVERYBODY, {})

    async def types(hub: Hub, since: int | None) -> list[str]:
        return [read(message)["type"] for message in await hub.missed(ANYBODY, since)]

    async def play() -> None:
        hub = Hub(contest)
        write(MOST_MISSED)
        assert await types(hub, None) == ["snapshot"]
        assert await types(hub, 0) == ["events"]
        write(1)
        assert await types(hub, 0) == ["snapshot"]
        assert await types(hub, 1) == ["events"]
        assert await types(hub, MOST_MISSED + 1) == ["events"]
        assert await types(hub, MOST_MISSED + 2) == ["snapshot"]
        assert await types(hub, 10**30) == ["snapshot"]

    asyncio.run(play())


def test_an_end_of_a_freeze_shows_everything_anew(contest: Contest, people: People) -> None:
    async def play() -> None:
        hub = Hub(contest, pause=0.01)
        async with hub.running():
            client = hub.join(ANYBODY, NOBODY)
            with contest.database.write() as connection:
                control.freeze(connection)
                control.unfreeze(connection)
            async with asyncio.timeout(SOON):
                told, shown = [await client.waiting.get() for _ in range(2)]
            assert kinds(told) == ["contest.frozen", "contest.unfrozen"]
            assert read(shown)["type"] == "snapshot"
            assert shown.newer_than(told.last) is shown
            # Whoever was away then sees the same.
            messages = await hub.missed(ANYBODY, 0)
            assert [read(one)["type"] for one in messages] == ["events", "snapshot"]

    asyncio.run(play())


def test_a_client_that_is_too_slow_is_ended_alone(contest: Contest) -> None:
    async def play() -> None:
        hub = Hub(contest, pause=0.001)
        async with hub.running():
            slow, quick = hub.join(ANYBODY, NOBODY), hub.join(ANYBODY, NOBODY)
            got = 0
            while not slow.ended.done():
                say(contest, "e")
                async with asyncio.timeout(SOON):
                    await quick.waiting.get()
                got += 1
            assert got == MOST_WAITING + 1
            assert slow.ended.result() == TOO_SLOW
            assert slow.waiting.qsize() == MOST_WAITING
            assert not quick.ended.done()

    asyncio.run(play())


def test_a_pass_that_ends_ends_its_clients(contest: Contest, people: People) -> None:
    with contest.database.write() as connection:
        first = sessions.log_in(connection, people.captain.id).secret
        second = sessions.log_in(connection, people.member.id).secret
        token = api_tokens.create(
            connection, user_id=people.captain.id, scope="read", name="t", seconds=60
        )

    async def play() -> None:
        hub = Hub(contest, pause=0.01, beat=0.05)
        async with hub.running():
            leaving = hub.join(ANYBODY, Pass(first, token=False))
            staying = hub.join(ANYBODY, Pass(second, token=False))
            program = hub.join(ANYBODY, Pass(token.secret, token=True))
            async with asyncio.timeout(SOON):
                assert read(await leaving.waiting.get()) == {"type": "ping", "seq": 0}
            with contest.database.write() as connection:
                sessions.log_out(connection, first)
            await soon(leaving.ended.done)
            with contest.database.write() as connection:
                api_tokens.revoke(connection, token.token.id, user_id=people.captain.id)
            await soon(program.ended.done)
            assert leaving.ended.result() == program.ended.result() == LOGGED_OUT
            assert not staying.ended.done()

    asyncio.run(play())
    assert first not in repr(Pass(first, token=False))


def test_the_hub_goes_on_after_the_database_was_away(
    contest: Contest, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(hub_module, "TROUBLE_SECONDS", 0.01)

    async def play() -> None:
        hub = Hub(contest, pause=0.01, beat=0.05)
        async with hub.running():
            client = hub.join(ANYBODY, Pass("-", token=False))
            execute(contest, "ALTER TABLE event_counter RENAME TO event_counter_away")
            cut_off(contest)
            await soon(lambda: bool(caplog.records))
            before = client.waiting.qsize()
            await soon(lambda: client.waiting.qsize() >= before + 2)
            assert read(client.waiting.get_nowait())["type"] == "ping"
            execute(contest, "ALTER TABLE event_counter_away RENAME TO event_counter")
            cut_off(contest)
            say(contest, "back")
            message = client.waiting.get_nowait()
            while read(message)["type"] != "events":
                async with asyncio.timeout(SOON):
                    message = await client.waiting.get()
            assert kinds(message) == ["back"]

    asyncio.run(play())
    assert len(caplog.records) <= 3, "a long trouble is not told at every look"


def execute(contest: Contest, statement: str) -> None:
    with contest.database.write() as connection:
        connection.execute(text(statement))


def cut_off(contest: Contest) -> None:
    """End the connections of all others, as a restart of PostgreSQL does."""
    if not contest.database.is_sqlite:
        execute(
            contest,
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()",
        )
