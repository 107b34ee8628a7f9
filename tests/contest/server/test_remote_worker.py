"""A worker on another machine does what one beside the server does."""

from __future__ import annotations

import pytest
from remote import approve, enqueue, found, submit, work
from staging import BROKEN, People

from tokumei.contest import sandbox
from tokumei.contest.opening import Contest
from tokumei.contest.store import guesses
from tokumei.contest.store.standings import standings
from tokumei.contest.store.viewing import ORGANIZER
from tokumei.contest.working import Worker
from tokumei.draws import derive


def test_a_submission_is_evaluated_elsewhere_as_it_would_be_here(
    contest: Contest, people: People, worker: Worker
) -> None:
    made = submit(contest, people)
    assert work(worker) == ["check done", "score done"]
    assert found(contest, made).state == "evaluated"
    path, seed = contest.blobs.path(made.sha256), derive(contest.seed, made.sha256)
    with contest.database.read() as connection:
        (row,) = standings(connection, ORGANIZER, "best").rows
    expected = {one.title: one.value for one in contest.evaluation.scores(path, seed=seed)}
    assert {name: cell.value for name, cell in row.values.items()} == expected
    enqueue(contest, "publish", made)
    assert work(worker) == ["publish done"]
    with contest.database.read() as connection:
        (release,) = guesses.published(connection)
    published = contest.blobs.path(release.sha256).read_text()
    assert published == contest.evaluation.publish(path, seed=seed)["S.csv"]


def test_a_broken_submission_is_explained(contest: Contest, people: People, worker: Worker) -> None:
    made = submit(contest, people, BROKEN)
    assert work(worker) == ["check done"]
    after = found(contest, made)
    assert after.state == "invalid"
    assert after.report == {**contest.evaluation.check(contest.blobs.path(made.sha256)).report}


def test_a_fault_of_a_file_fails_its_job(contest: Contest, people: People, worker: Worker) -> None:
    made = submit(contest, people, BROKEN)
    work(worker)
    enqueue(contest, "score", made)
    assert work(worker) == ["score failed"]


def test_a_script_runs_elsewhere(contest: Contest, people: People, worker: Worker) -> None:
    if sandbox.available() is None:
        pytest.skip("no sandbox on this machine")
    approve(contest, people)
    submit(contest, people)
    assert sorted(work(worker)) == ["check done", "score done", "script done"]
    with contest.database.read() as connection:
        (row,) = standings(connection, ORGANIZER, "best").rows
    assert [c.value for name, c in row.values.items() if name.startswith("script:")] == [1.0]
