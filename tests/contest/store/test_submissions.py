"""Quotas that a burst cannot pass, withdrawal, choice, and the attack phase."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from clocks import Clock
from people import new_submission, new_team, new_user, valid_submission
from sqlalchemy import Connection, select

from tokumei.contest.store import control, guesses, jobs, submissions
from tokumei.contest.store.database import Database
from tokumei.contest.store.errors import NotFound, NotNow, QuotaUsed
from tokumei.contest.store.guesses import Cell, HandedInGuess
from tokumei.contest.store.schema import jobs as job_table
from tokumei.contest.store.submissions import Submission, Upload
from tokumei.contest.store.viewing import ANYBODY, ORGANIZER, Viewer
from tokumei.errors import ParameterError

FILE = Upload("b" * 64, 20, "A.csv", "first try")


def add(connection: Connection, team_id: int, *, phase: str = "a", quota: int = 2) -> Submission:
    return submissions.add(connection, FILE, team_id=team_id, user_id=1, phase=phase, quota=quota)


@pytest.fixture
def ice(database: Database) -> int:
    with database.write() as connection:
        team_id = new_team(connection, "Ice")
        new_user(connection, "yuki", team_id)
        return team_id


def test_a_submission_as_it_arrives(database: Database, ice: int, moving: Clock) -> None:
    with database.write() as connection:
        made = add(connection, ice)
    assert (made.state, made.counted, made.chosen, made.note) == (
        "received",
        True,
        False,
        FILE.note,
    )
    assert made.created == moving.time
    with database.read() as connection:
        assert submissions.find(connection, made.id, team_id=ice) == made
        assert submissions.listed(connection) == [made]
        with pytest.raises(NotFound, match=f"no submission {made.id}"):
            submissions.find(connection, made.id, team_id=ice + 1)


def test_the_quota_is_of_a_phase_and_invalid_ones_cost_nothing(
    database: Database, ice: int
) -> None:
    with database.write() as connection:
        first = add(connection, ice)
        add(connection, ice)
        with pytest.raises(QuotaUsed, match="its 2 submissions of this phase"):
            add(connection, ice)
        add(connection, ice, phase="b")
        report = {"valid": False, "problems": [{"row": 3}]}
        assert submissions.checked(connection, first.id, report, valid=False)
        assert not submissions.checked(connection, first.id, {}, valid=True)
        assert submissions.find(connection, first.id).report == report
        assert submissions.quota_used(connection, ice, "a") == 1
        add(connection, ice)
        with pytest.raises(QuotaUsed):
            add(connection, ice)


def test_a_burst_of_uploads_does_not_pass_the_quota(database: Database, ice: int) -> None:
    def upload(_: int) -> bool:
        try:
            database.run(lambda connection: add(connection, ice, quota=3))
        except QuotaUsed:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(upload, range(12))) == 3


def test_what_is_too_long_or_from_nobody(database: Database, ice: int) -> None:
    with database.write() as connection:
        with pytest.raises(ParameterError, match="A note has up to 2,000"):
            submissions.add(
                connection, Upload("c" * 64, 1, "x", "n" * 2_001),
                team_id=ice, user_id=1, phase="a", quota=1,
            )  # fmt: skip
        with pytest.raises(NotFound, match="no team 99"):
            add(connection, 99)
        long = Upload("c" * 64, 1, "x" * 999)
        made = submissions.add(connection, long, team_id=ice, user_id=1, phase="a", quota=1)
        assert len(made.original_name) == 200


def test_a_withdrawn_submission_is_out_and_stays_paid(database: Database, ice: int) -> None:
    with database.write() as connection:
        made = valid_submission(connection, ice, 1)
        job_id = jobs.enqueue(connection, "judge", {}, team_id=ice, submission_id=made.id)
        with pytest.raises(NotFound):
            submissions.withdraw(connection, made.id, team_id=ice + 1)
        submissions.withdraw(connection, made.id, team_id=ice)
        found = submissions.find(connection, made.id)
        assert (found.state, found.counted) == ("withdrawn", True)
        with pytest.raises(NotNow, match="withdrawn already"):
            submissions.withdraw(connection, made.id, team_id=ice)
        with pytest.raises(NotNow, match="must be valid to be chosen"):
            submissions.choose(connection, made.id, team_id=ice)
        job = connection.execute(select(job_table.c.state).where(job_table.c.id == job_id))
        assert job.scalar_one() == "failed"


def test_a_submission_withdrawn_while_it_is_evaluated_stays_withdrawn(
    database: Database, ice: int
) -> None:
    with database.write() as connection:
        made = valid_submission(connection, ice, 1)
        jobs.enqueue(connection, "judge", {}, team_id=ice, submission_id=made.id)
    job = jobs.claim(database, "w", ("judge",))
    assert job is not None
    with database.write() as connection:
        submissions.withdraw(connection, made.id, team_id=ice)
    jobs.finish(database, job, lambda _: None)
    with database.read() as connection:
        assert submissions.find(connection, made.id).state == "withdrawn"


def test_one_submission_is_chosen(database: Database, ice: int) -> None:
    with database.write() as connection:
        first, second = (valid_submission(connection, ice, 1) for _ in range(2))
        submissions.choose(connection, first.id, team_id=ice)
        submissions.choose(connection, second.id, team_id=ice)
        chosen = [one.id for one in submissions.listed(connection, team_id=ice) if one.chosen]
        assert chosen == [second.id]
        with pytest.raises(NotFound):
            submissions.choose(connection, second.id, team_id=new_team(connection, "Fire"))


@pytest.fixture
def arena(database: Database) -> list[int]:
    """Three teams, the first two of which have published."""
    with database.write() as connection:
        ids = [new_team(connection, name) for name in ("Ice", "Fire", "Wind")]
        for number, team_id in enumerate(ids):
            user_id = new_user(connection, f"u{number}", team_id)
            made = valid_submission(connection, team_id, user_id)
            if number < 2:
                guesses.publish(connection, made.id, sha256="d" * 64, size=9)
    return ids


def guess(connection: Connection, attacker: int, defender: int, limit: int = 2) -> HandedInGuess:
    return guesses.add(
        connection, FILE, attacker_id=attacker, defender_id=defender, user_id=1, limit=limit
    )


def test_a_team_publishes_once_and_cannot_take_it_back(
    database: Database, arena: list[int]
) -> None:
    with database.write() as connection:
        out = guesses.published(connection)
        assert [release.team_id for release in out] == arena[:2]
        with pytest.raises(NotNow, match="published already"):
            guesses.publish(connection, out[0].submission_id, sha256="e" * 64, size=1)
        unchecked = new_submission(connection, arena[2], 1)
        with pytest.raises(NotNow, match="must be valid to be published; this is received"):
            guesses.publish(connection, unchecked.id, sha256="e" * 64, size=1)
        with pytest.raises(NotNow, match="published cannot be withdrawn"):
            submissions.withdraw(connection, out[0].submission_id, team_id=arena[0])


def test_guesses_have_a_limit_for_each_pair(database: Database, arena: list[int]) -> None:
    ice, fire, wind = arena
    with database.write() as connection:
        with pytest.raises(NotNow, match="its own data"):
            guess(connection, ice, ice)
        with pytest.raises(NotFound, match=f"no published data of team {wind}"):
            guess(connection, ice, wind)
        first, second = guess(connection, wind, fire), guess(connection, wind, fire)
        with pytest.raises(QuotaUsed, match="its 2 guesses against this team"):
            guess(connection, wind, fire)
        guess(connection, wind, ice)
        guesses.refuse(connection, first.id, {"valid": False})
        assert guesses.guesses_used(connection, wind, fire) == 1
        guess(connection, wind, fire)
        assert guesses.mark(connection, second.id, hits=3, total=10, success=0.3)
        assert not guesses.mark(connection, second.id, hits=9, total=10, success=0.9)
        assert not guesses.refuse(connection, second.id, {})
        assert guesses.find(connection, second.id, team_id=wind).success == 0.3
        with pytest.raises(NotFound):
            guesses.find(connection, second.id, team_id=ice)
        assert len(guesses.listed(connection, attacker_id=wind)) == 4
        assert guesses.listed(connection, attacker_id=ice) == []


def test_a_burst_of_guesses_does_not_pass_the_limit(database: Database, arena: list[int]) -> None:
    def attack(_: int) -> bool:
        try:
            database.run(lambda connection: guess(connection, arena[2], arena[0], limit=3))
        except QuotaUsed:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(attack, range(12))) == 3


def test_the_matrix_has_the_best_of_each_pair(
    database: Database, arena: list[int], moving: Clock
) -> None:
    ice, fire, wind = arena
    with database.write() as connection:
        for hits in (2, 5, 3):
            made = guess(connection, wind, ice, limit=9)
            guesses.mark(connection, made.id, hits=hits, total=10, success=hits / 10)
        guess(connection, wind, fire)
        moving.move(1)
        control.freeze(connection)
        moving.move(1)
        late = guess(connection, wind, ice, limit=9)
        guesses.mark(connection, late.id, hits=9, total=10, success=0.9)
    waiting = Cell(wind, fire, 1, None, None, None)
    with database.read() as connection:
        for viewer in (ANYBODY, Viewer(ice), Viewer(fire)):
            assert guesses.matrix(connection, viewer) == [Cell(wind, ice, 4, 5, 10, 0.5), waiting]
        for viewer in (ORGANIZER, Viewer(wind)):
            assert guesses.matrix(connection, viewer) == [Cell(wind, ice, 4, 9, 10, 0.9), waiting]


def test_a_guess_that_our_machines_failed_costs_nothing(
    database: Database, arena: list[int], moving: Clock
) -> None:
    with database.write() as connection:
        made = guess(connection, arena[2], arena[0])
        jobs.enqueue(connection, "guess", {}, team_id=arena[2], guess_id=made.id)
    for _ in range(3):
        job = jobs.claim(database, "w", ("guess",))
        assert job is not None
        jobs.infrastructure_error(database, job, "no memory")
        moving.move(60)
    with database.write() as connection:
        found = guesses.find(connection, made.id)
        assert (found.state, found.counted) == ("error", False)
        jobs.retry(connection, job.id)
        found = guesses.find(connection, made.id)
        assert (found.state, found.counted) == ("received", True)


def test_a_name_is_kept_as_it_came(database: Database, ice: int) -> None:
    name = "=cmd|' /C calc'!A0 <script>../../etc/passwd\0"
    with database.write() as connection:
        made = new_submission(connection, ice, 1)
        upload = Upload("f" * 64, 1, name)
        odd = submissions.add(connection, upload, team_id=ice, user_id=1, phase="a", quota=9)
    assert made.original_name == "data.csv"
    with database.read() as connection:
        kept = submissions.find(connection, odd.id).original_name
    assert kept == name.replace("\0", "\N{REPLACEMENT CHARACTER}")
