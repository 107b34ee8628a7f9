"""The legal page: what the rules ask, what a release did, the evidence, and what is left to decide.

Facts with sources, no legal advice. Every number is counted from the original, the release and its
key, whatever a method promised. The texts are English; `said` and `to_json` take a translation.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tokumei.audit.criteria import FINDINGS, Criterion, Finding, Sentence, Translate
from tokumei.audit.law_counts import LOOKS_LIKE
from tokumei.audit.law_europe import european_criteria
from tokumei.audit.law_japan import japanese_criteria
from tokumei.audit.law_rules import BACKGROUNDS, DISCLAIMER, DUTIES, RULES, Background, Duty
from tokumei.audit.law_sentences import facts_of
from tokumei.audit.links import Links
from tokumei.contracts import Release, Score
from tokumei.errors import SchemaError
from tokumei.history import History
from tokumei.tables import height

__all__ = [
    "BACKGROUNDS",
    "DISCLAIMER",
    "DUTIES",
    "FINDINGS",
    "TEXTS",
    "Background",
    "Criterion",
    "Duty",
    "Finding",
    "Sentence",
    "assess",
    "to_json",
]

TEXTS: frozenset[str] = frozenset(
    [
        DISCLAIMER,
        *FINDINGS.values(),
        *LOOKS_LIKE,
        *(text for rule in RULES for text in (rule.title, rule.asks, rule.source)),
        *(text for law in BACKGROUNDS for text in (law.name, law.note, *law.reading)),
        *(text for duty in DUTIES for text in (duty.asks, duty.source)),
    ]
)
"""Every text of the page but those that stand in a call of `Sentence`."""


def assess(
    original: History, release: Release, *, links: Links, largest: Score | None = None
) -> tuple[Criterion, ...]:
    """Return the five Japanese standards and the three European questions, with what was found.

    `links` is what names and order tell; `largest` is the largest re-identification rate that was
    measured. Where the key has the pseudonyms alone, what needs the origins of rows is said to be
    unknown.
    """
    if not height(release.key.pseudonyms):
        raise SchemaError("To compare a release with its original, the key is needed; it is empty.")
    facts = facts_of(original, release, links, largest)
    return (
        *japanese_criteria(original, release, facts),
        *european_criteria(original, release, facts),
    )


def to_json(criteria: Iterable[Criterion], translate: Translate = str) -> list[dict[str, Any]]:
    """Return the criteria as plain JSON values, with texts in the language of `translate`."""
    return [criterion.to_json(translate) for criterion in criteria]
