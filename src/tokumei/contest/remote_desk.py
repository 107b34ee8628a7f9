"""The queue of a contest on another machine, over HTTPS with a worker's token."""

from __future__ import annotations

import hashlib
import tempfile
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any, Self

import httpx2 as httpx

from tokumei.contest.addresses import safe_address, sound_token
from tokumei.contest.desk import DeskClosed, DeskUnreachable
from tokumei.contest.evaluating import Evaluation
from tokumei.contest.settings import FILE, read_settings
from tokumei.contest.store.errors import LeaseLost, StoreError
from tokumei.contest.tasks import OUTCOME, TASK, Kind, Outcome, Task
from tokumei.errors import ReadError

PAUSES = (0.2, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0)
"""Seconds before a request is made again that found no server: restarting one takes less."""
PASSING = (429, 500, 502, 503, 504)
CLOSED = (401, 403, 404, 409, 422)
"""Answers to a claim that the same claim would get again."""
TIMEOUT = httpx.Timeout(60.0, connect=10.0)
KEPT_FILES = 50
"""Files that stay for the next job: a submission is checked, scored, and read by scripts."""
LONGEST_SENTENCE = 2_000


class RemoteDesk:
    """A desk behind an address; its copies are in a temporary folder that goes with it."""

    def __init__(self, server: str, token: str) -> None:
        self.server, token = safe_address(server), sound_token(token)
        self._place = tempfile.TemporaryDirectory(prefix="tokumei-worker-")
        self._client = httpx.Client(
            base_url=self.server,
            headers={"Authorization": f"Bearer {token}", "Accept-Language": "en"},
            timeout=TIMEOUT,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()
        self._place.cleanup()

    @cached_property
    def evaluation(self) -> Evaluation:
        """The contest's settings and data, copied from the server."""
        folder = Path(self._place.name) / "contest"
        folder.mkdir(exist_ok=True)
        told = self._ask("GET", "/api/worker/contest")
        # Bytes, not text: the fingerprint is that of the server's file.
        (folder / FILE).write_bytes(told["toml"].encode())
        for file in told["files"]:
            path = PurePosixPath(file["path"])
            if path.is_absolute() or ".." in path.parts:
                raise ReadError(f"The contest's data {path} lies outside of its folder.")
            self._fetch(f"/api/worker/data/{file['sha256']}", file["sha256"], folder / path)
        return Evaluation(folder, read_settings(folder))

    def claim(self, worker: str, kinds: Collection[Kind], lease_seconds: float) -> Task | None:
        """Take the next task of these kinds, if there is one."""
        wish = {
            "name": worker,
            "kinds": list(kinds),
            "lease_seconds": lease_seconds,
            "contest": self.evaluation.fingerprint,
        }
        # Whoever asks waits and asks again anyway.
        given = self._ask("POST", "/api/worker/claim", json=wish, pauses=(), final=True)
        return None if given is None else TASK.validate_python(given)

    def heartbeat(self, task: Task) -> bool:
        """Lengthen the lease; false where it is lost."""
        beat = {"lease_seconds": task.lease_seconds}
        told = self._ask(
            "POST", _job(task, "heartbeat"), json=beat, headers=_lease(task), pauses=()
        )
        return bool(told["held"])

    def file(self, task: Task, sha256: str) -> Path:
        """Return where the copy of a file is; what was copied lately is not copied again."""
        folder = Path(self._place.name) / "files"
        folder.mkdir(exist_ok=True)
        target = folder / sha256
        if not target.exists():
            self._make_room(folder, keep=task.files)
            self._fetch(f"/api/worker/files/{sha256}", sha256, target, headers=_lease(task))
        return target

    def finish(self, task: Task, outcome: Outcome) -> None:
        """Bring what came of a task."""
        content = OUTCOME.dump_json(outcome)
        self._ask("POST", _job(task, "finish"), content=content, headers=_lease(task))

    def fail(self, task: Task, problem: str) -> None:
        """End a task by a fault of what was submitted."""
        said = {"sentence": problem[:LONGEST_SENTENCE]}
        self._ask("POST", _job(task, "fail"), json=said, headers=_lease(task))

    def infrastructure_error(self, task: Task, sentence: str) -> None:
        """Put a task back after an error of ours."""
        said = {"sentence": sentence[:LONGEST_SENTENCE]}
        self._ask("POST", _job(task, "infrastructure"), json=said, headers=_lease(task))

    def _ask(
        self,
        method: str,
        path: str,
        *,
        pauses: tuple[float, ...] = PAUSES,
        final: bool = False,
        **more: Any,
    ) -> Any:
        """Make a request, again where no server is found, and return what it says."""
        for pause in pauses:
            with suppress(DeskUnreachable):
                return self._ask_once(method, path, final=final, **more)
            time.sleep(pause)
        return self._ask_once(method, path, final=final, **more)

    def _ask_once(self, method: str, path: str, *, final: bool, **more: Any) -> Any:
        with self._told():
            response = self._client.request(method, path, **more)
            self._refuse(response, final=final)
            return response.json()

    def _fetch(
        self, path: str, sha256: str, target: Path, headers: dict[str, str] | None = None
    ) -> None:
        """Copy a file, again where the connection breaks; half a file is none."""
        for pause in PAUSES:
            with suppress(DeskUnreachable):
                return self._fetch_once(path, sha256, target, headers)
            time.sleep(pause)
        return self._fetch_once(path, sha256, target, headers)

    def _fetch_once(
        self, path: str, sha256: str, target: Path, headers: dict[str, str] | None
    ) -> None:
        target.parent.mkdir(parents=True, exist_ok=True)
        part, digest = target.with_name(f".{target.name}.part"), hashlib.sha256()
        with self._told(), self._client.stream("GET", path, headers=headers) as response:
            if response.is_error:
                response.read()
                self._refuse(response, final=False)
            with part.open("wb") as file:
                for chunk in response.iter_bytes():
                    digest.update(chunk)
                    file.write(chunk)
        if digest.hexdigest() != sha256:
            raise ReadError(f"The server sent another file than {sha256[:12]}….")
        part.rename(target)

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except (httpx.TransportError, httpx.DecodingError, ValueError) as error:
            # The kind of the error, not its text, which can quote the request.
            raise DeskUnreachable(
                f"The server {self.server} does not answer ({type(error).__name__})."
            ) from None

    def _refuse(self, response: httpx.Response, *, final: bool) -> None:
        if response.is_success:
            return
        kind, message = _problem(response)
        if response.status_code in PASSING:
            raise DeskUnreachable(f"The server {self.server} cannot answer now: {message}")
        if kind == "lease_lost":
            raise LeaseLost(message)
        if response.status_code == 401 or (final and response.status_code in CLOSED):
            raise DeskClosed(f"The server {self.server} refuses this worker: {message}")
        raise StoreError(f"The server {self.server} refuses: {message}")

    @staticmethod
    def _make_room(folder: Path, keep: tuple[str, ...]) -> None:
        newest_first = sorted(folder.iterdir(), key=lambda path: -path.stat().st_mtime)
        for path in newest_first[KEPT_FILES:]:
            if path.name not in keep:
                path.unlink()


def _job(task: Task, verb: str) -> str:
    return f"/api/worker/jobs/{task.job_id}/{verb}"


def _lease(task: Task) -> dict[str, str]:
    return {"Job-Id": str(task.job_id), "Lease-Token": task.lease_token}


def _problem(response: httpx.Response) -> tuple[str, str]:
    try:
        error = response.json()["error"]
        return str(error["kind"]), str(error["message"])
    except (ValueError, KeyError, TypeError):
        return "", f"it answered with {response.status_code}."
