"""Tabs of one real browser that show the results."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime

from playwright.async_api import Page, WebSocket, async_playwright

from bench.live_site import Site

CHROMIUM = "/usr/bin/chromium"
LIVE = "#live[data-state=live]"
MILLISECONDS = 30_000


@dataclass
class Tabs:
    """What the tabs were told."""

    pages: list[Page] = field(default_factory=list)
    delays: list[float] = field(default_factory=list)
    opened: int = 0

    @property
    def reconnects(self) -> int:
        return self.opened - len(self.pages)

    async def live(self) -> int:
        """Return how many tabs say that they are live."""
        return sum([await page.locator(LIVE).count() for page in self.pages])

    def follow(self, socket: WebSocket) -> None:
        self.opened += 1
        socket.on("framereceived", self.hear)

    def hear(self, text: str | bytes) -> None:
        now = time.time()
        for event in json.loads(text).get("events", ()):
            self.delays.append(now - datetime.fromisoformat(event["created"]).timestamp())


@asynccontextmanager
async def tabs(site: Site, number: int) -> AsyncIterator[Tabs]:
    """Open so many tabs of one team with the results, and wait until all are live."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        context = await browser.new_context()
        cookie = {"name": "tokumei_session", "value": site.cookies[-1]}
        await context.add_cookies([{**cookie, "url": f"http://{site.host}"}])
        found = Tabs()
        for _ in range(number):
            page = await context.new_page()
            page.on("websocket", found.follow)
            found.pages.append(page)
            await page.goto(f"http://{site.host}/results")
        for page in found.pages:
            await page.locator(LIVE).wait_for(timeout=MILLISECONDS)
        yield found
        await browser.close()
