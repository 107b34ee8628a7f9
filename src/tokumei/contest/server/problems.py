"""One shape for everything that goes wrong: a kind for programs, a sentence for people."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, RedirectResponse, Response
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from tokumei.contest.actions.people import WrongLogin
from tokumei.contest.sandbox import SandboxUnavailable
from tokumei.contest.server.languages import language_of
from tokumei.contest.store import errors as store
from tokumei.errors import ParameterError, ReadError, SubmissionError, TokumeiError
from tokumei.words import translate

log = logging.getLogger(__name__)


class Problem(BaseModel):
    """What went wrong."""

    kind: str
    message: str


class ProblemAnswer(BaseModel):
    """The answer to every request that did not succeed."""

    error: Problem


class NotLoggedIn(TokumeiError):
    """Only somebody who is logged in may do this."""

    def __init__(self, sentence: str = "Please log in first.") -> None:
        super().__init__(sentence)


class Forbidden(TokumeiError):
    """The caller may not do this."""

    def __init__(self, sentence: str = "This is not for you.") -> None:
        super().__init__(sentence)


class TooLarge(TokumeiError):
    """More was sent than is taken."""


# The first that fits: children stand before their parents.
STATUS: tuple[tuple[type[TokumeiError], int, str], ...] = (
    (NotLoggedIn, 401, "not_logged_in"),
    (WrongLogin, 401, "wrong_login"),
    (Forbidden, 403, "forbidden"),
    (store.NotFound, 404, "not_found"),
    (store.InvitationInvalid, 404, "invitation_invalid"),
    (store.NameTaken, 409, "name_taken"),
    (store.QuotaUsed, 409, "quota_used"),
    (store.NotNow, 409, "not_now"),
    (store.LeaseLost, 409, "lease_lost"),
    (TooLarge, 413, "too_large"),
    (store.TooManyAttempts, 429, "too_many_attempts"),
    (store.DatabaseBusy, 503, "busy"),
    (store.DatabaseUnavailable, 503, "unavailable"),
    (SandboxUnavailable, 503, "no_sandbox"),
    (ParameterError, 400, "parameter"),
    (SubmissionError, 400, "submission"),
    (ReadError, 404, "not_found"),
)
HTTP = {
    404: ("not_found", "There is no such page."),
    405: ("wrong_method", "This address does not take that method."),
    413: ("too_large", ""),
}
"""What the framework refuses, in our words; an empty sentence is told as it is."""
ANSWERS: dict[int | str, dict[str, Any]] = {
    status: {"model": ProblemAnswer}
    for status in (400, 401, 403, 404, 405, 409, 413, 422, 429, 503)
}
"""For the OpenAPI document: every route can answer so."""


def handle_problems(app: FastAPI) -> None:
    """Let the app answer every error in the one shape, and pages by a page."""

    @app.exception_handler(TokumeiError)
    def told(request: Request, error: TokumeiError) -> Response:
        for kind_of_error, status, kind in STATUS:
            if isinstance(error, kind_of_error):
                return answer(request, status, kind, str(error), _more_headers(error))
        return answer(request, 400, "refused", str(error))

    @app.exception_handler(RequestValidationError)
    def invalid(request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        # The place and the rule, not the value: it can be a password.
        place = ".".join(str(part) for part in first["loc"])
        return answer(request, 422, "invalid_request", f"{place}: {first['msg']}.")

    @app.exception_handler(HTTPException)
    def http(request: Request, error: HTTPException) -> Response:
        kind, sentence = HTTP.get(error.status_code, ("refused", error.detail))
        return answer(request, error.status_code, kind, sentence or error.detail, error.headers)

    @app.exception_handler(Exception)
    def unexpected(request: Request, error: Exception) -> Response:
        # Its text can quote data: it goes to the log of the server only.
        log.error("%s %s failed.", request.method, request.url.path, exc_info=error)
        sentence = "Something went wrong on our side; it is in the log of the server."
        return answer(request, 500, "internal", sentence)


def answer(
    request: Request,
    status: int,
    kind: str,
    sentence: str,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Answer a request that did not succeed."""
    language = language_of(request)
    message = translate(sentence, language)
    if request.url.path.startswith("/api/") or request.method not in ("GET", "HEAD"):
        content = {"error": {"kind": kind, "message": message}}
        return JSONResponse(content, status, dict(headers or {}))
    if kind == "not_logged_in":
        return RedirectResponse(f"/login?next={quote(request.url.path)}", 303)
    from tokumei.contest.server.pages import problem_page

    return problem_page(request, status, message)


def _more_headers(error: TokumeiError) -> dict[str, str]:
    if isinstance(error, store.TooManyAttempts):
        return {"Retry-After": str(error.seconds)}
    if isinstance(error, store.DatabaseBusy):
        return {"Retry-After": "1"}
    return {}
