"""Saito 2014: perturbation that respects correlations between attributes; tables 2 and 3."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tokumei.data.census import allowed_pairs
from tokumei.data.census_like import generate_census
from tokumei.data.microdata import read_microdata
from tokumei.draws import derive
from tokumei.metrics.cross_tabulation import l1
from tokumei.mining import compare, mine
from tokumei.pk import (
    Correlation,
    Domain,
    Mechanism,
    anonymity,
    best_rho,
    closed_form,
    crosstab,
    largest_rho,
    mechanism,
    reconstruct,
    records_of,
    tabulate,
)
from tokumei.pk.anonymity import solve
from tokumei.progress import track

KS = (2, 3, 10)
ATTRIBUTES = ("age", "education", "sex")
PRINTED_L1 = {2: (0.210, 0.174), 3: (0.247, 0.198), 10: (0.325, 0.267)}
"""Table 2: conventional and proposed, by k."""
PRINTED_RULES = {"conventional": (0.9, 0.6, 0.022, 0.021), "correlated": (0.9, 0.8, 0.021, 0.025)}
"""Table 3 at k = 2: extracted, in place, error of support, error of confidence."""
RULES_K = 2


@dataclass(frozen=True, eq=False)
class Data:
    """A table of people, and what it is."""

    name: str
    rows: pl.DataFrame
    correlation: Correlation
    dropped: int
    """Records that the correlation forbids."""

    @property
    def domain(self) -> Domain:
        """The attributes and their ranges."""
        return self.correlation.domain


def data_of(path: Path | None, *, seed: int, records: int | None = None) -> Data:
    """Read the user's file, or generate a table of the census's shape."""
    if path is None:
        sized = {} if records is None else {"records": records}
        return _prepared("generated", generate_census(**sized, seed=seed), allowed_pairs())
    found = read_microdata(path)
    return _prepared(found.name, found.table, found.allowed)


def _prepared(name: str, rows: pl.DataFrame, allowed: pl.DataFrame) -> Data:
    domain = Domain.found_in(rows, ATTRIBUTES)
    correlation = Correlation.allowing(domain, allowed)
    texts = rows.with_columns(pl.col("age", "education").cast(pl.String).name.suffix("_text"))
    kept = texts.join(
        allowed, left_on=["age_text", "education_text"], right_on=["age", "education"], how="semi"
    ).select(ATTRIBUTES)
    return Data(name, kept, correlation, len(rows) - len(kept))


@dataclass(frozen=True, eq=False)
class Method:
    """A way to choose the mechanism for a k."""

    name: str
    title: str
    choose: Callable[[Data, float, int], Mechanism]


def _by_closed_form(data: Data, k: float, records: int) -> Mechanism:
    tree = data.correlation
    rho = solve(lambda rho: math.log(closed_form(tree, rho)), k, records)
    return mechanism(tree, rho)


METHODS = (
    Method(
        "conventional",
        "conventional",
        lambda data, k, n: mechanism(data.domain, largest_rho(data.domain, k, n)),
    ),
    Method(
        "conventional_each",
        "conventional, rho for each",
        lambda data, k, n: mechanism(data.domain, best_rho(data.domain, k, n)),
    ),
    Method("closed_form", "correlated, the paper's bound", _by_closed_form),
    Method(
        "correlated",
        "correlated, exact bound",
        lambda data, k, n: mechanism(data.correlation, largest_rho(data.correlation, k, n)),
    ),
    Method(
        "correlated_each",
        "correlated, rho for each",
        lambda data, k, n: mechanism(data.correlation, best_rho(data.correlation, k, n)),
    ),
)


@dataclass(frozen=True)
class Point:
    """What a method reaches at one k, as the mean of the trials."""

    method: str
    k: int
    rho: tuple[float, ...]
    anonymity: float
    l1: float
    deviation: float
    """Standard deviation of L1 over the trials."""
    l1_of_inverse: float
    l1_as_perturbed: float
    """Without any reconstruction."""


def accuracy(data: Data, *, trials: int, seed: int) -> list[Point]:
    """Table 2: the L1 distance of the reconstructed cross tabulation, for all methods and k."""
    tasks = [(method, k) for method in METHODS for k in KS]
    return [
        _point(data, method, k, trials=trials, seed=seed)
        for method, k in track(tasks, len(tasks), "table 2")
    ]


def _point(data: Data, method: Method, k: int, *, trials: int, seed: int) -> Point:
    of = method.choose(data, k, len(data.rows))
    cells = records_of(data.rows, of.space).cells
    truth = tabulate(cells, of)
    found = []
    for trial in range(trials):
        seen = _perturbed(cells, of, seed=derive(seed, f"{method.name}/{k}/{trial}"))
        estimates = reconstruct(seen, of), reconstruct(seen, of, method="inverse")
        found.append([l1(part.counts, truth) for part in estimates] + [l1(seen, truth)])
    means = np.mean(found, axis=0)
    spread = float(np.std(found, axis=0)[0])
    k_reached = anonymity(of, len(data.rows))
    return Point(method.name, k, of.rho, k_reached, means[0], spread, means[1], means[2])


def _perturbed(cells: Any, of: Mechanism, *, seed: int) -> Any:
    return tabulate(of.draw(cells, np.arange(len(cells)), seed=seed), of)


def association(data: Data, *, trials: int, seed: int) -> dict[str, dict[str, float]]:
    """Table 3: the original's ten rules of most support, looked for in reconstructed tables."""
    found: dict[str, dict[str, float]] = {}
    chosen = [method for method in METHODS if method.name in ("conventional", "correlated")]
    for method in track(chosen, len(chosen), "table 3"):
        of = method.choose(data, RULES_K, len(data.rows))
        cells = records_of(data.rows, of.space).cells
        original = mine(crosstab(tabulate(cells, of), of))
        parts = []
        for trial in range(trials):
            seen = _perturbed(cells, of, seed=derive(seed, f"rules/{method.name}/{trial}"))
            again = mine(crosstab(reconstruct(seen, of).counts, of))
            agreement = compare(original, again)
            parts.append(
                (
                    agreement.extracted,
                    agreement.in_place,
                    agreement.support_error,
                    agreement.confidence_error,
                )
            )
        names = ("extracted", "in_place", "support_error", "confidence_error")
        found[method.name] = dict(zip(names, np.mean(parts, axis=0).tolist(), strict=True))
    return found
