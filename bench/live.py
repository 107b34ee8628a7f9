"""The live view under load: a real server, a worker, many live clients and a real browser.

`python -m bench live --clients 200 --tabs 12 --teams 20 --seconds 30` lets every team upload
submissions while clients follow, tabs show the results and readers open pages. It measures how
long pages take, how long events are on their way, who is still live at the end, and the server's
memory for each client.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass, field
from datetime import datetime
from random import Random

import httpx2 as httpx
import numpy as np
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from bench.live_site import Site, computing, memory, site, submission
from bench.live_tabs import Tabs, tabs
from bench.measuring import show

PAGES = ("/", "/results", "/matrix")
WARM_UP = 40
"""Clients that come and go before memory is measured."""
SETTLE_SECONDS = 4.0
LAST_SECONDS = 2.0
"""For the last events to arrive."""
UPLOAD_SECONDS = 5.0
"""A team hands in about so often: a lively last minute."""
READ_SECONDS = 0.5
"""A reader looks at a page for about so long."""
READERS = 8
MOST_MILLISECONDS, MOST_KILOBYTES = 300.0, 100.0


@dataclass
class Follower:
    """A live client, as a program writes one."""

    site: Site
    cookie: str
    seq: int | None = None
    begun: int = 0
    """What had happened before it came."""
    live: bool = False
    opened: int = 0
    seen: Counter[int] = field(default_factory=Counter)
    delays: list[float] = field(default_factory=list)

    async def run(self) -> None:
        while True:
            since = "" if self.seq is None else f"?since={self.seq}"
            try:
                async with connect(
                    f"ws://{self.site.host}/live{since}",
                    additional_headers={"Cookie": self.cookie},
                    compression=None,
                    proxy=None,
                ) as connection:
                    self.opened += 1
                    async for text in connection:
                        self.live = True
                        self.hear(json.loads(text))
            except (ConnectionClosed, OSError, TimeoutError):
                pass
            self.live = False
            await asyncio.sleep(0.5)

    def hear(self, message: dict) -> None:
        now = time.time()
        self.seq = message["seq"]
        if message["type"] == "snapshot":
            self.begun = self.begun or self.seq
        for event in message.get("events", ()):
            self.seen[event["seq"]] += 1
            self.delays.append(now - datetime.fromisoformat(event["created"]).timestamp())


@dataclass(frozen=True)
class Quantiles:
    """Of some times, in milliseconds."""

    n: int
    p50: float
    p95: float
    p99: float

    @classmethod
    def of(cls, seconds: Sequence[float]) -> Quantiles:
        if not seconds:
            return cls(0, float("nan"), float("nan"), float("nan"))
        found = np.quantile(np.array(seconds) * 1000, (0.5, 0.95, 0.99))
        return cls(len(seconds), *(round(float(one), 1) for one in found))


@dataclass
class Outcome:
    """What was measured."""

    pages: dict[str, Quantiles]
    delays: Quantiles
    tab_delays: Quantiles
    uploads: int
    refused: int
    live_clients: int
    live_tabs: int
    reconnects: int
    lost: int
    """Events that a client did not get, or got twice."""
    kilobytes: float
    busy: float
    """Which share of a core the server used."""
    waited: float
    """Which share of the time it waited for a core that others used: then times say little."""

    def problems(self, clients: int, tab_count: int) -> list[str]:
        found = []
        if self.pages["all"].p95 > MOST_MILLISECONDS:
            found.append(f"95 % of pages must take up to {MOST_MILLISECONDS:g} ms")
        if self.kilobytes > MOST_KILOBYTES:
            found.append(f"a client may cost {MOST_KILOBYTES:g} KB")
        if (self.live_clients, self.live_tabs) != (clients, tab_count):
            found.append("all clients and tabs must be live at the end")
        if self.lost or self.refused:
            found.append("no event and no upload may be lost")
        return found


async def upload(site: Site, token: str, draw: Random, until: float, answers: list[int]) -> None:
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/octet-stream"}
    async with httpx.AsyncClient(base_url=f"http://{site.host}", headers=headers) as client:
        await asyncio.sleep(draw.uniform(0, UPLOAD_SECONDS))
        while time.monotonic() < until:
            answer = await client.post(
                "/api/submissions", params={"name": "A.csv"}, content=submission(draw), timeout=60
            )
            answers.append(answer.status_code)
            await asyncio.sleep(draw.uniform(0.5, 1.5) * UPLOAD_SECONDS)


async def read(
    site: Site, cookie: str, draw: Random, until: float, taken: dict[str, list[float]]
) -> None:
    async with httpx.AsyncClient(
        base_url=f"http://{site.host}", headers={"Cookie": cookie}
    ) as client:
        while time.monotonic() < until:
            for page in PAGES:
                start = time.perf_counter()
                answer = await client.get(page, timeout=60)
                taken[page].append(time.perf_counter() - start)
                if answer.status_code != 200:
                    raise RuntimeError(f"{page} answered {answer.status_code}")
                await asyncio.sleep(draw.uniform(0.5, 1.5) * READ_SECONDS)


async def followed(site: Site, number: int, running: AsyncExitStack) -> list[Follower]:
    """Start so many clients, of all teams in turn, and wait until all are live."""
    cookies = [f"tokumei_session={site.cookies[n % len(site.cookies)]}" for n in range(number)]
    followers = [Follower(site, cookie) for cookie in cookies]
    tasks = [asyncio.create_task(one.run()) for one in followers]

    async def end() -> None:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    running.push_async_callback(end)
    async with asyncio.timeout(60):
        while not all(one.live for one in followers):
            await asyncio.sleep(0.05)
    return followers


async def memory_of_clients(site: Site, number: int, running: AsyncExitStack) -> tuple[float, list]:
    """Return what a client costs in KB, and the clients."""
    async with AsyncExitStack() as warming, httpx.AsyncClient() as client:
        await followed(site, WARM_UP, warming)
        for _ in range(10):
            for page in PAGES:
                cookie = {"Cookie": f"tokumei_session={site.cookies[0]}"}
                await client.get(f"http://{site.host}{page}", headers=cookie)
    await asyncio.sleep(SETTLE_SECONDS)
    before = memory(site.pid)
    followers = await followed(site, number, running)
    await asyncio.sleep(SETTLE_SECONDS)
    return (memory(site.pid) - before) / max(1, number), followers


async def measure(options: argparse.Namespace) -> Outcome:
    draw = Random(options.seed)
    async with AsyncExitStack() as running:
        place = running.enter_context(site(options.teams))
        kilobytes, followers = await memory_of_clients(place, options.clients, running)
        shown: Tabs = await running.enter_async_context(tabs(place, options.tabs))
        until = time.monotonic() + options.seconds
        taken: dict[str, list[float]] = {page: [] for page in PAGES}
        answers: list[int] = []
        computed = computing(place.pid)
        async with asyncio.TaskGroup() as group:
            for token in place.tokens:
                group.create_task(upload(place, token, Random(draw.random()), until, answers))
            for number in range(READERS):
                cookie = f"tokumei_session={place.cookies[number % len(place.cookies)]}"
                group.create_task(read(place, cookie, Random(draw.random()), until, taken))
        busy, waited = (
            round((now - then) / options.seconds, 2)
            for now, then in zip(computing(place.pid), computed, strict=True)
        )
        await asyncio.sleep(LAST_SECONDS)
        every = [one for times in taken.values() for one in times]
        return Outcome(
            pages={page: Quantiles.of(times) for page, times in taken.items()}
            | {"all": Quantiles.of(every)},
            delays=Quantiles.of([delay for one in followers for delay in one.delays]),
            tab_delays=Quantiles.of(shown.delays),
            uploads=answers.count(201),
            refused=len(answers) - answers.count(201),
            live_clients=sum(one.live for one in followers),
            live_tabs=await shown.live(),
            reconnects=sum(one.opened - 1 for one in followers) + shown.reconnects,
            lost=_lost(place, followers),
            kilobytes=round(kilobytes, 1),
            busy=busy,
            waited=waited,
        )


def _lost(place: Site, followers: Sequence[Follower]) -> int:
    """Compare what each client was told with the log."""
    wrong = 0
    for number, follower in enumerate(followers):
        wanted = Counter(
            seq
            for seq in place.events_for(number % len(place.cookies))
            if follower.begun < seq <= (follower.seq or 0)
        )
        wrong += ((follower.seen - wanted) + (wanted - follower.seen)).total()
    return wrong


def main(arguments: Sequence[str] = ()) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench live")
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--tabs", type=int, default=12)
    parser.add_argument("--teams", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(list(arguments))
    found = asyncio.run(measure(options))
    if options.json:
        print(json.dumps(asdict(found)))
    else:
        _print(found, options)
    problems = found.problems(options.clients, options.tabs)
    for problem in problems:
        print(f"Missed: {problem}.", file=sys.stderr)
    if problems:
        sys.exit(1)


def _print(found: Outcome, options: argparse.Namespace) -> None:
    named = {f"page {page}": one for page, one in found.pages.items()}
    named |= {"event to a client": found.delays, "event to a tab": found.tab_delays}
    rows = [
        (name, f"{one.n:,}", f"{one.p50:.0f}", f"{one.p95:.0f}", f"{one.p99:.0f}")
        for name, one in named.items()
    ]
    title = f"{options.teams} teams, {found.uploads} uploads in {options.seconds:g} s"
    show(title, ("milliseconds", "n", "p50", "p95", "p99"), rows)
    counted = (
        ("clients live at the end", f"{found.live_clients} of {options.clients}"),
        ("tabs live at the end", f"{found.live_tabs} of {options.tabs}"),
        ("reconnects", f"{found.reconnects}"),
        ("events lost or double", f"{found.lost}"),
        ("uploads refused", f"{found.refused}"),
        ("server memory for a client", f"{found.kilobytes:.0f} KB"),
        ("server's share of a core", f"{found.busy:.0%}"),
        ("server waited for a core", f"{found.waited:.0%} of the time"),
    )
    show("Live", ("", ""), counted)


if __name__ == "__main__":
    main(sys.argv[1:])
