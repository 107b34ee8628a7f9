"""Every attacker that applies to a release, and every metric; what does not apply, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tokumei.contracts import Attack, Metric, Release, Score, Threat
from tokumei.draws import derive
from tokumei.errors import SchemaError, Unachievable
from tokumei.history import History
from tokumei.metrics import CrossTabulation, Indistinguishable, PkAnonymity
from tokumei.metrics.question import Case, Marked, Question, knowledge_name
from tokumei.progress import track
from tokumei.registry import build, name_of, names, spec
from tokumei.tables import frame
from tokumei.threats import CustomersTable, FullKnowledge, ItemSets, PartialRows

THREATS: tuple[Threat, ...] = (
    CustomersTable(),
    ItemSets(),
    *(PartialRows(share=share) for share in (0.25, 0.5, 0.75)),
    FullKnowledge(),
)
"""What attackers know; the view of PWSCUP 2017 belongs to its contest."""
NOT_ASKED = (
    "risk",
    "association-rules",
    "cross-tabulation",
    "decoy-violations",
    "indistinguishable",
    "pk-anonymity",
)
"""Metrics that are made with parameters of their own below, or have none that fit every release."""
GUARANTEES = ("identical-groups", "indistinguishable-rows")
"""What holds against every attacker; all else that has an assumption is a fact under it."""
MOST_VALUES = 100
"""A column of the customers table with more values than this is not cross-tabulated."""


@dataclass(frozen=True)
class Measured:
    """What a metric found."""

    metric: Metric
    score: Score


@dataclass(frozen=True)
class LeftOut:
    """What was not done, and why."""

    name: str
    reason: str


@dataclass(frozen=True)
class Measurements:
    """What the metrics found: guarantees, facts that rest on an assumption, and utilities."""

    guarantees: tuple[Measured, ...]
    facts: tuple[Measured, ...]
    utilities: tuple[Measured, ...]
    left_out: tuple[LeftOut, ...]


def all_attacks() -> list[Attack]:
    """Return every registered attack; the random one is the baseline of all others."""
    return [build("attack", {"method": name}) for name in names("attack") if name != "random"]


def find_customers(
    case: Case, *, seed: int, threats: Sequence[Threat], attacks: Sequence[Attack]
) -> tuple[list[Marked], list[LeftOut]]:
    """Let every attacker try; the one who finds the most comes first."""
    found: list[Marked] = []
    left_out: list[LeftOut] = []
    silent: dict[tuple[str, str], list[str]] = {}  # attack and reason: under which threats
    tasks = [(threat, attack) for threat in threats for attack in attacks]
    question: Question | LeftOut | None = None
    for threat, attack in track(tasks, len(tasks), "attacking"):
        if attack is attacks[0]:
            question = _asked(case, threat, seed=seed)
            if isinstance(question, LeftOut):
                left_out.append(question)
        if question is None or isinstance(question, LeftOut):
            continue
        try:
            found.append(question.put_to(attack))
        except (SchemaError, Unachievable) as error:
            silent.setdefault((name_of(attack), str(error)), []).append(knowledge_name(threat))
    for (name, reason), where in silent.items():
        left_out.append(LeftOut(f"{name} @ {', '.join(where)}", reason))
    return sorted(found, key=lambda one: (-one.score.value, one.score.name)), left_out


def _asked(case: Case, threat: Threat, *, seed: int) -> Question | LeftOut:
    try:
        return case.ask(threat, seed=seed)
    except (SchemaError, Unachievable) as error:
        return LeftOut(knowledge_name(threat), str(error))


def measure(history: History, release: Release, *, seed: int) -> Measurements:
    """Return what the release guarantees, what it is good for, and what does not apply."""
    guarantees: list[Measured] = []
    facts: list[Measured] = []
    utilities: list[Measured] = []
    left_out: list[LeftOut] = []
    metrics = list(_metrics(history, release))
    for metric in track(metrics, len(metrics), "measuring"):
        try:
            score = metric(history, release, seed=derive(seed, f"metric/{spec(metric)}"))
        except (SchemaError, Unachievable) as error:
            left_out.append(LeftOut(name_of(metric), str(error)))
            continue
        kind = utilities if not score.assumes else facts
        (guarantees if score.name in GUARANTEES else kind).append(Measured(metric, score))
    return Measurements(tuple(guarantees), tuple(facts), tuple(utilities), tuple(left_out))


def _metrics(history: History, release: Release) -> Iterator[Metric]:
    yield Indistinguishable(by="rows")
    yield Indistinguishable(by="items")
    for name in names("metric"):
        if name not in NOT_ASKED:
            yield build("metric", {"method": name})
    shared = _shared_columns(history, release)
    if shared:
        yield CrossTabulation(columns=",".join(shared))
        yield PkAnonymity(columns=",".join(shared))


def _shared_columns(history: History, release: Release) -> list[str]:
    """Return the columns of both customers tables that have few values."""
    if history.customers is None or release.public.customers is None:
        return []
    before, after = frame(history.customers), frame(release.public.customers)
    return [
        name
        for name in before.columns
        if name != "person"
        and name in after.columns
        and not after[name].dtype.is_nested()
        and 2 <= before[name].n_unique() <= MOST_VALUES
        and not before[name].null_count()
        and not after[name].null_count()
    ]
