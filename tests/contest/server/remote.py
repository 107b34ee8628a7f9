"""A real server on a loopback port, a wire to it that can be cut, and what was done there."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import uvicorn
from fastapi import FastAPI
from staging import VALID, People

from tokumei.contest.actions import handing_in
from tokumei.contest.opening import Contest
from tokumei.contest.remote_desk import RemoteDesk
from tokumei.contest.store import jobs, metrics, submissions
from tokumei.contest.store.events import read_since
from tokumei.contest.store.submissions import Submission
from tokumei.contest.store.viewing import ORGANIZER
from tokumei.contest.working import Worker

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


@contextmanager
def over_a_wire(server: str, token: str) -> Iterator[tuple[RemoteDesk, Wire]]:
    """A desk whose wire to the server can be cut."""
    wire = Wire(server)
    threading.Thread(target=wire.run, daemon=True).start()
    with wire.listening, RemoteDesk(wire.address, token) as desk:
        yield desk, wire


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
