"""Checking, scoring, publishing and marking the files of a contest, by the same rules as elsewhere.

Nothing here knows a database or a team: files in, values out.
"""

from __future__ import annotations

import csv
import hashlib
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from tokumei import rules
from tokumei.contest.custom_checks import check_table
from tokumei.contest.settings import FILE, Settings
from tokumei.contest.store.reports import one_problem
from tokumei.contest.store.states import Better, MetricKind
from tokumei.contest.unpacking import refuse_packed, unpacked
from tokumei.contracts import Score
from tokumei.draws import repeatable_secret
from tokumei.errors import ParameterError, SubmissionError, TokumeiError
from tokumei.rules import Entry, Original, Published, Rules
from tokumei.rules.problems import Report

TOTAL = "total"
SUMS_OF_RISKS = ("E", "risk", "safety", "shot_down")
"""What the rules call the worst of their risks, which has no attacker of its own."""
MEGABYTE = 1_000_000
PUBLIC = "public/"
PURCHASES = "T.csv"
"""The part of a folder that scripts get."""


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

    @property
    def master_file(self) -> Path | None:
        """Where the customers of the contest are, if it has them."""
        return self.folder / self.settings.master if self.settings.master else None

    @cached_property
    def original(self) -> Original:
        """T and M as the contest has them."""
        return self.year.read(self.original_file, self.master_file)

    @cached_property
    def columns(self) -> list[str]:
        """The header of a custom contest's data."""
        with self.original_file.open(encoding="utf-8-sig", newline="") as file:
            return next(csv.reader(file), [])

    @cached_property
    def data(self) -> Mapping[str, str]:
        """The files of the contest's data by their names in the settings, with their SHA-256."""
        names = [name for name in (self.settings.original, self.settings.master) if name]
        return {name: _sha256(self.folder / name) for name in names}

    @cached_property
    def fingerprint(self) -> str:
        """Return what two evaluations share that give the same values: settings and data."""
        settings = _sha256(self.folder / FILE)
        return hashlib.sha256("\n".join([settings, *self.data.values()]).encode()).hexdigest()

    def prepare(self) -> None:
        """Read the contest's data; what is wrong with it is nobody's submission's fault."""
        if self.settings.custom:
            self.columns  # noqa: B018
        else:
            self.original  # noqa: B018

    def check(self, submission: Path) -> Checked:
        """Check a submission; a file that cannot be read at all has one problem."""
        self.prepare()
        try:
            with self._opened(submission) as path:
                if self.settings.custom:
                    report = check_table(path, self.columns, self.settings.columns)
                else:
                    report = self.year.check(self.original, path).report
        except TokumeiError as error:
            return _refused(error, submission)
        return Checked(report.valid, report.to_json())

    def scores(self, submission: Path, *, seed: int) -> list[Value]:
        """Return every built-in score of a valid submission, the total last."""
        with self._opened(submission) as path:
            judgment = self.year.judge(self.original, self._entry(path), seed=seed)
        return [_value(score) for score in judgment.scores]

    def publish(self, submission: Path, *, seed: int) -> dict[str, str]:
        """Return the files that the other teams get of a submission: name to text."""
        if self.settings.custom:
            raise ParameterError("A custom contest has no attack phase: nothing is published.")
        files = self.year.files(self._published(submission, seed))
        return {
            name.removeprefix(PUBLIC): text
            for name, text in files.items()
            if name.startswith(PUBLIC)
        }

    def mark(self, submission: Path, guess: Path, *, seed: int) -> list[Value] | Checked:
        """Return the share that a guess names rightly of what was published with the same seed.

        Or, where it cannot be read as a guess, every problem of it.
        """
        published = self._published(submission, seed)
        try:
            refuse_packed(guess)
            return [_value(self.year.named(published, guess))]
        except SubmissionError as error:
            return _refused(error, guess)

    @contextmanager
    def script_files(self, submission: Path) -> Iterator[list[Path]]:
        """Give what a script reads: the original, the submission, and the customers if any."""
        with self._opened(submission) as path:
            # Never the folder: in 2016 it has the answer P.
            table = path / PURCHASES if path.is_dir() else path
            yield [self.original_file, table, *filter(None, [self.master_file])]

    @contextmanager
    def _opened(self, submission: Path) -> Iterator[Path]:
        """Give the submission as the rules take it: a file, or a folder where there are parts."""
        if self.settings.custom or not self.year.parts:
            refuse_packed(submission)
            yield submission
            return
        with unpacked(
            submission, self.year.parts, self.settings.quotas.megabytes * MEGABYTE
        ) as folder:
            yield folder

    def _published(self, submission: Path, seed: int) -> Published:
        with self._opened(submission) as path:
            secret = repeatable_secret(seed)  # the seed comes from the contest's own secret
            return self.year.publish(self.original, self._entry(path), secret=secret)

    def _entry(self, submission: Path) -> Entry:
        entry = self.year.check(self.original, submission)
        entry.report.require_valid()
        return entry


def _refused(error: TokumeiError, path: Path) -> Checked:
    if isinstance(error, SubmissionError) and isinstance(error.report, Report):
        return Checked(valid=False, report=error.report.to_json())
    # Files are stored by their content: nobody knows the name that an error quotes.
    return Checked(valid=False, report=one_problem(str(error).replace(path.name, "The file")))


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _value(score: Score) -> Value:
    kind: MetricKind = "safety" if score.assumes or score.name in SUMS_OF_RISKS else "utility"
    if score.name == TOTAL:
        kind = "total"
    if math.isfinite(score.value):
        return Value(score.name, kind, score.value, score.better, score.n)
    problem = "The score is not a finite number."
    return Value(score.name, kind, None, score.better, score.n, problem)
