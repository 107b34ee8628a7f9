"""The arena in headless Chromium: draw calls, start, what a frame allocates, memory over time.

`python -m bench arena` looks at 50 teams with 200 submissions, and at 50 teams with 200 each;
`python -m bench arena --minutes 10` also lets a replay run again and again and watches the memory.
There is no graphics card: frames a second say nothing about other machines.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from playwright.sync_api import CDPSession, Page, Playwright, sync_playwright

from bench.measuring import show
from tokumei.arena.generating import generate_story
from tokumei.arena.page import replay_page
from tokumei.arena.story import Story

ARGUMENTS = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader",
             "--enable-unsafe-swiftshader"]  # fmt: skip
SCENES = {"anonymize": "2026-12-02T05:00:00Z", "attack": "2026-12-02T20:00:00Z"}
WARM, WATCHED = 15.0, 6.0
"""Seconds until the browser has compiled what every frame does, and in which it is watched.

Before that, every number that a function returns is an object of its own.
"""
SMALL, USUAL = {"width": 320, "height": 240}, {"width": 1280, "height": 720}
STANDS = "() => { const s = __arena.snapshot(); return s.frames > 5 && !s.moving; }"


def main(options: Sequence[str] = ()) -> None:
    given = argparse.ArgumentParser(prog="python -m bench arena")
    given.add_argument("--minutes", type=float, default=0)
    wanted = given.parse_args(list(options))
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        stories = {
            "50 teams, 200 submissions": generate_story(teams=50, submissions=4),
            "50 teams, 10,000 submissions": generate_story(teams=50, submissions=200),
        }
        rows = [
            row
            for name, story in stories.items()
            for row in _measured(playwright, name, story, Path(folder))
        ]
        heads = ("story", "scene", "cubes", "draw calls", "start, s", "frames/s", "bytes/frame",
                 "most by")  # fmt: skip
        show("The arena, software rendering, 1280 × 720", heads, rows)
        if wanted.minutes:
            story = next(iter(stories.values()))
            memory = list(_memory(playwright, story, Path(folder), wanted.minutes))
            show("Memory after a garbage collection", ("minute", "MB", "nodes", "frames"), memory)


def _opened(playwright: Playwright, story: Story, folder: Path, seconds: int = 120) -> Page:
    file = folder / "arena.html"
    file.write_text(replay_page(story, language="en", seconds=seconds), encoding="utf-8")
    chromium = shutil.which("chromium")
    browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
    page = browser.new_page(viewport=USUAL)
    page.goto(file.as_uri())
    page.wait_for_function("() => window.__arena?.snapshot().frames > 0")
    return page


def _measured(
    playwright: Playwright, name: str, story: Story, folder: Path
) -> Iterator[tuple[str, ...]]:
    page = _opened(playwright, story, folder)
    # From the beginning of the navigation to the first picture, as the browser counts.
    start = page.evaluate("__arena.firstFrame / 1000")
    page.evaluate("__arena.snapshot().playing && __arena.play()")
    for scene, moment in SCENES.items():
        page.evaluate("t => __arena.seek(Date.parse(t))", moment)
        page.wait_for_function(STANDS, timeout=60_000)
        page.wait_for_timeout(1_000)
        rate = _frames(page, WATCHED) / WATCHED
        session = page.context.new_cdp_session(page)
        # What a frame allocates does not depend on its size, and small ones come faster.
        page.set_viewport_size(SMALL)
        _frames(page, WARM)
        frames, allocated = _allocations(page, session)
        page.set_viewport_size(USUAL)
        most = ", ".join(f"{what} {size // frames}" for what, size in allocated.most_common(3))
        snapshot = page.evaluate("__arena.snapshot()")
        cubes, calls = len(snapshot["cubes"]), snapshot["drawCalls"]
        yield (name, scene, f"{cubes:,}", str(calls), f"{start:.2f}",
               f"{rate:.1f}", f"{allocated.total() / frames:,.0f}", most)  # fmt: skip
    page.context.browser.close()


def _frames(page: Page, seconds: float) -> int:
    """Return how many frames are drawn in some seconds."""
    before = page.evaluate("__arena.snapshot().frames")
    time.sleep(seconds)
    return int(page.evaluate("__arena.snapshot().frames")) - int(before)


def _allocations(page: Page, session: CDPSession) -> tuple[int, Counter[str]]:
    """Count what is allocated while only the camera moves, also what is collected at once."""
    session.send("HeapProfiler.enable")
    session.send("HeapProfiler.collectGarbage")
    before = page.evaluate("__arena.snapshot().frames")
    session.send(
        "HeapProfiler.startSampling",
        {"samplingInterval": 64, "includeObjectsCollectedByMajorGC": True,
         "includeObjectsCollectedByMinorGC": True},
    )  # fmt: skip
    time.sleep(WATCHED)
    found = session.send("HeapProfiler.stopSampling")["profile"]["head"]
    frames = page.evaluate("__arena.snapshot().frames") - before
    sizes: Counter[str] = Counter()
    _add(found, sizes)
    return frames, sizes


def _add(node: dict[str, Any], sizes: Counter[str]) -> None:
    frame = node["callFrame"]
    if node["selfSize"]:
        sizes[f"{frame['functionName'] or '(anonymous)'}:{frame['lineNumber']}"] += node["selfSize"]
    for child in node["children"]:
        _add(child, sizes)


def _memory(
    playwright: Playwright, story: Story, folder: Path, minutes: float
) -> Iterator[tuple[str, ...]]:
    """Play a contest in 30 seconds, again and again."""
    page = _opened(playwright, story, folder, seconds=30)
    session = page.context.new_cdp_session(page)
    begun = time.monotonic()
    while (past := (time.monotonic() - begun) / 60) <= minutes:
        page.evaluate("__arena.snapshot().playing || __arena.play()")
        session.send("HeapProfiler.collectGarbage")
        heap = session.send("Runtime.getHeapUsage")["usedSize"] / 1e6
        nodes = session.send("Memory.getDOMCounters")["nodes"]
        frames = page.evaluate("__arena.snapshot().frames")
        print(f"{past:.1f} min: {heap:.2f} MB", file=sys.stderr)
        yield f"{past:.1f}", f"{heap:.2f}", f"{nodes:,}", f"{frames:,}"
        time.sleep(min(30.0, max(0.5, minutes * 60 / 20)))
    page.context.browser.close()
