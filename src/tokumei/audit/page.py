"""The report as one HTML file that needs nothing else."""

from __future__ import annotations

from functools import partial
from html import escape
from typing import Any

import tokumei
from tokumei.audit import grids
from tokumei.audit.auditing import Audit
from tokumei.audit.criteria import FINDINGS, Criterion, Translate
from tokumei.audit.figure import Figure, Missing
from tokumei.audit.figures import figures
from tokumei.audit.law import BACKGROUNDS, DISCLAIMER, DUTIES, Background
from tokumei.audit.pictures import downloads, drawing
from tokumei.audit.summary import recommended, summarize
from tokumei.audit.wording import percent
from tokumei.report.grid import Grid, Head
from tokumei.report.rendering import cell, rendered
from tokumei.words import Language, translate

RISK = ("risk-by-attacker", "risk-by-knowledge", "group-sizes")
"""The figures that show who can find whom; the others show what became of the data."""


def html(audit: Audit, *, language: Language = "en", frontier: Figure | None = None) -> str:
    """Return the report; `frontier` is shown as the last figure."""
    tr = partial(translate, language=language)
    made = figures(audit, tr)
    drawn = [part for part in made if isinstance(part, Figure)] + ([frontier] if frontier else [])
    missing = [part for part in made if isinstance(part, Missing)]
    context: dict[str, Any] = {
        "tr": tr,
        "language": language,
        "summary": summarize(audit, tr),
        "limit": percent(audit.judged.max_risk),
        "recommend": recommended(audit),
        "risk_figures": [_shown(one, tr) for one in drawn if one.name in RISK],
        "data_figures": [_shown(one, tr) for one in drawn if one.name not in RISK],
        "attackers": grids.attackers(audit, tr),
        "guarantees": grids.guarantees(audit, tr),
        "facts": grids.facts(audit, tr),
        "utilities": grids.utilities(audit, tr),
        "left_out": grids.left_out(audit, missing, tr),
        "laws": laws(audit),
        "findings": FINDINGS,
        "duties": DUTIES,
        "disclaimer": DISCLAIMER,
        "provenance": grids.provenance(audit, tr),
        "version": tokumei.__version__,
    }
    return rendered("audit.html", **context)


def framed(audit: Audit) -> str:
    """Return the report in a frame of its own, so that its style stays out of a notebook's."""
    page = escape(html(audit), quote=True)
    style = "width: 100%; height: 40rem; border: 1px solid #d5dce3"
    return f'<iframe srcdoc="{page}" title="tokumei audit" style="{style}"></iframe>'


def laws(audit: Audit) -> list[tuple[Background, list[Criterion]]]:
    """Return every law with its criteria; none where they were not assessed."""
    found = [
        (law, [criterion for criterion in audit.criteria if criterion.law == law.law])
        for law in BACKGROUNDS
    ]
    return [(law, criteria) for law, criteria in found if criteria]


def _shown(figure: Figure, tr: Translate) -> dict[str, Any]:
    return {
        "figure": figure,
        "svg": drawing(figure),
        "downloads": downloads(figure),
        "numbers": _numbers(figure, tr).shortened(),
    }


def _numbers(figure: Figure, tr: Translate) -> Grid:
    columns = [
        Head(heads(tr).get(name, name), number=kind.is_numeric())
        for name, kind in figure.data.schema.items()
    ]
    return Grid(columns, [tuple(map(cell, row)) for row in figure.data.iter_rows()])


def heads(tr: Translate) -> dict[str, str]:
    """Return the names of the columns of the figures' data."""
    return {
        "attack": tr("attack"),
        "knowledge": tr("what the attacker knows"),
        "rate": tr("customers found"),
        "low": tr("interval from"),
        "high": tr("interval to"),
        "baseline": tr("random guess"),
        "of": tr("data"),
        "size": tr("size of the group"),
        "customers": tr("customers"),
        "share": tr("share"),
        "from": tr("from"),
        "to": tr("to"),
        "R": tr("R: days since the last purchase"),
        "F": tr("F: purchase dates"),
        "spend": tr("M: spend, fifth"),
        "original": tr("original"),
        "release": tr("release"),
        "items": tr("items"),
        "what": tr("column or rows"),
        "change": tr("change"),
        "count": tr("count"),
        "metric": tr("metric"),
        "loss": tr("loss"),
    }
