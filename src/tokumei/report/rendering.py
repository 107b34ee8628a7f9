"""HTML from templates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from tokumei.words import percent


def templates(package: str, **filters: Callable[..., Any]) -> Environment:
    """Return the templates of a package, which can build on those of reports.

    Everything in them is escaped, and a name that is not given is an error.
    """
    folders = (
        (package, "templates"),
        ("tokumei.report", "templates"),
        ("tokumei.report", "static"),
    )
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(*folder) for folder in folders]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"percent": percent, **filters}
    return environment


def rendered(template: str, **values: Any) -> str:
    """Fill a template of a report."""
    return templates("tokumei.report", cell=cell).get_template(template).render(values)


def cell(value: Any) -> str:
    """Write a value into a table.

    >>> cell(None), cell(12345), cell(0.123456), cell(1234.5)
    ('–', '12,345', '0.1235', '1,234')
    """
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
