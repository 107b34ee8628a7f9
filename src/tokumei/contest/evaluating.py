"""Checking, scoring, publishing and marking the files of a contest, by the same rules as elsewhere.

Nothing here knows a database or a team: files in, values out.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from tokumei import rules
from tokumei.contest.settings import Settings
from tokumei.contest.store.reports import one_problem
from tokumei.contest.store.states import Better, MetricKind
from tokumei.contracts import Score
from tokumei.data.text import read_strings
from tokumei.errors import SubmissionError, TokumeiError
from tokumei.rules import Entry, Original, Published, Rules

TOTAL = "total"


@dataclass(frozen=True)
class Checked:
    """Whether a file keeps the rules, and every problem by row and column."""

    valid: bool
    report: Mapping[str, Any]


@dataclass(frozen=True)
class Value:
    """A score under its title; without a number there is a problem in words."""

    title: str
    kind: MetricKind
    value: float | None
    better: Better
    n: int
    """How many customers, rows or cells were counted."""
    problem: str | None = None


class Evaluation:
    """A contest's data and rules, read once."""

    def __init__(self, folder: Path, settings: Settings) -> None:
        self.folder = folder
        self.settings = settings

    @cached_property
    def year(self) -> Rules:
        """The rules of a contest year; custom contests have none."""
        return rules.find(self.settings.rules)

    @property
    def original_file(self) -> Path:
        """Where the data of the contest is."""
        return self.folder / self.settings.original

    @cached_property
    def original(self) -> Original:
        """T and M as the contest has them."""
        master = self.settings.master
        return self.year.read(self.original_file, self.folder / master if master else None)

    @cached_property
    def columns(self) -> list[str]:
        """The header of a custom contest's data."""
        with self.original_file.open(encoding="utf-8-sig", newline="") as file:
            return next(csv.reader(file), [])

    def check(self, submission: Path) -> Checked:
        """Check a submission; a file that cannot be read at all has one problem."""
        try:
            if self.settings.custom:
                return self._check_custom(submission)
            report = self.year.check(self.original, submission).report
        except TokumeiError as error:
            return Checked(valid=False, report=one_problem(str(error)))
        return Checked(report.valid, report.to_json())

    def _check_custom(self, submission: Path) -> Checked:
        found = read_strings(submission, header=True)
        if found.columns != self.columns:
            raise SubmissionError(
                f"The columns must be {', '.join(self.columns)}, not {', '.join(found.columns)}."
            )
        return Checked(
            valid=True, report={"valid": True, "count": 0, "summary": [], "problems": []}
        )

    def scores(self, submission: Path, *, seed: int) -> list[Value]:
        """Return every built-in score of a valid submission, the total last."""
        judgment = self.year.judge(self.original, self._entry(submission), seed=seed)
        return [_value(score) for score in judgment.scores]

    def publish(self, submission: Path, *, seed: int) -> str:
        """Return what the other teams get of a submission."""
        return self._published(submission, seed).lines

    def mark(self, submission: Path, guess: Path, *, seed: int) -> list[Value]:
        """Mark the guess of an attacker against what was published with the same seed."""
        return [_value(score) for score in self.year.mark(self._published(submission, seed), guess)]

    def _published(self, submission: Path, seed: int) -> Published:
        return self.year.publish(self.original, self._entry(submission), seed=seed)

    def _entry(self, submission: Path) -> Entry:
        entry = self.year.check(self.original, submission)
        entry.report.require_valid()
        return entry


def _value(score: Score) -> Value:
    kind: MetricKind = "safety" if score.assumes else "utility"
    if score.name == TOTAL:
        kind = "total"
    if math.isfinite(score.value):
        return Value(score.name, kind, score.value, score.better, score.n)
    problem = "The score is not a finite number."
    return Value(score.name, kind, None, score.better, score.n, problem)
