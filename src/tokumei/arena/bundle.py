"""The program of the arena: one module, made from `frontend/arena` when the package is built."""

from __future__ import annotations

from pathlib import Path

from tokumei.errors import ReadError

MODULE = Path(__file__).parent / "static" / "arena.js"


def module_file() -> Path:
    """Return where the module is."""
    if not MODULE.is_file():
        raise ReadError(
            f"{MODULE} is missing: it is made when tokumei is installed; install it again with "
            "'pip install' and a network."
        )
    return MODULE
