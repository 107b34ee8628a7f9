"""A worker takes what was submitted from the queue to the table, on both databases."""

from __future__ import annotations

import errno
import threading
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from zipfile import ZipFile

import pytest
from people import new_team, new_user, organizer
from sqlalchemy import select

from tokumei.contest import sandbox, tasks
from tokumei.contest.blobs import Blobs
from tokumei.contest.desk import LocalDesk
from tokumei.contest.evaluating import Evaluation
from tokumei.contest.settings import Phase, Settings
from tokumei.contest.store import guesses, jobs, metrics, submissions
from tokumei.contest.store.database import Database
from tokumei.contest.store.errors import LeaseLost
from tokumei.contest.store.events import Event, read_since
from tokumei.contest.store.schema import jobs as job_table
from tokumei.contest.store.standings import standings
from tokumei.contest.store.submissions import Submission, Upload
from tokumei.contest.store.viewing import ORGANIZER, Viewer
from tokumei.contest.tasks import KINDS, Outcome, perform
from tokumei.contest.working import Worker
from tokumei.draws import derive

ORIGINAL = "Alice,2018/9/7,pear\nBob,2018/9/2,pear\nBob,2018/9/10,grape\nDan,2018/9/2,grape\n"
VALID = "p1,2018/9/7,pear\np2,2018/9/2,pear\nDEL,,\np3,2018/9/2,grape\n"
BROKEN = "p1,2018/9/7,pear\n"
SCRIPT = b"""\
import csv, json, sys
rows = list(csv.reader(open(sys.argv[2])))
print(json.dumps({"deleted": sum(row[0] == "DEL" for row in rows)}))
"""


@pytest.fixture
def worker(database: Database, tmp_path: Path) -> Worker:
    (tmp_path / "T.csv").write_text(ORIGINAL)
    settings = Settings(
        title={"en": "x", "ja": "x"},
        rules="simplified",
        original="T.csv",
        phases=(Phase("anonymize", datetime(2026, 1, 1, tzinfo=UTC)),),
    )
    evaluation = Evaluation(tmp_path, settings)
    desk = LocalDesk(database, evaluation, Blobs(tmp_path / "files"), seed=5)
    return Worker("here", desk, evaluation)


def submit(worker: Worker, text: str, team: str = "ice") -> Submission:
    blob = worker.desk.blobs.add([text.encode()], most=10_000)
    with worker.desk.database.write() as connection:
        team_id = new_team(connection, team)
        user_id = new_user(connection, team, team_id)
        made = submissions.add(
            connection,
            Upload(blob.sha256, blob.size, "a.csv"),
            team_id=team_id,
            user_id=user_id,
            phase="anonymize",
            quota=3,
        )
        jobs.enqueue(connection, "check", {}, team_id=team_id, submission_id=made.id)
    return made


def work(worker: Worker) -> int:
    done = 0
    while worker.work_once():
        done += 1
    return done


def found(worker: Worker, submission: Submission) -> Submission:
    with worker.desk.database.read() as connection:
        return submissions.find(connection, submission.id)


def states(worker: Worker) -> list[str]:
    with worker.desk.database.read() as connection:
        return list(
            connection.execute(select(job_table.c.state).order_by(job_table.c.id)).scalars()
        )


def test_a_valid_submission_is_checked_scored_and_ranked(worker: Worker) -> None:
    made = submit(worker, VALID)
    assert work(worker) == 2
    assert found(worker, made).state == "evaluated"
    with worker.desk.database.read() as connection:
        (row,) = standings(connection, Viewer(), "best").rows
        seen = [event.kind for event in read_since(connection, 0, ORGANIZER, sees="all").events]
    expected = {
        v.title: v.value
        for v in worker.evaluation.scores(
            worker.desk.blobs.path(made.sha256), seed=derive(5, made.sha256)
        )
    }
    assert row.rank == 1
    assert {name: cell.value for name, cell in row.values.items()} == expected
    assert seen == ["submission.checked", "submission.scored"]


def test_an_invalid_submission_is_explained_and_costs_nothing(worker: Worker) -> None:
    made = submit(worker, BROKEN)
    assert work(worker) == 1
    after = found(worker, made)
    assert after.state == "invalid"
    assert after.report["problems"][0]["rule"]
    with worker.desk.database.read() as connection:
        assert submissions.quota_used(connection, made.team_id, "anonymize") == 0


