"""The arena in a real browser: what is drawn is what the story says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from arena_browsing import DRAWING, NOT_DRAWING, Watched, launched, opened
from playwright.sync_api import Browser, Playwright, expect, sync_playwright

from tokumei.arena.generating import generate_story
from tokumei.arena.story import Story, header

METRICS = [
    {"name": "E", "title": {"en": "E", "ja": "E"}, "kind": "utility", "better": "lower"},
    {"name": "S", "title": {"en": "S", "ja": "S"}, "kind": "safety", "better": "lower"},
]
SIDE, HEIGHT, ICE, LEAST = 10, 6, 3.2, 0.3
"""The sizes of the scene, as frontend/arena/layout.ts has them."""


def at(minute: int) -> str:
    return f"2026-12-01T00:{minute:02}:00Z"


def entry(minute: int, team: int, number: int, loss: float, risk: float) -> dict[str, Any]:
    return {"t": at(minute), "kind": "submission", "team": team, "submission": number,
            "total": loss + risk, "values": {"E": loss, "S": risk}}  # fmt: skip


def guess(minute: int, attacker: int, defender: int, hits: int) -> dict[str, Any]:
    return {"t": at(minute), "kind": "guess", "attacker": attacker, "defender": defender,
            "hits": hits, "total": 100, "success": hits / 100}  # fmt: skip


LINES = (
    *({"t": at(0), "kind": "team", "team": team, "name": f"Team {team}"} for team in (1, 2, 3)),
    {"t": at(1), "kind": "phase", "phase": "anonymize"},
    entry(5, 1, 1, 0.2, 0.4),
    entry(6, 2, 2, 0.6, 0.2),
    entry(10, 3, 3, 0.4, 0.0),
    entry(15, 2, 4, 0.0, 0.2),
    {"t": at(20), "kind": "phase", "phase": "attack"},
    guess(25, 1, 3, 40),
    guess(30, 2, 3, 10),
    guess(35, 2, 1, 50),
)


def told(lines: tuple[dict[str, Any], ...] = LINES, until: int = 45) -> Story:
    first = header(
        title={"en": "By hand", "ja": "手作り"}, counts="best", better="lower", metrics=METRICS,
        until=at(until),
    )  # fmt: skip
    return Story(first, lines)


@pytest.fixture(scope="module")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="module")
def drawing(playwright: Playwright) -> Browser:
    return launched(playwright, *DRAWING)


@pytest.fixture
def arena(drawing: Browser, tmp_path: Path) -> Iterator[Watched]:
    watched = opened(drawing, told(), tmp_path)
    yield watched
    assert watched.complaints == []
    watched.page.context.close()


def cube(snapshot: dict[str, Any], number: int) -> dict[str, Any]:
    return next(one for one in snapshot["cubes"] if one["submission"] == number)


def team(snapshot: dict[str, Any], number: int) -> dict[str, Any]:
    return next(one for one in snapshot["teams"] if one["team"] == number)


def place(of: dict[str, Any]) -> tuple[float, ...]:
    return tuple(of[name] for name in ("x", "y", "z"))


def goals(snapshot: dict[str, Any]) -> list[Any]:
    """Where everything belongs."""
    cubes = [(one["submission"], one["goal"]) for one in snapshot["cubes"]]
    return [cubes, [(one["team"], one["columnGoal"], one["iceGoal"]) for one in snapshot["teams"]]]


def test_a_new_cube_appears_and_moves_to_its_place(arena: Watched) -> None:
    arena.seek(at(7))
    before = arena.rest()
    assert [one["submission"] for one in before["cubes"]] == [1, 2]
    # Of two, each is the best in one metric: loss 0.2 and 0.6, risk 0.4 and 0.2; totals 0.6, 0.8.
    assert place(cube(before, 1)["now"]) == pytest.approx((-SIDE / 2, HEIGHT, -SIDE / 2), abs=1e-3)
    assert place(cube(before, 2)["now"]) == pytest.approx((SIDE / 2, 0, SIDE / 2), abs=1e-3)
    arena.seek(at(12))
    coming = cube(arena.snapshot(), 3)
    assert place(coming["now"]) != pytest.approx(place(coming["goal"]), abs=0.5)
    after = arena.rest()
    # Team 3 has total 0.4 and is first; its loss lies in the middle, its risk is the least.
    assert place(cube(after, 3)["now"]) == pytest.approx((0, HEIGHT, SIDE / 2), abs=1e-3)
    assert place(cube(after, 1)["now"]) == pytest.approx(
        (-SIDE / 2, HEIGHT / 2, -SIDE / 2), abs=1e-3
    )


def test_a_change_of_ranks_moves_cubes(arena: Watched) -> None:
    arena.seek(at(12))
    before = arena.rest()
    ranks = {one["team"]: one["cube"]["rank"] for one in before["state"]["teams"]}
    assert ranks == {1: 2, 2: 3, 3: 1}
    arena.seek(at(16))
    after = arena.rest()
    ranks = {one["team"]: one["cube"]["rank"] for one in after["state"]["teams"]}
    assert ranks == {1: 3, 2: 1, 3: 2}
    assert cube(after, 3)["now"]["y"] == pytest.approx(HEIGHT / 2, abs=1e-3)
    assert cube(after, 4)["now"]["y"] == pytest.approx(HEIGHT, abs=1e-3)
    assert cube(after, 2)["now"]["size"] < cube(after, 4)["now"]["size"], "it no longer counts"


def test_a_ripple_runs_to_the_defender_and_then_its_ice_melts(arena: Watched) -> None:
    arena.seek(at(24))
    before = arena.rest()
    whole = team(before, 3)["ice"]["height"]
    assert whole == pytest.approx(ICE * (LEAST + (1 - LEAST) * 1.0), abs=1e-3), "the safest"
    arena.load(told())
    arena.page.evaluate("__arena.play()")
    arena.wait("s.ripples.length > 0")
    running = arena.snapshot()
    (ripple,) = running["ripples"]
    assert (ripple["attacker"], ripple["defender"]) == (1, 3)
    if ripple["radius"] < ripple["reach"]:
        assert team(running, 3)["iceGoal"]["height"] == pytest.approx(whole, abs=1e-3)
    arena.page.evaluate("__arena.snapshot().playing && __arena.play()")
    after = arena.rest()
    assert team(after, 3)["ice"]["height"] == pytest.approx(whole * 0.6, abs=1e-3)
    assert team(after, 1)["column"]["height"] > team(before, 1)["column"]["height"] + 1
    assert after["ripplesStarted"] == 1


def test_scrubbing_shows_no_fire_and_goes_back_as_well(arena: Watched) -> None:
    arena.seek(at(40))
    end = arena.rest()
    assert end["ripplesStarted"] == 0
    assert team(end, 3)["ice"]["height"] == pytest.approx(ICE * 0.6, abs=1e-3)
    assert team(end, 1)["ice"]["height"] < team(end, 3)["ice"]["height"]
    arena.seek(at(7))
    back = arena.rest()
    assert back["state"]["scene"] == "anonymize"
    assert [one["submission"] for one in back["cubes"]] == [1, 2]


def test_a_replay_shows_at_every_time_what_was_shown_live(drawing: Browser, tmp_path: Path) -> None:
    replayed = opened(drawing, told(), tmp_path)
    live = opened(drawing, told(LINES[:3], 1), tmp_path)
    live.page.evaluate("__arena.live()")
    for minute in (2, 5, 7, 12, 16, 22, 26, 31, 36):
        live.load(told(tuple(line for line in LINES if line["t"] <= at(minute)), minute))
        replayed.seek(at(minute))
        one, other = replayed.snapshot(), live.snapshot()
        assert one["state"] == other["state"], minute
        assert goals(replayed.rest()) == goals(live.rest()), minute
    assert live.snapshot()["ripplesStarted"] == 3
    replayed.page.context.close()
    live.page.context.close()


def test_a_reload_shows_the_same(arena: Watched) -> None:
    arena.seek(at(31))
    before = goals(arena.rest())
    arena.page.reload()
    arena.wait("s.lines > 0")
    arena.page.evaluate("__arena.snapshot().playing && __arena.play()")
    arena.seek(at(31))
    assert goals(arena.rest()) == before


def test_fifty_teams_need_few_draw_calls(drawing: Browser, tmp_path: Path) -> None:
    watched = opened(drawing, generate_story(teams=50, submissions=4), tmp_path)
    for line in ("2026-12-02T05:00:00Z", "2026-12-02T20:00:00Z"):
        watched.seek(line)
        shown = watched.rest()
        assert len(shown["cubes"]) > 150
        assert 0 < shown["drawCalls"] <= 20
        assert shown["labels"] > 10
    assert watched.complaints == []
    watched.page.context.close()


def test_without_webgl_there_are_the_table_and_a_sentence(
    playwright: Playwright, tmp_path: Path
) -> None:
    plain = launched(playwright, *NOT_DRAWING)
    watched = opened(plain, told(), tmp_path)
    watched.seek(at(12))
    assert watched.snapshot()["webgl"] is False
    expect(watched.page.locator(".arena-note")).to_contain_text("WebGL is missing")
    expect(watched.page.locator(".arena-note")).to_be_visible()
    rows = watched.page.locator(".arena-table tbody tr")
    expect(rows).to_have_count(3)
    expect(rows.first).to_contain_text("Team 3")
    expect(watched.page.locator("canvas")).to_be_hidden()
    watched.seek(at(40))
    expect(watched.page.locator(".arena-table")).to_contain_text("40.0%")
    plain.close()


def test_less_motion_shows_the_same_without_moving(drawing: Browser, tmp_path: Path) -> None:
    watched = opened(drawing, told(), tmp_path, reduced_motion="reduce")
    assert watched.snapshot()["playing"] is False
    watched.seek(at(24))
    watched.rest()
    watched.page.evaluate("__arena.play()")
    watched.wait("s.state.teams[2].lost > 0")
    watched.page.evaluate("__arena.snapshot().playing && __arena.play()")
    after = watched.rest()
    assert after["ripplesStarted"] == 0
    assert team(after, 3)["ice"]["height"] == pytest.approx(ICE * 0.6, abs=1e-3)
    still = watched.snapshot()["frames"]
    watched.page.wait_for_timeout(400)
    assert watched.snapshot()["frames"] == still, "nothing moves, so nothing is drawn"
    watched.page.context.close()


def test_one_can_point_follow_and_use_the_keyboard(arena: Watched) -> None:
    arena.seek(at(12))
    arena.rest()
    page = arena.page
    page.get_by_role("button", name="Automatic camera").click()
    box = page.locator("canvas").bounding_box()
    assert box is not None
    card = page.locator(".arena-card")
    for x, y in ((x, y) for y in range(60, 460, 9) for x in range(60, 500, 9)):
        page.mouse.move(box["x"] + x, box["y"] + y)
        if card.is_visible():
            break
    expect(card).to_contain_text("Utility loss")
    page.get_by_role("button", name="Team 2", exact=True).focus()
    page.keyboard.press("Enter")
    pressed = page.locator("button.arena-team[aria-pressed=true]")
    expect(pressed).to_have_text("Team 2")
    expect(pressed).to_be_focused()
    page.get_by_role("slider").focus()
    page.keyboard.press("End")
    assert arena.snapshot()["state"]["scene"] == "attack"
    page.locator("canvas").focus()
    page.keyboard.press("Space")
    assert arena.snapshot()["playing"] is True


def test_the_projector_needs_no_mouse_and_esc_ends_it(drawing: Browser, tmp_path: Path) -> None:
    watched = opened(drawing, told(), tmp_path)
    watched.page.get_by_role("button", name="Projector").click()
    expect(watched.page.locator(".arena-tools")).to_be_hidden()
    assert watched.snapshot()["automatic"] is True
    watched.page.keyboard.press("Escape")
    expect(watched.page.locator(".arena-tools")).to_be_visible()
    assert watched.complaints == []
    watched.page.context.close()


def test_an_arena_that_is_put_away_leaves_nothing(arena: Watched) -> None:
    arena.page.evaluate("__arena.dispose()")
    assert arena.page.locator(".arena").count() == 0
    assert arena.page.evaluate("document.adoptedStyleSheets.length") == 0
