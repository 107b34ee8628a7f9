"""A contest that is played: files handed in, evaluated, published and attacked."""

from __future__ import annotations

from datetime import datetime

import pytest
from commanding import until
from fastapi.testclient import TestClient
from staging import VALID, ClientOf, People

from tokumei.contest.actions import handing_in, organizing
from tokumei.contest.desk import LocalDesk
from tokumei.contest.opening import Contest
from tokumei.contest.store import audit, clock, submissions
from tokumei.contest.store.accounts import User
from tokumei.contest.store.events import Event, read_since
from tokumei.contest.store.viewing import ORGANIZER
from tokumei.contest.working import Worker

COARSE = b"q1,2018/9/2,pear\nq2,2018/9/2,pear\nq2,2018/9/2,grape\nq3,2018/9/2,pear\n"
"""A better submission than VALID: 3 of 8 cells are changed, but q1 and q3 look the same.

Its total is 3/8 + 2/3; that of VALID, which deletes one of four rows, 1/4 + 3/3.
"""
BINARY = {"content-type": "application/octet-stream"}


def work(contest: Contest) -> int:
    """Do all jobs that are ready, and return how many they were."""
    desk = LocalDesk(contest.database, contest.evaluation, contest.blobs, contest.seed)
    worker, done = Worker("here", desk, contest.evaluation), 0
    while worker.work_once():
        done += 1
    return done


def hand_in(contest: Contest, actor: User, content: bytes = VALID) -> int:
    """Hand in a file and evaluate it."""
    blob = contest.blobs.add([content], most=10_000)
    made = handing_in.submit(contest, actor, blob, "data.csv")
    work(contest)
    # A worker beside this one may have taken the job.
    until(lambda: _state(contest, made.id) not in ("received", "valid"))
    return made.id


def _state(contest: Contest, submission: int) -> str:
    with contest.database.read() as connection:
        return submissions.find(connection, submission).state


def play_to_attack(contest: Contest, people: People) -> None:
    """Let both teams hand in, and publish what they did."""
    hand_in(contest, people.captain)
    hand_in(contest, people.rival, COARSE)
    organizing.set_phase(contest, people.organizer, "attack")
    work(contest)


def attack(client: TestClient, defender: int | None, lines: bytes) -> int:
    """Send a guess and return the status of the answer."""
    path = f"/api/guesses?defender={defender}"
    return client.post(path, content=lines, headers=BINARY).status_code


def played(contest: Contest, people: People, client_of: ClientOf) -> None:
    """Play to the end of the attack phase: fire names two of ice's three, ice all of fire's."""
    play_to_attack(contest, people)
    ice, fire = people.captain.team_id, people.rival.team_id
    assert attack(client_of(people.rival), ice, b"p1,Alice\np2,Bob\np3,Bob\n") == 201
    assert attack(client_of(people.captain), fire, b"q1,Alice\nq2,Bob\nq3,Dan\n") == 201
    assert work(contest) == 2


def events(contest: Contest, kind: str) -> list[Event]:
    with contest.database.read() as connection:
        found = read_since(connection, 0, ORGANIZER, sees="all").events
    return [event for event in found if event.kind == kind]


def notes(contest: Contest) -> list[tuple[str, str, str]]:
    """Who did what, the oldest first."""
    with contest.database.read() as connection:
        found = audit.entries(connection)
    return [(entry.actor, entry.action, entry.subject) for entry in reversed(found)]


def set_clock(monkeypatch: pytest.MonkeyPatch, time_with_zone: str) -> None:
    """Let it be that time, until told otherwise."""
    moment = clock.as_moment(datetime.fromisoformat(time_with_zone))
    monkeypatch.setattr(clock, "now", lambda: moment)


def states(contest: Contest) -> dict[int, str]:
    """Return the state of every submission."""
    with contest.database.read() as connection:
        return {one.id: one.state for one in submissions.listed(connection)}
