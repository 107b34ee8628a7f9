"""The programs' side of the REST API: what the pages do, from a terminal or a script."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self, cast

import httpx2 as httpx

from tokumei.contest.addresses import safe_address, sound_token
from tokumei.data.writing import whole_file
from tokumei.errors import ParameterError, ReadError, TokumeiError
from tokumei.progress import track
from tokumei.words import Language

log = logging.getLogger(__name__)

CHUNK = 1 << 18
SECONDS = 60.0
"""How long the server may be silent."""
PAUSE = 1.0
"""Seconds between two questions whether something is done."""
SETTLED = ("invalid", "evaluated", "withdrawn", "error")
MARKED = ("invalid", "marked", "error")
Json = dict[str, Any]


class ServerSaid(TokumeiError, RuntimeError):
    """What the server answered instead of doing what was asked, in its own words."""

    def __init__(self, sentence: str, kind: str) -> None:
        super().__init__(sentence)
        self.kind = kind


class Client:
    """Somebody's program, with a token, at the server of a contest."""

    def __init__(self, server: str, token: str, language: Language = "en") -> None:
        self.server = safe_address(server)
        self._http = httpx.Client(
            base_url=self.server,
            headers={"Authorization": f"Bearer {sound_token(token)}", "Accept-Language": language},
            timeout=SECONDS,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._http.close()

    def submit(self, file: Path) -> Json:
        """Hand in a file."""
        return self._upload("/api/submissions", file, {"name": file.name})

    def set_note(self, submission_id: int, note: str) -> Json:
        """Say something of a submission."""
        return self._ask("PATCH", f"/api/submissions/{submission_id}", json={"note": note})

    def submission(self, submission_id: int) -> Json:
        """Return a submission with its report and results."""
        return self._ask("GET", f"/api/submissions/{submission_id}")

    def titles(self) -> dict[str, str]:
        """Return what the metrics are called, by their names."""
        return {metric["name"]: metric["title"] for metric in self._list("/api/metrics")}

    def wait_for_scores(self, submission_id: int, seconds: float) -> Json:
        """Return a submission when it is evaluated, or when it is clear that it will not be."""
        return self._wait(lambda: self.submission(submission_id), SETTLED, seconds, _told)

    def attack(self, defender_id: int, file: Path) -> Json:
        """Hand in a guess against a team."""
        return self._upload("/api/guesses", file, {"defender": defender_id})

    def wait_for_mark(self, guess_id: int, seconds: float) -> Json:
        """Return a guess when it is marked."""

        def find() -> Json:
            return next(one for one in self._list("/api/guesses") if one["id"] == guess_id)

        return self._wait(find, MARKED, seconds, lambda _: None)

    def team(self, name: str) -> Json:
        """Return the team of a name."""
        teams = self._list("/api/teams")
        for team in teams:
            if team["name"].casefold() == name.strip().casefold():
                return team
        names = ", ".join(team["name"] for team in teams)
        raise ParameterError(f"There is no team called {name}; there are {names}.")

    def releases(self) -> list[Json]:
        """Return what the teams have published."""
        return self._list("/api/releases")

    def download_release(self, team_id: int, folder: Path) -> Path:
        """Save what a team published; its name is ours, because a team chooses its own."""
        content = self._content(f"/api/releases/{team_id}/file", {})
        packed = content.startswith(b"PK\x03\x04")
        file = folder / f"release-{team_id}.{'zip' if packed else 'csv'}"
        with whole_file(file) as target:
            target.write(content)
        return file

    def results(self, query: Mapping[str, str]) -> Json:
        """Return the table of results."""
        return self._ask("GET", "/api/results", params=dict(query))

    def export(self, query: Mapping[str, str], *, everything: bool) -> bytes:
        """Return a file of the table, or for organizers of all tables."""
        return self._content("/api/export" if everything else "/api/results/export", query)

    def _upload(self, path: str, file: Path, query: Mapping[str, str | int]) -> Json:
        try:
            size = file.stat().st_size
            with file.open("rb") as content:
                headers = {"Content-Type": "application/octet-stream", "Content-Length": f"{size}"}
                sent = track(_chunks(content), -(-size // CHUNK), f"sending {file.name}")
                return self._ask("POST", path, params=dict(query), content=sent, headers=headers)
        except IsADirectoryError:
            raise ReadError(f"{file} is a folder; several files are sent as one ZIP.") from None

    def _content(self, path: str, query: Mapping[str, str]) -> bytes:
        return self._answer("GET", path, params=dict(query)).content

    def _ask(self, method: str, path: str, **request: Any) -> Json:
        return cast("Json", self._read(self._answer(method, path, **request), dict))

    def _list(self, path: str) -> list[Json]:
        return cast("list[Json]", self._read(self._answer("GET", path), list))

    def _read(self, answer: httpx.Response, kind: type) -> Any:
        try:
            found = answer.json()
        except ValueError:
            found = None
        if not isinstance(found, kind):
            raise self._strange(answer)
        return found

    def _answer(self, method: str, path: str, **request: Any) -> httpx.Response:
        try:
            answer = self._http.request(method, path, **request)
        except httpx.TimeoutException:
            raise ReadError(f"{self.server} did not answer in {SECONDS:g} seconds.") from None
        except httpx.HTTPError as error:
            raise ReadError(f"{self.server} cannot be reached ({error}).") from None
        if answer.is_success:
            return answer
        try:
            told = answer.json()["error"]
            raise ServerSaid(str(told["message"]), str(told["kind"]))
        except (ValueError, KeyError, TypeError):
            raise self._strange(answer) from None

    def _strange(self, answer: httpx.Response) -> ReadError:
        return ReadError(
            f"{self.server} does not answer as a contest's server does (status "
            f"{answer.status_code}); is the address right?"
        )

    def _wait(
        self,
        find: Callable[[], Json],
        ends: tuple[str, ...],
        seconds: float,
        told: Callable[[Json], None],
    ) -> Json:
        end = time.monotonic() + seconds
        while True:
            found = find()
            told(found)
            if found["state"] in ends:
                return found
            if time.monotonic() > end:
                raise ServerSaid(f"After {seconds:g} seconds it is not done yet.", "not_done")
            time.sleep(PAUSE)


def _told(submission: Json) -> None:
    """Say how it goes on; what was said before is not repeated by who prints it."""
    state, ahead = submission["state"], submission["jobs_ahead"]
    waits = f", {ahead} waiting before it" if ahead else ""
    log.info("Submission %s: %s%s.", submission["id"], state, waits)


def _chunks(content: Any) -> Iterator[bytes]:
    while chunk := content.read(CHUNK):
        yield chunk
