"""One anonymizer tried on one history: what is lost of its use, and how many are found."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from statistics import fmean
from typing import Any

from tokumei.audit.designs import words
from tokumei.audit.suite import THREATS, all_attacks, find_customers
from tokumei.audit.verdict import Verdict, judge_groups
from tokumei.contracts import Anonymizer, Attack, Metric, Release, Score, Threat
from tokumei.draws import derive, repeatable_secret
from tokumei.errors import ParameterError, SchemaError, Unachievable
from tokumei.history import History
from tokumei.metrics import (
    CellsChanged,
    DateError,
    InformationLoss,
    ItemCountError,
    ItemSimilarity,
    PriceError,
    RfmAgreement,
    RfmCellShares,
    RowsAdded,
    RowsDeleted,
    SpendByDecadeAndCountry,
    SpendBySexAndCountry,
    TopItemsList,
    TopItemsMissing,
    TopItemsSimilarity,
)
from tokumei.metrics.question import Case
from tokumei.publishing import publish
from tokumei.registry import name_of, spec
from tokumei.threats import CustomersTable, FullKnowledge, PartialRows

KEEP: dict[str, tuple[Metric, ...]] = {
    "rfm": (RfmAgreement(), RfmCellShares()),
    "items": (
        ItemCountError(),
        ItemSimilarity(sales="wholesale"),
        ItemSimilarity(sales="retail"),
        TopItemsList(),
        TopItemsSimilarity(),
        TopItemsMissing(),
    ),
    "dates": (DateError(),),
    "amounts": (PriceError(),),
    "rows": (RowsAdded(), RowsDeleted()),
    "cells": (CellsChanged(), InformationLoss()),
    "segments": (SpendBySexAndCountry(), SpendByDecadeAndCountry()),
}
"""What can be kept, and the scores that tell how much of it was lost."""
SLOW = ("ensemble", "time-profile")
"""Attacks that take longer than all others together; the best release has to stand them too."""
QUICK = (CustomersTable(), PartialRows(share=0.25), FullKnowledge())
"""What the attackers of every trial know; the best release has to stand those between as well."""


@dataclass(frozen=True)
class Trial:
    """What an anonymizer did to a history."""

    words: str
    """The anonymizer as on the command line."""
    spec: Mapping[str, Any]
    seed: int
    """It repeats the release that was tried, which is not kept."""
    largest: Score
    """The largest re-identification rate, and the attacker who reached it."""
    worst: float
    """The chance of the worst-off customer, from the groups that look alike."""
    broken: bool
    """Whether an attacker found more than chance allows in these groups."""
    losses: Mapping[str, float]
    """For everything that can be kept on this history: 0 if all is there, 1 if it is lost."""
    seconds: float
    confirmed: bool = False
    """Whether every attacker of the audit has tried, or the quick ones only."""

    @property
    def risk(self) -> float:
        """The chance of the worst-off customer; 1 where an attacker broke the bound."""
        return 1.0 if self.broken else self.worst

    def loss(self, keep: Iterable[str]) -> float:
        """Return the mean loss of what is to be kept."""
        return fmean(self.losses[name] for name in keep)

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            "words": self.words,
            "spec": dict(self.spec),
            "seed": self.seed,
            "risk": self.risk,
            "largest": self.largest.to_json(),
            "worst": self.worst,
            "broken": self.broken,
            "losses": dict(self.losses),
            "seconds": round(self.seconds, 3),
            "confirmed": self.confirmed,
        }

    @classmethod
    def from_json(cls, read: Mapping[str, Any]) -> Trial:
        """Make a trial from what `to_json` returned."""
        score = dict(read["largest"])
        interval = score["interval"]
        largest = Score(
            **score
            | {
                "range": tuple(score["range"]),
                "assumes": score["assumes"] or "",
                "interval": tuple(interval) if interval else None,
            }
        )
        names = ("words", "spec", "seed", "worst", "broken", "losses", "seconds", "confirmed")
        return cls(**{name: read[name] for name in names}, largest=largest)


def loss(score: Score) -> float:
    """Return a score as a loss: 0 is the best, 1 the worst that can be.

    On a range with two ends it is the share of the way from the best to the worst. Where the worst
    is infinite, a distance d from the best counts d / (1 + d).
    """
    distance = abs(score.value - score.best)
    if isfinite(score.worst):
        return distance / abs(score.worst - score.best)
    return distance / (1 + distance)


def measurable(history: History, *, seed: int) -> dict[str, tuple[Metric, ...]]:
    """Return what can be kept on this history, with the metrics that apply to it unchanged."""
    unchanged = publish(history, history, secret=repeatable_secret(seed))
    found = {
        name: tuple(one for one in metrics if _scored(one, history, unchanged) is not None)
        for name, metrics in KEEP.items()
    }
    return {name: metrics for name, metrics in found.items() if metrics}


def kept(names: Iterable[str], possible: Mapping[str, tuple[Metric, ...]]) -> tuple[str, ...]:
    """Return what is to be kept, in a fixed order: what is named, or everything possible."""
    wished = tuple(names)
    for name in wished:
        if name not in KEEP:
            raise ParameterError(f"keep must name some of {', '.join(KEEP)}; not '{name}'.")
        if name not in possible:
            raise SchemaError(
                f"This history lacks the columns to measure {name}; it can be asked to keep "
                f"{', '.join(possible)}."
            )
    return tuple(name for name in possible if not wished or name in wished)


def try_out(
    method: Anonymizer,
    history: History,
    metrics: Mapping[str, tuple[Metric, ...]],
    *,
    seed: int,
) -> tuple[Trial, Release]:
    """Anonymize, publish, attack by the quick attackers, and measure what was lost."""
    begun = time.monotonic()
    release = released(method, history, seed=seed)
    quick = [attack for attack in all_attacks() if name_of(attack) not in SLOW]
    found = _attacked(history, release, QUICK, quick, seed=derive(seed, "try"))
    if found is None:
        raise Unachievable("No quick attack applies to this history; its risk cannot be measured.")
    largest, judged = found
    losses = {
        name: fmean(_lost(metric, history, release) for metric in group)
        for name, group in metrics.items()
    }
    seconds = time.monotonic() - begun
    said = spec(method)
    return (
        Trial(words(said), said, seed, largest, judged.worst, judged.broken, losses, seconds),
        release,
    )


def released(method: Anonymizer, history: History, *, seed: int) -> Release:
    """Make a release to try; it is not given away, so its secret may be that of the seed."""
    return publish(history, method(history, seed=seed), secret=repeatable_secret(seed))


def confirmed(trial: Trial, history: History, release: Release) -> Trial:
    """Let every attacker of the audit try, with other draws than those that chose the trial."""
    found = _attacked(history, release, THREATS, all_attacks(), seed=derive(trial.seed, "confirm"))
    if found is None:
        return replace(trial, confirmed=True)
    largest, judged = found
    return replace(trial, largest=largest, worst=judged.worst, broken=judged.broken, confirmed=True)


def _attacked(
    history: History,
    release: Release,
    threats: Sequence[Threat],
    attacks: Sequence[Attack],
    *,
    seed: int,
) -> tuple[Score, Verdict] | None:
    """Return the largest rate and the verdict by the same rule as the audit."""
    case = Case(history, release)
    found, _ = find_customers(case, seed=seed, threats=threats, attacks=attacks)
    return (found[0].score, judge_groups(case, found)) if found else None


def _lost(metric: Metric, history: History, release: Release) -> float:
    """Return the loss; what can no longer be computed is lost."""
    score = _scored(metric, history, release)
    return 1.0 if score is None else loss(score)


def _scored(metric: Metric, history: History, release: Release) -> Score | None:
    try:
        return metric(history, release, seed=derive(0, f"metric/{spec(metric)}"))
    except (SchemaError, Unachievable):
        return None
