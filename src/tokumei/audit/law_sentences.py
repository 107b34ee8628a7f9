"""What several criteria say alike, from facts that are counted once."""

from __future__ import annotations

from dataclasses import dataclass

from tokumei.audit.criteria import Sentence
from tokumei.audit.law_counts import Alikeness, Names, alikeness, item_alikeness, names_of
from tokumei.audit.links import Links
from tokumei.contracts import Release, Score
from tokumei.history import History


@dataclass(frozen=True)
class Facts:
    """Pseudonyms, what tells of customers, equal customers now and before, the strongest attack."""

    names: Names
    links: Links
    rows: Alikeness
    rows_before: Alikeness
    items: Alikeness | None
    items_before: Alikeness | None
    largest: Score | None


def facts_of(original: History, release: Release, links: Links, largest: Score | None) -> Facts:
    """Count what several criteria need."""
    return Facts(
        names_of(original, release),
        links,
        alikeness(release.public, "rows"),
        alikeness(original, "rows"),
        item_alikeness(release.public),
        item_alikeness(original),
        largest,
    )


def pseudonyms_said(names: Names) -> Sentence:
    """Say how many pseudonyms are customer ids."""
    return Sentence(
        "Pseudonyms that are customer ids of the original: {equal:,} of {pseudonyms:,}",
        {"equal": names.equal, "pseudonyms": names.pseudonyms},
    )


def lasting_said(names: Names) -> Sentence:
    """Say whether pseudonyms last."""
    if names.most == 1:
        return Sentence("Each customer has one pseudonym, which links all of their rows.")
    return Sentence(
        "Pseudonyms change: one customer has up to {most:,}, and each counts as a customer here.",
        {"most": names.most},
    )


def alone_said(facts: Facts) -> tuple[Sentence, ...]:
    """Say how many customers have rows, or a set of items, that nobody else has."""
    rows = Sentence(
        "Customers whose rows nobody else has: {alone:,} of {customers:,}, {share:.1%} "
        "(original {before:.1%})",
        _alone(facts.rows, facts.rows_before),
    )
    if facts.items is None or facts.items_before is None:
        return (rows, Sentence("Sets of items are not compared, for want of exact items."))
    items = Sentence(
        "Customers whose set of items nobody else has: {alone:,} of {customers:,}, {share:.1%} "
        "(original {before:.1%})",
        _alone(facts.items, facts.items_before),
    )
    return (rows, items)


def _alone(now: Alikeness, before: Alikeness) -> dict[str, int | float]:
    return {
        "alone": now.alone,
        "customers": now.customers,
        "share": now.alone / now.customers,
        "before": before.alone / before.customers,
    }


def smallest_said(facts: Facts) -> Sentence:
    """Say how many customers the smallest group of equal ones has."""
    return Sentence(
        "Customers in the smallest group with the same rows: {smallest:,}",
        {"smallest": facts.rows.smallest},
    )


def rate_said(largest: Score | None) -> tuple[Sentence, ...]:
    """Say how many customers the strongest attack named."""
    if largest is None:
        return (Sentence("No attack was measured."),)
    said = [
        Sentence(
            "Largest re-identification rate measured: {rate:.1%}, by {attack}",
            {"rate": largest.value, "attack": largest.name},
        )
    ]
    if largest.interval is not None:
        low, high = largest.interval
        said.append(
            Sentence(
                "95% interval of that rate, for this attacker alone: {low:.1%} to {high:.1%}",
                {"low": low, "high": high},
            )
        )
    if largest.baseline is not None:
        said.append(
            Sentence("Rate of a random guess: {baseline:.2%}", {"baseline": largest.baseline})
        )
    if largest.assumes:
        said.append(Sentence(largest.assumes))
    return tuple(said)
