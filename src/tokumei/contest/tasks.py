"""What a worker is asked and what it answers: plain data, the same here and on other machines.

`check` tells whether a file keeps the rules; `score` measures the built-in metrics; `script` runs
an approved script in the sandbox; `publish` makes what the others get; `guess` marks an attacker's
file. Nothing here knows a database or a network.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import ConfigDict, TypeAdapter

from tokumei.contest import sandbox
from tokumei.contest.evaluating import Checked, Evaluation, Value
from tokumei.contest.store.states import Language
from tokumei.errors import ParameterError

T = TypeVar("T")
Kind = Literal["check", "score", "script", "publish", "guess"]
KINDS: tuple[Kind, ...] = ("check", "score", "script", "publish", "guess")


@dataclass(frozen=True)
class Task:
    """A job as a worker sees it; files are named by their SHA-256."""

    job_id: int
    kind: Kind
    lease_token: str = field(repr=False)
    lease_seconds: float
    deadline: int
    """When the job is taken away, whatever the worker says."""
    submission: str
    """The file that the job is about; of a guess, the one that it attacks."""
    guess: str | None = None
    script: str | None = None
    script_language: Language | None = None
    seed: int | None = field(default=None, repr=False)
    """For this file only: the contest's own seed never leaves the server."""

    @property
    def files(self) -> tuple[str, ...]:
        """All files that the job needs."""
        return tuple(filter(None, (self.submission, self.guess, self.script)))


@dataclass(frozen=True)
class ScriptSaid:
    """What a script gave: a number, or why there is none; `stderr` is for organizers only."""

    value: float | None
    problem: str | None
    stderr: str


@dataclass(frozen=True)
class Outcome:
    """What came of a task: the part that belongs to its kind."""

    # Also of the values inside: NaN is no score.
    __pydantic_config__ = ConfigDict(allow_inf_nan=False)

    checked: Checked | None = None
    values: list[Value] = field(default_factory=list)
    script: ScriptSaid | None = None
    release: dict[str, str] | None = None
    """The files that the others get, by name."""
    marks: list[Value] = field(default_factory=list)


TASK = TypeAdapter(Task)
OUTCOME = TypeAdapter(Outcome)
"""To and from JSON."""


def perform(task: Task, evaluation: Evaluation, file: Callable[[str], Path]) -> Outcome:
    """Do what a task asks; `file` says where the file of a SHA-256 is."""
    path = file(task.submission)
    match task.kind:
        case "check":
            return Outcome(checked=evaluation.check(path))
        case "score":
            return Outcome(values=evaluation.scores(path, seed=_given(task.seed)))
        case "publish":
            return Outcome(release=evaluation.publish(path, seed=_given(task.seed)))
        case "guess":
            guess = file(_given(task.guess))
            marked = evaluation.mark(path, guess, seed=_given(task.seed))
            if isinstance(marked, Checked):
                return Outcome(checked=marked)
            return Outcome(marks=marked)
        case "script":
            source = file(_given(task.script)).read_bytes()
            script = sandbox.Script(_given(task.script_language), source)
            with evaluation.script_files(path) as inputs:
                return Outcome(script=_said(sandbox.run(script, inputs)))


def _said(outcome: sandbox.Outcome) -> ScriptSaid:
    # A script is one column: its first number, which the sandbox has rounded.
    value = next(iter(outcome.scores.values()), None) if outcome.scores else None
    problem = outcome.problem or (None if value is not None else "The script gave no number.")
    return ScriptSaid(value, problem, outcome.stderr)


def _given(value: T | None) -> T:
    if value is None:
        raise ParameterError("The job does not say what it is about.")
    return value
