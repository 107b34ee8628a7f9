"""The arena in a real browser that draws without a graphics card."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Playwright

from tokumei.arena.page import replay_page
from tokumei.arena.story import Story

SECONDS = 1_000
PATIENCE = 60 * SECONDS
DRAWING = (
    "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
)  # fmt: skip
NOT_DRAWING = ("--no-sandbox", "--disable-3d-apis")


def launched(playwright: Playwright, *arguments: str) -> Browser:
    """Start Debian's browser, or skip and say so."""
    found = shutil.which("chromium")
    if found is None:
        pytest.skip("Chromium is not installed (Debian: apt-get install chromium)")
    return playwright.chromium.launch(executable_path=found, args=list(arguments))


@dataclass
class Watched:
    """A page with an arena; whatever its console complains about is kept."""

    page: Page
    complaints: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.set_default_timeout(PATIENCE)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on(
            "console",
            lambda said: self.complaints.append(said.text) if said.type == "error" else None,
        )

    def snapshot(self) -> dict[str, Any]:
        found: dict[str, Any] = self.page.evaluate("__arena.snapshot()")
        return found

    def wait(self, condition: str, argument: object = None) -> None:
        """Wait until something holds of a snapshot `s`."""
        self.page.wait_for_function(
            f"(a) => {{ const s = window.__arena?.snapshot(); return s && ({condition}); }}",
            arg=argument,
            timeout=PATIENCE,
        )

    def rest(self) -> dict[str, Any]:
        """Wait until everything is where it belongs."""
        self.wait("s.state && s.frames > 0 && !s.moving && s.ripples.length === 0")
        return self.snapshot()

    def seek(self, time: str) -> None:
        self.page.evaluate("t => __arena.seek(Date.parse(t))", time)

    def load(self, story: Story) -> None:
        self.page.evaluate("s => __arena.load(JSON.parse(s))", json.dumps(story.to_json()))


def opened(
    started: Browser, story: Story, folder: Path, *, seconds: int = 120, **context: Any
) -> Watched:
    """Open the page of a story, and let it stand still at the beginning."""
    file = folder / "arena.html"
    page = replay_page(story, language="en", seconds=seconds)
    file.write_text(page, encoding="utf-8")
    usual: dict[str, Any] = {"viewport": {"width": 900, "height": 560}}
    watched = Watched(started.new_context(**usual | context).new_page())
    watched.page.goto(file.as_uri())
    watched.wait("s.lines >= 0")
    watched.page.evaluate("__arena.snapshot().playing && __arena.play()")
    return watched
