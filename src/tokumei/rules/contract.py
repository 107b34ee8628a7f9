"""What a contest year is: how files are checked, published, attacked and scored.

The command, the contest server and the experiments use the same objects.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import polars as pl

from tokumei.contracts import (
    Answer,
    Attack,
    Challenge,
    Guess,
    Key,
    Metric,
    Release,
    Score,
    Scorecard,
)
from tokumei.data.columns import LINE
from tokumei.data.pwscup import COLUMNS, read_contest_texts, text_history
from tokumei.data.reading import Format, read
from tokumei.draws import derive, repeatable_secret
from tokumei.errors import ParameterError, Unachievable
from tokumei.history import ROW, History
from tokumei.progress import track
from tokumei.publishing import new_secret
from tokumei.registry import meaning
from tokumei.rules.problems import Report
from tokumei.rules.publishing import Order, order_of_file, random_order
from tokumei.tables import Table, frame, table


@dataclass(frozen=True, eq=False)
class Original:
    """T and M of a contest, as values and as texts: judges compare what was written."""

    history: History
    texts: History
    file: str

    @property
    def customers(self) -> pl.Series:
        """The customers in the order of M, or by name where there is no M."""
        if self.history.customers is None:
            return pl.Series("person", self.history.persons())
        return frame(self.history.customers)["person"]


@dataclass(frozen=True, eq=False)
class Entry:
    """A submission after its check; it can be used only where the report is valid."""

    report: Report
    rows: pl.DataFrame
    """The kept rows as texts; `row` is the row of T that each came from."""
    values: pl.DataFrame
    """The same rows with typed cells; empty unless the report is valid."""
    names: pl.DataFrame
    """pseudonym, person, and in 2017 period: the key."""
    customers: Table | None = None
    """2016: M'."""


@dataclass(frozen=True, eq=False)
class Published:
    """What attackers get and the key, as values and as texts, beside the original."""

    original: Original
    release: Release
    texts: Release
    rows: pl.DataFrame
    """The texts of the file that attackers get."""

    @property
    def lines(self) -> str:
        """The file that attackers get."""
        return self.rows.write_csv(include_header=False, quote_style="never")


@dataclass(frozen=True)
class Judgment:
    """All scores of a submission, the total last; the smaller the total, the better."""

    rules: str
    scores: Scorecard
    report: Report

    @property
    def total(self) -> float:
        """The contest's score."""
        return self.scores["total"].value

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values: every value by name, and the scores with their meaning."""
        return {
            "rules": self.rules,
            "total": self.total,
            "values": {score.name: score.value for score in self.scores},
            "scores": self.scores.to_json(),
            "check": self.report.to_json(),
        }


@dataclass(frozen=True)
class Utility:
    """A metric under the title that the contest gave it, rounded as the contest did."""

    title: str
    metric: Metric
    digits: int | None = None
    apart: str = ""
    """The sentence that tells it from another title of the same metric."""


def titled(score: Score, title: str, digits: int | None = None, *, assumes: str = "") -> Score:
    """Return a score under a contest's title, rounded to its digits."""
    value = score.value if digits is None else round(score.value, digits)
    return replace(score, name=title, value=value, assumes=assumes or score.assumes)


def plain(title: str, value: float, n: int = 1) -> Score:
    """Return a count or a sum as a score without an upper limit."""
    return Score(title, value, "lower", (0.0, math.inf), n)


Step = Callable[[], Sequence[Score]]


