"""Harada 2017: item sets give customers away, and decoys hide them; tables and figures of data."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any

import numpy as np
import polars as pl

from tokumei.anonymizers.decoys import Decoys
from tokumei.attacks import Jaccard, MultisetJaccard, StripDecoys
from tokumei.contracts import Attack, Release
from tokumei.draws import derive, repeatable_secret
from tokumei.history import History
from tokumei.judges.hit_rate import HitRate
from tokumei.metrics import (
    NotASubset,
    RfmCellShares,
    SpendByDecadeAndCountry,
    SpendBySexAndCountry,
    TopItemsMissing,
)
from tokumei.papers.harada2017_numbers import TABLE4
from tokumei.progress import track
from tokumei.publishing import publish
from tokumei.theory.decoys import DecoyTheory
from tokumei.threats.full_knowledge import FullKnowledge

CLUSTERS = (50, 75, 100, 125)
GRID = (30, 40, 50, 60, 75, 100, 125, 150, 175, 200)
"""Numbers of clusters for the correlations and the curves."""


@dataclass(frozen=True)
class Trial:
    """One release and what is measured of it."""

    method: str
    c: int
    s_min: int
    added: float
    jaccard: float
    reid: float
    seconds: float


def anonymizer(method: str, c: int, s_min: int, *, seconds: float = 20.0) -> Decoys:
    """Return the paper's method 1 or 2, or our search."""
    if method == "search":
        return Decoys(clusters=c, min_size=s_min, style="paper", seconds=seconds)
    return Decoys(clusters=c, min_size=s_min, grouping="tfidf-kmeans", style="paper")


def rate(history: History, release: Release, attack: Attack, *, seed: int) -> float:
    """Return the share of customers that an attacker with full knowledge finds."""
    challenge, answer = FullKnowledge()(history, release, seed=seed)
    return HitRate()(attack(challenge, seed=seed), answer).value


def own_similarity(history: History, anonymized: History) -> float:
    """Return the mean jaccard coefficient of customers with themselves before anonymization."""
    before, after = (
        part.frame().select("person", "item").unique() for part in (history, anonymized)
    )
    common = before.join(after, on=["person", "item"]).group_by("person").len("common")
    sizes = (
        before.group_by("person")
        .len("before")
        .join(after.group_by("person").len("after"), on="person", how="left")
    )
    both = (
        sizes.join(common, on="person", how="left")
        .fill_null(0)
        .cast({"before": pl.Float64, "after": pl.Float64, "common": pl.Float64})
    )
    return fmean(both["common"] / (both["before"] + both["after"] - both["common"]))


def run_trial(
    history: History, method: str, c: int, s_min: int, *, seed: int, seconds: float
) -> Trial:
    """Anonymize, publish, attack."""
    start = time.perf_counter()
    anonymized = anonymizer(method, c, s_min, seconds=seconds)(history, seed=seed)
    taken = time.perf_counter() - start
    release = publish(history, anonymized, secret=repeatable_secret(seed))
    return Trial(
        method,
        c,
        s_min,
        added=anonymized.rows - history.rows,
        jaccard=own_similarity(history, anonymized),
        reid=rate(history, release, Jaccard(top=1), seed=seed),
        seconds=taken,
    )


def mean_trial(trials: list[Trial]) -> Trial:
    """Return the mean of trials of the same setting."""
    first = trials[0]
    numbers = ("added", "jaccard", "reid", "seconds")
    means = {name: fmean(getattr(trial, name) for trial in trials) for name in numbers}
    return Trial(first.method, first.c, first.s_min, **means)


