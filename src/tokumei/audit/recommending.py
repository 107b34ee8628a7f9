"""`recommend`: which anonymizer keeps the most of a history at a wished risk."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tokumei.audit.auditing import digest_of
from tokumei.audit.designs import design, words
from tokumei.audit.suite import LeftOut
from tokumei.audit.trial_files import TrialFile
from tokumei.audit.trials import Trial, confirmed, kept, measurable, released, try_out
from tokumei.contracts import Anonymizer, Metric, Release
from tokumei.draws import new_seed
from tokumei.errors import ParameterError, ReadError, SchemaError, Unachievable
from tokumei.history import History
from tokumei.progress import track
from tokumei.registry import build, name_of, spec

CONFIRMING = 0.25
"""Share of the time that is kept for letting every attacker try on the best release."""


@dataclass(frozen=True)
class Recommendation:
    """What was tried, and what is best."""

    risk: float
    """The wished risk: the largest chance of being found that a single customer may have."""
    keep: tuple[str, ...]
    """What the losses are about."""
    customers: int
    trials: tuple[Trial, ...]
    """The least risk first."""
    best: Trial | None
    """The least loss of those that keep the wished risk, if any does."""
    not_tried: tuple[str, ...]
    """The words of those for which no time was left."""
    left_out: tuple[LeftOut, ...]
    """Those that do not apply to this history, and why."""

    @property
    def frontier(self) -> tuple[Trial, ...]:
        """The trials for which no other has at most their risk and less loss, by rising risk."""
        found: list[Trial] = []
        for trial in sorted(self.trials, key=lambda one: (one.risk, self.loss(one), one.words)):
            if not found or self.loss(trial) < self.loss(found[-1]):
                found.append(trial)
        return tuple(found)

    @property
    def nearest(self) -> Trial:
        """The least risk of all, for when none keeps the wished one."""
        return min(self.trials, key=lambda one: (one.risk, self.loss(one), one.words))

    def loss(self, trial: Trial) -> float:
        """Return how much a trial lost of what is to be kept."""
        return trial.loss(self.keep)

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""

        def written(trial: Trial) -> dict[str, Any]:
            return {**trial.to_json(), "loss": self.loss(trial)}

        return {
            "risk": self.risk,
            "keep": list(self.keep),
            "customers": self.customers,
            "best": written(self.best) if self.best else None,
            "nearest": written(self.nearest),
            "frontier": [trial.words for trial in self.frontier],
            "trials": [written(trial) for trial in self.trials],
            "not_tried": list(self.not_tried),
            "left_out": [{"name": one.name, "reason": one.reason} for one in self.left_out],
        }


def recommend(
    original: History,
    *,
    risk: float,
    keep: Iterable[str] = (),
    seconds: float = 300.0,
    seed: int | None = None,
    folder: Path | None = None,
) -> Recommendation:
    """Try anonymizers, and return the one that loses least of those that keep the wished risk.

    Every release is attacked by the quick attackers. The best is then attacked by all attackers of
    the audit; if they break its bound, the next best is taken. A risk is kept by the rule of the
    audit's verdict: the smallest group of customers with identical rows bounds every customer's
    chance by it, and no attacker finds more than chance allows in these groups.

    The loss is the mean over what is to be kept, each the mean of its metrics' losses; see
    `trials.loss`. What can no longer be computed from a release is lost.

    The searches have nominal seconds, so the same seed and time give the same releases on every
    machine; how many are tried before the time is over depends on the machine. At least one
    anonymizer is tried and at least one is confirmed, however short the time. Without a seed, that
    of the folder's trials is used, or one is drawn well: it repeats the draws of the method.
    """
    if not 0 < risk <= 1:
        raise ParameterError(f"risk must lie in (0, 1], not {risk}.")
    if not 0 < seconds < float("inf"):
        raise ParameterError(f"The seconds must be above 0, not {seconds}.")
    end = time.monotonic() + seconds
    metrics = measurable(original, seed=0)
    wished = kept(keep, metrics)
    file = TrialFile(folder, digest_of(original))
    if seed is None:
        seed = new_seed() if file.seed is None else file.seed
    search = _Search(original, metrics, wished, risk, seed, file)
    search.try_all(design(original, risk=risk, seconds=seconds), end - CONFIRMING * seconds)
    if not search.trials:
        reason = search.left_out[0].reason
        raise Unachievable(f"No anonymizer applies to this history: {reason}")
    best = search.confirm_best()
    ordered = sorted(search.trials.values(), key=lambda one: (one.risk, one.loss(wished)))
    return Recommendation(
        risk=risk,
        keep=wished,
        customers=len(original.persons()),
        trials=tuple(ordered),
        best=best,
        not_tried=tuple(search.not_tried),
        left_out=tuple(search.left_out),
    )


def recalled(original: History, folder: Path, *, risk: float) -> Recommendation:
    """Return what an earlier run tried, with the best of it at this risk; nothing is tried anew."""
    file = TrialFile(folder, digest_of(original))
    if not file.trials:
        raise ReadError(f"{folder} has no trials of tokumei recommend with this version.")
    trials = sorted(file.trials.values(), key=lambda one: (one.risk, one.words))
    keep = tuple(name for name in trials[0].losses if all(name in one.losses for one in trials))
    fitting = [trial for trial in trials if trial.risk <= risk]
    return Recommendation(
        risk=risk,
        keep=keep,
        customers=len(original.persons()),
        trials=tuple(trials),
        best=min(fitting, key=lambda one: (one.loss(keep), one.words)) if fitting else None,
        not_tried=(),
        left_out=(),
    )


@dataclass
class _Search:
    """The trials of one run; the release of the best so far is kept, others are made again."""

    original: History
    metrics: Mapping[str, tuple[Metric, ...]]
    keep: tuple[str, ...]
    risk: float
    seed: int
    file: TrialFile
    trials: dict[str, Trial] = field(default_factory=dict)
    not_tried: list[str] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    ready: tuple[Trial, Release] | None = None

    def try_all(self, methods: tuple[Anonymizer, ...], end: float) -> None:
        """Try what was not tried before, as long as there is time."""
        longest: dict[str, float] = {}
        for method in track(methods, len(methods), "trying anonymizers"):
            said, name = words(spec(method)), name_of(method)
            trial = self.file.trials.get((said, self.seed))
            # What took long before will take as long again.
            enough = time.monotonic() + longest.get(name, 0.0) <= end
            if trial is None and (enough or not self.trials):
                trial = self._tried(method, said)
            elif trial is None:
                self.not_tried.append(said)
            if trial is not None:
                self.trials[said] = trial
                longest[name] = max(longest.get(name, 0.0), trial.seconds)

    def _tried(self, method: Anonymizer, said: str) -> Trial | None:
        try:
            trial, release = try_out(method, self.original, self.metrics, seed=self.seed)
        except (SchemaError, Unachievable, ParameterError) as error:
            self.left_out.append(LeftOut(said, str(error)))
            return None
        self.file.add(trial)
        if trial.risk <= self.risk and (
            self.ready is None or self._rank(trial) < self._rank(self.ready[0])
        ):
            self.ready = trial, release
        return trial

    def confirm_best(self) -> Trial | None:
        """Return the least loss that stands every attacker; confirmed trials replace the others."""
        promising = [trial for trial in self.trials.values() if trial.risk <= self.risk]
        for trial in sorted(promising, key=self._rank):
            sure = trial if trial.confirmed else self._confirmed(trial)
            if sure.risk <= self.risk:
                return sure
        return None

    def _confirmed(self, trial: Trial) -> Trial:
        if self.ready is not None and self.ready[0] == trial:
            release = self.ready[1]
        else:
            release = released(build("anonymizer", trial.spec), self.original, seed=self.seed)
        sure = confirmed(trial, self.original, release)
        self.trials[sure.words] = sure
        self.file.add(sure)
        return sure

    def _rank(self, trial: Trial) -> tuple[float, float, str]:
        return trial.loss(self.keep), trial.risk, trial.words
