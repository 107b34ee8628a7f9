"""All figures of an audit."""

from __future__ import annotations

from collections.abc import Callable

from tokumei.audit import figure_customers, figure_data, figure_risk
from tokumei.audit.auditing import Audit
from tokumei.audit.criteria import Translate
from tokumei.audit.figure import Figure, Missing
from tokumei.errors import SchemaError, Unachievable

__all__ = ["Figure", "Missing", "figures", "topics"]

DRAWN: dict[str, Callable[[Audit, Translate], Figure]] = {
    "risk-by-attacker": figure_risk.risk_by_attacker,
    "risk-by-knowledge": figure_risk.risk_by_knowledge,
    "group-sizes": figure_customers.groups,
    "similarity": figure_customers.similarity,
    "rfm": figure_customers.rfm,
    "item-popularity": figure_data.item_popularity,
    "cells-changed": figure_data.cells_changed,
    "utility": figure_data.losses,
}


def figures(audit: Audit, translate: Translate) -> list[Figure | Missing]:
    """Draw everything that the data give; what they do not is returned with the reason."""
    made: list[Figure | Missing] = []
    for name, draw in DRAWN.items():
        try:
            made.append(draw(audit, translate))
        except (SchemaError, Unachievable) as error:
            made.append(Missing(name, str(error)))
    return made


def topics(tr: Translate) -> dict[str, str]:
    """Return what the figures are about, for those that are missing."""
    return {
        "risk-by-attacker": tr("Risk by attacker"),
        "risk-by-knowledge": tr("Risk by knowledge"),
        "group-sizes": tr("Sizes of groups"),
        "similarity": tr("Similarity of customers"),
        "rfm": tr("Recency, frequency and spend"),
        "item-popularity": tr("Popularity of items"),
        "cells-changed": tr("Changed cells"),
        "utility": tr("Utility"),
    }
