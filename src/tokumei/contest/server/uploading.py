"""Files come as the raw body of a request and go to disk while they arrive."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from anyio import to_thread
from fastapi import Request
from starlette.requests import ClientDisconnect

from tokumei.contest.blobs import Blob
from tokumei.contest.opening import Contest
from tokumei.contest.server.problems import TooLarge
from tokumei.errors import SubmissionError, TokumeiError

MEGABYTE = 1_000_000
PIECE = 1 << 20
"""So much is collected before it is written, in a thread."""
LARGEST_SCRIPT = MEGABYTE


async def received(
    request: Request, contest: Contest, *, expect: Callable[[], None], most: int | None = None
) -> Blob:
    """Store the body of a request; one that is too large is refused while it arrives.

    `expect` refuses what would be refused anyway, before anything is stored.
    """
    most = contest.settings.quotas.megabytes * MEGABYTE if most is None else most
    announced = request.headers.get("content-length", "")
    try:
        if announced.isdecimal() and int(announced) > most:
            raise _too_large(most)
        await to_thread.run_sync(expect)
    except TokumeiError:
        await _let_pass(request, most)
        raise
    with contest.blobs.begin(most=most) as arriving:
        waiting = bytearray()
        try:
            async for chunk in request.stream():
                waiting += chunk
                if arriving.size + len(waiting) > most:
                    raise _too_large(most)
                if len(waiting) >= PIECE:
                    await to_thread.run_sync(arriving.write, bytes(waiting))
                    waiting.clear()
        except ClientDisconnect:
            raise SubmissionError("The upload was broken off.") from None
        await to_thread.run_sync(arriving.write, bytes(waiting))
        return await to_thread.run_sync(arriving.finish)


async def _let_pass(request: Request, most: int) -> None:
    """Read what is sent and forget it: a client that is still sending does not hear us."""
    with suppress(ClientDisconnect):
        async for chunk in request.stream():
            most -= len(chunk)
            if most < 0:
                return


def _too_large(most: int) -> TooLarge:
    return TooLarge(f"A file may have up to {most:,} bytes; this has more.")
