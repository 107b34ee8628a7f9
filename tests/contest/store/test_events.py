"""Events are numbered without gaps, seen in their order, and only by whom they are for."""

from __future__ import annotations

import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from clocks import Clock
from people import new_team
from sqlalchemy import Connection

from tokumei.contest.store import control, events
from tokumei.contest.store.contest_state import ContestState, read_state
from tokumei.contest.store.database import Database
from tokumei.contest.store.events import append, read_since
from tokumei.contest.store.viewing import (
    ANYBODY,
    EVERYBODY,
    ORGANIZER,
    ORGANIZERS,
    Audience,
    Viewer,
    about_team,
    only_team,
)


def say(database: Database, kind: str, audience: Audience, *, scores: bool = False) -> int:
    with database.write() as connection:
        return append(connection, kind, audience, {"k": kind}, tells_scores=scores)


def seen(database: Database, viewer: Viewer, since: int = 0) -> list[str]:
    return [event.kind for event in read_since(database, since, viewer).events]


def test_numbers_have_no_gaps_also_after_an_error(database: Database) -> None:
    assert say(database, "a", EVERYBODY) == 1

    def break_down(connection: Connection) -> None:
        append(connection, "lost", EVERYBODY, {})
        raise RuntimeError

    with pytest.raises(RuntimeError):
        database.run(break_down)
    assert say(database, "b", EVERYBODY) == 2
    assert [event.seq for event in read_since(database, 0, ANYBODY).events] == [1, 2]


def test_a_follower_misses_nothing_while_many_write(database: Database) -> None:
    """The trap of PostgreSQL: with a sequence, 8 can be seen before 7 and 7 is never read."""
    wanted, writers = 60, 6
    followed: list[int] = []
    stop = threading.Event()

    def write(number: int) -> None:
        draws = random.Random(number)

        def work(connection: Connection) -> None:
            time.sleep(draws.uniform(0, 0.005))
            append(connection, "e", EVERYBODY, {"n": number})
            time.sleep(draws.uniform(0, 0.005))

        for _ in range(wanted // writers):
            database.run(work)

    def follow() -> None:
        last = 0
        while len(followed) < wanted and not stop.is_set():
            page = read_since(database, last, ANYBODY)
            followed.extend(event.seq for event in page.events)
            last = page.last

    follower = threading.Thread(target=follow)
    follower.start()
    with ThreadPoolExecutor(writers) as pool:
        list(pool.map(write, range(writers)))
    follower.join(60)
    stop.set()
    assert followed == list(range(1, wanted + 1))


def test_pages_follow_one_another_whatever_is_hidden(database: Database) -> None:
    for number in range(10):
        say(database, str(number), ORGANIZERS if number % 2 else EVERYBODY)
    first = read_since(database, 0, ANYBODY, limit=3)
    assert [event.kind for event in first.events] == ["0", "2", "4"]
    second = read_since(database, first.last, ANYBODY, limit=3)
    assert [event.kind for event in second.events] == ["6", "8"]
    assert second.last == 10
    assert read_since(database, 10, ANYBODY).events == ()


def test_each_viewer_sees_its_own(database: Database) -> None:
    with database.write() as connection:
        ice, fire = new_team(connection, "Ice"), new_team(connection, "Fire")
    say(database, "all", EVERYBODY)
    say(database, "ice", only_team(ice))
    say(database, "desk", ORGANIZERS)
    assert seen(database, ANYBODY) == ["all"]
    assert seen(database, Viewer(fire)) == ["all"]
    assert seen(database, Viewer(ice)) == ["all", "ice"]
    assert seen(database, ORGANIZER) == ["all", "ice", "desk"]


def test_a_freeze_hides_the_scores_of_the_others(database: Database, moving: Clock) -> None:
    with database.write() as connection:
        ice, fire = new_team(connection, "Ice"), new_team(connection, "Fire")
    say(database, "before", about_team(ice), scores=True)
    with database.write() as connection:
        control.freeze(connection)
        frozen_at = moving.time
        moving.move(5)
        control.freeze(connection)
        assert read_state(connection) == ContestState(None, frozen_at, 2)
    say(database, "ice score", about_team(ice), scores=True)
    say(database, "nobody's score", EVERYBODY, scores=True)
    say(database, "plain", about_team(ice))
    public = ["before", "contest.frozen", "plain"]
    assert seen(database, ANYBODY) == public
    assert seen(database, Viewer(fire)) == public
    assert seen(database, Viewer(ice)) == ["before", "contest.frozen", "ice score", "plain"]
    assert len(seen(database, ORGANIZER)) == 5
    with database.write() as connection:
        control.unfreeze(connection)
        control.unfreeze(connection)
    assert len(seen(database, ANYBODY)) == 6
    assert seen(database, ANYBODY)[-1] == "contest.unfrozen"


def test_a_phase_takes_the_place_of_the_planned_one(database: Database) -> None:
    with database.write() as connection:
        control.set_phase(connection, "attack")
    with database.read() as connection:
        assert read_state(connection).phase == "attack"
        assert events.last_seq(connection) == 1
    with database.write() as connection:
        control.set_phase(connection, None)
    assert [dict(e.payload) for e in read_since(database, 0, ANYBODY).events] == [
        {"phase": "attack"},
        {"phase": None},
    ]
