"""`audit`: whether a release is safe, against whom, and what it is still good for."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, Literal

import polars as pl

import tokumei
from tokumei.audit.criteria import Criterion
from tokumei.audit.law import assess
from tokumei.audit.suite import (
    Found,
    LeftOut,
    Measured,
    all_attacks,
    find_customers,
    measure,
    threats_to,
    whose_purchases,
)
from tokumei.cells import to_text
from tokumei.contracts import Release, Score
from tokumei.data.matching import check_pair
from tokumei.errors import SchemaError, Unachievable
from tokumei.history import ROW, History
from tokumei.tables import Table, frame

Verdict = Literal["nobody", "few", "some", "bounded", "guessing"]
"""Whether nobody, few or some are protected; or a bound holds; or no attacker beat a guess."""

NOBODY, FEW = 0.9, 0.5
"""From so large a share of customers found on, nobody is protected; few are."""
ALIKE = 0.5
"""Where customers are at most this share of different ones, groups of them are alike."""
PACKAGES = ("tokumei", "numba", "numpy", "polars", "scipy")


@dataclass(frozen=True)
class Provenance:
    """What makes the numbers come out again."""

    seed: int
    digests: Mapping[str, str]
    """SHA-256 of the contents of original, release and key, by their values and not their files."""
    versions: Mapping[str, str]
    command: str = ""


@dataclass(frozen=True, eq=False)
class Audit:
    """Everything that was found out about a release."""

    original: History
    release: Release
    risks: tuple[Found, ...]
    """Those who find the most first."""
    exchanged: int
    """Pseudonyms that carry mostly the purchases of another customer than the key says."""
    guarantees: tuple[Measured, ...]
    utilities: tuple[Measured, ...]
    criteria: tuple[Criterion, ...]
    left_out: tuple[LeftOut, ...]
    provenance: Provenance

    @property
    def headline(self) -> Found:
        """The attacker who finds the most."""
        return self.risks[0]

    @property
    def bound(self) -> Score | None:
        """The share of customers that the best attacker can name, whatever they know."""
        scores = (one.score for one in self.guarantees)
        return next((score for score in scores if score.name == "indistinguishable-rows"), None)

    @property
    def verdict(self) -> Verdict:
        """What the largest rate means."""
        largest = self.headline.score
        if self.bound is not None and self.bound.value <= ALIKE:
            return "bounded"
        if largest.value >= NOBODY:
            return "nobody"
        if largest.value >= FEW:
            return "few"
        low = largest.interval[0] if largest.interval else largest.value
        return "some" if low > (largest.baseline or 0.0) else "guessing"

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values, the same for the same data and seed."""
        return {
            "verdict": self.verdict,
            "largest": self.headline.score.to_json(),
            "bound": self.bound.to_json() if self.bound else None,
            "risks": [found.score.to_json() for found in self.risks],
            "exchanged": self.exchanged,
            "guarantees": [one.score.to_json() for one in self.guarantees],
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


def audit(original: History, release: Release, *, seed: int = 0, command: str = "") -> Audit:
    """Run every attacker, every verifier and every utility metric that applies."""
    check_pair(original, release)
    whose = whose_purchases(original, release)
    risks, left_out = find_customers(
        original, release, whose, seed=seed, threats=threats_to(release), attacks=all_attacks()
    )
    if not risks:
        reasons = "; ".join(sorted({one.reason for one in left_out}))
        raise Unachievable(f"No attack applies to this release: {reasons}")
    guarantees, utilities, more = measure(original, release, seed=seed)
    left_out += more
    criteria: tuple[Criterion, ...] = ()
    try:
        criteria = assess(original, release, largest=risks[0].score)
    except SchemaError as error:
        left_out.append(LeftOut("law", str(error)))
    return Audit(
        original,
        release,
        tuple(risks),
        int((whose["person"] != whose["owner"]).sum()),
        tuple(guarantees),
        tuple(utilities),
        criteria,
        tuple(left_out),
        Provenance(seed, digests(original, release), _versions(), command),
    )


def digests(original: History, release: Release) -> dict[str, str]:
    """Return what tells data from other data, whatever the order of rows or the kind of file."""
    return {
        "original": digest_of(original),
        "release": digest_of(release.public),
        "key": _digest(release.key.pseudonyms, release.key.rows),
    }


def digest_of(history: History) -> str:
    """Return the digest of a history's values."""
    return _digest(history.purchases, history.customers)


def _digest(*tables: Table | None) -> str:
    found = hashlib.sha256()
    for part in tables:
        if part is None:
            continue
        rows = frame(part)
        order = [ROW] if ROW in rows.columns else rows.columns[:1]
        rows = rows.select(sorted(rows.columns)).sort(order, maintain_order=True)
        found.update(rows.select(pl.all().map_batches(_as_text)).write_csv().encode())
    return found.hexdigest()


def _as_text(cells: pl.Series) -> pl.Series:
    return to_text(cells, lambda values: values.cast(pl.String))


def _versions() -> dict[str, str]:
    known = {name: version(name) for name in PACKAGES if name != "tokumei"}
    return {"tokumei": tokumei.__version__, "python": platform.python_version(), **known}
