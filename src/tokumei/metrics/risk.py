"""Risk: how many people an attack finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from typing_extensions import Doc

from tokumei.attacks.exact_row import ExactRow
from tokumei.contracts import Attack, Guess, Judge, Release, Score, Threat
from tokumei.history import History
from tokumei.judges.hit_rate import HitRate
from tokumei.metrics.question import Case
from tokumei.parameters import Checked
from tokumei.registry import AS_IT_IS, metric
from tokumei.threats.full_knowledge import FullKnowledge


@metric("risk", spark=AS_IT_IS)
@dataclass(frozen=True, kw_only=True)
class Risk(Checked):
    """How well an attack does under a threat, beside a random guess.

    The attacker gets the challenge only; the judge marks the guess with the secret answer. The
    baseline is the mark of a guess that names all customers alike for every target (so many as
    make a million pairs, drawn at random, where there are more).

    Limits: it holds for this attack with this knowledge. A better attack finds more.
    """

    threat: Annotated[Threat, Doc("What the attacker knows and is asked.")] = FullKnowledge()
    attack: Annotated[Attack, Doc("How the attacker guesses.")] = ExactRow()
    judge: Annotated[Judge, Doc("How the guess is marked.")] = HitRate()

    def __call__(self, history: History, release: Release, /, *, seed: int) -> Score:
        return self.play(history, release, seed=seed)[1]

    def play(self, history: History, release: Release, /, *, seed: int) -> tuple[Guess, Score]:
        """Return the attacker's guess beside its score."""
        marked = Case(history, release).ask(self.threat, seed=seed).put_to(self.attack, self.judge)
        return marked.guess, marked.score
