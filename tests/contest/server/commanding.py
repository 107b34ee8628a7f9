"""Commands of a contest as one types them."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tokumei.cli.main import _run

Captured = pytest.CaptureFixture[str]
SECONDS = 30.0
"""However slow the machine is, nothing here takes longer."""


def said(capsys: Captured, *words: object, code: int = 0) -> str:
    capsys.readouterr()
    assert _run(["contest", *map(str, words)]) == code, capsys.readouterr().err
    found = capsys.readouterr()
    return found.out if code == 0 else found.out + found.err


def file(name: str, content: bytes) -> Path:
    Path(name).write_bytes(content)
    return Path(name)


def until(holds: Callable[[], bool]) -> None:
    """Wait until something holds."""
    end = time.monotonic() + SECONDS
    while not holds():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.1)
