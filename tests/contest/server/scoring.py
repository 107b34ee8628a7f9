"""Submissions with results that a test chooses, by the queue as in a contest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi.testclient import TestClient
from sqlalchemy import insert
from staging import People

from tokumei.contest.opening import Contest
from tokumei.contest.store import jobs, results, submissions
from tokumei.contest.store.accounts import User
from tokumei.contest.store.results import Measured
from tokumei.contest.store.schema import metrics

FILE = b"p1,2018/9/7,pear\n"


def new_metric(
    contest: Contest, name: str, kind: str, better: str = "lower", title: str | None = None
) -> None:
    with contest.database.write() as connection:
        values = {"name": name, "title": title or name, "kind": kind, "better": better}
        connection.execute(insert(metrics).values(**values, position=1))


def score(contest: Contest, user: User, values: Mapping[str, float | str]) -> int:
    """Evaluate a new submission of a user's team; a text is a problem."""
    blob = contest.blobs.add([FILE], most=1_000)
    assert user.team_id is not None
    with contest.database.write() as connection:
        made = submissions.add(
            connection,
            submissions.Upload(blob.sha256, blob.size, "data.csv"),
            team_id=user.team_id,
            user_id=user.id,
            phase="anonymize",
            quota=1_000,
        )
        report = {"valid": True, "count": 0, "summary": [], "problems": []}
        assert submissions.checked(connection, made.id, report, valid=True)
        jobs.enqueue(connection, "test", {}, team_id=user.team_id, submission_id=made.id)
    job = jobs.claim(contest.database, "w", ("test",))
    assert job is not None
    found = [
        Measured(name, None, said) if isinstance(said, str) else Measured(name, said)
        for name, said in values.items()
    ]
    jobs.finish(contest.database, job, lambda connection: results.record(connection, job, found))
    return made.id


def four_submissions(contest: Contest, people: People) -> dict[str, int]:
    """Ice has two submissions, fire one that failed in a column and one that did not.

    | submission  | loss | guard  | total |
    |-------------|------|--------|-------|
    | ice_first   | 0.3  | 0.9    | 2.0   |
    | ice_second  | 0.1  | 0.5    | 1.0   |
    | fire_failed | 0.2  | failed | none  |
    | fire        | 0.4  | 0.7    | 1.5   |
    """
    new_metric(contest, "loss", "utility")
    new_metric(contest, "guard", "safety", "higher", title="=Guard")
    new_metric(contest, "total", "total")
    ice, fire = people.captain, people.rival
    return {
        "ice_first": score(contest, ice, {"loss": 0.3, "guard": 0.9, "total": 2.0}),
        "ice_second": score(contest, ice, {"loss": 0.1, "guard": 0.5, "total": 1.0}),
        "fire_failed": score(contest, fire, {"loss": 0.2, "guard": "=BAD()", "total": "Failed."}),
        "fire": score(contest, fire, {"loss": 0.4, "guard": 0.7, "total": 1.5}),
    }


def table(client: TestClient, **query: str) -> dict[str, Any]:
    answer = client.get("/api/results", params=query)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def kind_of_problem(client: TestClient, method: str, path: str, status: int, **more: object) -> str:
    """Send what must be refused, and return as what it is."""
    answer = client.request(method, path, **more)  # type: ignore[arg-type]
    assert answer.status_code == status, answer.text
    assert set(answer.json()) == {"error"}
    return str(answer.json()["error"]["kind"])
