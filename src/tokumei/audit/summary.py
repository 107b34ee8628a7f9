"""What a manager reads in a minute."""

from __future__ import annotations

from dataclasses import dataclass

from tokumei.audit.auditing import Audit
from tokumei.audit.criteria import Translate
from tokumei.audit.verdict import Verdict
from tokumei.audit.wording import attack_name, counted, interval, joined, percent
from tokumei.contracts import Score
from tokumei.registry import meaning, name_of

SAID = 3
"""How many numbers say what a release is good for."""
SIZES_SAID = 5
"""How many sizes of groups are listed one by one."""


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
    return Summary(
        rate=percent(headline.score.value),
        safe=audit.verdict == "safe",
        verdict=_verdict(audit, tr),
        measured=_measured(audit, tr),
        attacker=(
            (tr("What the attacker knows"), tr(headline.score.assumes)),
            (
                tr("What the attacker does"),
                joined(tr(meaning(headline.attack)), f"({attack_name(headline)})"),
            ),
        ),
        notes=tuple(_notes(audit, tr)),
        facts=_facts(audit, tr),
        still_good=tuple(_still_good(audit, tr)[:SAID]),
        advice=_advice(audit, tr),
    )


def _verdict(audit: Audit, tr: Translate) -> str:
    judged, rate = audit.judged, audit.headline.score.value
    if judged.safe:
        said = tr(
            "Safe at a limit of {limit}: nobody's chance of being found exceeds {worst}, whatever "
            "an attacker knows of the customers, if pseudonyms, basket numbers and row order are "
            "random."
        )
    elif judged.links:
        said = tr(
            "Exposed: the pseudonyms or the row order tell who is who. No bound holds; the limit "
            "is {limit}."
        )
    elif judged.broken:
        said = tr(
            "Exposed: the bound is broken. {attack} finds {rate} of the {who}, more than chance "
            "allows in groups that look alike."
        )
    elif rate > judged.max_risk:
        said = tr("Exposed: the best attacker finds {rate} of the {who}; the limit is {limit}.")
    else:
        said = tr(
            "Exposed: {above} of {customers} customers may be found with a chance above the limit "
            "of {limit}; nothing in the release bounds it. The best attacker here finds {rate} of "
            "the {who}."
        )
    return said.format(
        limit=percent(judged.max_risk),
        worst=percent(judged.worst),
        rate=percent(rate),
        who=counted(audit, tr),
        attack=attack_name(judged.luckiest or audit.headline),
        above=f"{judged.above_limit:,}",
        customers=f"{judged.customers:,}",
    )


def _measured(audit: Audit, tr: Translate) -> str:
    score = audit.largest
    said = tr(
        "Largest re-identification rate: {rate} of the {who} (95% interval {interval}, for all "
        "{tries} attackers at once by Bonferroni; n = {n}). A random guess finds {baseline}."
    ).format(
        rate=percent(score.value),
        who=counted(audit, tr),
        interval=interval(score),
        tries=f"{len(audit.risks):,}",
        n=f"{score.n:,}",
        baseline=percent(score.baseline or 0.0),
    )
    as_many = sum(found.score.value == score.value for found in audit.risks) - 1
    if as_many:
        more = tr("Of the {all} attackers tried, {count} more find as many.")
        said = joined(said, more.format(count=as_many, all=len(audit.risks)))
    return said


def _notes(audit: Audit, tr: Translate) -> list[str]:
    judged = audit.judged
    notes = [groups_sentence(judged, tr)]
    notes += [sentence.said(tr) for sentence in judged.links]
    if audit.bound is not None and audit.headline.score.value > audit.bound.value:
        notes.append(
            tr(
                "If pseudonyms, basket numbers and row order are random, an attacker names at most "
                "{bound} on average. Chance alone reaches a rate such as that of {attack} with "
                "probability {p}, over all {tries} attackers (exact test, Bonferroni)."
            ).format(
                bound=percent(audit.bound.value),
                attack=attack_name(judged.luckiest or audit.headline),
                p=f"{judged.excess:.2g}",
                tries=f"{len(audit.risks):,}",
            )
        )
    if audit.monthly:
        whole, all_ = audit.whole_customers
        notes.append(
            tr(
                "Pseudonyms change with the month, so rates count customer-months. The best "
                "attacker names every month of {whole} of {all} customers."
            ).format(whole=f"{whole:,}", all=f"{all_:,}")
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
    return notes


def groups_sentence(judged: Verdict, tr: Translate) -> str:
    """Say how many customers are alone, and how many look like one, two, … others."""
    parts = []
    rest = 0
    for size, count in judged.groups:
        if size == 1:
            parts.append(tr("{count} alone").format(count=f"{count:,}"))
        elif len(parts) < SIZES_SAID:
            parts.append(tr("{count} in groups of {size}").format(count=f"{count:,}", size=size))
        else:
            rest += count
    if rest:
        parts.append(tr("{count} in larger groups").format(count=f"{rest:,}"))
    said = tr("Customers whose released rows look alike: {parts}.")
    return said.format(parts=", ".join(parts))


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
    if audit.verdict == "safe":
        return tr(
            "Decide whether this limit is small enough, and read what a person must still decide. "
            "For other trade-offs of risk and utility:"
        )
    return tr(
        "Do not hand this release out as if it were anonymous. Look for a method that keeps every "
        "customer's chance within the limit and loses the least:"
    )


def recommended(audit: Audit) -> str:
    """Return the command that looks for a better method."""
    return f"tokumei recommend ORIGINAL --risk {audit.judged.max_risk:g}"
