"""A worker on another machine: a real server on a loopback port, and a real worker beside it."""

from __future__ import annotations

import json
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import httpx2 as httpx
import pytest
import uvicorn
from fastapi import FastAPI
from sqlalchemy import select
from staging import BROKEN, VALID, People

from tokumei.cli.main import _run
from tokumei.contest import remote_desk, sandbox
from tokumei.contest.actions import handing_in
from tokumei.contest.actions import people as accounts_of
from tokumei.contest.desk import DeskClosed, DeskUnreachable
from tokumei.contest.opening import Contest
from tokumei.contest.remote_desk import RemoteDesk
from tokumei.contest.store import guesses, jobs, metrics, submissions
from tokumei.contest.store.errors import LeaseLost
from tokumei.contest.store.events import read_since
from tokumei.contest.store.schema import jobs as job_table
from tokumei.contest.store.standings import standings
from tokumei.contest.store.submissions import Submission
from tokumei.contest.store.viewing import ORGANIZER
from tokumei.contest.tasks import KINDS, perform
from tokumei.contest.working import Worker
from tokumei.draws import derive
from tokumei.errors import ParameterError

SCRIPT = b"""\
import csv, json, sys
rows = list(csv.reader(open(sys.argv[2])))
print(json.dumps({"deleted": sum(row[0] == "DEL" for row in rows)}))
"""


@contextmanager
def serving(app: FastAPI, port: int = 0) -> Iterator[str]:
    """Serve on a loopback port in a thread."""
    listening = socket.create_server(("127.0.0.1", port))
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False, ws="none"))
    thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
    thread.start()
    try:
        end = time.monotonic() + 20
        while not server.started and time.monotonic() < end:
            time.sleep(0.01)
        assert server.started
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(20)
        listening.close()
        assert not thread.is_alive()


@dataclass
class Wire:
    """A connection to the server that can be cut: the request arrives, the answer does not."""

    server: str
    cuts: int = 0
    listening: socket.socket = field(default_factory=lambda: socket.create_server(("127.0.0.1", 0)))

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.listening.getsockname()[1]}"

    def run(self) -> None:
        while True:
            try:
                near, _ = self.listening.accept()
            except OSError:
                return
            parts = urlsplit(self.server)
            far = socket.create_connection((parts.hostname, parts.port))
            for source, target, back in ((near, far, False), (far, near, True)):
                threading.Thread(
                    target=self.pump, args=(source, target), kwargs={"back": back}, daemon=True
                ).start()

    def pump(self, source: socket.socket, target: socket.socket, *, back: bool) -> None:
        try:
            while data := source.recv(65_536):
                if back and self.cuts:
                    self.cuts -= 1
                    break
                target.sendall(data)
        except OSError:
            pass
        for end in (source, target):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()


@pytest.fixture
def server(app: FastAPI) -> Iterator[str]:
    with serving(app) as address:
        yield address


@pytest.fixture
def token(contest: Contest, people: People) -> str:
    return accounts_of.new_worker_token(contest, people.organizer, "lab", 1).secret


@pytest.fixture
def desk(server: str, token: str) -> Iterator[RemoteDesk]:
    with RemoteDesk(server, token) as made:
        yield made


@pytest.fixture
def worker(desk: RemoteDesk) -> Worker:
    return Worker("far", desk, desk.evaluation)


def submit(contest: Contest, people: People, content: bytes = VALID) -> Submission:
    blob = contest.blobs.add([content], most=10_000)
    return handing_in.submit(contest, people.captain, blob, "a.csv")


def found(contest: Contest, submission: Submission) -> Submission:
    with contest.database.read() as connection:
        return submissions.find(connection, submission.id)


def work(worker: Worker) -> list[str]:
    ends = []
    while done := worker.work_once():
        ends.append(f"{done.kind} {done.state}")
    return ends


