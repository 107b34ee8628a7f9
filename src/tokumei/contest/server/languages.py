"""Which language a reader wants: the one chosen here, or else the browser's."""

from __future__ import annotations

from starlette.requests import HTTPConnection

from tokumei.words import LANGUAGES, Language

COOKIE = "tokumei_language"


def language_of(request: HTTPConnection) -> Language:
    """Return the language of a request."""
    chosen = request.cookies.get(COOKIE, "")
    for language in LANGUAGES:
        if chosen == language:
            return language
    return accepted(request.headers.get("accept-language", ""))


def accepted(header: str) -> Language:
    """Return the first language of ours that a browser asks for.

    >>> accepted("fr, ja;q=0.8, en;q=0.5"), accepted("en-US,en"), accepted("")
    ('ja', 'en', 'en')
    """
    asked: list[tuple[float, Language]] = []
    for part in header.split(","):
        name, _, quality = part.strip().partition(";q=")
        first = name.lower().split("-")[0]
        asked += [(_number(quality), language) for language in LANGUAGES if language == first]
    # Of equals the first counts, as max does.
    return max(asked, key=lambda pair: pair[0])[1] if asked else "en"


def _number(quality: str) -> float:
    try:
        return float(quality or 1)
    except ValueError:
        return 0.0
