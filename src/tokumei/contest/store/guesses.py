"""The attack phase: what each team publishes, the guesses of the others, and who named whom."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, func, insert, or_, select, update

from tokumei.contest.store import clock, events, submissions
from tokumei.contest.store.contest_state import read_state
from tokumei.contest.store.errors import NotNow, QuotaUsed
from tokumei.contest.store.rows import columns, count, one, several
from tokumei.contest.store.schema import guesses, releases
from tokumei.contest.store.states import GuessState
from tokumei.contest.store.submissions import Upload, lock_team
from tokumei.contest.store.viewing import Viewer, only_team


@dataclass(frozen=True)
class PublishedData:
    """What the other teams get of a team's data."""

    id: int
    team_id: int
    submission_id: int
    sha256: str
    size: int
    created: int


@dataclass(frozen=True)
class HandedInGuess:
    """What an attacker says of a defender's data; `success` is the share that it named."""

    id: int
    attacker_id: int
    defender_id: int
    release_id: int
    user_id: int
    sha256: str
    size: int
    state: GuessState
    report: Mapping[str, Any] | None
    counted: bool
    hits: int | None
    total: int | None
    success: float | None
    created: int
    marked: int | None


@dataclass(frozen=True)
class Cell:
    """The best guess of an attacker against a defender, and how many it has made."""

    attacker_id: int
    defender_id: int
    used: int
    hits: int | None
    total: int | None
    success: float | None


FIELDS = columns(guesses, HandedInGuess)
RELEASE_FIELDS = columns(releases, PublishedData)


def publish(connection: Connection, submission_id: int, *, sha256: str, size: int) -> PublishedData:
    """Keep what the others get of a submission; a team publishes once."""
    team_id = submissions.find(connection, submission_id).team_id
    lock_team(connection, team_id)
    state = submissions.find(connection, submission_id).state
    if state not in ("valid", "evaluated"):
        raise NotNow(f"A submission must be valid to be published; this is {state}.")
    if connection.execute(select(releases.c.id).where(releases.c.team_id == team_id)).first():
        raise NotNow("The team's data is published already.")
    statement = insert(releases).values(
        team_id=team_id,
        submission_id=submission_id,
        sha256=sha256,
        size=size,
        created=clock.now(),
    )
    return one(connection, statement.returning(*RELEASE_FIELDS), PublishedData, "release")


def published(connection: Connection) -> list[PublishedData]:
    """Return what all teams have published."""
    return several(connection, select(*RELEASE_FIELDS).order_by(releases.c.team_id), PublishedData)


def add(
    connection: Connection,
    upload: Upload,
    *,
    attacker_id: int,
    defender_id: int,
    user_id: int,
    limit: int,
) -> HandedInGuess:
    """Add a guess, if the attacker has one left against this defender."""
    if attacker_id == defender_id:
        raise NotNow("A team does not attack its own data.")
    lock_team(connection, attacker_id)
    data = select(*RELEASE_FIELDS).where(releases.c.team_id == defender_id)
    release = one(connection, data, PublishedData, f"published data of team {defender_id}")
    require_quota(connection, attacker_id, defender_id, limit)
    statement = insert(guesses).values(
        attacker_id=attacker_id,
        defender_id=defender_id,
        release_id=release.id,
        user_id=user_id,
        sha256=upload.sha256,
        size=upload.size,
        state="received",
        counted=True,
        created=clock.now(),
    )
    return one(connection, statement.returning(*FIELDS), HandedInGuess, "guess")


def require_quota(connection: Connection, attacker_id: int, defender_id: int, limit: int) -> None:
    """Refuse a team that has no guess left against another."""
    if guesses_used(connection, attacker_id, defender_id) >= limit:
        raise QuotaUsed(f"The team has used its {limit:,} guesses against this team.")


def guesses_used(connection: Connection, attacker_id: int, defender_id: int) -> int:
    """Return how many guesses of one team against another have cost something."""
    pair = _pair(attacker_id, defender_id)
    return count(connection, select(func.count()).where(pair, guesses.c.counted))


def handed_in(connection: Connection, attacker_id: int, defender_id: int) -> int:
    """Return how many files one team has sent against another, also invalid ones."""
    return count(connection, select(func.count()).where(_pair(attacker_id, defender_id)))


