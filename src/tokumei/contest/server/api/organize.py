"""The organizer's desk: phases, freeze, the log of who did what, and the final report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter
from fastapi.responses import HTMLResponse
from pydantic import BaseModel

from tokumei.contest.actions import organizing
from tokumei.contest.phases import phase_now
from tokumei.contest.server.access import LoggedIn, Organizer, TheContest, iso
from tokumei.contest.server.final_report import final_report
from tokumei.contest.server.ids import Id
from tokumei.contest.settings import PhaseName
from tokumei.contest.store import audit
from tokumei.contest.store.errors import NotNow

router = APIRouter(prefix="/api", tags=["organize"])
PAGE = 100
REPORT_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"
)
"""The report is one file that can be saved: its styles stand in it, and nothing else may run."""


class PhaseWish(BaseModel):
    """A phase in the place of the planned one; null goes back to the plan."""

    phase: PhaseName | None


class AuditEntry(BaseModel):
    """Something that somebody did."""

    id: int
    created: str
    actor: str
    action: str
    subject: str
    detail: Mapping[str, Any]


class AuditPage(BaseModel):
    """Entries, the newest first; ask with `before` for the next ones, null after the last."""

    entries: list[AuditEntry]
    before: int | None


@router.post("/phase", status_code=204, summary="Switch the phase")
def set_phase(wish: PhaseWish, caller: Organizer, contest: TheContest) -> None:
    """Put a phase in the place of the planned one; the re-identification phase publishes."""
    organizing.set_phase(contest, caller.somebody, wish.phase)


@router.post("/freeze", status_code=204, summary="Freeze the results")
def freeze(caller: Organizer, contest: TheContest) -> None:
    """Let the teams see the others' results as they are now."""
    organizing.freeze(contest, caller.somebody)


@router.delete("/freeze", status_code=204, summary="End the freeze")
def unfreeze(caller: Organizer, contest: TheContest) -> None:
    """Show all results again."""
    organizing.unfreeze(contest, caller.somebody)


@router.get("/audit", summary="Who did what")
def list_audit(_: Organizer, contest: TheContest, before: Id | None = None) -> AuditPage:
    """List what people did, the newest first."""
    with contest.database.read() as connection:
        found = audit.entries(connection, before=before, limit=PAGE)
    entries = [
        AuditEntry(
            id=one.id,
            created=iso(one.created),
            actor=one.actor,
            action=one.action,
            subject=one.subject,
            detail=one.detail,
        )
        for one in found
    ]
    return AuditPage(entries=entries, before=found[-1].id if len(found) == PAGE else None)


@router.get("/report", summary="The final report", response_class=HTMLResponse)
def get_report(caller: LoggedIn, contest: TheContest) -> HTMLResponse:
    """Return the contest on one page; before it is closed, for organizers only."""
    with contest.database.read() as connection:
        closed = phase_now(connection, contest.settings) == "closed"
    if not closed and caller.role != "organizer":
        raise NotNow("The final report is shown when the contest is closed.")
    page = final_report(contest, caller.language)
    return HTMLResponse(page, headers={"Content-Security-Policy": REPORT_POLICY})
