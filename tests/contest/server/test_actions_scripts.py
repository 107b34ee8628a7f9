"""Scripts are proposed, decided on, and measure everything, on both databases."""

from __future__ import annotations

import pytest
from playing import COARSE, events, hand_in, states, work
from staging import SQLITE, People

from tokumei.contest import sandbox
from tokumei.contest.actions import organizing, scripts
from tokumei.contest.evaluating import Evaluation
from tokumei.contest.opening import Contest
from tokumei.contest.store import jobs, metrics
from tokumei.contest.store.errors import NotNow
from tokumei.contest.store.queue_status import open_jobs
from tokumei.contest.store.standings import standings
from tokumei.contest.store.viewing import ORGANIZER
from tokumei.errors import ParameterError

pytestmark = SQLITE

SCRIPT = b"import json\nprint(json.dumps({'n': 4}))\n"
needs_sandbox = pytest.mark.skipif(sandbox.available() is None, reason="no sandbox here")


@needs_sandbox
def test_a_script_of_a_team_waits_and_measures_all_when_it_is_approved(
    contest: Contest, people: People
) -> None:
    made = hand_in(contest, people.captain)
    blob = contest.blobs.add([SCRIPT], most=10_000)
    given = (blob, "four", "python", "utility", "lower")
    script = scripts.propose(contest, people.rival, *given)
    assert (script.state, script.team_id) == ("proposed", people.rival.team_id)
    assert work(contest) == 0
    scripts.approve(contest, people.organizer, script.id)
    assert work(contest) == 1
    late = hand_in(contest, people.rival, COARSE)
    with contest.database.read() as connection:
        rows = standings(connection, ORGANIZER, "all").rows
    measured = {row.submission_id: row.values[f"script:{script.id}"].value for row in rows}
    assert measured == {made: 4.0, late: 4.0}
    with pytest.raises(NotNow, match="approved already"):
        scripts.reject(contest, people.organizer, script.id, "too late")
    assert [event.payload["approved"] for event in events(contest, "script.decided")] == [True]


@needs_sandbox
def test_a_script_of_an_organizer_is_approved_at_once_and_one_can_be_rejected(
    contest: Contest, people: People
) -> None:
    blob = contest.blobs.add([SCRIPT], most=10_000)
    given = (blob, "four", "python", "safety", "higher")
    assert scripts.propose(contest, people.organizer, *given).state == "approved"
    proposed = scripts.propose(contest, people.captain, *given)
    with pytest.raises(ParameterError, match="A reason has 1 to 500 characters, not 0"):
        scripts.reject(contest, people.organizer, proposed.id, "  ")
    scripts.reject(contest, people.organizer, proposed.id, "It is\0 the same \ud800 as the first.")
    with contest.database.read() as connection:
        assert metrics.find_script(connection, proposed.id).state == "rejected"
        assert len(metrics.listed(connection)) == 1
    with pytest.raises(ParameterError, match="utility or safety, not the total"):
        scripts.propose(contest, people.captain, blob, "t", "python", "total", "lower")


def test_without_a_sandbox_no_script_is_taken(
    contest: Contest, people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox, "available", lambda: None)
    blob = contest.blobs.add([SCRIPT], most=10_000)
    with pytest.raises(NotNow, match="no sandbox"):
        scripts.propose(contest, people.captain, blob, "x", "python", "utility", "lower")
    with pytest.raises(NotNow, match="no sandbox"):
        scripts.approve(contest, people.organizer, 1)


@needs_sandbox
def test_a_script_approved_while_a_submission_stands_in_error_measures_it_too(
    contest: Contest, people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    def break_down(*_: object, **__: object) -> None:
        raise MemoryError

    with monkeypatch.context() as patched:
        patched.setattr(Evaluation, "scores", break_down)
        patched.setattr(jobs, "RETRY_SECONDS", 0.0)
        made = hand_in(contest, people.captain)
    assert states(contest) == {made: "error"}
    blob = contest.blobs.add([SCRIPT], most=10_000)
    scripts.propose(contest, people.organizer, blob, "four", "python", "utility", "lower")
    with contest.database.read() as connection:
        (job,) = (one for one in open_jobs(connection) if one.state == "infrastructure")
    organizing.retry_job(contest, people.organizer, job.id)
    work(contest)
    assert states(contest) == {made: "evaluated"}
    with contest.database.read() as connection:
        (row,) = standings(connection, ORGANIZER, "best").rows
    assert [v.value for name, v in row.values.items() if name.startswith("script:")] == [4.0]
