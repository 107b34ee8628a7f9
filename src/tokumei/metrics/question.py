"""Asking, attacking and marking: the one place where the rate of an attacker is made.

Whoever wants a rate (`tokumei attack`, `score`, `audit`, `recommend`, the metric risk) gets it from
a `Case`. Seeds derive from the seed of the call and the spec of the threat or attack, so that the
same attack under the same threat has the same rate everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import polars as pl

from tokumei.attacks.naming import asks_by_month
from tokumei.attacks.random import Random
from tokumei.contracts import Answer, Attack, Challenge, Guess, Judge, Release, Score, Threat
from tokumei.draws import derive, uniform
from tokumei.history import ROW, History
from tokumei.judges.hit_rate import HitRate, marks
from tokumei.metrics.indistinguishable import kinds_in_release
from tokumei.registry import name_of, spec
from tokumei.tables import frame, height
from tokumei.theory.group_guesses import GroupGuess

BASELINE_PAIRS = 1_000_000


@dataclass(frozen=True, eq=False)
class Case:
    """A history and its release, with what all questions about them have in common."""

    history: History
    release: Release

    @cached_property
    def owners(self) -> pl.DataFrame:
        """Pseudonym, person, owner: who the key says it is, and whose purchases it shows."""
        return whose_purchases(self.history, self.release)

    @cached_property
    def kinds(self) -> pl.DataFrame:
        """Pseudonym and kind: pseudonyms of one kind look alike in every released cell.

        Those that show purchases of somebody who made none are of a kind of their own.
        """
        kinds = kinds_in_release(self.history, self.release, by="rows")
        return kinds.select(pseudonym="person", kind=pl.col("kind").rank("dense"))

    @cached_property
    def customers(self) -> pl.DataFrame:
        """Person, alike and chance: what the worst-off pseudonym of each customer is worth.

        `alike` is the number of pseudonyms that look alike; `chance` bounds the probability that an
        attacker who knows everything names one of the customer's pseudonyms. Who has several in one
        group is named as often more, and who has several groups is at risk in each of them.
        """
        held = self.owners.select("pseudonym", person="owner").join(self.kinds, on="pseudonym")
        held = held.with_columns(alike=pl.len().over("kind"), own=pl.len().over("kind", "person"))
        chance = (pl.col("own") / pl.col("alike")).sum().clip(0, 1)
        found = held.group_by("person").agg(pl.col("alike").min(), chance=chance)
        return found.sort("chance", "person", descending=[True, False])

    def ask(self, threat: Threat, *, seed: int) -> Question:
        """Ask what a threat asks; the answer is the customer whose purchases are shown."""
        challenge, answer = threat(
            self.history, self.release, seed=derive(seed, f"threat/{spec(threat)}")
        )
        if not challenge.on_spark and not asks_by_month(challenge):
            truth = self.owners.select(target="pseudonym", value="owner")
            answer = Answer(truth.join(frame(challenge.targets), on="target", how="semi"))
        return Question(self, threat, challenge, answer, seed)


@dataclass(frozen=True, eq=False)
class Question:
    """What an attacker knows and is asked, and the secret answer."""

    case: Case
    threat: Threat
    challenge: Challenge
    answer: Answer
    seed: int

    def put_to(self, attack: Attack, judge: Judge | None = None) -> Marked:
        """Let an attack answer, and mark the guess beside a blind one."""
        judge = HitRate() if judge is None else judge
        guess = attack(self.challenge, seed=derive(self.seed, f"attack/{spec(attack)}"))
        score = replace(
            judge(guess, self.answer),
            name=attacker_name(attack, self.threat),
            assumes=self.challenge.assumes,
            baseline=self.baseline if judge == HitRate() else judge(self.blind, self.answer).value,
        )
        groups = self.in_groups(guess) if judge == HitRate() else None
        if groups is not None and groups.n:
            score = replace(score, interval=groups.interval())
        return Marked(self, attack, guess, score, groups)

    @cached_property
    def blind(self) -> Guess:
        """The guess that names all customers alike, or as many as make a million pairs."""
        names = max(1, BASELINE_PAIRS // max(1, height(self.challenge.targets)))
        return Random(names=names)(self.challenge, seed=derive(self.seed, "baseline"))

    @cached_property
    def baseline(self) -> float:
        """The share of targets that a blind guess names."""
        return HitRate()(self.blind, self.answer).value

    def in_groups(self, guess: Guess) -> GroupGuess | None:
        """Return the guess seen through the groups of pseudonyms that look alike."""
        if self.challenge.on_spark or asks_by_month(self.challenge):
            return None
        truth = frame(self.answer.pairs).unique("target").sort("target")
        marked = (
            truth.join(self.case.kinds, left_on="target", right_on="pseudonym", how="left")
            .join(frame(marks(guess, self.answer)), on="target", how="left")
            .join(_one_name(frame(guess.pairs), self.seed), on="target", how="left")
            .sort("target")
        )
        people = pl.Enum(pl.concat([marked["value"], marked["said"]]).drop_nulls().unique().sort())
        owner, named = (
            marked[name].cast(people).to_physical().cast(pl.Int64).fill_null(-1).to_numpy()
            for name in ("value", "said")
        )
        hit = marked["hit"].fill_null(0.0).to_numpy()
        return GroupGuess.of(marked["kind"].cast(pl.Int64).to_numpy(), owner, named, hit)


@dataclass(frozen=True, eq=False)
class Marked:
    """What an attacker said, and what it is worth."""

    question: Question
    attack: Attack
    guess: Guess
    score: Score
    groups: GroupGuess | None
    """The guess seen through the groups of pseudonyms that look alike, where names are asked."""

    @property
    def threat(self) -> Threat:
        """What the attacker knows."""
        return self.question.threat

    @property
    def named(self) -> pl.DataFrame:
        """Target and hit: 1 where the right value is the heaviest, a share where several are."""
        return frame(marks(self.guess, self.question.answer))


def _one_name(pairs: pl.DataFrame, seed: int) -> pl.DataFrame:
    """Return target, said: the heaviest name, of equally heavy ones one drawn at random."""
    heaviest = pairs.filter(pl.col("weight") == pl.col("weight").max().over("target"))
    places = [
        heaviest[name].rank("dense").cast(pl.Int64).to_numpy() for name in ("target", "value")
    ]
    keys = places[0] * (len(heaviest) + 1) + places[1]
    drawn = pl.Series("_draw", uniform(seed, "one name", keys))
    chosen = heaviest.with_columns(drawn).sort("target", "_draw").unique("target", keep="first")
    return chosen.select("target", said="value")


def attacker_name(attack: Attack, threat: Threat) -> str:
    """Return what names an attacker everywhere: the attack, and what it knows."""
    return f"{name_of(attack)} @ {knowledge_name(threat)}"


def knowledge_name(threat: Threat) -> str:
    """Return the name of a threat, with the share that tells it from others of its name."""
    share = getattr(threat, "share", None)
    return name_of(threat) if share is None else f"{name_of(threat)} {share:.0%}"


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
