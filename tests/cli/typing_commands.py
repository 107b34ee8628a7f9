"""Commands as a user types them, and what they say."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tokumei.cli.main import _run

Captured = pytest.CaptureFixture[str]


def printed(capsys: Captured, *words: object, code: int = 0) -> str:
    """Return what a command prints."""
    capsys.readouterr()
    assert _run([*map(str, words)]) == code
    return capsys.readouterr().out


def result(capsys: Captured, *words: object) -> Any:
    """Return what a command tells programs."""
    return json.loads(printed(capsys, *words, "--json"))


def refusal(capsys: Captured, *words: object) -> str:
    """Return the sentence by which a command refuses its input."""
    capsys.readouterr()
    assert _run([*map(str, words)]) == 2
    return capsys.readouterr().err
