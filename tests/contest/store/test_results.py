"""The table: what counts, ranks with ties, freezes, scripts as metrics, and re-evaluation."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping

import pytest
from clocks import Clock
from people import new_metric, new_team, new_user, valid_submission

from tokumei.contest.store import control, jobs, metrics, results, submissions
from tokumei.contest.store.database import Database
from tokumei.contest.store.errors import NotNow
from tokumei.contest.store.metrics import Metric
from tokumei.contest.store.results import NOT_A_NUMBER, Change, Measured, record
from tokumei.contest.store.standings import Shown, Standing, Standings, Total, history, standings
from tokumei.contest.store.viewing import ANYBODY, ORGANIZER, Viewer

USERS: dict[int, int] = {}


@pytest.fixture
def teams(database: Database) -> dict[str, int]:
    with database.write() as connection:
        made = {name: new_team(connection, name) for name in ("ice", "fire", "wind")}
        for name, team_id in made.items():
            USERS[team_id] = new_user(connection, name, team_id)
        new_metric(connection, "loss", "utility")
        new_metric(connection, "total", "total")
    return made


def score(
    database: Database,
    team_id: int,
    values: Mapping[str, float | None],
    *,
    problem: str | None = None,
    submission_id: int | None = None,
    set_id: int | None = None,
) -> int:
    """Evaluate a new submission of a team, or one again, by the queue."""
    with database.write() as connection:
        if submission_id is None:
            submission_id = valid_submission(connection, team_id, USERS[team_id]).id
        jobs.enqueue(connection, "judge", {}, submission_id=submission_id, set_id=set_id)
    job = jobs.claim(database, "w", ("judge",))
    assert job is not None
    found = [Measured(name, value, problem) for name, value in values.items()]
    jobs.finish(database, job, lambda connection: record(connection, job, found))
    return submission_id


def table(database: Database, shown: Shown = "best", viewer: Viewer = ANYBODY) -> Standings:
    with database.read() as connection:
        return standings(connection, viewer, shown)


def ranks(found: Standings) -> list[tuple[str, int | None, float | None]]:
    return [(row.team, row.rank, row.total) for row in found.rows]


@pytest.mark.parametrize("shown", ["best", "latest", "chosen"])
def test_the_database_finds_the_submission_that_counts(
    database: Database, teams: dict[str, int], shown: Shown
) -> None:
    """It chooses as one would who goes through all rows."""
    draw = random.Random(shown)
    for _ in range(24):
        team_id, total = draw.choice(list(teams.values())), draw.choice([1.0, 2.0, None])
        made = score(database, team_id, {"total": total}, problem=None if total else "none")
        if draw.random() < 0.2:
            with database.write() as connection:
                submissions.choose(connection, made, team_id=team_id)
    whole: dict[int, list[Standing]] = {}
    for row in table(database, "all").rows:
        whole.setdefault(row.team_id, []).append(row)
    keys = {
        "best": lambda row: (
            row.total or math.inf, row.submission_id if row.total else -row.submission_id
        ),
        "latest": lambda row: -row.submission_id,
        "chosen": lambda row: (not row.chosen, -row.submission_id),
    }  # fmt: skip
    wanted = {min(rows, key=keys[shown]).submission_id for rows in whole.values()}
    assert {row.submission_id for row in table(database, shown).rows} == wanted


def test_best_latest_and_chosen(database: Database, teams: dict[str, int]) -> None:
    ice, fire = teams["ice"], teams["fire"]
    first = score(database, ice, {"total": 2.0})
    score(database, ice, {"total": 1.0})
    score(database, ice, {"total": 3.0})
    score(database, fire, {"total": 2.5})
    assert ranks(table(database, "best")) == [("ice", 1, 1.0), ("fire", 2, 2.5)]
    assert ranks(table(database, "latest")) == [("fire", 1, 2.5), ("ice", 2, 3.0)]
    assert ranks(table(database, "chosen")) == ranks(table(database, "latest"))
    with database.write() as connection:
        submissions.choose(connection, first, team_id=ice)
    assert ranks(table(database, "chosen")) == [("ice", 1, 2.0), ("fire", 2, 2.5)]
    everything = [("ice", 1, 1.0), ("ice", 2, 2.0), ("fire", 3, 2.5), ("ice", 4, 3.0)]
    assert ranks(table(database, "all")) == everything


def test_equal_totals_share_a_rank_and_a_higher_total_can_be_better(
    database: Database, teams: dict[str, int]
) -> None:
    for name, total in (("ice", 0.5), ("fire", 0.7), ("wind", 0.5)):
        score(database, teams[name], {"total": total})
    assert ranks(table(database)) == [("ice", 1, 0.5), ("wind", 1, 0.5), ("fire", 3, 0.7)]
    with database.write() as connection:
        metrics.keep_built_in(
            connection,
            [
                Metric("loss", "Loss", "utility", "lower", 1),
                Metric("total", "T", "total", "higher", 2),
            ],
        )
    found = table(database)
    assert found.better == "higher"
    assert ranks(found) == [("fire", 1, 0.7), ("ice", 2, 0.5), ("wind", 2, 0.5)]


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, None])
def test_what_is_no_number_never_ranks(
    database: Database, teams: dict[str, int], bad: float | None
) -> None:
    score(database, teams["ice"], {"loss": 0.1, "total": bad})
    score(database, teams["fire"], {"total": 0.0}, problem="The script failed.")
    score(database, teams["wind"], {"total": 9.0})
    found = table(database)
    assert ranks(found) == [("wind", 1, 9.0), ("ice", None, None), ("fire", None, None)]
    assert found.rows[1].values["total"].problem == NOT_A_NUMBER
    assert found.rows[1].values["loss"].value == 0.1
    assert found.rows[2].values["total"].problem == "The script failed."


def test_a_failed_one_does_not_hide_the_best(database: Database, teams: dict[str, int]) -> None:
    score(database, teams["ice"], {"total": 1.0})
    score(database, teams["ice"], {"total": math.nan})
    assert ranks(table(database, "best")) == [("ice", 1, 1.0)]
    assert ranks(table(database, "latest")) == [("ice", None, None)]


def test_withdrawn_and_unfinished_ones_are_not_shown(
    database: Database, teams: dict[str, int]
) -> None:
    gone = score(database, teams["ice"], {"total": 1.0})
    with database.write() as connection:
        submissions.withdraw(connection, gone, team_id=teams["ice"])
        valid_submission(connection, teams["fire"], USERS[teams["fire"]])
    assert table(database).rows == ()


def test_a_freeze_shows_everybody_the_table_of_before(
    database: Database, teams: dict[str, int], moving: Clock
) -> None:
    ice = teams["ice"]
    score(database, ice, {"total": 2.0})
    moving.move(1)
    with database.write() as connection:
        control.freeze(connection)
    moving.move(1)
    score(database, ice, {"total": 1.0})
    score(database, teams["fire"], {"total": 0.5})
    for viewer in (ANYBODY, Viewer(ice), Viewer(teams["fire"])):
        found = table(database, viewer=viewer)
        assert ranks(found) == [("ice", 1, 2.0)]
        assert found.frozen is not None
    organizer = table(database, viewer=ORGANIZER)
    assert ranks(organizer) == [("fire", 1, 0.5), ("ice", 2, 1.0)]
    assert organizer.frozen is None
    with database.read() as connection:
        assert [row.total for row in history(connection, ice)] == [1.0, 2.0]


def test_a_total_that_the_contest_sums_up_itself(database: Database, teams: dict[str, int]) -> None:
    def sums(values: Mapping[str, float]) -> float | None:
        return sum(values.values()) if "loss" in values else None

    score(database, teams["ice"], {"loss": 0.2})
    score(database, teams["fire"], {"loss": 0.1})
    score(database, teams["wind"], {"total": 0.1})
    with database.read() as connection:
        found = standings(connection, ANYBODY, "best", Total("higher", sums))
        endless = standings(connection, ANYBODY, "best", Total("lower", lambda _: math.inf))
    assert ranks(found) == [("ice", 1, 0.2), ("fire", 2, 0.1), ("wind", None, None)]
    assert {row.rank for row in endless.rows} == {None}


def test_a_re_evaluation_is_reviewed_before_it_is_shown(
    database: Database, teams: dict[str, int]
) -> None:
    ice, fire = teams["ice"], teams["fire"]
    first = score(database, ice, {"total": 1.0, "loss": 0.5})
    with database.write() as connection:
        made = results.open_set(connection, "rounding fixed")
        jobs.enqueue(connection, "judge", {}, submission_id=first, set_id=made.id)
        with pytest.raises(NotNow, match="not complete: 1 jobs are open"):
            results.activate(connection, made.id)
    job = jobs.claim(database, "w", ("judge",))
    assert job is not None
    jobs.finish(database, job, lambda connection: record(connection, job, [Measured("total", 3.0)]))
    between = score(database, fire, {"total": 2.0})
    assert ranks(table(database)) == [("ice", 1, 1.0), ("fire", 2, 2.0)]
    with database.read() as connection:
        assert results.changes(connection, made.id) == [
            Change(first, "total", 1.0, None, 3.0, None)
        ]
    with database.write() as connection:
        results.activate(connection, made.id)
        states = [(one.name, one.state) for one in results.sets(connection)]
    assert states == [("rounding fixed", "active"), ("live", "archived")]
    found = table(database)
    # What the set lacks is carried over: the other metric, and what came in the meantime.
    assert ranks(found) == [("fire", 1, 2.0), ("ice", 2, 3.0)]
    assert found.rows[1].values["loss"].value == 0.5
    score(database, fire, {"total": 0.5}, submission_id=between)
    assert ranks(table(database))[0] == ("fire", 1, 0.5)


def test_a_set_can_be_put_away(database: Database, teams: dict[str, int]) -> None:
    first = score(database, teams["ice"], {"total": 1.0})
    with database.write() as connection:
        made = results.open_set(connection, "wrong")
        jobs.enqueue(connection, "judge", {}, submission_id=first, set_id=made.id)
        results.discard(connection, made.id)
        for decide in (results.activate, results.discard):
            with pytest.raises(NotNow, match="open set"):
                decide(connection, made.id)
    assert jobs.claim(database, "w", ("judge",)) is None
    assert ranks(table(database)) == [("ice", 1, 1.0)]


def test_an_approved_script_is_a_metric(database: Database, teams: dict[str, int]) -> None:
    user_id = USERS[teams["ice"]]
    with database.write() as connection:
        made = [
            metrics.propose(
                connection, name="total", language="r", sha256="a" * 64, kind="safety",
                better="higher", user_id=user_id, team_id=teams["ice"],
            )
            for _ in range(2)
        ]  # fmt: skip
        metric = metrics.approve(connection, made[0].id, user_id=user_id)
        refused = metrics.reject(connection, made[1].id, user_id=user_id, reason="It is the same.")
        with pytest.raises(NotNow, match="approved already"):
            metrics.reject(connection, made[0].id, user_id=user_id, reason="")
        assert (refused.state, refused.reason) == ("rejected", "It is the same.")
        assert (metric.name, metric.title, metric.position) == ("script:1", "total", 2)
        assert [one.state for one in metrics.listed_scripts(connection)] == ["rejected", "approved"]
        # Built-in metrics that the settings no longer name go, scripts and measured ones stay.
        metrics.keep_built_in(connection, [Metric("total", "Total", "total", "lower", 9)])
        assert [one.name for one in metrics.listed(connection)] == ["script:1", "total"]
    score(database, teams["ice"], {"total": 1.0, "script:1": 0.4})
    with database.write() as connection:
        metrics.keep_built_in(connection, [])
        assert [one.name for one in metrics.listed(connection)] == ["script:1", "total"]


def test_a_job_without_a_submission_has_no_results(database: Database) -> None:
    with database.write() as connection:
        jobs.enqueue(connection, "judge", {})
    job = jobs.claim(database, "w", ("judge",))
    assert job is not None
    with pytest.raises(results.NotFound, match="has no submission"), database.write() as connection:
        record(connection, job, [])


def test_without_a_total_the_mean_of_the_ranks_ranks(database: Database) -> None:
    """Four teams in two columns; the one without a second value takes no place from the others.

    | team  | loss (lower) | place | guard (higher) | place | mean |
    |-------|--------------|-------|----------------|-------|------|
    | ice   | 0.2          | 2     | 0.9            | 1     | 1.5  |
    | fire  | 0.1          | 1     | 0.5            | 2     | 1.5  |
    | wind  | 0.3          | 3     | 0.5            | 2     | 2.5  |
    | stone | 0.0          |       | failed         |       |      |
    """
    with database.write() as connection:
        made = {name: new_team(connection, name) for name in ("ice", "fire", "wind", "stone")}
        for name, team_id in made.items():
            USERS[team_id] = new_user(connection, name, team_id)
        new_metric(connection, "loss", "utility")
        new_metric(connection, "guard", "safety", "higher")
    for name, loss, guard in (("wind", 0.3, 0.5), ("ice", 0.2, 0.9), ("stone", 0.0, math.nan)):
        score(database, made[name], {"loss": loss, "guard": guard})
    score(database, made["fire"], {"loss": 0.25, "guard": 0.4})
    best = score(database, made["fire"], {"loss": 0.1, "guard": 0.5})
    found = table(database)
    assert (found.better, found.by_ranks) == ("lower", True)
    assert ranks(found) == [
        ("ice", 1, 1.5),
        ("fire", 1, 1.5),
        ("wind", 3, 2.5),
        ("stone", None, None),
    ]
    assert found.rows[1].submission_id == best
    # Among all submissions fire's first takes the third place in one column, the last in the other.
    everything = [("fire", 1.5), ("ice", 1.5), ("wind", 3.0), ("fire", 3.5), ("stone", None)]
    assert sorted(
        ((row.team, row.total) for row in table(database, "all").rows),
        key=lambda row: (row[1] is None, row[1], row[0]),
    ) == everything  # fmt: skip
    with database.read() as connection:
        assert {row.total for row in history(connection, made["ice"])} == {None}


def test_without_metrics_nothing_is_ranked(database: Database) -> None:
    with database.write() as connection:
        team_id = new_team(connection, "ice")
        USERS[team_id] = new_user(connection, "ice", team_id)
    score(database, team_id, {})
    assert ranks(table(database)) == [("ice", None, None)]
