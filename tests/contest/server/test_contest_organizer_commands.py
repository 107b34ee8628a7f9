"""The commands of a contest, as organizers type them, and the server as a process."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2 as httpx
import pytest
from commanding import SECONDS, Captured, file, said, until

from tokumei.contest.actions import people as people_actions
from tokumei.contest.opening import DATABASE_URL, open_contest
from tokumei.contest.store import accounts
from tokumei.contest.store.queue_status import status


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOKUMEI_LANG", "en")
    monkeypatch.delenv(DATABASE_URL, raising=False)


@pytest.fixture
def made(capsys: Captured) -> Path:
    """A contest that the command made."""
    file("T.csv", b"Alice,2018/9/7,pear\nBob,2018/9/2,pear\n")
    words = ["--rules", "simplified", "--original", "T.csv", "--title", "氷と炎"]
    told = json.loads(said(capsys, "init", "contest", *words, "--json"))
    assert [one["role"] for one in told["links"]] == ["organizer"]
    return Path("contest")


def test_invitations_are_made_for_new_and_old_teams(made: Path, capsys: Captured) -> None:
    words = ["--team", "Ice", "--organizer", "--observer", "--url", "https://c.example"]
    links = json.loads(said(capsys, "invite", made, *words, "--json"))["links"]
    assert [(one["role"], one["team"]) for one in links] == [
        ("captain", "Ice"), ("organizer", None), ("observer", None),
    ]  # fmt: skip
    with open_contest(made) as contest:
        secret = links[0]["link"].removeprefix("https://c.example/invitation#")
        first = people_actions.accept(contest, secret, "yuki", "correct horse battery")
        again = json.loads(said(capsys, "invite", made, "--team", "ICE", "--json"))["links"][0]
        secret = again["link"].partition("#")[2]
        second = people_actions.accept(contest, secret, "koori", "correct horse battery")
        assert again["team"] == "Ice"
        assert first.team_id == second.team_id
        with contest.database.read() as connection:
            assert [team.name for team in accounts.listed_teams(connection)] == ["Ice"]
    assert "Say whom to invite" in said(capsys, "invite", made, code=2)
    shown = said(capsys, "invite", made, "--observer")
    assert "/invitation#" in shown


def test_backup_and_restore_say_what_they_do(made: Path, capsys: Captured) -> None:
    shown = said(capsys, "backup", made, "-o", "backup.zip")
    assert "keep it where nobody looks" in shown
    told = json.loads(said(capsys, "restore", "backup.zip", "again", "--json"))
    assert told["files"] == 4
    assert (Path("again") / "contest.toml").read_bytes() == (made / "contest.toml").read_bytes()
    assert "exists already" in said(capsys, "restore", "backup.zip", made, code=2)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "needs --rules and --original, or --demo"),
        (["--rules", "simplified"], "needs --rules and --original, or --demo"),
        (["--demo", "--original", "T.csv"], "A demo has generated data"),
        (["--demo", "--rules", "custom"], "--demo transit"),
        (["--demo", "transit", "--rules", "simplified"], "is custom, not simplified"),
        (["--rules", "simplified", "--original", "none.csv"], "none.csv"),
        (["--rules", "custom", "--original", "T.csv", "--column", "card"], "card=person"),
        (["--rules", "simplified", "--original", "T.csv", "--seed", "1"], "Only a demo has a seed"),
    ],
)
def test_what_init_cannot_do_is_one_sentence(
    words: list[str], sentence: str, capsys: Captured
) -> None:
    file("T.csv", b"Alice,2018/9/7,pear\n")
    out = said(capsys, "init", "contest", *words, code=2)
    assert sentence in out
    assert len(out.splitlines()) == 1
    assert not Path("contest").exists()


def test_an_address_that_is_taken_is_one_sentence(made: Path, capsys: Captured) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        out = said(capsys, "serve", made, "--port", port, code=2)
    assert f"cannot listen at 127.0.0.1:{port} (Address already in use)" in out


def test_without_the_extra_the_command_says_what_to_install() -> None:
    script = (
        "import sys; sys.modules['sqlalchemy'] = None\n"
        "from tokumei.cli.main import main; main(['contest', 'init', 'demo', '--demo'])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == (
        "tokumei: A contest needs more packages: pip install 'tokumei[contest]'.\n"
    )


@contextmanager
def _process(folder: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    command = [sys.executable, "-m", "tokumei", "contest", "serve", str(folder)]
    with subprocess.Popen(
        [*command, "--port", "0", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            yield process, json.loads(process.stdout.readline())["address"]
        finally:
            process.kill()


def _workers_of(process: subprocess.Popen[str]) -> list[int]:
    listed = Path(f"/proc/{process.pid}/task").glob("*/children")
    return [int(child) for path in listed for child in path.read_text().split()]


def _is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_server_serves_keeps_a_worker_and_ends_cleanly(made: Path, number: int) -> None:
    with open_contest(made) as contest, _process(made) as (process, address):
        until(lambda: _answers(address))
        until(lambda: len(status(contest.database).workers) == 1)
        (worker,) = _workers_of(process)
        assert os.getpriority(os.PRIO_PROCESS, worker) == 10
        if number == signal.SIGINT:
            os.kill(worker, signal.SIGKILL)
            until(lambda: any(_is_alive(pid) for pid in _workers_of(process)))
            until(lambda: len(status(contest.database).workers) == 2)
            (worker,) = _workers_of(process)
        process.send_signal(number)
        _, errors = process.communicate(timeout=SECONDS)
        assert process.returncode == 0, errors
        assert "Traceback" not in errors
        assert not _is_alive(worker)


def test_a_worker_ends_with_its_server_also_where_that_is_killed(made: Path) -> None:
    with open_contest(made) as contest, _process(made) as (process, _):
        until(lambda: len(status(contest.database).workers) == 1)
        (worker,) = _workers_of(process)
        process.kill()
        until(lambda: not _is_alive(worker))


def _answers(address: str) -> bool:
    try:
        return httpx.get(f"{address}/api/contest").status_code == 200
    except httpx.HTTPError:
        return False
