"""A worker on another machine, when answers, leases, the server or the worker are lost."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from fastapi import FastAPI
from remote import events, found, over_a_wire, serving, submit, work
from sqlalchemy import select
from staging import VALID, People

from tokumei.contest.desk import DeskUnreachable
from tokumei.contest.evaluating import Evaluation
from tokumei.contest.opening import Contest
from tokumei.contest.remote_desk import RemoteDesk
from tokumei.contest.store.errors import LeaseLost
from tokumei.contest.store.schema import jobs as job_table
from tokumei.contest.tasks import KINDS, perform
from tokumei.contest.working import Worker


def test_a_report_whose_answer_is_lost_is_written_down_once(
    contest: Contest, people: People, server: str, token: str
) -> None:
    made = submit(contest, people)
    with over_a_wire(server, token) as (desk, wire):
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
    with over_a_wire(server, token) as (desk, wire):
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


def check_after(
    happens: Callable[[], None], evaluation: Evaluation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Let something happen before each check."""
    check = evaluation.check

    def later(path: Path) -> object:
        happens()
        return check(path)

    monkeypatch.setattr(evaluation, "check", later)


def test_a_worker_that_lost_its_lease_goes_on_with_the_next_job(
    contest: Contest, people: People, worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lose_the_lease() -> None:
        # The organizer's clock runs on: the lease is over and somebody else has the job.
        lost = job_table.update().values(lease_token="other")
        with contest.database.write() as connection:
            connection.execute(lost)

    made = submit(contest, people)
    check_after(lose_the_lease, worker.evaluation, monkeypatch)
    assert worker.work_once().state == "lost"
    assert found(contest, made).state == "received"


def test_heartbeats_keep_a_job_longer_than_its_lease(
    contest: Contest, people: People, desk: RemoteDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = submit(contest, people)
    check_after(lambda: time.sleep(1.5), desk.evaluation, monkeypatch)
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
