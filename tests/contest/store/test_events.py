"""Events are numbered without gaps, seen in their order, and only by whom they are for."""

from __future__ import annotations

import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import get_args

import pytest
from clocks import Clock
from people import new_team
from sqlalchemy import Connection

from tokumei.contest.store import control
from tokumei.contest.store.contest_state import ContestState, read_state
from tokumei.contest.store.database import Database
from tokumei.contest.store.events import Page, append, read_since
from tokumei.contest.store.viewing import (
    ANYBODY,
    EVERYBODY,
    ORGANIZER,
    ORGANIZERS,
    Audience,
    Sees,
    Viewer,
    about_team,
    only_team,
)


def say(database: Database, kind: str, audience: Audience, *, scores: bool = False) -> int:
    with database.write() as connection:
        return append(connection, kind, audience, {"k": kind}, tells_scores=scores)


def page(
    database: Database, viewer: Viewer, since: int = 0, *, sees: Sees = "all", limit: int = 500
) -> Page:
    with database.read() as connection:
        return read_since(connection, since, viewer, sees=sees, limit=limit)


def seen(database: Database, viewer: Viewer, *, sees: Sees = "all") -> list[str]:
    return [event.kind for event in page(database, viewer, sees=sees).events]


def test_numbers_have_no_gaps_also_after_an_error(database: Database) -> None:
    assert say(database, "a", EVERYBODY) == 1

    def break_down(connection: Connection) -> None:
        append(connection, "lost", EVERYBODY, {})
        raise RuntimeError

    with pytest.raises(RuntimeError):
        database.run(break_down)
    assert say(database, "b", EVERYBODY) == 2
    assert [event.seq for event in page(database, ANYBODY).events] == [1, 2]


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
            read = page(database, ANYBODY, last)
            followed.extend(event.seq for event in read.events)
            last = read.last

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
    first = page(database, ANYBODY, limit=3)
    assert [event.kind for event in first.events] == ["0", "2", "4"]
    second = page(database, ANYBODY, first.last, limit=3)
    assert [event.kind for event in second.events] == ["6", "8"]
    assert second.last == 10
    assert page(database, ANYBODY, 10).events == ()


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


def test_scores_reach_whom_the_settings_let_see_them_and_the_number_goes_on(
    database: Database,
) -> None:
    with database.write() as connection:
        ice, fire = new_team(connection, "Ice"), new_team(connection, "Fire")
    say(database, "plain", about_team(ice))
    say(database, "ice score", about_team(ice), scores=True)
    say(database, "fire score", about_team(fire), scores=True)
    say(database, "nobody's score", EVERYBODY, scores=True)
    assert seen(database, Viewer(ice), sees="own") == ["plain", "ice score"]
    assert seen(database, Viewer(fire), sees="own") == ["plain", "fire score"]
    assert seen(database, ANYBODY, sees="own") == ["plain"]
    assert seen(database, Viewer(ice), sees="none") == ["plain"]
    for sees in get_args(Sees):
        assert len(seen(database, ORGANIZER, sees=sees)) == 4
        assert page(database, ANYBODY, sees=sees).last == 4
    with database.write() as connection:
        control.freeze(connection)
    say(database, "ice in the freeze", about_team(ice), scores=True)
    assert seen(database, Viewer(ice), sees="own")[-1] == "ice in the freeze"
    assert seen(database, Viewer(fire), sees="own")[-1] == "contest.frozen"
    assert seen(database, Viewer(ice), sees="none") == ["plain", "contest.frozen"]


def test_a_phase_takes_the_place_of_the_planned_one_and_is_told_once(database: Database) -> None:
    with database.write() as connection:
        control.set_phase(connection, "attack")
        assert control.announced(connection) is None
        told = [control.announce(connection, phase) for phase in ("attack", "attack", None)]
    assert told == [True, False, True]
    with database.read() as connection:
        assert read_state(connection).phase == "attack"
        assert control.announced(connection) is None
    assert [dict(event.payload) for event in page(database, ANYBODY).events] == [
        {"phase": "attack"},
        {"phase": None},
    ]


def test_it_is_known_since_when_nobody_decided_on_a_freeze(
    database: Database, moving: Clock
) -> None:
    start = moving.time
    with database.write() as connection:
        assert not control.frozen_or_unfrozen_since(connection, start)
        moving.move(1)
        control.freeze(connection)
        assert control.frozen_or_unfrozen_since(connection, start)
        assert not control.frozen_or_unfrozen_since(connection, moving.time + 1)
        moving.move(1)
        control.unfreeze(connection)
        assert control.frozen_or_unfrozen_since(connection, moving.time)
