"""Pages from templates, and what every page has: the contest, the phase, and who looks."""

from __future__ import annotations

from datetime import datetime
from functools import cache, partial
from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment
from sqlalchemy import Connection

import tokumei
from tokumei.contest.opening import Contest
from tokumei.contest.phases import next_change, phase_now
from tokumei.contest.server.access import Caller, iso
from tokumei.contest.store import accounts, clock, events
from tokumei.report.rendering import templates
from tokumei.words import LANGUAGES, translate

UNITS = ("bytes", "kB", "MB", "GB")


@cache
def environment() -> Environment:
    """Return the templates of the pages."""
    return templates("tokumei.contest.server", score=score, size=size, moment=moment, utc=utc)


def page(
    request: Request, caller: Caller, contest: Contest, template: str, **values: Any
) -> HTMLResponse:
    """Fill the template of a page."""
    with contest.database.read() as connection:
        common = _common(connection, request, caller, contest)
    text = environment().get_template(template).render(common | values)
    return HTMLResponse(text, values.get("status", 200))


def _common(
    connection: Connection, request: Request, caller: Caller, contest: Contest
) -> dict[str, Any]:
    team_id = caller.team_id
    return {
        "tr": partial(translate, language=caller.language),
        "language": caller.language,
        "languages": LANGUAGES,
        "caller": caller,
        "team": None if team_id is None else accounts.find_team(connection, team_id),
        "contest_title": contest.settings.title[caller.language],
        "settings": contest.settings,
        "phase": phase_now(connection, contest.settings),
        "next": next_change(connection, contest.settings),
        "now": clock.now(),
        "seq": events.last_seq(connection),
        "path": request.url.path,
        "here": own_path(request.url.path + (f"?{request.url.query}" if request.url.query else "")),
        "version": tokumei.__version__,
    }


def own_path(address: str) -> str:
    r"""Return an address of ours as it is, and for any other that of the first page.

    >>> own_path("/results?sort=rank"), own_path("//elsewhere.example"), own_path("/\\elsewhere")
    ('/results?sort=rank', '/', '/')
    """
    plain = address.isprintable() and "\\" not in address
    return address if plain and address.startswith("/") and address[1:2] != "/" else "/"


def score(value: float | None) -> str:
    """Write a score so that a column of them lines up.

    >>> score(0.123456), score(12345.6), score(3e-7), score(None)
    ('0.1235', '12,346', '3.00e-07', '–')
    """
    if value is None:
        return "–"
    if value and abs(value) < 0.00005:
        return f"{value:.2e}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4f}"


def size(count: int) -> str:
    """Write the size of a file.

    >>> size(12), size(12_345), size(50_000_000)
    ('12 bytes', '12.3 kB', '50.0 MB')
    """
    number, unit = float(count), 0
    while number >= 1000 and unit < len(UNITS) - 1:
        number, unit = number / 1000, unit + 1
    return f"{number:.1f} {UNITS[unit]}" if unit else f"{count} {UNITS[0]}"


def moment(time: str | int | datetime) -> str:
    """Write a time for programs; one of the API's answers is written so already."""
    if isinstance(time, str):
        return time
    return iso(clock.as_moment(time) if isinstance(time, datetime) else time)


def utc(time: str | int | datetime) -> str:
    """Write a time for people, until their browser writes it in their own zone.

    >>> utc(0)
    '1970-01-01 00:00 UTC'
    """
    return moment(time)[:16].replace("T", " ") + " UTC"
