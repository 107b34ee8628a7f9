"""Files of the table and of everything: exactly what is shown, and never a secret."""

from __future__ import annotations

import csv
import io
import json
import zipfile

import polars as pl
import pytest
from scoring import four_submissions, kind_of_problem, score, table
from sqlalchemy import select
from staging import ClientOf, People

from tokumei.contest.actions import people as acting
from tokumei.contest.opening import Contest
from tokumei.contest.store import control, results, submissions
from tokumei.contest.store.schema import (
    api_tokens,
    invitations,
    jobs,
    login_attempts,
    sessions,
    users,
)


@pytest.fixture
def scored(contest: Contest, people: People) -> dict[str, int]:
    return four_submissions(contest, people)


@pytest.mark.parametrize(
    "query",
    [{}, {"shown": "all", "sort": "guard", "order": "desc"}, {"shown": "all", "filter": "ICE"}],
)
def test_an_export_is_exactly_what_is_shown(
    scored: dict[str, int], people: People, client_of: ClientOf, query: dict[str, str]
) -> None:
    client = client_of(people.captain)
    rows = table(client, **query)["rows"]
    cells = [
        (
            row["rank"],
            row["team"]["name"],
            row["submission"],
            row["total"],
            row["values"]["guard"]["value"],
            row["values"]["guard"]["problem"],
            row["values"]["loss"]["value"],
        )
        for row in rows
    ]
    assert cells
    names = ("rank", "team", "submission", "total", "=Guard", "=Guard_problem", "loss")

    def file(form: str) -> bytes:
        answer = client.get("/api/results/export", params=query | {"format": form})
        assert answer.status_code == 200
        wanted = f'attachment; filename="results.{form}"'
        assert answer.headers["content-disposition"] == wanted
        assert answer.headers["x-content-type-options"] == "nosniff"
        return answer.content

    as_json = json.loads(file("json"))
    assert [tuple(row[name] for name in names) for row in as_json] == cells
    assert pl.read_parquet(io.BytesIO(file("parquet"))).select(names).rows() == cells
    as_csv = list(csv.DictReader(io.StringIO(file("csv").decode("utf-8-sig"), newline="")))
    assert list(as_csv[0]) == [("'" + name if name[0] == "=" else name) for name in as_json[0]]
    assert [(row["rank"], row["team"], row["submission"]) for row in as_csv] == [
        ("" if rank is None else str(rank), team, str(submission))
        for rank, team, submission, *_ in cells
    ]
    for row, (*_, total, guard, problem, loss) in zip(as_csv, cells, strict=True):
        numbers = [row[name] for name in ("total", "'=Guard", "loss")]
        assert [float(one) if one else None for one in numbers] == [total, guard, loss]
        # The text of a script is not run by a spreadsheet.
        assert row["'=Guard_problem"] == ("'=BAD()" if problem else "")


def test_everything_is_exported_for_organizers_only_and_without_secrets(
    contest: Contest, scored: dict[str, int], people: People, client_of: ClientOf
) -> None:
    for user in (people.captain, people.member, people.observer):
        assert kind_of_problem(client_of(user), "GET", "/api/export", 403) == "forbidden"
    invited = acting.invite(contest, people.organizer, "captain", team_name="wind")
    acting.accept(contest, invited.secret, "kaze", "a long password of wind")
    acting.invite(contest, people.organizer, "observer")
    token = acting.new_token(contest, people.organizer, "laptop", "read", 3)
    with contest.database.write() as connection:
        again = results.open_set(connection, "again")
        submissions.withdraw(connection, scored["ice_first"], team_id=people.captain.team_id or 0)
    client = client_of(people.organizer)
    answer = client.get("/api/export")
    assert answer.headers["content-disposition"] == 'attachment; filename="contest.json"'
    found = answer.json()
    assert set(found) == {
        "teams", "users", "submissions", "scripts", "metrics", "sets", "results", "releases",
        "guesses", "events", "audit",
    }  # fmt: skip
    assert [team["name"] for team in found["teams"]] == ["ice", "fire", "wind"]
    states = {row["id"]: row["state"] for row in found["submissions"]}
    assert states[scored["ice_first"]] == "withdrawn"
    summary = {"valid": True, "count": 0, "summary": []}
    assert found["submissions"][0]["report"] == summary
    assert {row["value"] for row in found["results"] if row["metric"] == "loss"} == {
        0.1, 0.2, 0.3, 0.4,
    }  # fmt: skip
    assert [row["id"] for row in found["sets"]][-1] == again.id
    assert "accept invitation" in [row["action"] for row in found["audit"]]

    everything = answer.content
    for form in ("csv", "parquet"):
        packed = client.get(f"/api/export?format={form}")
        assert packed.headers["content-disposition"] == 'attachment; filename="contest.zip"'
        with zipfile.ZipFile(io.BytesIO(packed.content)) as archive:
            assert archive.testzip() is None
            assert {name.partition(".")[0] for name in archive.namelist()} == set(found)
            everything += b"".join(archive.read(name) for name in archive.namelist())
            if form == "parquet":
                frame = pl.read_parquet(io.BytesIO(archive.read("results.parquet")))
                values = [row["value"] for row in found["results"]]
                assert frame["value"].to_list() == values
    secrets = [invited.secret, token.secret, str(contest.seed)]
    with contest.database.read() as connection:
        for column in (
            users.c.password_hash, invitations.c.token_hash, sessions.c.token_hash,
            sessions.c.csrf, api_tokens.c.token_hash, jobs.c.lease_token,
            login_attempts.c.login_hash,
        ):  # fmt: skip
            secrets += connection.execute(select(column)).scalars()
    # The accounts of the fixture have "-" for a hash.
    long = [secret for secret in secrets if secret and len(secret) > 8]
    assert len(long) > 8
    assert [secret for secret in long if secret.encode() in everything] == []


def test_a_freeze_does_not_hide_anything_from_the_organizers_export(
    contest: Contest, scored: dict[str, int], people: People, client_of: ClientOf
) -> None:
    with contest.database.write() as connection:
        control.freeze(connection)
    made = score(contest, people.captain, {"total": 0.1})
    found = client_of(people.organizer).get("/api/export").json()
    assert made in {row["submission_id"] for row in found["results"]}
