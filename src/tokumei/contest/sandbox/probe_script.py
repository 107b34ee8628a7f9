"""The script that tries to break out of a jail at start-up; it imports nothing of tokumei.

It reads what to try from the file that it is given, and prints 1 for every way out that it found.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any


def main() -> None:
    """Try everything, and print what worked."""
    targets: dict[str, Any] = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    ways: dict[str, Callable[[], bool]] = {
        "tcp": lambda: _connects(socket.AF_INET, ("127.0.0.1", targets["port"])),
        "unix-path": lambda: _connects(socket.AF_UNIX, targets["socket"]),
        "unix-abstract": lambda: _connects(socket.AF_UNIX, targets["abstract"]),
        "read-canary": lambda: bool(Path(targets["canary"]).read_bytes()),
        "read-passwd": lambda: bool(Path("/etc/passwd").read_bytes()),
        "read-shadow": lambda: bool(Path("/etc/shadow").read_bytes()),
        "write-outside": lambda: Path(targets["writable"], "written").write_bytes(b"x") > 0,
        "write-input": lambda: Path(sys.argv[1]).write_bytes(b"x") > 0,
        "environment": lambda: not _visible_names() <= set(targets["names"]),
        "root": lambda: 0 in (*os.getresuid(), *os.getresgid()),
        "more-namespaces": lambda: _works("unshare", "--user", "true"),
    }
    found = {way: int(_succeeds(attempt)) for way, attempt in ways.items()}
    _leave_a_daemon(targets["daemon"])
    sys.stdout.write(json.dumps(found))


def _succeeds(attempt: Callable[[], bool]) -> bool:
    try:
        return attempt()
    except OSError:
        return False


def _connects(family: int, address: Any) -> bool:
    with socket.socket(family, socket.SOCK_STREAM) as connection:
        connection.settimeout(1)
        connection.connect(address)
    return True


def _visible_names() -> set[str]:
    """Return the names of all environment variables that can be seen, of any process."""
    names = set(os.environ)
    for block in _environments():
        names |= {entry.partition(b"=")[0].decode() for entry in block.split(b"\0") if entry}
    return names


def _environments() -> Iterator[bytes]:
    with contextlib.suppress(OSError):
        for place in Path("/proc").glob("[0-9]*/environ"):
            with contextlib.suppress(OSError):
                yield place.read_bytes()


def _works(*command: str) -> bool:
    return subprocess.run(command, capture_output=True, check=False).returncode == 0  # noqa: S603


def _leave_a_daemon(command: list[str]) -> None:
    """Start a process that tries to outlive the run."""
    for own_session in (True, False):
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            subprocess.Popen(  # noqa: S603
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=own_session,
            )


if __name__ == "__main__":
    main()
