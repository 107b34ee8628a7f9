"""Scorecards of releases as one HTML page that needs nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import tokumei
from tokumei.contracts import Score, Scorecard
from tokumei.itemsets.statistics import Statistics
from tokumei.report.rendering import rendered
from tokumei.words import Language, translate


@dataclass(frozen=True)
class Entry:
    """One release: how it was made, and its scores."""

    name: str
    made_by: str
    """The words on the command line that make such a release."""
    scores: Scorecard

    @property
    def risks(self) -> list[Score]:
        """The scores of attacks."""
        return [score for score in self.scores if score.baseline is not None]

    @property
    def losses(self) -> list[Score]:
        """The scores of what was lost."""
        return [score for score in self.scores if not score.assumes]

    @property
    def worst(self) -> Score:
        """The attacker who finds the most people."""
        return max(self.risks, key=lambda score: score.value)


def render(entries: list[Entry], statistics: Statistics, *, seed: int, language: Language) -> str:
    """Return the page; the safest release comes last, as do the bars of the chart."""
    ordered = sorted(entries, key=lambda entry: -entry.worst.value)
    context: dict[str, Any] = {
        "tr": partial(translate, language=language),
        "language": language,
        "entries": ordered,
        "statistics": statistics,
        "seed": seed,
        "version": tokumei.__version__,
    }
    return rendered("report.html", **context)
