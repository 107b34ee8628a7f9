"""`audit`: whether a release is safe, against whom, and what it is still good for."""

from __future__ import annotations

import hashlib
import hmac
import platform
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import Any, Literal

import polars as pl

import tokumei
from tokumei.audit.criteria import Criterion
from tokumei.audit.law import assess
from tokumei.audit.links import links
from tokumei.audit.suite import (
    THREATS,
    LeftOut,
    Measured,
    all_attacks,
    find_customers,
    measure,
)
from tokumei.audit.verdict import MAX_RISK, Verdict, judge_groups
from tokumei.cells import to_text
from tokumei.contracts import Release, Score
from tokumei.data.matching import check_pair
from tokumei.errors import ParameterError, SchemaError, Unachievable
from tokumei.history import ROW, History
from tokumei.metrics.question import Case, Marked
from tokumei.tables import Table, columns, frame

PACKAGES = ("tokumei", "numba", "numpy", "polars", "scipy")


@dataclass(frozen=True)
class Provenance:
    """What makes the numbers come out again."""

    seed: int
    digests: Mapping[str, str]
    """What tells original and release from others, by their values and not their files.

    SHA-256 of the release. Where few originals or keys are possible, their digests would tell which
    it is: that of the original is keyed by the release's secret, and the key has none.
    """
    versions: Mapping[str, str]
    command: str = ""


@dataclass(frozen=True, eq=False)
class Audit:
    """Everything that was found out about a release."""

    case: Case
    risks: tuple[Marked, ...]
    """Those who find the most first."""
    judged: Verdict
    guarantees: tuple[Measured, ...]
    facts: tuple[Measured, ...]
    """What holds under an assumption about the attacker."""
    utilities: tuple[Measured, ...]
    criteria: tuple[Criterion, ...]
    left_out: tuple[LeftOut, ...]
    provenance: Provenance

    @property
    def original(self) -> History:
        """The history before."""
        return self.case.history

    @property
    def release(self) -> Release:
        """What was made of it."""
        return self.case.release

    @property
    def headline(self) -> Marked:
        """The attacker who finds the most."""
        return self.risks[0]

    @property
    def largest(self) -> Score:
        """The largest rate; its interval holds for all attackers at once (Bonferroni)."""
        headline = self.headline
        if headline.groups is None:
            return headline.score
        error = 0.05 / len(self.risks)
        return replace(headline.score, interval=headline.groups.interval(1 - error))

    @property
    def verdict(self) -> Literal["safe", "exposed"]:
        """Safe if every single customer's chance is bounded below the limit, and nobody beat it."""
        return "safe" if self.judged.safe else "exposed"

    @property
    def bound(self) -> Score | None:
        """The share of customers that any attacker can name on average, where nothing breaks it."""
        scores = (one.score for one in self.guarantees)
        return next((score for score in scores if score.name == "indistinguishable-rows"), None)

    @property
    def exchanged(self) -> int:
        """Pseudonyms that carry mostly the purchases of another customer than the key says."""
        return int((self.case.owners["person"] != self.case.owners["owner"]).sum())

    @property
    def monthly(self) -> bool:
        """Whether pseudonyms change with the month, so that customer-months are named."""
        return "period" in columns(self.release.key.pseudonyms)

    @property
    def whole_customers(self) -> tuple[int, int]:
        """Customers all of whose pseudonyms the best attacker names, and all customers."""
        named = self.headline.named.select("target", "hit")
        held = self.case.owners.select("owner", target="pseudonym")
        marked = held.join(named, on="target", how="left").with_columns(pl.col("hit").fill_null(0))
        least = marked.group_by("owner").agg(pl.col("hit").min())
        return int((least["hit"] == 1).sum()), len(least)

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values, the same for the same data and seed."""
        return {
            "verdict": self.verdict,
            **self.judged.to_json(),
            "largest": self.largest.to_json() | {"simultaneous_over": len(self.risks)},
            "bound": self.bound.to_json() if self.bound else None,
            "counted": "customer-months" if self.monthly else "customers",
            "whole_customers": self.whole_customers[0],
            "risks": [found.score.to_json() for found in self.risks],
            "exchanged": self.exchanged,
            "guarantees": [one.score.to_json() for one in self.guarantees],
            "facts": [one.score.to_json() for one in self.facts],
            "utilities": [one.score.to_json() for one in self.utilities],
            "criteria": [criterion.to_json() for criterion in self.criteria],
            "left_out": [{"name": one.name, "reason": one.reason} for one in self.left_out],
            "provenance": {
                "seed": self.provenance.seed,
                "digests": dict(self.provenance.digests),
                "versions": dict(self.provenance.versions),
                "command": self.provenance.command or None,
            },
        }

    def _repr_html_(self) -> str:
        from tokumei.audit.page import framed

        return framed(self)


def audit(
    original: History,
    release: Release,
    *,
    max_risk: float = MAX_RISK,
    seed: int = 0,
    command: str = "",
) -> Audit:
    """Run every attacker, every verifier and every utility metric that applies.

    `max_risk` is the largest chance of being found that a single customer may have. It lies below
    1: with a limit of 1, even customers who are named for sure would be within.
    """
    if not 0 < max_risk < 1:
        raise ParameterError(f"max_risk must lie in (0, 1), not {max_risk}.")
    check_pair(original, release)
    case = Case(original, release)
    risks, left_out = find_customers(case, seed=seed, threats=THREATS, attacks=all_attacks())
    if not risks:
        reasons = "; ".join(sorted({one.reason for one in left_out}))
        raise Unachievable(f"No attack applies to this release: {reasons}")
    told = links(original, release)
    judged = judge_groups(case, risks, max_risk=max_risk, links=told.all)
    found = measure(original, release, seed=seed)
    left_out += found.left_out
    guarantees = found.guarantees
    if judged.withheld:
        left_out += [LeftOut(one.score.name, judged.withheld) for one in guarantees]
        guarantees = ()
    criteria: tuple[Criterion, ...] = ()
    try:
        criteria = assess(original, release, links=told, largest=risks[0].score)
    except SchemaError as error:
        left_out.append(LeftOut("law", str(error)))
    return Audit(
        case,
        tuple(risks),
        judged,
        guarantees,
        found.facts,
        found.utilities,
        criteria,
        tuple(left_out),
        Provenance(seed, digests(original, release), _versions(), command),
    )


def digests(original: History, release: Release) -> dict[str, str]:
    """Return what tells data from other data, whatever the order of rows or the kind of file."""
    found = {"release": digest_of(release.public)}
    if release.key.secret is not None:
        found["original"] = digest_of(original, secret=release.key.secret)
    return found


def digest_of(history: History, *, secret: bytes | None = None) -> str:
    """Return the SHA-256 of a history's values, keyed by a secret if there is one."""
    found = hashlib.sha256() if secret is None else hmac.new(secret, digestmod="sha256")
    for part in (history.purchases, history.customers):
        if part is not None:
            found.update(_content(part))
    return found.hexdigest()


def _content(part: Table) -> bytes:
    rows = frame(part)
    order = [ROW] if ROW in rows.columns else rows.columns[:1]
    rows = rows.select(sorted(rows.columns)).sort(order, maintain_order=True)
    return rows.select(pl.all().map_batches(_as_text)).write_csv().encode()


def _as_text(cells: pl.Series) -> pl.Series:
    return to_text(cells, lambda values: values.cast(pl.String))


def _versions() -> dict[str, str]:
    known = {name: version(name) for name in PACKAGES if name != "tokumei"}
    return {"tokumei": tokumei.__version__, "python": platform.python_version(), **known}
