"""All scores of a release."""

from __future__ import annotations

import logging
from typing import Literal

from tokumei.contracts import Release, Score, Scorecard
from tokumei.draws import derive
from tokumei.errors import SchemaError
from tokumei.history import History
from tokumei.metrics.question import Case, Question
from tokumei.progress import track
from tokumei.registry import build, name_of, names_on_spark, spec
from tokumei.registry import names as all_names

log = logging.getLogger(__name__)

# Risks are made from every attack; the promise of decoys concerns releases with decoys only, the
# question of PWSCUP 2017 those with a pseudonym for every month; the others need columns.
ASKED_FOR_BY_NAME = (
    "risk",
    "decoy-violations",
    "monthly-view",
    "association-rules",
    "cross-tabulation",
    "pk-anonymity",
)


def scorecard(history: History, release: Release, *, seed: int) -> Scorecard:
    """Apply every metric, and every attack under every threat; leave out what does not apply."""
    return Scorecard((*_risks(history, release, seed), *_others(history, release, seed)))


def _names(history: History, family: Literal["threat", "attack", "metric"]) -> list[str]:
    names = names_on_spark if history.on_spark else all_names
    return [name for name in names(family) if name not in ASKED_FOR_BY_NAME]


def _risks(history: History, release: Release, seed: int) -> list[Score]:
    # The random attack is the baseline of all others.
    attacks = [
        build("attack", {"method": name}) for name in _names(history, "attack") if name != "random"
    ]
    threats = [build("threat", {"method": name}) for name in _names(history, "threat")]
    case = Case(history, release)
    scores: list[Score] = []
    # An attack that some knowledge does not serve is worth a word only if none does.
    reasons: dict[str, str] = {}
    used: set[str] = set()
    tasks = [(threat, attack) for threat in threats for attack in attacks]
    question: Question | None = None
    for threat, attack in track(tasks, len(tasks), "attacking"):
        try:
            if question is None or question.threat is not threat:
                question = case.ask(threat, seed=seed)
            scores.append(question.put_to(attack).score)
            used.add(name_of(attack))
        except SchemaError as error:
            reasons[name_of(attack)] = str(error)
    for name in reasons.keys() - used:
        log.info("%s is left out: %s", name, reasons[name])
    return scores


def _others(history: History, release: Release, seed: int) -> list[Score]:
    scores: list[Score] = []
    metrics = [build("metric", {"method": name}) for name in _names(history, "metric")]
    for metric in track(metrics, len(metrics), "measuring"):
        try:
            drawn = derive(seed, f"metric/{spec(metric)}")
            scores.append(metric(history, release, seed=drawn))
        except SchemaError as error:
            log.info("%s is left out: %s", name_of(metric), error)
    return scores
