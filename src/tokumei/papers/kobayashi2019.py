"""Kobayashi 2019: k-anonymous generalization, judged by RFM analysis and by the contest."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from tokumei.anonymizers.generalize import Generalize
from tokumei.attacks import CandidateIntersection, ItemIntersection, UniqueRow
from tokumei.cells import to_text
from tokumei.contracts import Release
from tokumei.draws import derive, repeatable_secret
from tokumei.history import History
from tokumei.judges.shoot_down import ShootDown
from tokumei.metrics import IdenticalGroups, InformationLoss, RfmAgreement, UncoveredCells
from tokumei.metrics.identical_groups import group_sizes
from tokumei.papers.kobayashi2019_numbers import TABLE2
from tokumei.progress import track
from tokumei.publishing import publish
from tokumei.rfm import analyze
from tokumei.tables import frame
from tokumei.theory.shooting_down import shot_down_probability
from tokumei.threats.full_knowledge import FullKnowledge

KS = (2, 3, 4)


@dataclass(frozen=True)
class Row:
    """One release: how far RFM analysis agrees, what is lost, and what was verified."""

    k: int
    grouping: str
    objective: str
    R: float
    F: float
    M: float
    RFM: float
    safety: float
    information_loss: float
    smallest_group: int
    uncovered_cells: float
    seconds: float


def methods(k: int, seconds: float) -> list[Generalize]:
    """Return the paper's method, groups of like R, F and M, and our searches."""
    return [
        Generalize(k=k, grouping="row-count", alignment="order", objective="none"),
        Generalize(k=k, grouping="rfm", objective="none"),
        Generalize(k=k, grouping="search", objective="rfm", seconds=seconds),
        Generalize(k=k, grouping="search", objective="information-loss", seconds=seconds),
    ]


def measured(history: History, method: Generalize, *, seed: int) -> tuple[Row, Release]:
    """Anonymize, publish and measure once."""
    begun = time.perf_counter()
    release = publish(
        history, method(history, seed=seed), secret=repeatable_secret(derive(seed, "publish"))
    )
    taken = time.perf_counter() - begun
    agreement = {
        of: RfmAgreement(of=of)(history, release, seed=seed).value for of in ("R", "F", "M", "RFM")
    }
    sizes = group_sizes(release.public)
    row = Row(
        k=method.k,
        grouping=method.grouping,
        objective=method.objective,
        **agreement,
        safety=len(sizes) / len(history.persons()),
        information_loss=InformationLoss()(history, release, seed=seed).value,
        smallest_group=int(IdenticalGroups()(history, release, seed=seed).value),
        uncovered_cells=UncoveredCells()(history, release, seed=seed).value,
        seconds=taken,
    )
    return row, release


def table4(
    history: History, *, ks: Sequence[int] = KS, seconds: float, seed: int
) -> tuple[list[Row], dict[int, Release]]:
    """Return all rows, and the releases of the search for the information loss."""
    planned = [method for k in ks for method in methods(k, seconds)]
    rows: list[Row] = []
    entries: dict[int, Release] = {}
    for method in track(planned, len(planned), "Table 4"):
        row, release = measured(history, method, seed=seed)
        rows.append(row)
        if (method.grouping, method.objective) == ("search", "information-loss"):
            entries[method.k] = release
    return rows, entries


def attacked(history: History, release: Release, *, seed: int) -> list[dict[str, Any]]:
    """Return what our attacks find, and whether that would shoot the release down."""
    challenge, answer = FullKnowledge()(history, release, seed=seed)
    found = []
    for name, attack in (
        ("exact row", UniqueRow()),
        ("item intersection", ItemIntersection()),
        ("candidate intersection", CandidateIntersection()),
    ):
        guess = attack(challenge, seed=seed)
        lines, right = ShootDown().count(guess, answer)
        shot = bool(ShootDown()(guess, answer).value)
        found.append({"attack": name, "lines": lines, "right": right, "shot down": shot})
    return found


def contest_entry(history: History, release: Release, row: Row, *, seed: int) -> dict[str, Any]:
    """Return a release as an entry to PWSCUP 2018: its loss, its attackers, its chance to fall."""
    best = shot_down_probability(group_sizes(release.public).tolist())
    return {
        "k": row.k,
        "information_loss": row.information_loss,
        "attacks": attacked(history, release, seed=seed),
        "shot_down_probability": best.probability,
        "shot_down_lines": best.lines,
    }


def examples(history: History, release: Release) -> pl.DataFrame:
    """Return R, F and M of the paper's three customers, before and after (Table 2)."""
    before = analyze(history)
    names = frame(release.key.pseudonyms).rename({"person": "customer", "pseudonym": "person"})
    after = analyze(release.public).join(names, on="person").drop("person")
    both = before.rename({"person": "customer"}).join(after, on="customer", suffix=" after")
    wanted = both.filter(pl.col("customer").is_in(list(TABLE2)))
    shown = wanted if len(wanted) else both.head(3)
    return shown.sort("customer").select("customer", "R", "F", "M", "R after", "F after", "M after")


def released_rows(release: Release, count: int = 4) -> pl.DataFrame:
    """Return a row of each member of some groups as texts, as the paper's Table 3 shows them."""
    rows = release.public.frame()
    texts = {
        name: to_text(rows[name], lambda values: values.cast(pl.String))
        for name in ("time", "item", "price", "quantity")
    }
    shown = pl.DataFrame({"pseudonym": rows["person"], **texts})
    cells = list(texts)
    shared = shown.filter(pl.struct(cells).is_duplicated()).sort(*cells, "pseudonym")
    first = shared.unique(cells, keep="first", maintain_order=True).head(count)
    return shared.join(first.select(cells), on=cells, how="semi", maintain_order="left")
