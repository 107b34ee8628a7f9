"""Files out and in: what goes out is saved and never shown, under a name that we make."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fastapi.responses import FileResponse, Response

BINARY = "application/octet-stream"
RAW_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": "The file itself.",
        "content": {BINARY: {"schema": {"type": "string", "format": "binary"}}},
    }
}
"""What the OpenAPI document says of a route that takes a file."""


def stored_file(path: Path, name: str) -> FileResponse:
    """Send a file from the disk, whatever is in it: a page with a script is not shown as one."""
    return FileResponse(path, media_type=BINARY, filename=name)


def made_file(content: bytes, media_type: str, name: str) -> Response:
    """Send a file that was made for this request."""
    disposition = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type=media_type, headers=disposition)


def answers_with(*media_types: str) -> dict[int | str, dict[str, Any]]:
    """Return what the OpenAPI document says of a route that sends a file."""
    content = {kind: {"schema": {"type": "string", "format": "binary"}} for kind in media_types}
    return {200: {"description": "The file.", "content": content}}
