"""The clock of the server: each second what is due is done, whatever went wrong before."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

from tokumei.contest.actions import organizing
from tokumei.contest.opening import Contest

log = logging.getLogger(__name__)

TICK_SECONDS = 1.0
CLEAN_SECONDS = 3_600.0


@asynccontextmanager
async def ticking(contest: Contest, *, seconds: float = TICK_SECONDS) -> AsyncIterator[None]:
    """Tick while the server runs, and clean up each hour; the last tick ends before this does."""
    stopped = asyncio.Event()
    tasks = [
        asyncio.create_task(_repeat(organizing.tick, contest, seconds, stopped)),
        asyncio.create_task(_repeat(organizing.clean_up, contest, CLEAN_SECONDS, stopped)),
    ]
    try:
        yield
    finally:
        stopped.set()
        await asyncio.gather(*tasks)


async def _repeat(
    work: Callable[[Contest], None], contest: Contest, seconds: float, stopped: asyncio.Event
) -> None:
    while not stopped.is_set():
        try:
            await asyncio.to_thread(work, contest)
        except Exception as error:
            # Its text may quote what the database holds.
            log.error("%s failed by %s; it is tried again.", work.__name__, type(error).__name__)  # noqa: TRY400
        with suppress(TimeoutError):
            await asyncio.wait_for(stopped.wait(), seconds)
