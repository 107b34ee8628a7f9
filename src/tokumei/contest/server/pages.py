"""The pages that people see. They only show; whatever changes something goes through the API.

A page shows the answers of the API's own functions, so both tell the same to everybody.
"""

from __future__ import annotations

import json
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse

from tokumei.arena.texts import arena_texts
from tokumei.contest import sandbox
from tokumei.contest.opening import Contest
from tokumei.contest.phases import phase_now
from tokumei.contest.server import organizer_page, page_parts
from tokumei.contest.server.access import (
    Anybody,
    Caller,
    LoggedIn,
    OfTeam,
    TheContest,
    caller_by_headers,
    the_contest,
)
from tokumei.contest.server.api import arena as arena_api
from tokumei.contest.server.api import attack, metrics, results, submissions, tokens
from tokumei.contest.server.api import contest as contest_api
from tokumei.contest.server.ids import Id
from tokumei.contest.server.languages import COOKIE as LANGUAGE_COOKIE
from tokumei.contest.server.meanings import meanings
from tokumei.contest.server.page_duties import duties_of
from tokumei.contest.server.page_rendering import own_path, page
from tokumei.contest.server.tables import ResultsQuery
from tokumei.contest.store import accounts, clock, passwords
from tokumei.contest.store import metrics as metric_rows
from tokumei.contest.store import submissions as submission_rows
from tokumei.contest.store.contest_state import read_state
from tokumei.contest.store.errors import NotFound
from tokumei.words import Language, translate

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
router.include_router(organizer_page.router)
YEAR = 365 * 86_400
MOST_CARDS = 60
"""Submissions on the page; older ones are in the team's history."""
FEW = 8
"""So many scores of a submission are shown at once."""
After = Annotated[str, Query(alias="next", max_length=2_000)]


@router.get("/")
def home(request: Request, caller: Anybody, contest: TheContest) -> HTMLResponse:
    """Show the phase, how long it lasts, and what to do now."""
    left, rank = 0, None
    with contest.database.read() as connection:
        state = read_state(connection)
        if caller.team_id is not None:
            used = submission_rows.quota_used(connection, caller.team_id, "anonymize")
            left = max(0, contest.settings.quotas.submissions - used)
    if caller.team_id is not None:
        table = results.get_results(ResultsQuery(), caller, contest)
        rank = next((row.rank for row in table.rows if row.own), None)
    plan, now_x = page_parts.plan_parts(contest.settings.phases, clock.as_datetime(clock.now()))
    frozen = None if caller.role == "organizer" else state.frozen
    return page(
        request, caller, contest, "home.html", plan=plan, now_x=now_x, left=left, rank=rank,
        switched=state.phase is not None, frozen=frozen, duties=duties_of(contest),
        rules_title=_rules_title(contest),
    )  # fmt: skip


@router.get("/login")
def login(
    request: Request, caller: Anybody, contest: TheContest, after: After = "/"
) -> HTMLResponse:
    """Show the form to log in."""
    return page(request, caller, contest, "login.html", after=own_path(after))


@router.get("/invitation")
def invitation(request: Request, caller: Anybody, contest: TheContest) -> HTMLResponse:
    """Show the form of an invitation; its secret stays in the browser."""
    return page(request, caller, contest, "invitation.html", least=passwords.SHORTEST)


@router.get("/language/{language}")
def choose_language(language: Language, request: Request, after: After = "/") -> RedirectResponse:
    """Keep the language that a reader chose, and go back."""
    answer = RedirectResponse(own_path(after), 303)
    answer.set_cookie(
        LANGUAGE_COOKIE,
        language,
        max_age=YEAR,
        samesite="lax",
        secure=request.url.scheme == "https",
        httponly=True,
    )
    return answer


@router.get("/data")
def data(request: Request, caller: LoggedIn, contest: TheContest) -> HTMLResponse:
    """Show the files to download."""
    files = contest_api.list_data(caller, contest)
    title = _rules_title(contest)
    return page(request, caller, contest, "data.html", files=files, rules_title=title)


@router.get("/submit")
def submit(
    request: Request, caller: OfTeam, contest: TheContest, report: Id | None = None
) -> HTMLResponse:
    """Show where to hand in, and what became of what was handed in."""
    team_id = caller.team_id or 0
    with contest.database.read() as connection:
        used = submission_rows.quota_used(connection, team_id, "anonymize")
        open_now = phase_now(connection, contest.settings) in ("anonymize", "break")
    listed = submissions.list_submissions(caller, contest)[:MOST_CARDS]
    columns = metrics.list_metrics(caller, contest)
    few = len(columns) <= FEW
    summary = [one for one in columns if few or one.name in page_parts.SUMS]
    table = results.get_results(ResultsQuery(), caller, contest)
    return page(
        request,
        caller,
        contest,
        "submit.html",
        cards=[submissions.get_submission(one.id, caller, contest) for one in listed],
        summary=summary,
        others=[one for one in columns if one not in summary],
        counting=next((row.submission for row in table.rows if row.own), None),
        left=max(0, contest.settings.quotas.submissions - used),
        open=open_now,
        report=report,
        **_meanings(contest, caller, columns),
    )