def find(connection: Connection, guess_id: int, *, team_id: int | None = None) -> HandedInGuess:
    """Return a guess; with a team, only one that it made."""
    statement = select(*FIELDS).where(guesses.c.id == guess_id)
    if team_id is not None:
        statement = statement.where(guesses.c.attacker_id == team_id)
    return one(connection, statement, HandedInGuess, f"guess {guess_id}")


def listed(connection: Connection, *, attacker_id: int | None = None) -> list[HandedInGuess]:
    """Return the guesses of a team, or of all, the newest first."""
    statement = select(*FIELDS).order_by(guesses.c.id.desc())
    if attacker_id is not None:
        statement = statement.where(guesses.c.attacker_id == attacker_id)
    return several(connection, statement, HandedInGuess)


def mark(connection: Connection, guess_id: int, *, hits: int, total: int, success: float) -> bool:
    """Keep how many a guess has named; false where it was marked or refused before."""
    return _change(
        connection,
        guess_id,
        state="marked",
        hits=hits,
        total=total,
        success=success,
        marked=clock.now(),
    )


def refuse(connection: Connection, guess_id: int, report: Mapping[str, Any]) -> bool:
    """Keep why a guess cannot be marked, and tell its team; it costs nothing."""
    refused = _change(connection, guess_id, state="invalid", report=dict(report), counted=False)
    if refused:
        team = only_team(find(connection, guess_id).attacker_id)
        events.append(connection, "guess.refused", team, {"guess": guess_id})
    return refused


def give_back(connection: Connection, guess_ids: Collection[int]) -> None:
    """Name guesses that our machines could not mark; they cost nothing."""
    statement = update(guesses).where(guesses.c.id.in_(guess_ids), guesses.c.state == "received")
    connection.execute(statement.values(state="error", counted=False))


def take_again(connection: Connection, guess_id: int) -> None:
    """Put a guess that our machines failed back into the line; it costs again."""
    statement = update(guesses).where(guesses.c.id == guess_id, guesses.c.state == "error")
    connection.execute(statement.values(state="received", counted=True))


def matrix(connection: Connection, viewer: Viewer) -> list[Cell]:
    """Return the best marked guess of every pair of teams; in a freeze, of before it."""
    best = (
        select(
            *FIELDS,
            func.row_number()
            .over(
                partition_by=(guesses.c.attacker_id, guesses.c.defender_id),
                order_by=(guesses.c.success.desc(), guesses.c.id),
            )
            .label("place"),
        )
        .where(guesses.c.state == "marked", _may_see(connection, viewer))
        .subquery()
    )
    used = (
        select(guesses.c.attacker_id, guesses.c.defender_id, func.count().label("used"))
        .where(guesses.c.counted)
        .group_by(guesses.c.attacker_id, guesses.c.defender_id)
        .subquery()
    )
    same_pair = and_(
        used.c.attacker_id == best.c.attacker_id,
        used.c.defender_id == best.c.defender_id,
        best.c.place == 1,
    )
    statement = (
        select(
            used.c.attacker_id,
            used.c.defender_id,
            used.c.used,
            best.c.hits,
            best.c.total,
            best.c.success,
        )
        .select_from(used.outerjoin(best, same_pair))
        .order_by(used.c.attacker_id, used.c.defender_id)
    )
    return several(connection, statement, Cell)


def _pair(attacker_id: int, defender_id: int) -> ColumnElement[bool]:
    return and_(guesses.c.attacker_id == attacker_id, guesses.c.defender_id == defender_id)


def _may_see(connection: Connection, viewer: Viewer) -> Any:
    frozen = read_state(connection).frozen
    if viewer.organizer or frozen is None:
        return guesses.c.id.is_not(None)
    return or_(guesses.c.marked <= frozen, guesses.c.attacker_id == (viewer.team_id or -1))


def _change(connection: Connection, guess_id: int, **values: Any) -> bool:
    statement = update(guesses).where(guesses.c.id == guess_id, guesses.c.state == "received")
    return connection.execute(statement.values(**values)).rowcount == 1