def events(contest: Contest) -> list[str]:
    with contest.database.read() as connection:
        return [one.kind for one in read_since(connection, 0, ORGANIZER, sees="all").events]


def enqueue(contest: Contest, kind: str, submission: Submission, **payload: int) -> None:
    with contest.database.write() as connection:
        of = {"team_id": submission.team_id, "submission_id": submission.id}
        jobs.enqueue(connection, kind, payload, **of)


def approve(contest: Contest, people: People) -> None:
    blob = contest.blobs.add([SCRIPT], most=10_000)
    with contest.database.write() as connection:
        script = metrics.propose(
            connection,
            name="deleted rows",
            language="python",
            sha256=blob.sha256,
            kind="utility",
            better="lower",
            user_id=people.organizer.id,
            team_id=None,
        )
        metrics.approve(connection, script.id, user_id=people.organizer.id)


def test_a_submission_is_evaluated_elsewhere_as_it_would_be_here(
    contest: Contest, people: People, worker: Worker
) -> None:
    made = submit(contest, people)
    assert work(worker) == ["check done", "score done"]
    assert found(contest, made).state == "evaluated"
    path, seed = contest.blobs.path(made.sha256), derive(contest.seed, made.sha256)
    with contest.database.read() as connection:
        (row,) = standings(connection, ORGANIZER, "best").rows
    expected = {one.title: one.value for one in contest.evaluation.scores(path, seed=seed)}
    assert {name: cell.value for name, cell in row.values.items()} == expected
    enqueue(contest, "publish", made)
    assert work(worker) == ["publish done"]
    with contest.database.read() as connection:
        (release,) = guesses.published(connection)
    published = contest.blobs.path(release.sha256).read_text()
    assert published == contest.evaluation.publish(path, seed=seed)["S.csv"]


def test_a_broken_submission_is_explained(contest: Contest, people: People, worker: Worker) -> None:
    made = submit(contest, people, BROKEN)
    assert work(worker) == ["check done"]
    after = found(contest, made)
    assert after.state == "invalid"
    assert after.report == {**contest.evaluation.check(contest.blobs.path(made.sha256)).report}


def test_a_fault_of_a_file_fails_its_job(contest: Contest, people: People, worker: Worker) -> None:
    made = submit(contest, people, BROKEN)
    work(worker)
    enqueue(contest, "score", made)
    assert work(worker) == ["score failed"]


def test_a_script_runs_elsewhere(contest: Contest, people: People, worker: Worker) -> None:
    if sandbox.available() is None:
        pytest.skip("no sandbox on this machine")
    approve(contest, people)
    submit(contest, people)
    assert sorted(work(worker)) == ["check done", "score done", "script done"]
    with contest.database.read() as connection:
        (row,) = standings(connection, ORGANIZER, "best").rows
    assert [c.value for name, c in row.values.items() if name.startswith("script:")] == [1.0]


def test_a_report_whose_answer_is_lost_is_written_down_once(
    contest: Contest, people: People, server: str, token: str
) -> None:
    made = submit(contest, people)
    wire = Wire(server)
    threading.Thread(target=wire.run, daemon=True).start()
    with wire.listening, RemoteDesk(wire.address, token) as desk:
        task = desk.claim("far", KINDS, 30.0)
        outcome = perform(task, desk.evaluation, lambda sha256: desk.file(task, sha256))
        wire.cuts = 2
        desk.finish(task, outcome)
        assert wire.cuts == 0
    assert found(contest, made).state == "valid"
    assert events(contest).count("submission.checked") == 1


def test_a_file_whose_copy_broke_off_is_copied_again(
    contest: Contest, people: People, server: str, token: str
) -> None:
    made = submit(contest, people)
    wire = Wire(server)
    threading.Thread(target=wire.run, daemon=True).start()
    with wire.listening, RemoteDesk(wire.address, token) as desk:
        task = desk.claim("far", KINDS, 30.0)
        wire.cuts = 1
        assert desk.file(task, made.sha256).read_bytes() == VALID
        wire.cuts = 1
        assert desk.file(task, made.sha256).read_bytes() == VALID
        assert wire.cuts == 1  # the second time it was there already


