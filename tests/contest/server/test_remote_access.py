"""What a worker on another machine is given and may say: its own job, and nothing else."""

from __future__ import annotations

import os
import threading
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import httpx2 as httpx
import pytest
from remote import found, submit
from sqlalchemy import select
from staging import People

from tokumei.contest import remote_desk
from tokumei.contest.actions import people as accounts_of
from tokumei.contest.desk import DeskClosed
from tokumei.contest.opening import Contest
from tokumei.contest.remote_desk import RemoteDesk
from tokumei.contest.store.schema import jobs as job_table
from tokumei.contest.tasks import KINDS, perform
from tokumei.contest.working import Worker
from tokumei.draws import derive


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


def test_only_the_newest_copies_are_kept(tmp_path: Path) -> None:
    for number in range(remote_desk.KEPT_FILES + 10):
        path = tmp_path / f"{number}"
        path.touch()
        os.utime(path, (number, number))
    RemoteDesk._make_room(tmp_path, keep=("3",))
    left = {int(path.name) for path in tmp_path.iterdir()}
    assert left == {3, *range(10, remote_desk.KEPT_FILES + 10)}
