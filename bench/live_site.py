"""A contest with teams, served by the command as an organizer does."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import httpx2 as httpx

from tokumei.contest.opening import new_seed, open_contest
from tokumei.contest.store import accounts, api_tokens, sessions
from tokumei.contest.store.database import open_database, sqlite_url
from tokumei.contest.store.events import read_since
from tokumei.contest.store.viewing import Viewer

CUSTOMERS, DAYS = 40, 28
ITEMS = ("pear", "grape", "plum", "melon", "peach")
TOML = """\
title = "Load"
rules = "simplified"
original = "data/T.csv"
[[phases]]
name = "anonymize"
starts = 2020-01-01T00:00:00Z
[quotas]
submissions = 100000
"""


def _rows() -> list[tuple[int, str, str]]:
    draw = Random(0)
    return [
        (customer, f"2018/9/{draw.randint(1, DAYS)}", draw.choice(ITEMS))
        for customer in range(CUSTOMERS)
        for _ in range(5)
    ]


def submission(draw: Random) -> bytes:
    """Make a valid submission that no other team has: some days and items are changed."""
    names = draw.sample(range(CUSTOMERS), CUSTOMERS)
    lines = [
        f"p{names[who]},{day},{item if draw.random() < 0.8 else draw.choice(ITEMS)}\n"
        for who, day, item in _rows()
    ]
    return "".join(lines).encode()


@dataclass(frozen=True)
class Site:
    """A running server, and how the people of the contest come in: a session for each."""

    host: str
    pid: int
    folder: Path
    viewers: list[Viewer]
    cookies: list[str] = field(repr=False)
    tokens: list[str] = field(repr=False)

    def events_for(self, number: int) -> list[int]:
        """Return the numbers of the events that somebody may see."""
        with (
            open_database(sqlite_url(self.folder / "contest.db")) as database,
            database.read() as connection,
        ):
            page = read_since(connection, 0, self.viewers[number], sees="all", limit=10**6)
        return [event.seq for event in page.events]


@contextmanager
def site(teams: int) -> Iterator[Site]:
    """Serve a new contest with one worker while the block runs."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place, "contest")
        (folder / "data").mkdir(parents=True)
        (folder / "contest.toml").write_text(TOML)
        rows = "".join(f"customer {who},{day},{item}\n" for who, day, item in _rows())
        (folder / "data" / "T.csv").write_text(rows)
        new_seed(folder)
        viewers, cookies, tokens = _people(folder, teams)
        command = [sys.executable, "-m", "tokumei", "contest", "serve", str(folder)]
        with subprocess.Popen(
            [*command, "--port", "0", "--workers", "1", "--json"], stdout=subprocess.PIPE, text=True
        ) as process:
            try:
                assert process.stdout is not None
                address = json.loads(process.stdout.readline())["address"]
                _wait(f"{address}/api/session")
                host = address.removeprefix("http://")
                yield Site(host, process.pid, folder, viewers, cookies, tokens)
            finally:
                process.terminate()
                process.wait(30)


def _people(folder: Path, teams: int) -> tuple[list[Viewer], list[str], list[str]]:
    """Add the teams, an organizer and an observer."""
    viewers, cookies, tokens = [], [], []
    with open_contest(folder) as contest, contest.database.write() as connection:
        users = [
            accounts.add_user(connection, "desk", "-", "organizer"),
            accounts.add_user(connection, "press", "-", "observer"),
        ]
        for number in range(1, teams + 1):
            team = accounts.add_team(connection, f"Team {number}")
            user = accounts.add_user(connection, f"captain{number}", "-", "captain", team.id)
            made = api_tokens.create(
                connection, user_id=user.id, scope="write", name="load", seconds=86_400
            )
            tokens.append(made.secret)
            users.append(user)
        for user in users:
            viewers.append(Viewer(user.team_id, organizer=user.role == "organizer"))
            cookies.append(sessions.log_in(connection, user.id).secret)
    return viewers, cookies, tokens


def _wait(url: str) -> None:
    for _ in range(300):
        try:
            httpx.get(url)
        except httpx.TransportError:
            time.sleep(0.1)
        else:
            return
    raise TimeoutError("The server did not start.")


def memory(pid: int) -> float:
    """Return the resident memory of a process in KB."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return float(line.split()[1])
    raise ProcessLookupError(pid)


def computing(pid: int) -> tuple[float, float]:
    """Return how long all threads of a process have computed, and its first waited for a core."""
    threads = {
        path.parent.name: [int(word) / 1e9 for word in path.read_text().split()[:2]]
        for path in Path(f"/proc/{pid}/task").glob("*/schedstat")
    }
    return sum(computed for computed, _ in threads.values()), threads[str(pid)][1]
