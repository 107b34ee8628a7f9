"""The arena of a running contest, in a real browser, while teams hand in and attack."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from browsing import PATIENCE, Person, chromium, served
from playing import COARSE
from playwright.sync_api import BrowserContext, sync_playwright
from staging import SQLITE, VALID, ClientOf, People

from tokumei.contest.actions import attacking, handing_in, organizing
from tokumei.contest.opening import Contest
from tokumei.contest.server.access import COOKIE
from tokumei.contest.store import guesses, sessions
from tokumei.contest.store.accounts import User

pytestmark = SQLITE

DRAWING = [
    "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
]  # fmt: skip
RESTS = "s.frames > 0 && !s.moving && s.ripples.length === 0"


class Spectator(Person):
    """Somebody who looks at the arena."""

    def snapshot(self) -> dict[str, Any]:
        found: dict[str, Any] = self.page.evaluate("__arena.snapshot()")
        return found

    def wait(self, condition: str) -> dict[str, Any]:
        """Wait until something holds of a snapshot `s`, and return it."""
        seen = (
            f"() => {{ const s = window.__arena?.snapshot(); return s?.state && ({condition}); }}"
        )
        self.page.wait_for_function(seen, timeout=PATIENCE)
        return self.snapshot()

    def come(self) -> dict[str, Any]:
        self.go("/arena")
        return self.wait("s.frames > 0")


def team(snapshot: dict[str, Any], number: int | None) -> dict[str, Any]:
    return next(one for one in snapshot["teams"] if one["team"] == number)


def goals(snapshot: dict[str, Any]) -> list[Any]:
    cubes = [(one["submission"], one["goal"]) for one in snapshot["cubes"]]
    return [cubes, [(one["team"], one["columnGoal"], one["iceGoal"]) for one in snapshot["teams"]]]


@contextmanager
def spectators(contest: Contest, address: str, *users: User) -> Iterator[list[Spectator]]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=DRAWING)
        found = []
        for user in users:
            context = browser.new_context(viewport={"width": 900, "height": 700}, locale="en-US")
            _log_in(contest, context, address, user)
            found.append(Spectator(context.new_page(), address))
        yield found
        for one in found:
            assert one.complaints == []
        browser.close()


def _log_in(contest: Contest, context: BrowserContext, address: str, user: User) -> None:
    with contest.database.write() as connection:
        session = sessions.log_in(connection, user.id)
    context.add_cookies([{"name": COOKIE, "value": session.secret, "url": address}])


def hand_in(contest: Contest, user: User, content: bytes) -> int:
    """Hand in a file, which the server evaluates."""
    blob = contest.blobs.add([content], most=10_000)
    return handing_in.submit(contest, user, blob, "data.csv").id


def guess(contest: Contest, user: User, defender: int | None, lines: bytes) -> None:
    blob = contest.blobs.add([lines], most=10_000)
    assert defender is not None
    attacking.guess(contest, user, defender, blob)


def test_the_arena_follows_a_contest(
    contest: Contest, people: People, folder: Path, url: str, request: pytest.FixtureRequest
) -> None:
    ice, fire = people.captain.team_id, people.rival.team_id
    with (
        served(folder, url) as address,
        spectators(contest, address, people.observer, people.rival) as (press, late),
    ):
        assert press.come()["cubes"] == []
        one = hand_in(contest, people.captain, VALID)
        coming = press.wait("s.cubes.length === 1")["cubes"][0]
        assert coming["submission"] == one
        alone = press.wait(RESTS)["cubes"][0]
        assert alone["now"] == pytest.approx(alone["goal"], abs=1e-3)

        # The total of COARSE is smaller: the other team takes the first place.
        other = hand_in(contest, people.rival, COARSE)
        press.wait("s.cubes.length === 2")
        both = press.wait(RESTS)
        ranks = {row["cube"]["submission"]: row["cube"]["rank"] for row in both["state"]["teams"]}
        assert ranks == {one: 2, other: 1}
        height = {row["submission"]: row["now"]["y"] for row in both["cubes"]}
        assert height[other] > height[one]
        assert height[one] < alone["now"]["y"], "it has gone down"
        earlier, shown = both["t"], goals(both)

        organizing.set_phase(contest, people.organizer, "attack")
        press.wait("s.state.scene === 'attack'")
        whole = team(press.wait(RESTS), ice)["ice"]["height"]
        _published(contest, 2)
        guess(contest, people.rival, ice, b"p1,Alice\np2,Bob\np3,Bob\n")
        burning = press.wait("s.ripplesStarted === 1")
        assert [(r["attacker"], r["defender"]) for r in burning["ripples"]] in ([], [(fire, ice)])
        melted = press.wait(RESTS)
        # Two of three customers were named.
        assert team(melted, ice)["ice"]["height"] == pytest.approx(whole / 3, abs=1e-3)
        assert team(melted, fire)["column"]["height"] > team(melted, ice)["column"]["height"] + 1

        # Who comes late, or comes again, sees the same.
        assert goals(late.come()) == goals(melted)
        press.page.reload()
        assert goals(press.wait("s.frames > 0")) == goals(melted)
        assert press.snapshot()["ripplesStarted"] == 0

        # And what was live at a time is what a replay shows at that time.
        press.page.evaluate("t => __arena.seek(t)", earlier)
        assert goals(press.snapshot()) == shown
        press.page.get_by_role("button", name="Live").click()
        assert goals(press.snapshot()) == goals(melted)
        if request.node.name.endswith("[sqlite]"):
            press.wait(RESTS)
            press.picture("arena-live")


def _published(contest: Contest, count: int) -> None:
    """Wait until the server has published the data of so many teams."""
    for _ in range(600):
        with contest.database.read() as connection:
            if len(guesses.published(connection)) == count:
                return
        time.sleep(0.1)
    pytest.fail("The server has published nothing within a minute.")


def test_the_module_is_sent_once(client_of: ClientOf) -> None:
    client = client_of(None)
    answer = client.get("/arena/arena.js")
    assert answer.headers["content-type"].startswith("text/javascript")
    assert answer.headers["cache-control"] == "no-cache"
    assert "createArena" in answer.text
