"""The live channel: a WebSocket that tells what happens, and the same by asking again and again.

The client says nothing. It keeps the `seq` of what it was told, and where the connection ends it
comes back with `?since=SEQ`; 4001 says that it must log in again first.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import Annotated, cast

from fastapi import APIRouter, Depends, Query, Response, WebSocket, WebSocketDisconnect
from starlette.concurrency import run_in_threadpool
from starlette.requests import HTTPConnection

from tokumei.contest.server.access import (
    Caller,
    LoggedIn,
    caller_by_headers,
    refuse_other_sites,
    the_contest,
)
from tokumei.contest.server.hub import LOGGED_OUT, TOO_SLOW, Client, Hub, Pass
from tokumei.contest.server.messages import EventsMessage, Message
from tokumei.contest.server.problems import Forbidden, NotLoggedIn
from tokumei.contest.server.snapshot import SnapshotMessage

log = logging.getLogger(__name__)
router = APIRouter(tags=["live"])

SEND_SECONDS = 30.0
"""A client that does not take a message for so long is not there."""
CLOSE_SECONDS = 5.0
LONGEST = 4_096
MOST_SAID = 100
"""Messages of a client are ignored, up to this size and number."""
OUR_FAULT = 1011
SAYS_TOO_MUCH = 1008

Since = Annotated[int | None, Query(ge=0, description="The seq of what was told last.")]


def the_hub(connection: HTTPConnection) -> Hub:
    """Return the hub of this server."""
    return cast("Hub", connection.app.state.hub)


TheHub = Annotated[Hub, Depends(the_hub)]


@router.get(
    "/api/events",
    response_model=EventsMessage | SnapshotMessage,
    summary="What has happened since an event; without its number, or far behind it, a snapshot",
)
async def list_events(caller: LoggedIn, hub: TheHub, since: Since = None) -> Response:
    """Answer with what a live client would be told first."""
    first, *_ = await hub.missed(caller.viewer, since)
    return Response(first.text, media_type="application/json")


@router.get("/api/state", response_model=SnapshotMessage, summary="The contest at this moment")
async def show_state(caller: LoggedIn, hub: TheHub) -> Response:
    """Answer with a snapshot."""
    return Response((await hub.snapshot(caller.viewer)).text, media_type="application/json")


@router.websocket("/live")
async def follow(socket: WebSocket, hub: TheHub, since: Since = None) -> None:
    """Tell a client what happens until it goes, is too slow, or may no longer listen."""
    try:
        # Browsers let every site open a WebSocket to us, with our cookie.
        refuse_other_sites(socket)
    except Forbidden:
        await socket.close()
        return
    # From here on by a code: a browser does not tell its page why a handshake failed.
    await socket.accept()
    code = await _admitted(socket, hub, since)
    if code is not None:
        with suppress(TimeoutError, WebSocketDisconnect, RuntimeError):
            async with asyncio.timeout(CLOSE_SECONDS):
                await socket.close(code)


async def _admitted(socket: WebSocket, hub: Hub, since: int | None) -> int | None:
    """Serve somebody who is logged in; return the code to close with, none where it has gone."""
    try:
        caller = await run_in_threadpool(
            caller_by_headers, socket, the_contest(socket), unsafe=False
        )
        if caller.user is None:
            return LOGGED_OUT
        client = hub.join(caller.viewer, _pass_of(socket, caller))
        try:
            return await _serve(socket, client, hub, since)
        finally:
            hub.leave(client)
    except NotLoggedIn:
        return LOGGED_OUT
    except Exception:
        log.exception("A live client could not be served.")
        return OUR_FAULT


def _pass_of(socket: WebSocket, caller: Caller) -> Pass:
    if caller.session is not None:
        return Pass(caller.session, token=False)
    return Pass(socket.headers["authorization"].partition(" ")[2].strip(), token=True)


async def _serve(socket: WebSocket, client: Client, hub: Hub, since: int | None) -> int | None:
    tasks = [
        asyncio.create_task(_tell(socket, client, hub, since)),
        asyncio.create_task(_listen(socket)),
    ]
    ends: list[asyncio.Future[int | None]] = [client.ended, *tasks]
    try:
        done, _ = await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        return done.pop().result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _tell(socket: WebSocket, client: Client, hub: Hub, since: int | None) -> int | None:
    known = 0
    try:
        for message in await hub.missed(client.viewer, since):
            known = message.last
            await _send(socket, message)
        while True:
            new = (await client.waiting.get()).newer_than(known)
            if new is not None:
                known = new.last
                await _send(socket, new)
    except TimeoutError:
        return TOO_SLOW
    except WebSocketDisconnect:
        return None


async def _send(socket: WebSocket, message: Message) -> None:
    async with asyncio.timeout(SEND_SECONDS):
        await socket.send_text(message.text)


async def _listen(socket: WebSocket) -> int | None:
    for _ in range(MOST_SAID):
        said = await socket.receive()
        if said["type"] == "websocket.disconnect":
            return None
        if len(said.get("text") or said.get("bytes") or "") > LONGEST:
            break
    return SAYS_TOO_MUCH
