"""A temporary PostgreSQL cluster, on a socket in a folder of its own; no port is opened.

`initdb` refuses to run as root, so root starts it as an unprivileged user.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import psycopg
from psycopg import sql

NUMBERS = count(1)


class NoPostgres(Exception):
    """Why there is no PostgreSQL here."""


@dataclass(frozen=True)
class Cluster:
    folder: Path

    def url(self, database: str) -> str:
        return f"postgresql://tokumei@/{database}?host={self.folder}"

    def create(self, template: str = "template0") -> str:
        """Make a database and return its name."""
        name = f"contest_{os.getpid()}_{next(NUMBERS)}"
        make = sql.SQL("CREATE DATABASE {} TEMPLATE {}")
        self._execute(make.format(sql.Identifier(name), sql.Identifier(template)))
        return name

    def drop(self, name: str) -> None:
        self._execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))

    def _execute(self, statement: sql.Composed) -> None:
        with psycopg.connect(
            host=str(self.folder), user="tokumei", dbname="postgres", autocommit=True
        ) as connection:
            connection.execute(statement)


@contextmanager
def cluster(*, durable: bool = False) -> Iterator[Cluster]:
    """Start a cluster and stop it at the end; a durable one waits for the disk, as in earnest."""
    programs = _programs()
    # The path of a socket may have about a hundred characters: pytest's folders are too deep.
    folder = Path(tempfile.mkdtemp(prefix="tokumei-pg-"))
    user = _unprivileged()
    if user is not None:
        os.chown(folder, user, -1)
    try:
        data = folder / "data"
        _run(user, programs / "initdb", "-D", data, "-U", "tokumei", "-A", "trust", "-E", "UTF8",
             "--no-locale", "--no-sync")  # fmt: skip
        options = f"-c listen_addresses= -c unix_socket_directories={folder}"
        if not durable:
            options += " -c fsync=off -c synchronous_commit=off -c full_page_writes=off"
        control = (programs / "pg_ctl", "-D", data, "-w", "-s")
        _run(user, *control, "-l", folder / "log", "-o", options, "start")
        try:
            yield Cluster(folder)
        finally:
            _run(user, *control, "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder)


def _programs() -> Path:
    """Return the folder with the newest server; Debian does not put it on the path."""
    found = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    on_path = shutil.which("initdb")
    if on_path:
        found.append(Path(on_path).parent)
    if not found:
        raise NoPostgres("PostgreSQL is not installed (Debian: apt-get install postgresql)")
    return max(found, key=lambda path: [int(part) for part in path.parts if part.isdecimal()])


def _unprivileged() -> int | None:
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name).pw_uid
        except KeyError:
            continue
    raise NoPostgres("root may not run PostgreSQL, and there is no user postgres or nobody")


def _run(user: int | None, *command: object) -> None:
    words = [str(word) for word in command]
    done = subprocess.run(
        words, user=user, cwd="/", stdin=subprocess.DEVNULL, capture_output=True, text=True,
        check=False, timeout=120, env={"PATH": os.environ["PATH"], "LC_ALL": "C"},
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"{words[0]} failed: {done.stdout}{done.stderr}")
