"""The tables of a report, the same for HTML and Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tokumei.audit.auditing import Audit
from tokumei.audit.criteria import Translate
from tokumei.audit.figure import Missing
from tokumei.audit.figure_risk import strongest
from tokumei.audit.figures import topics
from tokumei.audit.suite import THREATS, Measured
from tokumei.audit.wording import ARROWS, attack_name, interval, knowledge, number, percent
from tokumei.contracts import Score
from tokumei.registry import meaning
from tokumei.report.grid import Grid, Head


def every_rate(audit: Audit, tr: Translate) -> Grid:
    """Return what each attack finds by what is known: attacks down, knowledge across."""
    rates = {
        (attack_name(found), knowledge(found.threat, tr)): percent(found.score.value)
        for found in audit.risks
    }
    asked = [knowledge(threat, tr) for threat in THREATS]
    across = [known for known in asked if any(known == pair[1] for pair in rates)]
    heads = (Head(tr("attack")), *(Head(known, number=True) for known in across))
    rows = tuple(
        (attack, *(rates.get((attack, known), "–") for known in across))
        for attack in map(attack_name, strongest(audit))
    )
    return Grid(heads, rows)


def attackers(audit: Audit, tr: Translate) -> Grid:
    """Return each attack with the knowledge that helps it most."""
    heads = (
        Head(tr("attack")),
        Head(tr("what the attacker does")),
        Head(tr("finds the most when knowing")),
        Head(tr("customers found") + " ▼", number=True),
        Head(tr("95% interval"), number=True),
        Head(tr("random guess"), number=True),
        Head("n", number=True),
    )
    rows = tuple(
        (
            attack_name(found),
            tr(meaning(found.attack)),
            knowledge(found.threat, tr),
            percent(found.score.value),
            interval(found.score),
            percent(found.score.baseline or 0.0),
            f"{found.score.n:,}",
        )
        for found in strongest(audit)
    )
    return Grid(heads, rows)


def guarantees(audit: Audit, tr: Translate) -> Grid:
    """Return what was verified from the release."""
    return _assuming(audit.guarantees, tr)


def _assuming(metrics: Sequence[Measured], tr: Translate) -> Grid:
    measured = _measured(metrics, tr)
    assumed = (tr(one.score.assumes) for one in metrics)
    rows = tuple((*row, text) for row, text in zip(measured.rows, assumed, strict=True))
    return Grid((*measured.heads, Head(tr("what is assumed"))), rows)


def facts(audit: Audit, tr: Translate) -> Grid:
    """Return what holds under an assumption about the attacker."""
    return _assuming(audit.facts, tr)


def utilities(audit: Audit, tr: Translate) -> Grid:
    """Return what was lost, and what is kept."""
    return _measured(audit.utilities, tr)


def _measured(metrics: Sequence[Measured], tr: Translate) -> Grid:
    """Return the scores; the column of intervals is there if one of them has any."""
    drawn = any(one.score.interval for one in metrics)
    heads = (
        Head(tr("metric")),
        Head(tr("what it measures")),
        Head(tr("better")),
        Head(tr("value"), number=True),
        *((Head(tr("95% interval"), number=True),) if drawn else ()),
        Head("n", number=True),
    )
    rows = tuple(
        (
            one.score.name,
            tr(meaning(one.metric)),
            # One word, not to be broken.
            f"{ARROWS[one.score.better]}\u00a0{tr(one.score.better)}",
            number(one.score.value),
            *((_ends(one.score),) if drawn else ()),
            f"{one.score.n:,}",
        )
        for one in metrics
    )
    return Grid(heads, rows)


def _ends(score: Score) -> str:
    if score.interval is None:
        return "–"
    low, high = score.interval
    return f"{number(low)} – {number(high)}"


def left_out(audit: Audit, missing: Sequence[Missing], tr: Translate) -> Grid:
    """Return what was not done, with all that has the same reason in one row."""
    reasons: dict[str, list[str]] = {}
    for one in audit.left_out:
        reasons.setdefault(one.reason, []).append(one.name)
    rows = [(_together(names), tr(reason)) for reason, names in reasons.items()]
    rows += [
        (tr("figure: {topic}").format(topic=topics(tr)[one.name]), tr(one.reason))
        for one in missing
    ]
    return Grid((Head(tr("left out")), Head(tr("why"))), tuple(rows))


def _together(names: Iterable[str]) -> str:
    """Name attackers by attack, or all attacks of one knowledge at once."""
    by_attack: dict[str, list[str]] = {}
    for name in names:
        attack, _, known = name.partition(" @ ")
        by_attack.setdefault(attack, []).append(known)
    if len({tuple(known) for known in by_attack.values()}) == 1:
        by_attack = {", ".join(by_attack): next(iter(by_attack.values()))}
    return "; ".join(
        f"{attack} @ {', '.join(known)}" if all(known) else attack
        for attack, known in by_attack.items()
    )


def provenance(audit: Audit, tr: Translate) -> Grid:
    """Return what makes the numbers come out again."""
    found = audit.provenance
    heads = {
        "release": tr("SHA-256 of the release"),
        "original": tr("HMAC-SHA-256 of the original, keyed by the release's secret"),
    }
    rows = [
        *((heads[name], value) for name, value in found.digests.items()),
        (tr("seed"), str(found.seed)),
        *((name, value) for name, value in found.versions.items()),
    ]
    if found.command:
        rows.append((tr("command"), found.command))
    return Grid((Head(tr("what")), Head(tr("value"))), tuple(rows))
