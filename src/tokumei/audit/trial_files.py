"""Finished trials in a folder, so that an interrupted run goes on where it stopped."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import tokumei
from tokumei.audit.trials import Trial
from tokumei.errors import ReadError, SchemaError, WriteError

NAME = "trials.jsonl"


class TrialFile:
    """The finished trials of one history; with a folder they are also in `trials.jsonl` there.

    The file has the seeds, which can undo pseudonyms: it belongs to the key. Trials of another
    version are kept but not used, because its attackers may be others.
    """

    def __init__(self, folder: Path | None, digest: str) -> None:
        self.path = None if folder is None else folder / NAME
        self.digest = digest
        self.lines: list[str] = []
        self.trials: dict[tuple[str, int], Trial] = {}
        if folder is not None and self.path is not None:
            if self.path.exists():
                self._read(self.path)
            else:
                _make(folder)

    @property
    def seed(self) -> int | None:
        """The seed of the last trial."""
        return next((seed for _, seed in reversed(self.trials)), None)

    def add(self, trial: Trial) -> None:
        """Note a trial; the file is there whole, or as it was."""
        self.trials[trial.words, trial.seed] = trial
        if self.path is None:
            return
        line = {"original": self.digest, "version": tokumei.__version__, **trial.to_json()}
        self.lines.append(json.dumps(line, ensure_ascii=False, allow_nan=False))
        with replacing(self.path) as part:
            part.touch(mode=0o600)
            part.write_text("".join(f"{text}\n" for text in self.lines), encoding="utf-8")

    def _read(self, path: Path) -> None:
        # Bytes that are no text are found with their line, like all that is no trial.
        self.lines = path.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
        for number, text in enumerate(self.lines, start=1):
            try:
                line = json.loads(text.encode())
                trial = Trial.from_json(line)
                digest, version = line["original"], line["version"]
                hash((trial.words, trial.seed))
            except (ValueError, KeyError, TypeError, RecursionError) as error:
                raise ReadError(
                    f"{path}, line {number}: this is no finished trial ({error}); remove the line."
                ) from error
            if digest != self.digest:
                raise SchemaError(
                    f"{path} has trials of other data; give another folder for this history."
                )
            if version == tokumei.__version__:
                self.trials[trial.words, trial.seed] = trial


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Write under another name; when it is whole, the file takes the place of an older one."""
    part = path.with_name(f".{os.getpid()}.{path.name}")
    try:
        yield part
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _make(folder: Path) -> None:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise WriteError(
            f"{folder} is there already and has no {NAME} to go on from; give another name."
        )
    folder.mkdir(exist_ok=True)