def approve(worker: Worker, source: bytes) -> None:
    blob = worker.desk.blobs.add([source], most=10_000)
    with worker.desk.database.write() as connection:
        desk = organizer(connection)
        script = metrics.propose(
            connection,
            name="deleted rows",
            language="python",
            sha256=blob.sha256,
            kind="utility",
            better="lower",
            user_id=desk.id,
            team_id=None,
        )
        metrics.approve(connection, script.id, user_id=desk.id)


def test_an_approved_script_is_one_more_column(worker: Worker) -> None:
    if sandbox.available() is None:
        pytest.skip("no sandbox on this machine")
    approve(worker, SCRIPT)
    made = submit(worker, VALID)
    assert work(worker) == 3
    assert found(worker, made).state == "evaluated"
    with worker.desk.database.read() as connection:
        (row,) = standings(connection, ORGANIZER, "best").rows
    values = {name: cell.value for name, cell in row.values.items()}
    assert [value for name, value in values.items() if name.startswith("script:")] == [1.0]


def test_a_script_that_fails_has_a_problem_in_its_cell_alone(worker: Worker) -> None:
    if sandbox.available() is None:
        pytest.skip("no sandbox on this machine")
    approve(worker, b"print('nothing')")
    made = submit(worker, VALID)
    work(worker)
    assert found(worker, made).state == "evaluated"
    with worker.desk.database.read() as connection:
        (row,) = standings(connection, ORGANIZER, "best").rows
    (cell,) = (one for name, one in row.values.items() if name.startswith("script:"))
    assert cell.value is None
    assert cell.problem


