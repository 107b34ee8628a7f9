"""`tokumei contest worker DIR`, or `--server URL` for the contest of another machine."""

from __future__ import annotations

import json
import logging
import os
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from types import FrameType

import click

from tokumei.cli.localized import Command, Option, language_option, tr
from tokumei.contest import sandbox
from tokumei.contest.desk import LocalDesk
from tokumei.contest.opening import open_contest
from tokumei.contest.remote_desk import RemoteDesk
from tokumei.contest.serving import SERVER
from tokumei.contest.store.names import LONGEST
from tokumei.contest.tasks import KINDS, Kind
from tokumei.contest.working import Done, Worker
from tokumei.errors import ParameterError, ReadError

TOKEN = "TOKUMEI_WORKER_TOKEN"  # noqa: S105
PATH = click.Path(path_type=Path)
log = logging.getLogger(__name__)


@click.command("worker", cls=Command)
@click.argument("folder", metavar="[DIR]", required=False, type=PATH)
@click.option("--server", cls=Option, help="Address of the server of a contest elsewhere.")
@click.option(
    "--token-file",
    type=PATH,
    cls=Option,
    help=f"File with the worker's token for that server; or {TOKEN} has it.",
)
@click.option("--name", cls=Option, help="What the organizer sees; usually machine and process.")
@click.option("--once", is_flag=True, cls=Option, help="Take one job, if there is one, and end.")
@click.option(
    "--json", "as_json", is_flag=True, cls=Option, help="Print a line of JSON for every job."
)
@language_option
def command(
    folder: Path | None,
    server: str | None,
    token_file: Path | None,
    name: str | None,
    *,
    once: bool,
    as_json: bool,
) -> None:
    """Evaluate what is submitted to a contest, until Ctrl-C.

    With DIR it works on a contest of this machine, with --server on one elsewhere, over HTTPS and
    with a token that an organizer makes. Told to end, it ends after the job that it has.
    """
    # As a server's: it runs for days.
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    for chatty in ("alembic", "httpx2", "httpcore2"):
        logging.getLogger(chatty).setLevel(logging.WARNING)

    def tell(done: Done) -> None:
        if as_json:
            click.echo(json.dumps(asdict(done)))
        else:
            took = f"({done.seconds:.2f} s)"
            click.echo(f"{tr('job')} {done.job_id}: {tr(done.kind)}, {tr(done.state)} {took}")

    with _told_to_end() as stopped, _worker(folder, server, token_file, name) as worker:
        if not once:
            worker.run(stopped, told=tell)
            return
        done = worker.work_once()
        if done is not None:
            tell(done)
        elif not as_json:
            click.echo(tr("There is no job."))


@contextmanager
def _worker(
    folder: Path | None, server: str | None, token_file: Path | None, name: str | None
) -> Iterator[Worker]:
    if (folder is None) == (server is None):
        raise ParameterError("Give either the folder of a contest, or --server.")
    name = name or f"{socket.gethostname()[: LONGEST - 12]} {os.getpid()}"
    if server is not None:
        with RemoteDesk(server, _token(token_file)) as remote:
            yield Worker(name, remote, remote.evaluation, kinds=_kinds())
    elif folder is not None:
        with open_contest(folder) as contest:
            desk = LocalDesk(contest.database, contest.evaluation, contest.blobs, contest.seed)
            yield Worker(name, desk, contest.evaluation, kinds=_kinds())


def _kinds() -> tuple[Kind, ...]:
    """Return what can be done here: jobs that cannot are left to others."""
    if sandbox.available() is not None:
        return KINDS
    log.warning("No sandbox works on this machine: scripts are left to other workers.")
    return tuple(kind for kind in KINDS if kind != "script")


def _token(file: Path | None) -> str:
    """Return the token; never an argument, which whoever lists the processes could read."""
    if file is not None:
        try:
            return file.read_text(encoding="ascii").strip()
        except UnicodeDecodeError:
            raise ReadError(f"{file} has no token.") from None
    token = os.environ.get(TOKEN, "").strip()
    if not token:
        raise ParameterError(f"Give the worker's token by --token-file, or in {TOKEN}.")
    return token


@contextmanager
def _told_to_end() -> Iterator[threading.Event]:
    """Give what the first signal sets; a second one ends at once."""
    stopped = threading.Event()
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.getsignal(number) for number in numbers}

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    def end(_number: int, _frame: FrameType | None) -> None:
        stopped.set()
        restore()

    for number in numbers:
        signal.signal(number, end)
    if SERVER in os.environ:
        watch = partial(_end_with, int(os.environ[SERVER]), stopped)
        threading.Thread(target=watch, name="watch over the server", daemon=True).start()
    try:
        yield stopped
    finally:
        restore()


def _end_with(server: int, stopped: threading.Event) -> None:
    """Stop when the server that started us is gone: killed, it could not tell."""
    while not stopped.wait(1.0):
        if os.getppid() != server:
            stopped.set()
