"""What every answer and every request has to keep, below all routes."""

from __future__ import annotations

from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST_BODY = 1_000_000
"""Of everything but an upload, which has a limit of its own while it arrives."""
UPLOADS = ("/api/submissions", "/api/guesses", "/api/scripts")
STATIC = "/static/"
WORKERS = "/api/worker/jobs/"
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; "
        "form-action 'self'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    # What one user saw is not for the next one at the same machine.
    "Cache-Control": "no-store",
}


class Guard:
    """Sets the headers that keep browsers careful, and refuses bodies that nobody asked for."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def careful(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if scope["path"].startswith(STATIC):
                    # The same for everybody; the browser only asks whether it has changed.
                    headers.setdefault("Cache-Control", "no-cache")
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self.app(scope, receive if _is_upload(scope) else _capped(receive), careful)


def _is_upload(scope: Scope) -> bool:
    path: str = scope["path"]
    return scope["method"] == "POST" and (path in UPLOADS or path.startswith(WORKERS))


def _capped(receive: Receive) -> Receive:
    size = 0

    async def counted() -> Message:
        nonlocal size
        message = await receive()
        size += len(message.get("body", b""))
        if size > LARGEST_BODY:
            # FastAPI lets no other error through where it reads a body.
            raise HTTPException(
                413, f"A request may have up to {LARGEST_BODY:,} bytes; this has more."
            )
        return message

    return counted
