"""The server as a process: uvicorn, the local workers beside it, and a clean end."""

from __future__ import annotations

import contextvars
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import uvicorn

from tokumei.contest.opening import Contest
from tokumei.contest.server.app import make_app
from tokumei.errors import ParameterError, TokumeiError

log = logging.getLogger(__name__)

LARGEST_MESSAGE = 1 << 16
"""Bytes that a live client may send at once; it has little to say."""
LAST_SECONDS = 5
"""How long open requests may take after the server was told to end."""
START_SECONDS = 20.0
NICE = 10
SERVER = "TOKUMEI_WORKER_OF"
"""Where a worker finds the process of its server: it ends with it."""
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0
"""Seconds before a worker that died is started again: longer each time."""
STEADY_SECONDS = 60.0
"""A worker that lived so long died by chance."""


def bind(host: str, port: int) -> socket.socket:
    """Take the address to serve at; port 0 takes any that is free."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family, backlog=2048)
    except (OSError, UnicodeError) as error:
        raise ParameterError(
            f"The server cannot listen at {host}:{port} ({_reason(error)})."
        ) from None


def _reason(error: Exception) -> str:
    number = getattr(error, "errno", None)
    # Python adds the address to the system's words; names that are not found have their own.
    return os.strerror(number) if number and number > 0 else str(error)


def address_of(listening: socket.socket) -> str:
    """Return what to type into a browser on this machine."""
    host, port = listening.getsockname()[:2]
    if host in ("0.0.0.0", "::"):  # noqa: S104
        host = socket.gethostname()
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def serve(
    contest: Contest, listening: socket.socket, *, workers: int, behind_proxy: bool = False
) -> None:
    """Serve until interrupted, with so many workers of our own."""
    # However we are told to end (also by a terminal that is closed), the workers end first.
    numbers = (signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, signal.default_int_handler) for number in numbers}
    try:
        with _Workers(contest.folder, workers).running():
            _server(contest, behind_proxy=behind_proxy).run(sockets=[listening])
    except KeyboardInterrupt:
        log.info("The server has ended.")
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def running(contest: Contest, port: int = 0) -> Iterator[str]:
    """Serve in a thread on this machine's own address while the block runs; give the address."""
    with bind("127.0.0.1", port) as listening:
        server = _server(contest)
        context = contextvars.copy_context()
        thread = threading.Thread(
            target=context.run, args=(server.run, [listening]), name="server", daemon=True
        )
        thread.start()
        try:
            _wait_until_started(server, thread)
            yield address_of(listening)
        finally:
            server.should_exit = True
            thread.join(START_SECONDS)


def _wait_until_started(server: uvicorn.Server, thread: threading.Thread) -> None:
    end = time.monotonic() + START_SECONDS
    while not server.started:
        if not thread.is_alive() or time.monotonic() > end:
            raise TokumeiError("The server did not start; the log says why.")
        time.sleep(0.01)


def _server(contest: Contest, *, behind_proxy: bool = False) -> uvicorn.Server:
    config = uvicorn.Config(
        make_app(contest),
        ws="websockets-sansio",
        ws_max_size=LARGEST_MESSAGE,
        # Compression of live messages costs memory for every client.
        ws_per_message_deflate=False,
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=behind_proxy,
        server_header=False,
        timeout_graceful_shutdown=LAST_SECONDS,
    )
    return uvicorn.Server(config)


@dataclass
class _Place:
    """Where one worker works, and then the next one."""

    process: subprocess.Popen[bytes]
    started: float
    pause: float = FIRST_PAUSE
    again: float | None = None
    """When a worker that died is started again."""


@dataclass
class _Workers:
    """Child processes that evaluate; one that dies is started again, later each time."""

    folder: Path
    number: int
    places: list[_Place] = field(default_factory=list)

    @contextmanager
    def running(self) -> Iterator[None]:
        """Keep the workers alive while the block runs."""
        done = threading.Event()
        watch = threading.Thread(target=self._watch, args=(done,), name="workers", daemon=True)
        self.places = [_Place(self._start(), time.monotonic()) for _ in range(self.number)]
        watch.start()
        try:
            yield
        finally:
            done.set()
            watch.join()
            self._end()

    def _start(self) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(  # noqa: S603
            [sys.executable, "-P", "-m", "tokumei", "contest", "worker", str(self.folder)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            env=os.environ | {SERVER: str(os.getpid())},
            # Ctrl-C is for us: we then end the workers, after their jobs.
            start_new_session=True,
        )
        os.setpriority(os.PRIO_PROCESS, process.pid, NICE)
        return process

    def _watch(self, done: threading.Event) -> None:
        while not done.wait(0.5):
            for place in self.places:
                self._look(place, time.monotonic())

    def _look(self, place: _Place, now: float) -> None:
        status = place.process.poll()
        if status is None:
            return
        if place.again is None:
            if now - place.started > STEADY_SECONDS:
                place.pause = FIRST_PAUSE
            log.warning(
                "A worker ended with %s; another starts in %g seconds.", status, place.pause
            )
            place.again = now + place.pause
            place.pause = min(2 * place.pause, LONGEST_PAUSE)
        elif now >= place.again:
            place.process, place.started, place.again = self._start(), now, None

    def _end(self) -> None:
        for place in self.places:
            place.process.terminate()
        end = time.monotonic() + 2 * LAST_SECONDS
        for place in self.places:
            try:
                place.process.wait(max(0.0, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                # Its lease runs out, and another worker takes the job.
                place.process.kill()
                place.process.wait()
