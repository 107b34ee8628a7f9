"""Every attacker that applies to a release, and every metric; what does not apply, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import polars as pl

from tokumei.attacks.random import Random
from tokumei.contracts import Answer, Attack, Challenge, Metric, Release, Score, Threat
from tokumei.draws import derive
from tokumei.errors import SchemaError, Unachievable
from tokumei.history import ROW, History
from tokumei.judges.hit_rate import HitRate
from tokumei.metrics import CrossTabulation, Indistinguishable, PkAnonymity
from tokumei.metrics.risk import BASELINE_PAIRS
from tokumei.progress import track
from tokumei.registry import build, name_of, names, spec
from tokumei.tables import columns, frame, height
from tokumei.threats import CustomersTable, FullKnowledge, ItemSets, MonthlyView, PartialRows

LASTING: tuple[Threat, ...] = (
    CustomersTable(),
    ItemSets(),
    *(PartialRows(share=share) for share in (0.25, 0.5, 0.75)),
    FullKnowledge(),
)
MONTHLY: tuple[Threat, ...] = tuple(MonthlyView(share=share) for share in (0.25, 0.5, 0.75, 1.0))
NOT_ASKED = (
    "risk",
    "association-rules",
    "cross-tabulation",
    "decoy-violations",
    "indistinguishable",
    "pk-anonymity",
)
"""Metrics that are made with parameters of their own below, or have none that fit every release."""
MOST_VALUES = 100
"""A column of the customers table with more values than this is not cross-tabulated."""


@dataclass(frozen=True)
class Attacker:
    """What somebody knows, and what they do with it."""

    threat: Threat
    attack: Attack

    @property
    def knowledge(self) -> str:
        """The threat in words that tell it from the others."""
        share = getattr(self.threat, "share", None)
        name = name_of(self.threat)
        return name if share is None else f"{name} {share:.0%}"

    @property
    def name(self) -> str:
        """The attack and the threat."""
        return f"{name_of(self.attack)} @ {self.knowledge}"


@dataclass(frozen=True)
class Found:
    """How many customers an attacker found."""

    attacker: Attacker
    score: Score


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


def threats_to(release: Release) -> tuple[Threat, ...]:
    """Return what attackers of such a release know and are asked."""
    return MONTHLY if "period" in columns(release.key.pseudonyms) else LASTING


def all_attacks() -> list[Attack]:
    """Return every registered attack; the random one is the baseline of all others."""
    return [build("attack", {"method": name}) for name in names("attack") if name != "random"]


def whose_purchases(history: History, release: Release) -> pl.DataFrame:
    """Return pseudonym, person, owner: who the key says it is, and whose purchases it shows.

    Some methods exchange whole histories: then nobody is named rightly by the key, and everybody's
    purchases lie open. What counts is whose purchases a pseudonym shows for the most part; where no
    row tells, or as many tell another, it is the person of the key.
    """
    key = frame(release.key.pseudonyms).select("pseudonym", "person")
    rows = release.public.frame().select(ROW, pseudonym="person")
    origins = frame(release.key.rows).drop_nulls()
    truth = history.frame().select(origin=ROW, owner="person")
    counted = (
        rows.join(origins, on=ROW).join(truth, on="origin").group_by("pseudonym", "owner").len()
    )
    ranked = counted.join(key, on="pseudonym").sort(
        "pseudonym",
        -pl.col("len").cast(pl.Int64),
        pl.col("owner") != pl.col("person"),
        "owner",
    )
    most = ranked.unique("pseudonym", keep="first", maintain_order=True)
    found = key.join(most.select("pseudonym", "owner"), on="pseudonym", how="left")
    return found.with_columns(pl.col("owner").fill_null(pl.col("person"))).sort("pseudonym")


def find_customers(
    history: History,
    release: Release,
    whose: pl.DataFrame,
    *,
    seed: int,
    threats: Sequence[Threat],
    attacks: Sequence[Attack],
) -> tuple[list[Found], list[LeftOut]]:
    """Let every attacker try; the one who finds the most comes first."""
    found: list[Found] = []
    left_out: list[LeftOut] = []
    silent: dict[tuple[str, str], list[str]] = {}  # attack and reason: under which threats
    tasks = [(threat, attack) for threat in threats for attack in attacks]
    question: tuple[Challenge, Answer, float] | LeftOut | None = None
    for threat, attack in track(tasks, len(tasks), "attacking"):
        attacker = Attacker(threat, attack)
        if attack is attacks[0]:
            question = _question(history, release, attacker, whose, seed=seed)
            if isinstance(question, LeftOut):
                left_out.append(question)
        if question is None or isinstance(question, LeftOut):
            continue
        try:
            found.append(_try(attacker, *question, seed=seed))
        except (SchemaError, Unachievable) as error:
            silent.setdefault((name_of(attack), str(error)), []).append(attacker.knowledge)
    for (name, reason), where in silent.items():
        left_out.append(LeftOut(f"{name} @ {', '.join(where)}", reason))
    return sorted(found, key=lambda one: (-one.score.value, one.attacker.name)), left_out


def _question(
    history: History, release: Release, attacker: Attacker, whose: pl.DataFrame, *, seed: int
) -> tuple[Challenge, Answer, float] | LeftOut:
    threat = attacker.threat
    try:
        challenge, answer = threat(history, release, seed=derive(seed, f"threat/{spec(threat)}"))
    except (SchemaError, Unachievable) as error:
        return LeftOut(attacker.knowledge, str(error))
    if not isinstance(threat, MonthlyView):  # it asks by rows already
        truth = whose.select(target="pseudonym", value="owner")
        answer = Answer(truth.join(frame(challenge.targets), on="target", how="semi"))
    alike = max(1, BASELINE_PAIRS // max(1, height(challenge.targets)))
    blind = Random(names=alike)(challenge, seed=derive(seed, "baseline"))
    return challenge, answer, HitRate()(blind, answer).value


def _try(
    attacker: Attacker, challenge: Challenge, answer: Answer, baseline: float, *, seed: int
) -> Found:
    guess = attacker.attack(challenge, seed=derive(seed, f"attack/{spec(attacker.attack)}"))
    score = HitRate()(guess, answer)
    named = replace(score, name=attacker.name, assumes=challenge.assumes, baseline=baseline)
    return Found(attacker, named)


def measure(
    history: History, release: Release, *, seed: int
) -> tuple[list[Measured], list[Measured], list[LeftOut]]:
    """Return what the release guarantees, what it is good for, and what does not apply."""
    guarantees: list[Measured] = []
    utilities: list[Measured] = []
    left_out: list[LeftOut] = []
    metrics = list(_metrics(history, release))
    for metric in track(metrics, len(metrics), "measuring"):
        try:
            score = metric(history, release, seed=derive(seed, f"metric/{spec(metric)}"))
        except (SchemaError, Unachievable) as error:
            left_out.append(LeftOut(name_of(metric), str(error)))
            continue
        (guarantees if score.assumes else utilities).append(Measured(metric, score))
    return guarantees, utilities, left_out


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
