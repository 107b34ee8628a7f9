"""The audit against attackers who share nothing with it, on releases that it was not made with."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from battery import CASES, release
from marking import luckiest
from red_team import Results, attacked

from tokumei import registry
from tokumei.attacks.ensemble import members
from tokumei.audit import Audit, audit
from tokumei.errors import SchemaError
from tokumei.registry import name_of

HERE = Path(__file__).parent
PLAIN = ("attackers", "histograms", "likelihoods", "names_and_order", "single_columns")
SHORT = 0.03
"""By so much the audit's largest rate may lie below that of the red team."""
BEHIND = 0.02
"""By so much the ensemble may lie below the best of its members."""
ENSEMBLE_BEHIND = {"rows strewn": 0.07, "generalize + delete": 0.06, "monthly groups": 0.03}
"""Where it still lies further below: the numbers of rows agree with each other and mislead; and
among groups most names are guesses, of which the luckiest member's are right most often."""
AUDIT_BEHIND = {"equalize months": 0.04}
"""Where the audit still lies further below: two of 53 customers, by item sets alone."""
BLIND = 5
"""A guesser without any knowledge names more customers than this once in 1,700 times."""
MAX_RISK = 0.1
"""The default limit of the audit."""
LUCK = 0.001
"""Keys that the release cannot tell apart exceed a bound with this chance, over all attackers."""
REFUSED = {"customers listed four times"}
"""What the audit may refuse to read."""
DRAWS = 4
"""Where a rate is behind in one draw of a release, the mean of all draws decides: two of fifty
customers are luck."""
NAMES = [
    pytest.param(name, marks=[pytest.mark.realdata] * case.needs_real_data, id=name)
    for name, case in CASES.items()
]


@pytest.mark.parametrize("name", NAMES)
def test_the_audit_finds_what_the_red_team_finds_and_calls_nothing_safe_that_is_not(
    name: str, request: pytest.FixtureRequest
) -> None:
    """One test for a release, so that its audit is made once."""
    if CASES[name].needs_real_data:
        request.getfixturevalue("real_data")
    try:
        found = audit(*release(name))
    except SchemaError:
        assert name in REFUSED
        return
    assert broken_promises(found, attacked(name)) == []
    measured = [compared(found, attacked(name))]
    if behind(name, measured):
        for draw in range(1, DRAWS):
            found, ours = audit(*release(name, draw)), attacked(name, draw)
            assert broken_promises(found, ours) == []
            measured.append(compared(found, ours))
    assert behind(name, measured) == []


@dataclass(frozen=True)
class Compared:
    """What the audit finds beside the red team, and the ensemble beside its members."""

    pseudonyms: int
    bound: float
    """The share that anybody can name on average, by the groups that look alike."""
    audit: float
    red_team: float
    audit_by_sets: float | None
    red_team_by_sets: float
    members: dict[str, float]
    """The best rate of each, whatever it knows; the ensemble among them."""


def compared(found: Audit, ours: Results) -> Compared:
    """Return the rates of one draw."""
    rates = rates_by_knowledge(found)
    asked = {"ensemble", *(name_of(member) for member in members(1))}
    best: dict[str, float] = dict.fromkeys(asked, 0.0)
    for known in rates.values():
        for name in asked & known.keys():
            best[name] = max(best[name], known[name])
    return Compared(
        len(ours.truth),
        float(np.mean(1 / ours.sizes)),
        found.headline.score.value,
        ours.best_by_contents.rate,
        max(rates["item-sets"].values()) if "item-sets" in rates else None,
        ours.with_item_sets,
        best,
    )


def behind(name: str, draws: list[Compared]) -> list[str]:
    """Say where the audit finds fewer than the red team, or the ensemble than one of its members.

    Of several draws the means are compared. Beyond luck in groups: what is above the bound is no
    merit of a member.
    """
    reasons = []
    blind = BLIND / draws[0].pseudonyms

    def mean(values: Iterable[float]) -> float:
        return float(np.mean(list(values)))

    pairs = [("anything", mean(d.audit for d in draws), mean(d.red_team for d in draws))]
    by_sets = [d.audit_by_sets for d in draws if d.audit_by_sets is not None]
    if by_sets:
        pairs.append(("item sets", mean(by_sets), mean(d.red_team_by_sets for d in draws)))
    for knowledge, theirs, rate in pairs:
        if rate > max(theirs + AUDIT_BEHIND.get(name, SHORT), blind):
            reasons.append(f"knowing {knowledge}, the audit finds {theirs:.1%}, we find {rate:.1%}")
    rates = {one: mean(d.members[one] for d in draws) for one in draws[0].members}
    best = max(rates, key=rates.__getitem__)
    most = mean(d.bound for d in draws)
    if rates[best] > blind and min(most, rates[best]) > rates["ensemble"] + ENSEMBLE_BEHIND.get(
        name, BEHIND
    ):
        reasons.append(f"ensemble finds {rates['ensemble']:.1%}, {best} {rates[best]:.1%}")
    return reasons


def broken_promises(found: Audit, ours: Results) -> list[str]:
    """Say where somebody finds more than the bound that is stated, or than safe allows."""
    reasons = []
    if found.verdict == "safe" and ours.sizes.min() < 1 / MAX_RISK:
        reasons.append(f"called safe, but some are in a group of {ours.sizes.min()}")
    if found.verdict != "safe" and found.bound is None:
        return reasons
    bound = MAX_RISK if found.bound is None else found.bound.value
    chance = LUCK / len(ours.marks)
    for mark in ours.marks:
        right = float(np.mean(mark.names == ours.truth)) if mark.by_labels else mark.rate
        if right <= bound + 1e-9:
            continue
        lucky = luckiest(mark.names, ours.truth, ours.groups, chance=chance)
        if mark.by_labels and right <= lucky:
            continue
        reasons.append(f"at most {bound:.1%}, but {mark.attacker} finds {right:.1%}")
    return reasons


def rates_by_knowledge(found: Audit) -> dict[str, dict[str, float]]:
    """Return what each attack finds, by what it knows."""
    rates: dict[str, dict[str, float]] = {}
    for one in found.risks:
        attack, knowledge = one.score.name.split(" @ ")
        rates.setdefault(knowledge, {})[attack] = one.score.value
    return rates


@cache
def _verdict(name: str) -> str:
    return audit(*release(name)).verdict


@pytest.mark.parametrize(
    "name", ["equalize in twelves", "generalize in twelves", "decoys share rows"]
)
def test_groups_of_twelve_who_are_alike_are_called_safe(name: str) -> None:
    assert attacked(name).sizes.min() >= 12
    assert _verdict(name) == "safe"


def test_the_battery_has_every_method_in_at_least_forty_releases() -> None:
    assert len(CASES) >= 40
    used = set()
    for case in CASES.values():
        for step in (case.method, *getattr(case.method, "steps", ())):
            used |= {name_of(part) for part in (step, *getattr(step, "steps", ()))}
    assert set(registry.names("anonymizer")) <= used


def test_the_red_team_shares_nothing_with_the_attacks_of_the_audit() -> None:
    for file in HERE.glob("*.py"):
        if file.name == Path(__file__).name:
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom | ast.Import):
                names = [getattr(node, "module", None) or "", *(one.name for one in node.names)]
                assert not any("attacks" in name or "itemsets" in name for name in names)
                plain = file.stem in PLAIN
                assert not (plain and names[0].startswith("tokumei")), file.name