def test_without_a_sandbox_scripts_wait_and_the_rest_goes_on(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise sandbox.SandboxUnavailable("There is no sandbox.")

    monkeypatch.setattr(tasks.sandbox, "run", refuse)
    approve(worker, SCRIPT)
    made = submit(worker, VALID)
    work(worker)
    assert states(worker) == ["done", "done", "queued"]
    assert found(worker, made).state == "valid"


def test_a_fault_of_ours_puts_the_job_back(worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    def break_down(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(Evaluation, "check", break_down)
    made = submit(worker, VALID)
    assert work(worker) == 1
    assert states(worker) == ["queued"]
    assert found(worker, made).state == "received"


def publish(worker: Worker, submission: Submission) -> None:
    with worker.desk.database.write() as connection:
        team = {"team_id": submission.team_id, "submission_id": submission.id}
        jobs.enqueue(connection, "publish", {}, **team)
    assert work(worker) == 1


def events(worker: Worker, viewer: Viewer) -> list[Event]:
    with worker.desk.database.read() as connection:
        return list(read_since(connection, 0, viewer, sees="all").events)


def test_publishing_keeps_what_the_rules_publish_by_the_seed_of_the_file(worker: Worker) -> None:
    made = submit(worker, VALID)
    work(worker)
    publish(worker, made)
    with worker.desk.database.read() as connection:
        (release,) = guesses.published(connection)
    path = worker.desk.blobs.path(made.sha256)
    expected = worker.evaluation.publish(path, seed=derive(5, made.sha256))["S.csv"]
    assert worker.desk.blobs.path(release.sha256).read_text() == expected
    assert sorted(expected.splitlines()) == ["p1,2018/9/7,pear", "p2,2018/9/2,pear",
                                             "p3,2018/9/2,grape"]  # fmt: skip
    assert release.size == len(expected)
    last = events(worker, Viewer())[-1]
    assert (last.kind, last.payload) == ("release.published", {"team": made.team_id})


def test_a_team_that_is_published_already_stays_as_it_is(worker: Worker) -> None:
    made = submit(worker, VALID)
    work(worker)
    publish(worker, made)
    publish(worker, made)
    with worker.desk.database.read() as connection:
        assert len(guesses.published(connection)) == 1
    assert states(worker)[-2:] == ["done", "failed"]
    assert [event.kind for event in events(worker, ORGANIZER)].count("release.published") == 1


def test_a_guess_is_marked_for_the_attacker(worker: Worker) -> None:
    defended = submit(worker, VALID)
    work(worker)
    publish(worker, defended)
    said = worker.desk.blobs.add([b"p1,Alice\np2,Bob\np3,Bob\n"], most=10_000)
    with worker.desk.database.write() as connection:
        attacker = new_team(connection, "fire")
        user_id = new_user(connection, "fire", attacker)
        guess = guesses.add(
            connection,
            guesses.Upload(said.sha256, said.size, "g.csv"),
            attacker_id=attacker,
            defender_id=defended.team_id,
            user_id=user_id,
            limit=3,
        )
        jobs.enqueue(connection, "guess", {}, team_id=attacker, guess_id=guess.id)
    assert work(worker) == 1
    with worker.desk.database.read() as connection:
        after = guesses.find(connection, guess.id)
    assert after.state == "marked"
    assert (after.hits, after.total) == (2, 3)
    assert events(worker, Viewer(attacker))[-1].kind == "guess.marked"


def test_what_a_script_complains_of_is_for_organizers_only(worker: Worker) -> None:
    if sandbox.available() is None:
        pytest.skip("no sandbox on this machine")
    approve(
        worker, b"import sys; sys.stderr.write('x' * 3000 + 'end'); print('{\"a\": 0.12345678}')"
    )
    made = submit(worker, VALID)
    work(worker)
    (said,) = [one for one in events(worker, ORGANIZER) if one.kind == "script.said"]
    assert said.payload["submission"] == made.id
    assert len(said.payload["stderr"]) == 2_000
    assert said.payload["stderr"].endswith("end")
    own = events(worker, Viewer(made.team_id))
    assert "script.said" not in {one.kind for one in own}
    with worker.desk.database.read() as connection:
        (row,) = standings(connection, ORGANIZER, "best").rows
    (cell,) = (one for name, one in row.values.items() if name.startswith("script:"))
    assert cell.value == 0.123457  # in six digits


def test_a_file_that_we_lost_is_not_the_teams_fault(worker: Worker) -> None:
    made = submit(worker, VALID)
    worker.desk.blobs.path(made.sha256).unlink()
    assert worker.work_once().state == "infrastructure"
    assert states(worker) == ["queued"]
    assert found(worker, made).state == "received"


def test_a_full_disk_is_not_the_teams_fault(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = submit(worker, VALID)
    work(worker)

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(Blobs, "add", full)
        publish(worker, made)
    assert states(worker)[-1] == "queued"
    with worker.desk.database.read() as connection:
        assert guesses.published(connection) == []


def test_a_release_of_several_files_is_kept_as_one_zip(worker: Worker) -> None:
    made = submit(worker, VALID)
    work(worker)
    with worker.desk.database.write() as connection:
        team = {"team_id": made.team_id, "submission_id": made.id}
        jobs.enqueue(connection, "publish", {}, **team)
    task = worker.desk.claim("here", KINDS, 30.0)
    worker.desk.finish(task, Outcome(release={"T.csv": "匿名\n", "M.csv": "p1\n"}))
    with worker.desk.database.read() as connection:
        (release,) = guesses.published(connection)
    with ZipFile(worker.desk.blobs.path(release.sha256)) as archive:
        assert {name: archive.read(name).decode() for name in archive.namelist()} == {
            "M.csv": "p1\n",
            "T.csv": "匿名\n",
        }
        assert {member.date_time for member in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_data_that_cannot_be_read_is_not_the_teams_fault(worker: Worker) -> None:
    made = submit(worker, VALID)
    worker.evaluation.original_file.write_text("nothing,of,the,kind\n")
    assert worker.work_once().state == "infrastructure"
    assert states(worker) == ["queued"]
    assert found(worker, made).state == "received"


def test_a_lease_that_was_lost_changes_nothing(worker: Worker) -> None:
    made = submit(worker, VALID)
    task = worker.desk.claim("slow", KINDS, 0.0)
    again = worker.desk.claim("quick", KINDS, 30.0)
    assert again.job_id == task.job_id
    with pytest.raises(LeaseLost):
        worker.desk.finish(task, perform(task, worker.evaluation, worker.desk.blobs.path))
    assert found(worker, made).state == "received"
    worker.desk.finish(again, perform(again, worker.evaluation, worker.desk.blobs.path))
    assert found(worker, made).state == "valid"


def test_a_worker_takes_only_what_it_can_do(worker: Worker) -> None:
    submit(worker, VALID)
    checks = replace(worker, kinds=("check",))
    assert work(checks) == 1
    assert states(worker) == ["done", "queued"]


def test_a_worker_stops_when_told(worker: Worker) -> None:
    made = submit(worker, VALID)
    stopped = threading.Event()
    thread = threading.Thread(target=worker.run, args=(stopped,), kwargs={"pause": 0.05})
    thread.start()
    for _ in range(200):
        if found(worker, made).state == "evaluated":
            break
        stopped.wait(0.05)
    stopped.set()
    thread.join(timeout=10)
    assert not thread.is_alive()
    assert found(worker, made).state == "evaluated"
