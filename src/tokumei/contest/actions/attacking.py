"""The attack phase: the server publishes what counts, and the teams guess who is behind it."""

from __future__ import annotations

from sqlalchemy import Connection

from tokumei.contest.actions.handing_in import FILES_EACH, team_of
from tokumei.contest.blobs import Blob
from tokumei.contest.opening import Contest
from tokumei.contest.phases import phase_now
from tokumei.contest.store import audit, guesses, jobs
from tokumei.contest.store.accounts import User
from tokumei.contest.store.database import serialize
from tokumei.contest.store.errors import NotNow, QuotaUsed
from tokumei.contest.store.guesses import HandedInGuess
from tokumei.contest.store.publishing import PUBLISH, unpublished
from tokumei.contest.store.standings import standings
from tokumei.contest.store.submissions import Upload
from tokumei.contest.store.viewing import ORGANIZER


def publish_all(contest: Contest) -> None:
    """Queue the publication of what counts of every team that waits for it.

    A team whose last submissions are still evaluated is left for a later call.
    """
    with contest.database.read() as connection:
        if not unpublished(connection):
            return
    with contest.database.write() as connection:
        serialize(connection, "publish all")
        waiting = unpublished(connection)
        for row in standings(connection, ORGANIZER, contest.settings.counts).rows:
            if row.team_id in waiting:
                about = {"team_id": row.team_id, "submission_id": row.submission_id}
                jobs.enqueue(connection, PUBLISH, {}, **about)


def expect(contest: Contest, actor: User, defender_id: int) -> None:
    """Refuse a guess before its file is sent, where it would be refused afterwards."""
    with contest.database.read() as connection:
        _admit(connection, contest, team_of(actor), defender_id)


def guess(contest: Contest, actor: User, defender_id: int, blob: Blob) -> HandedInGuess:
    """Take a guess at another team's data and queue its marking."""
    team_id = team_of(actor)
    with contest.database.write() as connection:
        _admit(connection, contest, team_id, defender_id)
        made = guesses.add(
            connection,
            Upload(blob.sha256, blob.size),
            attacker_id=team_id,
            defender_id=defender_id,
            user_id=actor.id,
            limit=contest.settings.quotas.guesses,
        )
        jobs.enqueue(connection, "guess", {}, team_id=team_id, guess_id=made.id)
        audit.note(
            connection,
            actor.login,
            "guess",
            f"guess {made.id}",
            defender=defender_id,
            sha256=blob.sha256,
        )
    return made


def _admit(connection: Connection, contest: Contest, team_id: int, defender_id: int) -> None:
    limit = contest.settings.quotas.guesses
    if phase_now(connection, contest.settings) != "attack":
        raise NotNow("Guesses are taken in the re-identification phase only.")
    guesses.require_quota(connection, team_id, defender_id, limit)
    handed_in = guesses.handed_in(connection, team_id, defender_id)
    if handed_in >= FILES_EACH * limit:
        raise QuotaUsed(f"The team has handed in {handed_in:,} files; it may do no more.")
