"""The Tab key in a shell."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

BIN = Path(sys.executable).parent
SETUP = 'source <(_TOKUMEI_COMPLETE=bash_source tokumei); PS1="ready> "\n'
SECONDS = 120.0
"""However slow the machine is, nothing here takes longer."""


@pytest.fixture
def settings(tmp_path: Path) -> dict[str, str]:
    """The environment of somebody whose cache has a file that says nothing."""
    kept = tmp_path / "cache" / "tokumei" / "commands.json"
    kept.parent.mkdir(parents=True)
    kept.write_text("{")
    changed = {"PATH": f"{BIN}:{os.environ['PATH']}", "TERM": "dumb", "PS1": "", "HISTFILE": ""}
    return {**os.environ, **changed, "XDG_CACHE_HOME": str(tmp_path / "cache")}


@contextmanager
def terminal(settings: dict[str, str], folder: Path) -> Iterator[int]:
    """A bash that somebody types into."""
    ours, its = pty.openpty()
    bash = subprocess.Popen(
        ["bash", "--norc", "--noprofile", "-i"],
        stdin=its, stdout=its, stderr=its, env=settings, cwd=folder, start_new_session=True,
    )  # fmt: skip
    os.close(its)
    try:
        yield ours
    finally:
        bash.kill()
        bash.wait()
        os.close(ours)


def typed(terminal: int, keys: str, expected: str) -> None:
    """Press keys, and wait until the terminal shows what is expected."""
    os.write(terminal, keys.encode())
    shown, end = "", time.monotonic() + SECONDS
    while expected not in shown:
        assert time.monotonic() < end, f"{expected!r} is not in {shown!r}"
        if select.select([terminal], [], [], 1)[0]:
            shown += os.read(terminal, 4096).decode()


def test_tab_completes_commands_methods_rules_and_files(
    settings: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "purchases.csv").touch()
    clear = "\x15"
    with terminal(settings, tmp_path) as bash:
        typed(bash, SETUP, "\nready> ")
        for keys, whole in (
            ("tokumei anonymize dec\t", "tokumei anonymize decoys "),
            ("tokumei anonymize decoys --min\t", "--min-size "),
            ("tokumei attack jaccard --threat part\t", "--threat partial-rows "),
            ("tokumei judge pwscup2018 --original purch\t", "--original purchases.csv "),
            ("tokumei judge sim\t", "tokumei judge simplified "),
            ("tokumei contest ser\t", "tokumei contest serve "),
        ):
            typed(bash, clear + keys, whole)
    # What was found out is kept: another Tab loads neither the methods nor what they need.
    asked = {"COMP_WORDS": "tokumei an", "COMP_CWORD": "1", "_TOKUMEI_COMPLETE": "bash_complete"}
    words = [sys.executable, "-X", "importtime", BIN / "tokumei"]
    done = subprocess.run(words, env={**settings, **asked}, capture_output=True, text=True)
    assert done.stdout == "plain,anonymize\n"
    assert "tokumei.cli.completion" in done.stderr
    assert not {"polars", "numpy", "tokumei.cli.anonymize"} & set(done.stderr.split())