def test_a_worker_outlives_its_server(
    app: FastAPI, contest: Contest, people: People, token: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    stopped = threading.Event()
    with serving(app) as address:
        desk = RemoteDesk(address, token)
        worker = Worker("far", desk, desk.evaluation)
    with pytest.raises(DeskUnreachable) as error:
        worker.work_once()
    assert address in str(error.value)
    thread = threading.Thread(target=worker.run, args=(stopped,), kwargs={"pause": 0.05})
    thread.start()
    made = submit(contest, people)
    with serving(app, port=urlsplit(address).port):
        end = time.monotonic() + 20
        while found(contest, made).state != "evaluated" and time.monotonic() < end:
            time.sleep(0.05)
        stopped.set()
        thread.join(20)
    desk.__exit__()
    assert not thread.is_alive()
    assert found(contest, made).state == "evaluated"
    assert "does not answer" in caplog.text
    assert token not in caplog.text


def test_a_lost_lease_changes_nothing(contest: Contest, people: People, desk: RemoteDesk) -> None:
    made = submit(contest, people)
    slow = desk.claim("slow", KINDS, 0.01)
    outcome = perform(slow, desk.evaluation, lambda _: contest.blobs.path(made.sha256))
    time.sleep(0.02)
    quick = desk.claim("quick", KINDS, 30.0)
    assert quick.job_id == slow.job_id
    for report in (
        lambda: desk.finish(slow, outcome),
        lambda: desk.fail(slow, "It is bad."),
        lambda: desk.infrastructure_error(slow, "It is bad."),
        lambda: desk.heartbeat(slow),
        lambda: desk.file(slow, made.sha256),
    ):
        with pytest.raises(LeaseLost):
            report()
    assert found(contest, made).state == "received"
    assert desk.heartbeat(quick)
    desk.finish(quick, outcome)
    assert found(contest, made).state == "valid"


def test_a_worker_that_lost_its_lease_goes_on_with_the_next_job(
    contest: Contest, people: People, worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = submit(contest, people)
    check = worker.evaluation.check

    def slow(path: Path) -> object:
        # The organizer's clock runs on: the lease is over and somebody else has the job.
        lost = job_table.update().values(lease_token="other")
        with contest.database.write() as connection:
            connection.execute(lost)
        return check(path)

    monkeypatch.setattr(worker.evaluation, "check", slow)
    assert worker.work_once().state == "lost"
    assert found(contest, made).state == "received"


def test_heartbeats_keep_a_job_longer_than_its_lease(
    contest: Contest, people: People, desk: RemoteDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = submit(contest, people)
    check = desk.evaluation.check

    def slow(path: Path) -> object:
        time.sleep(1.5)
        return check(path)

    monkeypatch.setattr(desk.evaluation, "check", slow)
    assert Worker("far", desk, desk.evaluation, lease_seconds=0.6).work_once().state == "done"
    assert found(contest, made).state == "valid"


def test_our_fault_puts_the_job_back(
    contest: Contest, people: People, worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    def break_down(_: Path) -> None:
        raise MemoryError

    made = submit(contest, people)
    monkeypatch.setattr(worker.evaluation, "check", break_down)
    assert work(worker) == ["check infrastructure"]
    with contest.database.read() as connection:
        (row,) = connection.execute(select(job_table.c.state, job_table.c.error)).all()
    assert row == ("queued", "MemoryError in check.")
    assert found(contest, made).state == "received"


def test_only_files_of_a_held_job_are_given(
    contest: Contest, people: People, server: str, token: str, desk: RemoteDesk
) -> None:
    made = submit(contest, people)
    other = contest.blobs.add([b"another team's secret"], most=100)
    task = desk.claim("far", KINDS, 30.0)
    lease = {"Job-Id": str(task.job_id), "Lease-Token": task.lease_token}
    with httpx.Client(base_url=server, headers={"Authorization": f"Bearer {token}"}) as client:

        def status(sha256: str, headers: dict[str, str]) -> int:
            return client.get(f"/api/worker/files/{sha256}", headers=headers).status_code

        assert status(made.sha256, lease) == 200
        assert status(other.sha256, lease) == 404
        assert status("../../secret/seed", lease) == 404
        assert status("A" * 64, lease) == 422
        assert status(made.sha256, {}) == 422
        assert status(made.sha256, lease | {"Lease-Token": "0" * 32}) == 409
        assert status(made.sha256, lease | {"Job-Id": str(task.job_id + 1)}) == 409
        assert status(made.sha256, lease | {"Job-Id": "9" * 30}) == 422
        assert client.get(f"/api/worker/data/{other.sha256}").status_code == 404
        desk.finish(task, perform(task, desk.evaluation, contest.blobs.path))
        assert status(made.sha256, lease) == 409


def test_nobody_else_is_given_work(
    contest: Contest, people: People, server: str, token: str
) -> None:
    captain = accounts_of.new_token(contest, people.captain, "mine", "write", 1).secret
    organizer = accounts_of.new_token(contest, people.organizer, "desk", "write", 1).secret
    paths = [
        ("GET", "contest"), ("POST", "claim"), ("GET", f"files/{'0' * 64}"),
        ("GET", f"data/{'0' * 64}"), ("POST", "jobs/1/heartbeat"), ("POST", "jobs/1/finish"),
        ("POST", "jobs/1/fail"), ("POST", "jobs/1/infrastructure"),
    ]  # fmt: skip
    lease = {"Job-Id": "1", "Lease-Token": "x"}
    body = {"name": "far", "kinds": ["check"], "contest": "0" * 64}
    with httpx.Client(base_url=server) as client:
        for method, path in paths:
            for secret, status in (("", 401), ("tokumei_x", 401), (captain, 403), (organizer, 403)):
                headers = lease | ({"Authorization": f"Bearer {secret}"} if secret else {})
                sent = body if method == "POST" else None
                answer = client.request(method, f"/api/worker/{path}", headers=headers, json=sent)
                assert answer.status_code == status, (path, status)
        # A worker in turn sees nothing of what people see.
        client.headers["Authorization"] = f"Bearer {token}"
        for path in ("submissions", "results", "users", "audit", "tokens"):
            assert client.get(f"/api/{path}").status_code == 403


def test_the_contests_seed_is_never_sent(
    contest: Contest, people: People, server: str, token: str
) -> None:
    submit(contest, people)
    print_ = contest.evaluation.fingerprint
    with httpx.Client(base_url=server, headers={"Authorization": f"Bearer {token}"}) as client:
        told = client.get("/api/worker/contest").text
        for _ in range(2):
            wish = {"name": "far", "kinds": list(KINDS), "contest": print_}
            answer = client.post("/api/worker/claim", json=wish)
            told += answer.text
            task = answer.json()
            lease = {"Lease-Token": task["lease_token"]}
            if task["kind"] == "check":
                assert task["seed"] is None
                outcome = {"checked": {"valid": True, "report": {"valid": True}}}
                path = f"/api/worker/jobs/{task['job_id']}/finish"
                assert client.post(path, json=outcome, headers=lease).status_code == 200
            else:
                assert task["seed"] == derive(contest.seed, task["submission"])
    assert str(contest.seed) not in told


def test_reports_that_are_too_long_or_wrong_are_refused(
    contest: Contest, people: People, server: str, token: str, desk: RemoteDesk
) -> None:
    made = submit(contest, people)
    task = desk.claim("far", KINDS, 30.0)
    job = f"/api/worker/jobs/{task.job_id}"
    headers = {"Authorization": f"Bearer {token}", "Lease-Token": task.lease_token}
    with httpx.Client(base_url=server, headers=headers) as client:
        answer = client.post(f"{job}/fail", content=b"x" * 200_000)
        assert (answer.status_code, answer.json()["error"]["kind"]) == (413, "too_large")
        for verb, body in (
            ("fail", b""), ("fail", b"{}"), ("fail", b'{"sentence": ""}'), ("finish", b"{"),
            ("finish", b"{}"), ("finish", b'{"values": []}'),
            ("heartbeat", b'{"lease_seconds": 0}'),
            ("finish", b'{"checked": {"valid": "perhaps", "report": {}}}'),
        ):  # fmt: skip
            answer = client.post(f"{job}/{verb}", content=body)
            assert (answer.status_code, answer.json()["error"]["kind"]) == (400, "parameter")
            assert answer.json()["error"]["message"].endswith(".")
    assert found(contest, made).state == "received"
    assert desk.heartbeat(task)


def test_a_report_is_refused_while_it_arrives(
    contest: Contest, people: People, server: str, token: str, desk: RemoteDesk
) -> None:
    submit(contest, people)
    task = desk.claim("far", KINDS, 30.0)
    connection = HTTPConnection(urlsplit(server).netloc, timeout=20)
    connection.putrequest("POST", f"/api/worker/jobs/{task.job_id}/fail")
    connection.putheader("Authorization", f"Bearer {token}")
    connection.putheader("Lease-Token", task.lease_token)
    connection.putheader("Content-Length", "1000000000")
    connection.endheaders(b"x" * 150_000)
    # The rest never comes.
    assert connection.getresponse().status == 413
    connection.close()


def test_a_worker_with_an_old_copy_of_the_contest_is_sent_away(
    contest: Contest, people: People, worker: Worker
) -> None:
    submit(contest, people)
    vars(worker.evaluation)["fingerprint"] = "0" * 64
    with pytest.raises(DeskClosed, match="have changed since the worker started"):
        worker.run(threading.Event())
    with contest.database.read() as connection:
        assert connection.execute(select(job_table.c.attempts)).scalar() == 0


def test_a_worker_whose_token_ends_is_sent_away(
    contest: Contest, people: People, worker: Worker
) -> None:
    with contest.database.write() as connection:
        connection.exec_driver_sql("UPDATE api_tokens SET expires = 1")
    with pytest.raises(DeskClosed, match="unknown or has expired"):
        worker.run(threading.Event())


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("http://contest.example.org", "must begin with https://"),
        ("http://192.0.2.1:8000", "must begin with https://"),
        ("http://127.0.0.1.example.org", "must begin with https://"),
        ("http://0x7f000001", "must begin with https://"),
        ("ftp://127.0.0.1", "must look like"),
        ("https://", "must look like"),
        ("https://user:secret@contest.example.org", "must look like"),
        ("nonsense", "must look like"),
    ],
)
def test_a_token_is_not_sent_where_others_could_read_it(address: str, said: str) -> None:
    with pytest.raises(ParameterError, match=said) as error:
        RemoteDesk(address, "tokumei_secret")
    assert "secret" not in str(error.value)


@pytest.mark.parametrize("token", ["", "two\nlines", "匿名"])
def test_what_cannot_be_a_token_is_refused(token: str) -> None:
    with pytest.raises(ParameterError, match="one line of letters"):
        RemoteDesk("https://contest.example.org", token)


def test_only_the_newest_copies_are_kept(tmp_path: Path) -> None:
    for number in range(remote_desk.KEPT_FILES + 10):
        path = tmp_path / f"{number}"
        path.touch()
        os.utime(path, (number, number))
    RemoteDesk._make_room(tmp_path, keep=("3",))
    left = {int(path.name) for path in tmp_path.iterdir()}
    assert left == {3, *range(10, remote_desk.KEPT_FILES + 10)}


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
