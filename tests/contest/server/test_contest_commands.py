"""The commands of a contest, as teams type them, against a real server."""

from __future__ import annotations

import json
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2 as httpx
import pytest
from commanding import SECONDS, Captured, file, said, until
from playing import COARSE, hand_in, play_to_attack
from staging import BROKEN, VALID, People

from tokumei.cli.main import _run
from tokumei.contest import client as client_module
from tokumei.contest.actions import people as people_actions
from tokumei.contest.desk import LocalDesk
from tokumei.contest.opening import DATABASE_URL, Contest
from tokumei.contest.serving import running
from tokumei.contest.store.accounts import User
from tokumei.contest.working import Worker

SERVER, TOKEN = "TOKUMEI_CONTEST_SERVER", "TOKUMEI_CONTEST_TOKEN"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOKUMEI_LANG", "en")
    monkeypatch.setattr(client_module, "PAUSE", 0.05)
    for name in (DATABASE_URL, SERVER, TOKEN):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def served(contest: Contest, people: People, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A server with a worker, and a member of team ice at the terminal."""
    stopped = threading.Event()
    desk = LocalDesk(contest.database, contest.evaluation, contest.blobs, contest.seed)
    worker = Worker("beside", desk, contest.evaluation)
    thread = threading.Thread(target=worker.run, args=(stopped,), kwargs={"pause": 0.05})
    with running(contest) as address:
        monkeypatch.setenv(SERVER, address)
        act_as(contest, people.member, monkeypatch)
        thread.start()
        yield address
        stopped.set()
        thread.join()


def act_as(contest: Contest, user: User, monkeypatch: pytest.MonkeyPatch) -> str:
    made = people_actions.new_token(contest, user, "laptop", "write", 1)
    monkeypatch.setenv(TOKEN, made.secret)
    return made.secret


def test_a_submission_is_sent_checked_and_scored_as_on_a_laptop(
    served: str, capsys: Captured, contest: Contest
) -> None:
    told = json.loads(
        said(capsys, "submit", file("A.csv", VALID), "--note", "first try", "--wait", "--json")
    )
    (made,) = told
    assert (made["state"], made["name"], made["note"]) == ("evaluated", "A.csv", "first try")
    original = contest.evaluation.original_file
    words = ["--original", str(original), "--submission", "A.csv", "--json"]
    assert _run(["judge", "simplified", *words]) == 0
    judged = json.loads(capsys.readouterr().out)
    values = {name: part["value"] for name, part in made["results"].items()}
    assert values == judged["values"]


def test_several_files_are_sent_and_shown_for_people(served: str, capsys: Captured) -> None:
    out = said(capsys, "submit", file("A.csv", VALID), file("B.csv", COARSE), "--wait")
    assert "A.csv: the submission keeps the rules." in out
    assert "B.csv: the submission keeps the rules." in out
    assert "total" in out


def test_without_waiting_a_submission_is_received(served: str, capsys: Captured) -> None:
    assert "it will be checked" in said(capsys, "submit", file("A.csv", VALID))


def test_a_file_that_breaks_the_rules_has_its_problems_shown_and_exit_code_2(
    served: str, capsys: Captured
) -> None:
    out = said(capsys, "submit", file("A.csv", BROKEN), "--wait", code=2)
    assert "the submission breaks the rules." in out
    assert "Problems" in out
    assert "4 rows" in " ".join(out.split())


def test_what_the_server_says_is_shown_as_it_is(
    served: str, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    big = file("big.csv", b"x" * 1_100_000)
    assert "A file may have up to 1,000,000 bytes" in said(capsys, "submit", big, code=2)
    monkeypatch.setenv(TOKEN, "tokumei_nobody")
    out = said(capsys, "results", code=2)
    assert out == "tokumei: The token is unknown or has expired.\n"


def test_errors_come_in_the_users_language(
    served: str, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    original = httpx.Client.request

    def noted(self: httpx.Client, *args: object, **more: object) -> httpx.Response:
        asked.append(self.headers["accept-language"])
        return original(self, *args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(httpx.Client, "request", noted)
    said(capsys, "results", "--lang", "ja")
    assert asked == ["ja"]


def test_the_token_comes_from_a_file_or_the_environment_and_never_leaks(
    served: str,
    capsys: Captured,
    contest: Contest,
    people: People,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    secret = act_as(contest, people.member, monkeypatch)
    file("token", f"{secret}\n".encode())
    monkeypatch.delenv(TOKEN)
    assert "Give a token" in said(capsys, "results", code=2)
    assert "Results" in said(capsys, "results", "--token-file", "token")
    assert _run(["contest", "results", "--token", secret]) == 2
    capsys.readouterr()
    monkeypatch.setenv(SERVER, "http://127.0.0.1:1")
    out = said(capsys, "results", "--token-file", "token", code=2)
    assert "cannot be reached" in out
    assert secret not in out
    file("token", b"\xff\xfe")
    assert "has no token" in said(capsys, "results", "--token-file", "token", code=2)


def test_a_server_that_is_no_contest_is_named(capsys: Captured, monkeypatch) -> None:
    monkeypatch.setenv(TOKEN, "tokumei_x")
    with _answering(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi") as address:
        out = said(capsys, "results", "--server", address, code=2)
    assert "is the address right?" in out
    for wrong in ("contest.example", "ftp://contest.example", ""):
        assert "tokumei:" in said(capsys, "results", "--server", wrong, code=2)


@contextmanager
def _answering(answer: bytes) -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            connection = listening.accept()[0]
            with connection:
                connection.settimeout(SECONDS)
                connection.recv(10_000)
                connection.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        thread.join(SECONDS)


def test_the_table_is_shown_sorted_and_exported_as_shown(
    served: str, capsys: Captured, contest: Contest, people: People
) -> None:
    hand_in(contest, people.captain)
    hand_in(contest, people.rival, COARSE)
    shown = said(capsys, "results")
    assert "ice *" in shown
    told = json.loads(said(capsys, "results", "--sort", "team", "--descending", "--json"))
    assert [row["team"]["name"] for row in told["rows"]] == ["ice", "fire"]
    words = ["--sort", "team", "--descending"]
    said(capsys, "export", "-o", "table.csv", *words)
    head, *lines = Path("table.csv").read_text(encoding="utf-8-sig").splitlines()
    assert ["ice" in lines[0], "fire" in lines[1], "total" in head] == [True] * 3
    said(capsys, "export", "-o", "table.parquet", "--format", "parquet")
    assert Path("table.parquet").read_bytes()[:4] == b"PAR1"
    assert "exists already" in said(capsys, "export", "-o", "table.csv", code=2)


def test_everything_is_for_organizers(
    served: str,
    capsys: Captured,
    contest: Contest,
    people: People,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    words = ["export", "--everything", "--format", "json", "-o", "all.json"]
    assert "This is not for you." in said(capsys, *words, code=2)
    assert not Path("all.json").exists()
    act_as(contest, people.organizer, monkeypatch)
    said(capsys, *words)
    assert "submissions" in json.loads(Path("all.json").read_text())


def test_a_team_downloads_attacks_and_sees_its_mark(
    served: str,
    capsys: Captured,
    contest: Contest,
    people: People,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert "begins" in said(capsys, "attack", "--download", "--all", "-o", "got", code=2)
    play_to_attack(contest, people)
    until(lambda: len(_releases(served)) == 2)
    act_as(contest, people.rival, monkeypatch)
    got = json.loads(said(capsys, "attack", "--download", "--team", "ICE", "-o", "got", "--json"))
    assert [one["team"] for one in got] == ["ice"]
    assert sorted(Path(got[0]["file"]).read_bytes().splitlines()) == sorted(
        line for line in VALID.splitlines() if not line.startswith(b"DEL")
    )
    guess = file("guess.csv", b"p1,Alice\np2,Bob\np3,Bob\n")
    assert "2 / 3 (66.67%)" in said(capsys, "attack", guess, "--team", "ice", "--wait")
    nonsense = file("nonsense.csv", b"p1\n")
    out = said(capsys, "attack", nonsense, "--team", "ice", "--wait", code=2)
    assert "breaks the rules" in out
    assert "There is no team called mud" in said(capsys, "attack", guess, "--team", "mud", code=2)
    assert "needs a file" in said(capsys, "attack", "--team", "ice", code=2)


def _releases(address: str) -> list[object]:
    headers = {"Authorization": f"Bearer {os.environ[TOKEN]}"}
    found: list[object] = httpx.get(f"{address}/api/releases", headers=headers).json()
    return found


def test_whoever_waits_too_long_is_told(
    contest: Contest, people: People, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running(contest) as address:
        monkeypatch.setenv(SERVER, address)
        act_as(contest, people.member, monkeypatch)
        out = said(capsys, "submit", file("A.csv", VALID), "--wait", "--seconds", "0.1", code=2)
    assert "After 0.1 seconds it is not done yet." in out
