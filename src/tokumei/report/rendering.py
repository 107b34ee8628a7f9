"""HTML from templates."""

from __future__ import annotations

from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined


def rendered(template: str, **values: Any) -> str:
    """Fill a template; everything in it is escaped, and a name that is not given is an error."""
    environment = Environment(
        loader=PackageLoader("tokumei.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["cell"] = _cell
    return environment.get_template(template).render(values)


def _cell(value: Any) -> str:
    match value:
        case None:
            return "–"
        case bool() | str():
            return str(value)
        case int():
            return f"{value:,}"
        case float():
            return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
    return str(value)
