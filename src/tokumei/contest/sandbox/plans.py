"""What the server tells the supervisor of a run, and what the supervisor reports of it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from tokumei.contest.sandbox.interpreters import Interpreter
from tokumei.contest.sandbox.values import Limits

Stop = Literal["time", "memory", "processes", "output", "files", "server"]


@dataclass(frozen=True)
class Task:
    """A script and its inputs in a folder; `user` is None where the server is not root."""

    interpreter: Interpreter
    folder: Path
    script: str
    inputs: tuple[str, ...]
    user: int | None
    limits: Limits

    @property
    def files(self) -> tuple[str, ...]:
        """Return the names of the script and of its arguments."""
        return (self.script, *self.inputs)


@dataclass(frozen=True)
class Plan:
    """What the supervisor has to start, and what to take away before it does."""

    command: list[str]
    environment: dict[str, str]
    folder: str
    user: int | None
    limits: Limits
    # For the jail without namespaces only; bubblewrap builds its own view of the files.
    landlock: Paths | None

    def to_json(self) -> str:
        """Write the plan for the supervisor."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Plan:
        """Read what `to_json` wrote."""
        values: dict[str, Any] = json.loads(text)
        values["limits"] = Limits(**values["limits"])
        values["landlock"] = values["landlock"] and Paths(**values["landlock"])
        return cls(**values)


@dataclass(frozen=True)
class Paths:
    """The files and folders that stay open under Landlock."""

    readable: list[str]
    writable: list[str]


@dataclass
class Report:
    """What the supervisor saw: `stopped` names the limit exceeded, `failure` is the sandbox's."""

    status: int | None = None
    stopped: Stop | None = None
    failure: str | None = None
    stdout: bytes = b""
    stderr: bytes = b""
    seconds: float = 0.0

    def to_json(self) -> str:
        """Write the report for the server."""
        texts = {name: getattr(self, name).decode("latin-1") for name in ("stdout", "stderr")}
        return json.dumps(asdict(self) | texts)

    @classmethod
    def from_json(cls, text: str) -> Report:
        """Read what `to_json` wrote."""
        values: dict[str, Any] = json.loads(text)
        for name in ("stdout", "stderr"):
            values[name] = values[name].encode("latin-1")
        return cls(**values)


def hard_process_limit(limits: Limits) -> int:
    """Return what the kernel enforces: threads count there, and the watchdog should come first."""
    return 2 * limits.processes
