"""All scores of a release."""

from __future__ import annotations

import logging

from tokumei.contracts import Release, Score, Scorecard
from tokumei.draws import derive
from tokumei.errors import SchemaError
from tokumei.history import History
from tokumei.metrics.risk import Risk
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
    names = names_on_spark if history.on_spark else all_names
    risks = [
        Risk(threat=build("threat", {"method": threat}), attack=build("attack", {"method": attack}))
        for threat in names("threat")
        if threat not in ASKED_FOR_BY_NAME
        for attack in names("attack")
        if attack != "random"  # it is the baseline of all others
    ]
    others = (name for name in names("metric") if name not in ASKED_FOR_BY_NAME)
    metrics = [*risks, *(build("metric", {"method": name}) for name in others)]
    scores: list[Score] = []
    used: set[str] = set()
    reasons: dict[str, str] = {}
    for metric in track(metrics, len(metrics), "scoring"):
        # An attack that some knowledge does not serve is worth a word only if none does.
        name = name_of(metric.attack if isinstance(metric, Risk) else metric)
        try:
            scores.append(metric(history, release, seed=derive(seed, str(spec(metric)))))
            used.add(name)
        except SchemaError as error:
            reasons[name] = str(error)
    for name, reason in reasons.items():
        if name not in used:
            log.info("%s is left out: %s", name, reason)
    return Scorecard(tuple(scores))
