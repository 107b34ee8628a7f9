"""One task that looks for new events and hands them to all live clients of this process.

It asks the database, so it hears of what other processes and workers did, on both databases. An
idle look is one small read; when there is news it is read and written down once for each distinct
viewer, and all clients of that viewer share the text.
"""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import TypeVar

from sqlalchemy import Connection

from tokumei.contest.opening import Contest
from tokumei.contest.phases import sees
from tokumei.contest.server.messages import Message
from tokumei.contest.server.snapshot import Snapshots
from tokumei.contest.store import api_tokens, sessions
from tokumei.contest.store.events import last_seq, read_since
from tokumei.contest.store.viewing import Viewer

log = logging.getLogger(__name__)
T = TypeVar("T")

PAUSE_SECONDS = 0.2
BEAT_SECONDS = 15.0
TROUBLE_SECONDS = 1.0
"""Before the next look, where the database did not answer."""
MOST_MISSED = 500
"""A client that is further behind begins anew."""
MOST_WAITING = 64
"""Messages that wait for a client; one that is slower comes back with its number."""
RESHOWING = frozenset({"contest.phase", "contest.unfrozen", "set.activated"})
"""After these, what was hidden or different before is shown: clients get it all anew."""

LOGGED_OUT = 4001
TOO_SLOW = 4008


@dataclass(frozen=True)
class Pass:
    """What a client came in with, which can end while it is there."""

    secret: str = field(repr=False)
    token: bool

    def holds(self, connection: Connection) -> bool:
        """Tell whether it would still let somebody in; looking is no use of a session."""
        find = api_tokens.find if self.token else sessions.find
        return find(connection, self.secret) is not None


@dataclass(frozen=True, eq=False)
class Client:
    """A live connection: what waits for it, and by which code it is ended."""

    viewer: Viewer
    came_by: Pass
    waiting: asyncio.Queue[Message] = field(default_factory=lambda: asyncio.Queue(MOST_WAITING))
    ended: asyncio.Future[int | None] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )

    def end(self, code: int) -> None:
        """Let the connection be closed."""
        if not self.ended.done():
            self.ended.set_result(code)

    def put(self, message: Message) -> None:
        """Let a message wait, unless the client is too slow."""
        try:
            self.waiting.put_nowait(message)
        except asyncio.QueueFull:
            self.end(TOO_SLOW)


class Hub:
    """The live clients of this process."""

    def __init__(
        self, contest: Contest, *, pause: float = PAUSE_SECONDS, beat: float = BEAT_SECONDS
    ) -> None:
        self.clients: set[Client] = set()
        self._contest = contest
        self._pause = pause
        self._beat = beat
        self._snapshots = Snapshots(contest)
        # A thread of its own: requests that wait for the database cannot hold up the news. It ends
        # with the hub.
        self._thread = ThreadPoolExecutor(1, "live")
        self._last = 0

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Follow the log as long as the server runs."""
        self._last = await self._read(last_seq)
        task = asyncio.create_task(self._follow())
        try:
            yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
            # What is being read ends before the database is closed.
            await asyncio.get_running_loop().run_in_executor(self._thread, lambda: None)

    def join(self, viewer: Viewer, came_by: Pass) -> Client:
        """Let a client have everything that happens from now on; then it reads the past."""
        client = Client(viewer, came_by)
        self.clients.add(client)
        return client

    def leave(self, client: Client) -> None:
        """Forget a client."""
        self.clients.discard(client)

    async def snapshot(self, viewer: Viewer) -> Message:
        """Return the contest as a viewer may see it."""
        return await self._read(lambda connection: self._snapshots.of(connection, viewer))

    async def missed(self, viewer: Viewer, since: int | None) -> list[Message]:
        """Return what a viewer has missed since a number, or everything; never nothing at all."""

        def read(connection: Connection) -> list[Message]:
            found = self._missed(connection, viewer, since)
            return found or [Message.of_events(last_seq(connection), ())]

        return await self._read(read)

    async def _read(self, work: Callable[[Connection], T]) -> T:
        def transaction() -> T:
            with self._contest.database.read() as connection:
                return work(connection)

        return await asyncio.get_running_loop().run_in_executor(self._thread, transaction)

    async def _follow(self) -> None:
        loop = asyncio.get_running_loop()
        next_beat = loop.time() + self._beat
        answered = True
        while True:
            await asyncio.sleep(self._pause if answered else TROUBLE_SECONDS)
            beats = loop.time() >= next_beat
            if beats:
                next_beat = loop.time() + self._beat
                for client in self.clients:
                    client.put(Message.ping(self._last))
            try:
                await self._look()
                if beats:
                    await self._check()
            except Exception:
                # Whatever it is, the clients stay: the next look may succeed.
                if answered:
                    log.exception("Live clients wait: the database did not answer.")
                answered = False
            else:
                answered = True

    async def _look(self) -> None:
        viewers = {client.viewer for client in self.clients}
        last, news = await self._read(lambda connection: self._news(connection, viewers))
        self._last = last
        for client in self.clients:
            for message in news.get(client.viewer, ()):
                client.put(message)

    def _news(
        self, connection: Connection, viewers: Collection[Viewer]
    ) -> tuple[int, Mapping[Viewer, list[Message]]]:
        last = last_seq(connection)
        if last == self._last:
            return last, {}
        return last, {viewer: self._missed(connection, viewer, self._last) for viewer in viewers}

    def _missed(self, connection: Connection, viewer: Viewer, since: int | None) -> list[Message]:
        last = last_seq(connection)
        if since is None or not last - MOST_MISSED <= since <= last:
            return [self._snapshots.of(connection, viewer)]
        allowed = sees(connection, self._contest.settings, viewer)
        page = read_since(connection, since, viewer, sees=allowed, limit=MOST_MISSED + 1)
        messages = [Message.of_events(last, page.events)] if page.events else []
        if not RESHOWING.isdisjoint(event.kind for event in page.events):
            messages.append(self._snapshots.of(connection, viewer))
        return messages

    async def _check(self) -> None:
        """End the clients whose pass has ended."""
        of_pass: defaultdict[Pass, list[Client]] = defaultdict(list)
        for client in self.clients:
            of_pass[client.came_by].append(client)
        ended = await self._read(
            lambda connection: [one for one in of_pass if not one.holds(connection)]
        )
        for one in ended:
            for client in of_pass[one]:
                client.end(LOGGED_OUT)
