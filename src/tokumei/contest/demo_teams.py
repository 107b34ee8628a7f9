"""The teams of a demo: they join by invitations, hand in, and are evaluated, as anybody else."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from tokumei.contest.actions import handing_in, people
from tokumei.contest.creating import Link, invite
from tokumei.contest.desk import LocalDesk
from tokumei.contest.opening import Contest
from tokumei.contest.store import jobs
from tokumei.contest.store.accounts import User
from tokumei.contest.store.states import Role
from tokumei.contest.working import Worker
from tokumei.progress import track

TEAMS = ("Ice", "Fire", "Mist")
MEGABYTE = 1_000_000


@dataclass(frozen=True)
class Play:
    """A file that a team of the demo hands in."""

    team: str
    name: str
    content: bytes
    note: str


def join(contest: Contest) -> dict[str, User]:
    """Let every team have a captain and a member; return the members, who hand in."""
    members = {}
    for team in track(TEAMS, len(TEAMS), "teams"):
        captain = _joined(contest, "captain", f"{team}-captain", team_name=team)
        members[team] = _joined(contest, "member", f"{team}-member", team_id=captain.team_id)
    return members


def organizer(contest: Contest) -> User:
    """Return an organizer who approves the demo's own scripts."""
    return _joined(contest, "organizer", "demo-desk")


def captains_links(contest: Contest, members: dict[str, User], url: str) -> list[Link]:
    """Invite whoever plays the demo to each team."""
    return [
        invite(contest, "captain", url=url, team_id=member.team_id, team=team)
        for team, member in members.items()
    ]


def hand_in(contest: Contest, members: dict[str, User], plays: Sequence[Play]) -> None:
    """Hand in all files, and evaluate them at once."""
    for play in plays:
        actor, most = members[play.team], contest.settings.quotas.megabytes * MEGABYTE
        blob = contest.blobs.add([play.content], most=most)
        made = handing_in.submit(contest, actor, blob, play.name)
        handing_in.set_note(contest, actor, made.id, play.note)
    # About a check and a score each: only the bar needs the number.
    work(contest, expected=2 * len(plays))


def work(contest: Contest, *, expected: int = 1) -> None:
    """Do all that waits in the queue, here and now."""
    desk = LocalDesk(contest.database, contest.evaluation, contest.blobs, contest.seed)
    worker = Worker("init", desk, contest.evaluation)
    for _ in track(iter(worker.work_once, None), expected, "evaluating submissions"):
        pass
    with contest.database.write() as connection:
        jobs.forget_worker(connection, "init")


def _joined(
    contest: Contest,
    role: Role,
    login: str,
    *,
    team_name: str | None = None,
    team_id: int | None = None,
) -> User:
    invited = people.invite(contest, None, role, team_name=team_name, team_id=team_id)
    # Nobody ever knows the password.
    return people.accept(contest, invited.secret, login, secrets.token_urlsafe(32))