def table4(history: History, *, trials: int, seed: int, seconds: float) -> list[Trial]:
    """Return every cell of the paper's Table 4, and ours by search, each the mean of its trials."""
    n = len(history.persons())
    search = {("search", c, s): 1 for c in CLUSTERS for s in {2, n // c}}
    cells = dict.fromkeys(TABLE4, trials) | search
    found = []
    for (method, c, s_min), repeats in track(cells.items(), len(cells), "Table 4"):
        runs = [
            run_trial(
                history,
                method,
                c,
                s_min,
                seed=derive(seed, f"{method}/{c}/{number}"),
                seconds=seconds,
            )
            for number in range(repeats)
        ]
        found.append(mean_trial(runs))
    return found


def measurements(history: History, *, seed: int) -> pl.DataFrame:
    """Return releases over a grid of c with all utilities, for Table 3 and the curves."""
    n = len(history.persons())
    grid = [(m, c, 1 if m == "1" else n // c) for c in GRID if c <= n // 2 for m in ("1", "2")]
    metrics = (
        SpendBySexAndCountry(),
        SpendByDecadeAndCountry(),
        RfmCellShares(),
        TopItemsMissing(),
        NotASubset(),
    )
    rows: list[dict[str, Any]] = []
    for method, c, s_min in track(grid, len(grid), "Table 3"):
        anonymized = anonymizer(method, c, s_min)(history, seed=seed)
        release = publish(history, anonymized, secret=repeatable_secret(seed))
        scores = [metric(history, release, seed=seed) for metric in metrics]
        challenge, answer = FullKnowledge()(history, release, seed=seed)
        timed = {}
        for name, attack in (("jaccard", Jaccard(top=1)), ("multiset", MultisetJaccard(top=1))):
            start = time.perf_counter()
            guess = attack(challenge, seed=seed)
            timed[f"seconds_{name}"] = time.perf_counter() - start
            if name == "jaccard":
                reid = HitRate()(guess, answer).value
        rows.append(
            {"method": method, "c": c, "s_min": s_min, "added": anonymized.rows - history.rows}
            | {score.name: score.value for score in scores}
            | {"jaccard": own_similarity(history, anonymized), "reid": reid}
            | timed
        )
    return pl.DataFrame(rows)


CORRELATED = (
    "added",
    "U1-cMAE",
    "U2-cMAE",
    "U3-RFM",
    "U4-topitems",
    "Y1-subset",
    "jaccard",
    "reid",
    "c",
)


def correlations(measured: pl.DataFrame) -> dict[str, dict[str, float | None]]:
    """Return Table 3: Pearson's correlation of all pairs; None where a column is constant."""
    values = measured.select(CORRELATED).to_numpy().astype(float)
    with np.errstate(invalid="ignore", divide="ignore"):
        matrix = np.corrcoef(values, rowvar=False)
    return {
        row: {
            column: None if np.isnan(matrix[i, j]) else float(matrix[i, j])
            for j, column in enumerate(CORRELATED)
        }
        for i, row in enumerate(CORRELATED)
    }


def stripped(history: History, *, seed: int) -> dict[str, float]:
    """Return what `strip-decoys` finds on method 2 at c = n / 4, in both styles of decoys."""
    n = len(history.persons())
    c = n // 4
    found: dict[str, float] = {"expected": c / n}
    for style in ("paper", "camouflage"):
        method = Decoys(clusters=c, min_size=n // c, grouping="tfidf-kmeans", style=style)
        release = publish(history, method(history, seed=seed), secret=repeatable_secret(seed))
        found[style] = rate(history, release, StripDecoys(), seed=seed)
    return found


def theory() -> dict[str, float]:
    """Return the worked examples of section 4.5."""
    small, large = (DecoyTheory(n=n, b=65, mu=0.03) for n in (400, 4000))
    return {
        "h": small.h,
        "domain_starts_at": small.domain.start,
        "c_star_400": small.best_clusters,
        "c_star_4000": round(large.best_clusters_approximately),
        "reid_4000": large.reidentified(round(large.best_clusters_approximately)),
        "added_4000": large.added_rows(round(large.best_clusters_approximately)),
    }


def elsewhere(name: str, history: History, *, seed: int, seconds: float) -> dict[str, Any]:
    """Return the same on another history: method 2 and search with groups of four."""
    n = len(history.persons())
    c = n // 4
    two, ours = (
        run_trial(history, method, c, 4, seed=seed, seconds=seconds) for method in ("2", "search")
    )
    return {"data": name, "customers": n, "rows": history.rows, "c": c} | {
        f"{trial.method}_{key}": value
        for trial in (two, ours)
        for key, value in asdict(trial).items()
        if key in ("added", "reid")
    }
