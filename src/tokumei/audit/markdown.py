"""The report as Markdown: the same words and tables, without pictures."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from functools import partial

import tokumei
from tokumei.audit import grids
from tokumei.audit.auditing import Audit
from tokumei.audit.criteria import FINDINGS, Criterion, Translate
from tokumei.audit.figure import Figure, Missing
from tokumei.audit.figures import figures
from tokumei.audit.law import DISCLAIMER, DUTIES
from tokumei.audit.page import RISK, laws
from tokumei.audit.summary import recommended, summarize
from tokumei.audit.wording import percent
from tokumei.report.grid import Grid
from tokumei.words import Language, translate

SIGNS = re.compile(r"([\\`*\[\]|])")


def markdown(audit: Audit, *, language: Language = "en") -> str:
    """Return the report; every rate stands in a table."""
    tr = partial(translate, language=language)
    parts = [
        *_summary(audit, tr),
        *_numbers(audit, tr),
        *_law(audit, tr),
        f"## {tr('How to get the same numbers again')}",
        _table(grids.provenance(audit, tr)),
        f"tokumei {tokumei.__version__}",
    ]
    return "\n\n".join(parts) + "\n"


def _summary(audit: Audit, tr: Translate) -> Iterator[str]:
    said = summarize(audit, tr)
    yield f"# {tr('Is this release safe?')}"
    limit = tr("Limit for every single customer's chance of being found:")
    yield f"{_plain(limit)} {percent(audit.judged.max_risk)}"
    yield f"**{_plain(said.rate)}** – **{_plain(said.verdict)}**"
    yield _plain(said.measured)
    yield _list(f"**{_plain(head)}**: {_plain(text)}" for head, text in said.attacker)
    yield from map(_plain, said.notes)
    if said.still_good:
        yield f"## {tr('What the release is still good for')}"
        yield _list(f"**{_plain(value)}** {_plain(label)}" for value, label in said.still_good)
    yield f"## {tr('What to do next')}"
    yield _plain(said.advice)
    yield f"```text\n{recommended(audit)}\n```"
    yield _list(f"{_plain(head)}: {_plain(value)}" for head, value in said.facts)


def _numbers(audit: Audit, tr: Translate) -> Iterator[str]:
    made = figures(audit, tr)
    yield f"## {tr('Who can find whom')}"
    drawn = [part for part in made if isinstance(part, Figure)]
    yield _list(_plain(part.title) for part in drawn if part.name in RISK)
    yield _table(grids.every_rate(audit, tr))
    yield _table(grids.attackers(audit, tr))
    yield tr("A number holds for the attackers listed here and for no stronger one.")
    yield f"## {tr('What became of the data')}"
    yield _list(_plain(part.title) for part in drawn if part.name not in RISK)
    yield f"## {tr('Guarantees and utility')}"
    yield f"### {tr('Guarantees, counted in the release')}"
    yield _table(grids.guarantees(audit, tr))
    facts = grids.facts(audit, tr)
    if facts.rows:
        yield f"### {tr('Facts under an assumption')}"
        yield _table(facts)
    yield f"### {tr('Utility: what is kept and lost')}"
    yield _table(grids.utilities(audit, tr))
    yield f"## {tr('What was left out, and why')}"
    left_out = grids.left_out(audit, [part for part in made if isinstance(part, Missing)], tr)
    yield _table(left_out) if left_out.rows else tr("Nothing: everything applied.")


def _law(audit: Audit, tr: Translate) -> Iterator[str]:
    yield f"## {tr('What the rules ask')}"
    yield _plain(tr(DISCLAIMER))
    for law, criteria in laws(audit):
        yield f"### {_plain(tr(law.name))}"
        yield _plain(tr(law.note))
        for criterion in criteria:
            yield from _criterion(criterion, tr)
        yield tr("To read:")
        yield _list(_plain(tr(text)) for text in law.reading)
        if law.law == "appi":
            yield "### " + tr("What Japan's Act asks beyond the making of the data")
            yield _list(f"{_plain(tr(duty.asks))} ({_plain(tr(duty.source))})" for duty in DUTIES)


def _criterion(criterion: Criterion, tr: Translate) -> Iterator[str]:
    yield f"#### {criterion.number}. {_plain(tr(criterion.title))}"
    yield _plain(tr(criterion.asks))
    yield f"**{_plain(tr(FINDINGS[criterion.finding]))}**"
    for head, sentences in (
        (tr("What the release did"), criterion.did),
        (tr("Evidence"), criterion.evidence),
        (tr("To be decided by a person"), criterion.decide),
    ):
        said = _list(_plain(sentence.said(tr)) for sentence in sentences)
        yield f"{head}:\n\n{said or '–'}"
    yield f"{tr('Source')}: {_plain(tr(criterion.source))}"


def _table(grid: Grid) -> str:
    lines = [
        [_plain(head.name) for head in grid.heads],
        ["---:" if head.number else "---" for head in grid.heads],
        *([_plain(cell) for cell in row] for row in grid.rows),
    ]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _list(texts: Iterable[str]) -> str:
    return "\n".join(f"- {text}" for text in texts)


def _plain(text: str) -> str:
    """Escape what Markdown or HTML would read as marks; a name of a column may be anything."""
    return SIGNS.sub(r"\\\1", html.escape(" ".join(text.split()), quote=False))
