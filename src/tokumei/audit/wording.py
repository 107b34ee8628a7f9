"""How a report names attackers, numbers and methods."""

from __future__ import annotations

from tokumei import words
from tokumei.audit.auditing import Audit
from tokumei.audit.criteria import Translate
from tokumei.contracts import Score, Threat
from tokumei.metrics.question import Marked
from tokumei.registry import name_of

ARROWS = {"lower": "▼", "higher": "▲"}
SMALL = 0.01
"""Below this share one decimal of a percentage would say too little."""


def percent(share: float) -> str:
    """Write a share, such as `25.0%`, or `0.25%` where it is small."""
    return words.percent(share, 2 if 0 < share < SMALL else 1)


def joined(first: str, second: str) -> str:
    """Put a sentence behind another; Japanese has no space between them."""
    return first + second if first.endswith("。") else f"{first} {second}"


def interval(score: Score) -> str:
    """Write the interval of a share."""
    if score.interval is None:
        return "–"
    low, high = score.interval
    return f"{percent(low)} – {percent(high)}"


def number(value: float) -> str:
    """Write any other value, with four digits that tell."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def attack_name(found: Marked) -> str:
    """Return the registered name of an attack, by which it can be run again."""
    return name_of(found.attack)


def counted(audit: Audit, tr: Translate) -> str:
    """Say what a rate is a share of."""
    return tr("customer-months") if audit.monthly else tr("customers")


def knowledge(threat: Threat, tr: Translate) -> str:
    """Say in two or three words what an attacker knows."""
    share = words.percent(getattr(threat, "share", 1), 0)
    match name_of(threat):
        case "item-sets":
            return tr("item sets")
        case "customers-table":
            return tr("the customers table")
        case "full-knowledge":
            return tr("all purchases")
        case "partial-rows":
            return tr("{share} of the purchases").format(share=share)
    return name_of(threat)
