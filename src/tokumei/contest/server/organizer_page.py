"""The organizer's page."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from tokumei.contest.server.access import Organizer, TheContest, iso
from tokumei.contest.server.api import invitations, organize, queue, results, sets
from tokumei.contest.server.ids import Id
from tokumei.contest.server.page_duties import is_silent
from tokumei.contest.server.page_rendering import page
from tokumei.contest.store import clock, queue_status
from tokumei.contest.store.contest_state import read_state

router = APIRouter(include_in_schema=False)


@router.get("/organize")
def show_desk(
    request: Request, caller: Organizer, contest: TheContest, before: Id | None = None
) -> HTMLResponse:
    """Show everything that an organizer can do."""
    with contest.database.read() as connection:
        state = read_state(connection)
    teams = results.list_teams(caller, contest)
    listed = sets.list_sets(caller, contest)
    workers = queue_status.status(contest.database).workers
    return page(
        request,
        caller,
        contest,
        "organize.html",
        switched=state.phase is not None,
        frozen=state.frozen,
        teams=teams,
        names={team.id: team.name for team in teams},
        users=invitations.list_users(caller, contest),
        invitations=[
            one
            for one in invitations.list_invitations(caller, contest)
            if one.used is None and one.expires > iso(clock.now())
        ],
        queue=queue.get_queue(caller, contest),
        silent={one.name for one in workers if is_silent(one.seen)},
        worker_tokens=queue.list_worker_tokens(caller, contest),
        sets=listed,
        changes={
            one.id: sets.list_changes(one.id, caller, contest)
            for one in listed
            if one.state == "open"
        },
        audit=organize.list_audit(caller, contest, before),
        before=before,
    )
