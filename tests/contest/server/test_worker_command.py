"""`tokumei contest worker`, at a server and beside a folder."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from remote import found, submit
from staging import People

from tokumei.cli.main import _run
from tokumei.contest.opening import Contest


def command(*words: str, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tokumei", "contest", "worker", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    )


def test_the_command_works_at_a_server_and_ends_when_told(
    contest: Contest, people: People, server: str, token: str, tmp_path: Path
) -> None:
    made = submit(contest, people)
    file = tmp_path / "token"
    file.write_text(f"{token}\n")
    with command("--server", server, "--token-file", str(file), "--json") as process:
        try:
            lines = [json.loads(process.stdout.readline()) for _ in range(2)]
            process.send_signal(signal.SIGTERM)
            rest, complaint = process.communicate(timeout=30)
        finally:
            process.kill()
    assert [(line["kind"], line["state"]) for line in lines] == [
        ("check", "done"),
        ("score", "done"),
    ]
    assert (process.returncode, rest) == (0, "")
    assert token not in complaint
    assert "Traceback" not in complaint
    assert found(contest, made).state == "evaluated"


def test_the_command_takes_one_job_of_a_folder(contest: Contest, people: People, url: str) -> None:
    made = submit(contest, people)
    with command(str(contest.folder), "--once", TOKUMEI_DATABASE_URL=url) as process:
        said, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert said.startswith("job 1: check, done")
    assert found(contest, made).state == "valid"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "Give either the folder of a contest, or --server."),
        (("somewhere", "--server", "https://contest.example.org"), "Give either the folder"),
        (("--server", "https://contest.example.org"), "Give the worker's token"),
        (("nowhere",), "is not the folder of a contest"),
    ],
)
def test_the_command_says_what_is_missing(
    words: tuple[str, ...],
    said: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TOKUMEI_WORKER_TOKEN", "")
    assert _run(["contest", "worker", *words]) == 2
    complaint = capsys.readouterr().err
    assert said in complaint
    assert "Traceback" not in complaint