class Rules(ABC):
    """A contest year."""

    name: ClassVar[Format]
    title: ClassVar[str]
    utilities: ClassVar[tuple[Utility, ...]]
    means: ClassVar[Mapping[str, tuple[str, ...]]]
    """What the scores beside the utilities say, by title: sentences for readers of the results."""
    hit: ClassVar[str]
    """What counts where one team attacks another."""
    has_views: ClassVar[bool] = False
    parts: ClassVar[tuple[str, ...]] = ()
    """The files of a submission that is a folder; empty where it is one file."""

    def meanings(self) -> dict[str, tuple[str, ...]]:
        """Return what every score says, by its title, in sentences."""
        utilities = {
            one.title: (meaning(one.metric), *filter(None, [one.apart])) for one in self.utilities
        }
        return utilities | dict(self.means)

    def read(self, original: str | Path, master: str | Path | None = None) -> Original:
        """Read T, and M where the contest has it."""
        # Whoever runs a contest on other data has another year.
        history = read(original, master, format=self.name, period=(date.min, date.max))
        rows = read_contest_texts(original, self.name).drop(LINE)
        texts = text_history(rows, history.customers)
        return Original(history, texts, Path(original).name)

    @abstractmethod
    def check(self, original: Original, submission: str | Path) -> Entry:
        """Check a submission; every problem is in the report of the entry."""

    def publish(
        self,
        original: Original,
        entry: Entry,
        *,
        secret: bytes | None = None,
        published: str | Path | None = None,
    ) -> Published:
        """Make what attackers get, in an order that is drawn or taken from a given file.

        The order is drawn with a secret, which is drawn itself unless it is given: a contest that
        publishes twice gives the same.
        """
        entry.report.require_valid()
        if published is not None:
            order = order_of_file(Path(published), entry.rows, self.name)
        else:
            order = random_order(entry.rows, new_secret() if secret is None else secret)
        return self._published(original, entry, order)

    def _published(self, original: Original, entry: Entry, order: Order) -> Published:
        if not len(order):
            raise Unachievable("Nothing is left to publish: every row is deleted.")
        rows, values = entry.rows[order], entry.values[order]
        number = pl.int_range(len(rows), eager=True).alias(ROW)
        key = Key(table(entry.names), table(pl.DataFrame({ROW: number, "origin": rows[ROW]})))
        rows = rows.select(COLUMNS[self.name])
        texts = text_history(rows.with_columns(number), entry.customers)
        typed = History(table(values.with_columns(number)), entry.customers)
        return Published(original, Release(typed, key), Release(texts, key), rows)

    def judge(
        self,
        original: Original,
        entry: Entry,
        *,
        seed: int,
        published: str | Path | None = None,
        views: str | Path | None = None,
        guesses: Sequence[str | Path] = (),
    ) -> Judgment:
        """Score a valid submission: every utility, every sample attack, every given guess."""
        if views is not None and not self.has_views:
            raise ParameterError(f"Only pwscup2017 has views of the attackers, not {self.name}.")
        secret = repeatable_secret(derive(seed, "rules/publish"))  # nobody gets this release
        out = self.publish(original, entry, secret=secret, published=published)
        utilities: list[Step] = [partial(self._measured, part, out) for part in self.utilities]
        folder = Path(views) if views is not None else None
        attacks = self.attacks(out, seed=derive(seed, "rules/attacks"), views=folder)
        marks: list[Step] = [partial(self.mark, out, Path(guess)) for guess in guesses]
        steps = [*utilities, *attacks, *marks]
        done = [step() for step in track(steps, len(steps), f"judging {entry.report.file}")]
        losses = [score for scores in done[: len(utilities)] for score in scores]
        risks = [score for scores in done[len(utilities) :] for score in scores]
        scores = (*losses, *risks, *self.total(losses, risks))
        return Judgment(self.name, Scorecard(scores), entry.report)

    def played(
        self, title: str, attack: Attack, challenge: Challenge, answer: Answer, seed: int
    ) -> list[Score]:
        """Mark what an attack says."""
        return self.judged(title, attack(challenge, seed=seed), challenge, answer)

    def judged(self, title: str, guess: Guess, challenge: Challenge, answer: Answer) -> list[Score]:
        """Mark a guess, and say what its attacker is assumed to know."""
        return [
            replace(score, assumes=challenge.assumes) for score in self.marked(title, guess, answer)
        ]

    def mark(self, published: Published, guess: Path) -> list[Score]:
        """Mark the guess of an attacker, in the form in which the contest takes it."""
        said, report = self.read_guess(published, guess)
        report.require_valid()
        return self.marked(f"guess:{guess.name}", said, self.answer(published))

    def named(self, published: Published, guess: Path) -> Score:
        """Return the share that an attacker's guess names rightly, to compare attackers by."""
        return self.mark(published, guess)[0]

    def _measured(self, utility: Utility, published: Published) -> list[Score]:
        score = utility.metric(published.original.history, published.release, seed=0)
        return [titled(score, utility.title, utility.digits)]

    @abstractmethod
    def attacks(self, published: Published, *, seed: int, views: Path | None) -> Iterator[Step]:
        """Return the sample attacks; each gives scores when it is called."""

    @abstractmethod
    def answer(self, published: Published) -> Answer:
        """Return the secret answer."""

    @abstractmethod
    def read_guess(self, published: Published, path: Path) -> tuple[Guess, Report]:
        """Read a guess and check its form."""

    @abstractmethod
    def marked(self, title: str, guess: Guess, answer: Answer) -> list[Score]:
        """Mark a guess."""

    @abstractmethod
    def total(self, losses: list[Score], risks: list[Score]) -> list[Score]:
        """Return the sums of the scores, the total last."""

    @abstractmethod
    def files(self, published: Published) -> dict[str, str]:
        """Return the files to publish and to keep: a path under public/ or secret/ to its text."""

    def view_files(self, original: Original, *, seed: int) -> dict[str, str]:
        """Return the files that attackers get beside a release, drawn by the seed."""
        raise ParameterError(f"Only pwscup2017 has views of the attackers, not {self.name}.")

    @abstractmethod
    def submission(
        self, original: History, anonymized: History, *, secret: bytes | None = None
    ) -> dict[str, str]:
        """Write an anonymized history as a submission: file name to text; one, or three in 2016."""
