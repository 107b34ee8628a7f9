"""What goes into the sandbox and what comes out of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tokumei.errors import ParameterError, TokumeiError

Language = Literal["python", "r"]

KIB = 1024
MIB = 1024 * KIB

# Trap 5: with fewer, R stops at its start ("the limit on the number of open files is too low").
FEWEST_FILES = 256


class SandboxUnavailable(TokumeiError, RuntimeError):
    """A script cannot be run safely here, through no fault of the script."""


@dataclass(frozen=True)
class Script:
    """A metric script as it was uploaded; its file name is never used."""

    language: Language
    source: bytes


@dataclass(frozen=True)
class Limits:
    """What a script may use: seconds, bytes, open files, processes.

    Memory and processes count for the whole process tree, open files for each process. `disk` is
    the scratch folder, which is in memory too and counts besides.
    """

    seconds: float = 60
    memory: int = 512 * MIB
    output: int = 64 * KIB
    files: int = FEWEST_FILES
    processes: int = 64
    disk: int = 64 * MIB

    def __post_init__(self) -> None:
        for name in ("seconds", "memory", "output", "processes", "disk"):
            if getattr(self, name) <= 0:
                raise ParameterError(f"{name} is {getattr(self, name)}, but must be above 0.")
        if self.files < FEWEST_FILES:
            raise ParameterError(f"files is {self.files}, but R needs at least {FEWEST_FILES}.")


@dataclass(frozen=True)
class Outcome:
    """What a run gave: scores, or one sentence that tells the uploader what went wrong.

    `stderr` is the end of what the script wrote there. It may quote the data, so that only
    organizers may see it.
    """

    scores: dict[str, float] | None
    problem: str | None
    stderr: str
    seconds: float
