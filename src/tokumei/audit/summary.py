"""What a manager reads in a minute."""

from __future__ import annotations

from dataclasses import dataclass

from tokumei.audit.auditing import Audit
from tokumei.audit.criteria import Translate
from tokumei.audit.wording import attack_name, interval, percent
from tokumei.contracts import Score
from tokumei.registry import meaning, name_of
from tokumei.tables import columns

RECOMMEND = "tokumei recommend ORIGINAL --risk 0.1"
SAID = 3
"""How many numbers say what a release is good for."""


@dataclass(frozen=True)
class Summary:
    """The answer first, then who, then what is left and what to do."""

    rate: str
    safe: bool
    """Whether the rate is drawn in ice; the verdict says it in words."""
    verdict: str
    measured: str
    attacker: tuple[tuple[str, str], ...]
    """What the attacker knows and does: a head and a sentence for each."""
    notes: tuple[str, ...]
    facts: tuple[tuple[str, str], ...]
    still_good: tuple[tuple[str, str], ...]
    """A number, and what it counts."""
    advice: str


def summarize(audit: Audit, tr: Translate) -> Summary:
    """Put the findings into words."""
    headline = audit.headline
    score = headline.score
    return Summary(
        rate=percent(score.value),
        safe=audit.verdict in ("bounded", "guessing"),
        verdict=_verdict(audit, tr),
        measured=_measured(audit, tr),
        attacker=(
            (tr("What the attacker knows"), tr(score.assumes)),
            (
                tr("What the attacker does"),
                f"{tr(meaning(headline.attacker.attack))} ({attack_name(headline)})",
            ),
        ),
        notes=tuple(_notes(audit, tr)),
        facts=_facts(audit, tr),
        still_good=tuple(_still_good(audit, tr)[:SAID]),
        advice=_advice(audit, tr),
    )


def _verdict(audit: Audit, tr: Translate) -> str:
    score = audit.headline.score
    rate, guess = percent(score.value), percent(score.baseline or 0.0)
    match audit.verdict:
        case "nobody":
            said = tr("Nobody is protected: the best attacker finds {rate} of the customers.")
        case "few":
            said = tr("Few are protected: the best attacker finds {rate} of the customers.")
        case "some":
            said = tr(
                "Not everybody is protected: the best attacker finds {rate} of the customers, a "
                "random guess {guess}."
            )
        case "bounded":
            said = tr(
                "Groups of customers are released alike: on average no attacker can find more than "
                "{bound}, whatever they know."
            )
        case "guessing":
            said = tr(
                "No attacker tried here finds more customers than a random guess would. That is "
                "measured, not proven."
            )
    bound = percent(audit.bound.value) if audit.bound else ""
    return said.format(rate=rate, guess=guess, bound=bound)


def _measured(audit: Audit, tr: Translate) -> str:
    score = audit.headline.score
    said = tr(
        "Largest re-identification rate: {rate} (95% interval {interval}, n = {n}). A random "
        "guess finds {baseline}."
    ).format(
        rate=percent(score.value),
        interval=interval(score),
        n=f"{score.n:,}",
        baseline=percent(score.baseline or 0.0),
    )
    as_many = sum(found.score.value == score.value for found in audit.risks) - 1
    if as_many:
        more = tr("Of the {all} attackers tried, {count} more find as many.")
        said += " " + more.format(count=as_many, all=len(audit.risks))
    return said


def _notes(audit: Audit, tr: Translate) -> list[str]:
    notes = []
    largest = audit.headline.score.value
    if audit.verdict == "bounded" and audit.bound and largest > audit.bound.value:
        notes.append(
            tr(
                "The largest of {all} measured rates, {rate}, lies above the average by chance: "
                "whoever guesses among customers who are alike is sometimes lucky."
            ).format(all=len(audit.risks), rate=percent(largest))
        )
    if audit.exchanged:
        notes.append(
            tr(
                "Histories were exchanged between customers: {count} pseudonyms show mostly the "
                "purchases of another customer than the key says. The purchases of everybody still "
                "lie open, so an attacker is right who names the customer whose purchases a "
                "pseudonym shows."
            ).format(count=f"{audit.exchanged:,}")
        )
    if "period" in columns(audit.release.key.pseudonyms):
        notes.append(
            tr("Pseudonyms change with the month: rates count a customer's months, not customers.")
        )
    return notes


def _facts(audit: Audit, tr: Translate) -> tuple[tuple[str, str], ...]:
    original, public = audit.original, audit.release.public
    return (
        (tr("customers"), f"{len(original.persons()):,}"),
        (tr("pseudonyms"), f"{len(public.persons()):,}"),
        (tr("purchases before"), f"{original.rows:,}"),
        (tr("purchases after"), f"{public.rows:,}"),
        (tr("attackers tried"), f"{len(audit.risks):,}"),
    )


def _still_good(audit: Audit, tr: Translate) -> list[tuple[str, str]]:
    scores = {name_of(one.metric): one.score for one in audit.utilities}
    labels = {
        "rows-deleted": tr("of the original's purchases are still there"),
        "cells-changed": tr("of their cells say what they said before"),
        "rfm-agreement": tr("of the customers keep their ranks of recency, frequency and spend"),
        "top-items-missing": tr("of the best-selling items are still best sellers"),
        "item-similarity": tr("of the similarity of items, for recommendations, is kept"),
    }
    if (added := scores.get("rows-added")) and added.value:
        kept = tr("of the original's purchases are still there, beside {count} invented rows")
        labels["rows-deleted"] = kept.format(count=f"{round(added.value * added.n):,}")
    return [
        (percent(_kept(scores[name])), label) for name, label in labels.items() if name in scores
    ]


def _kept(score: Score) -> float:
    return 1 - abs(score.value - score.best) / abs(score.worst - score.best)


def _advice(audit: Audit, tr: Translate) -> str:
    match audit.verdict:
        case "nobody" | "few":
            said = tr(
                "Do not hand this release out as if it were anonymous. Look for a method that "
                "keeps the risk below 10% and loses the least:"
            )
        case "some":
            said = tr(
                "Decide whether so many may be found. If not, look for a method that keeps the "
                "risk below 10% and loses the least:"
            )
        case _:
            said = tr(
                "Decide whether this risk is small enough, and read what a person must still "
                "decide. For other trade-offs of risk and utility:"
            )
    return said