@router.get("/results")
def show_results(
    request: Request, caller: LoggedIn, contest: TheContest, query: results.Asked
) -> HTMLResponse:
    """Show the table."""
    table = results.get_results(query, caller, contest)
    asked = {"shown": query.shown, "filter": query.filter}

    def link(column: str, better: str | None) -> str:
        # The first click brings the better ones to the top, the second one the others.
        order = "desc" if better == "higher" else "asc"
        if query.sort == column and query.order == order:
            order = "asc" if order == "desc" else "desc"
        return "/results?" + urlencode(asked | {"sort": column, "order": order})

    groups = page_parts.by_kind(table.metrics)
    return page(
        request,
        caller,
        contest,
        "results.html",
        table=table,
        query=query,
        link=link,
        groups=groups,
        has_total=any(group.kind == "total" for group in groups),
        parameters=urlencode(asked | {"sort": query.sort, "order": query.order}),
        **_meanings(contest, caller, table.metrics),
    )


@router.get("/team")
def own_team(request: Request, caller: OfTeam, contest: TheContest) -> HTMLResponse:
    """Show the own team."""
    return show_team(caller.team_id or 0, request, caller, contest)


@router.get("/teams/{team_id}")
def show_team(team_id: Id, request: Request, caller: LoggedIn, contest: TheContest) -> HTMLResponse:
    """Show the history of a team, as far as it is shown now."""
    own = caller.team_id == team_id
    with contest.database.read() as connection:
        shown = accounts.find_team(connection, team_id)
        people = accounts.listed_users(connection, team_id=team_id)
    hidden: str | None = None
    history: list[results.HistoryRow] = []
    try:
        history = results.get_history(team_id, caller, contest)
    except NotFound as error:
        hidden = translate(str(error), caller.language)
    better = results.get_results(ResultsQuery(), caller, contest).better
    trend = page_parts.trend_of(history, better)
    listed = metrics.list_metrics(caller, contest)
    return page(
        request,
        caller,
        contest,
        "team.html",
        shown=shown,
        own=own,
        hidden=hidden,
        history=history,
        trend=trend,
        metrics=[one for group in page_parts.by_kind(listed) for one in group.metrics],
        people=people if own or caller.role == "organizer" else None,
        **_meanings(contest, caller, listed),
    )


@router.get("/matrix")
def show_matrix(request: Request, caller: LoggedIn, contest: TheContest) -> HTMLResponse:
    """Show who found whom, what was published, and where to attack."""
    matrix = attack.get_matrix(caller, contest)
    with contest.database.read() as connection:
        phase = phase_now(connection, contest.settings)
    released = attack.list_releases(caller, contest) if phase in ("attack", "closed") else []
    used = {cell.defender: cell.used for cell in matrix.cells if cell.attacker == caller.team_id}
    targets = [
        one.model_dump() | {"left": max(0, matrix.limit - used.get(one.team.id, 0))}
        for one in released
        if one.team.id != caller.team_id
    ]
    return page(
        request,
        caller,
        contest,
        "matrix.html",
        matrix=matrix,
        rows=page_parts.matrix_rows(matrix, caller.team_id),
        worst=page_parts.best_attack(matrix),
        hit=None if contest.settings.custom else contest.evaluation.year.hit,
        targets=targets,
        open_targets={one["team"]["id"]: one["team"]["name"] for one in targets if one["left"]},
        guesses=attack.list_guesses(caller, contest),
        frozen=None if caller.role == "organizer" else matrix.frozen,
        attacking=caller.team_id is not None and phase == "attack" and bool(targets),
        may_download=caller.role != "observer",
    )


@router.get("/metrics")
def show_metrics(request: Request, caller: LoggedIn, contest: TheContest) -> HTMLResponse:
    """Show the columns of the table, the scripts, and how to write one."""
    listed = metrics.list_scripts(caller, contest)
    with contest.database.read() as connection:
        digests = {one.id: one.sha256 for one in metric_rows.listed_scripts(connection)}
    sources = {
        one.id: contest.blobs.path(digests[one.id]).read_text(encoding="utf-8", errors="replace")
        for one in listed
        if one.own or caller.role == "organizer"
    }
    return page(
        request,
        caller,
        contest,
        "metrics.html",
        **_meanings(contest, caller, metrics.list_metrics(caller, contest)),
        scripts=listed,
        sources=sources,
        scripts_run=sandbox.available() is not None,
        limits=sandbox.Limits(),
        may_propose=caller.role != "observer",
    )


@router.get("/account")
def account(request: Request, caller: LoggedIn, contest: TheContest) -> HTMLResponse:
    """Show the password form and the tokens."""
    listed = tokens.list_tokens(caller, contest)
    return page(request, caller, contest, "account.html", tokens=listed, least=passwords.SHORTEST)


@router.get("/arena")
def arena(request: Request, caller: LoggedIn, contest: TheContest) -> HTMLResponse:
    """Show the contest in three dimensions."""
    language = caller.language
    options = {
        "texts": arena_texts(language),
        "language": language,
        "own": caller.team_id,
        "live": arena_api.STORY,
    }
    given = json.dumps(options, ensure_ascii=False)
    return page(request, caller, contest, "arena.html", options=given, module=arena_api.MODULE)


def _rules_title(contest: Contest) -> str | None:
    return None if contest.settings.custom else contest.evaluation.year.title


def _meanings(
    contest: Contest, caller: Caller, listed: list[metrics.MetricAnswer]
) -> dict[str, Any]:
    """Return what metrics mean, for headings by name and for the list below the table."""
    means = meanings(contest, caller.language)
    return {"means": means, "explained": page_parts.by_meaning(listed, means)}


def problem_page(request: Request, status: int, message: str) -> HTMLResponse:
    """Show what went wrong, in one sentence that is in the reader's language already."""
    contest = the_contest(request)
    caller = caller_by_headers(request, contest, unsafe=False)
    return page(request, caller, contest, "problem.html", status=status, message=message)
