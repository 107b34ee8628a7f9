"""What hostile scripts try to reach, open to every user of this machine, and who reached it."""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tokumei.contest.sandbox import Language, Script, probe
from tokumei.contest.sandbox.jails import Jail
from tokumei.contest.sandbox.probing import JAILS

HOSTILE = Path(__file__).with_name("hostile")
SUFFIXES: dict[str, Language] = {".py.txt": "python", ".R": "r"}

every_jail = pytest.mark.parametrize("jail", JAILS, ids=lambda jail: jail.name)


def require(jail: Jail, language: Language = "python") -> None:
    """Skip, and say why, where a jail or R is not there; one that leaks must not be skipped."""
    reason = next(finding.reason for finding in probe() if finding.jail == jail)
    assert reason is None or "escaped" not in reason, reason
    if reason is not None:
        pytest.skip(f"the sandbox {jail.name} does not work here: {reason}")
    if language == "r" and shutil.which("Rscript") is None:
        pytest.skip("R is not here; Debian has it as r-base-core")


def language_of(name: str) -> Language:
    return next(language for suffix, language in SUFFIXES.items() if name.endswith(suffix))


@dataclass(frozen=True)
class World:
    """A contest with secrets around a script, and servers that note who calls."""

    folder: Path
    secret: str
    user: int
    servers: dict[str, socket.socket]

    @property
    def inputs(self) -> list[Path]:
        return [self.folder / "contest" / name for name in ("original.csv", "submitted.csv")]

    @property
    def stage(self) -> Path:
        return self.folder / "stage"

    def script(self, name: str) -> Script:
        text = (HOSTILE / name).read_text(encoding="utf-8")
        for mark, value in self._targets().items():
            text = text.replace(f"@{mark}@", str(value))
        return Script(language_of(name), text.encode())

    def _targets(self) -> dict[str, object]:
        return {
            "PORT": self.servers["tcp"].getsockname()[1],
            "UDP_PORT": self.servers["udp"].getsockname()[1],
            "SOCKET": self.folder / "socket",
            "ABSTRACT": self.servers["abstract"].getsockname()[1:].decode(),
            "HOME": self.folder / "home",
            "SUBMISSION": self.folder / "contest" / "other.csv",
            "ANSWERS": self.folder / "contest" / "answers.csv",
            "WRITABLE": self.folder / "writable",
            "SECRET": self.secret,
            "TOKEN": f"tokumei{self.user}",
            "SERVER": os.getpid(),
        }

    def make(self) -> None:
        for name in ("home", "contest", "writable", "stage"):
            (self.folder / name).mkdir()
        (self.folder / "writable").chmod(0o777)
        (self.folder / "socket").chmod(0o777)
        for name in ("home/canary", "contest/answers.csv", "contest/other.csv", "writable/present"):
            (self.folder / name).write_text(self.secret)
        (self.folder / "writable" / "present").chmod(0o666)
        os.utime(self.folder / "writable" / "present", (1, 1))
        for path in self.inputs:
            path.write_text("customer,amount\nAlice,1\nBob,2\n")

    def damage(self) -> list[str]:
        """Return what a script reached or left behind, as seen from outside."""
        return [
            *(name for name, server in self.servers.items() if _was_reached(server)),
            *self._changed_files(),
            *(f"left {path}" for path in self.stage.iterdir()),
            *self._left_files(),
            *self._left_processes(),
            *self._left_memory(),
        ]

    def _changed_files(self) -> Iterator[str]:
        for path in (self.folder / "writable").iterdir():
            if path.name != "present":
                yield f"wrote {path}"
        present = self.folder / "writable" / "present"
        if not present.exists():
            yield "removed a file"
        elif present.read_text() != self.secret or present.stat().st_mtime != 1:
            yield "changed a file"
        elif os.listxattr(present):
            yield "marked a file"
        if any(path.read_text()[:8] != "customer" for path in self.inputs):
            yield "changed an input"

    def _left_files(self) -> Iterator[str]:
        for place in map(Path, ("/", "/tmp", "/var/tmp", "/dev/shm", "/usr", "/etc", "/dev")):
            for path in place.iterdir():
                if str(self.user) in path.name or self.user in _owners(path):
                    yield f"left {path}"

    def _left_processes(self) -> Iterator[str]:
        for path in Path("/proc").glob("[0-9]*"):
            if self.user in _owners(path):
                yield f"process {path.name} is left"

    def _left_memory(self) -> Iterator[str]:
        for kind in ("shm", "sem", "msg"):
            if str(self.user) in Path("/proc/sysvipc", kind).read_text():
                yield f"System V {kind} is left"


def _owners(path: Path) -> tuple[int, int]:
    try:
        found = path.lstat()
    except FileNotFoundError:
        return (-1, -1)
    return (found.st_uid, found.st_gid)


def _was_reached(server: socket.socket) -> bool:
    try:
        if server.type == socket.SOCK_DGRAM:
            server.recv(100)
        else:
            server.accept()[0].close()
    except BlockingIOError:
        return False
    return True


@contextmanager
def a_world(user: int) -> Iterator[World]:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tokumei-world-")))
        folder.chmod(0o755)
        servers = {
            "tcp": socket.socket(socket.AF_INET, socket.SOCK_STREAM),
            "udp": socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
            "path": socket.socket(socket.AF_UNIX, socket.SOCK_STREAM),
            "abstract": socket.socket(socket.AF_UNIX, socket.SOCK_STREAM),
        }
        addresses = [("127.0.0.1", 0), ("127.0.0.1", 0), str(folder / "socket")]
        addresses.append(f"\0tokumei{user}")
        for server, address in zip(servers.values(), addresses, strict=True):
            stack.enter_context(server)
            server.bind(address)
            server.setblocking(False)
            if server.type == socket.SOCK_STREAM:
                server.listen()
        world = World(folder, secrets.token_hex(12), user, servers)
        world.make()
        yield world
