"""Teams, users and submissions for tests."""

from __future__ import annotations

from sqlalchemy import Connection, insert

from tokumei.contest.store import accounts
from tokumei.contest.store.accounts import User
from tokumei.contest.store.schema import metrics, teams, users
from tokumei.contest.store.submissions import Submission, Upload, add, checked


def new_team(connection: Connection, name: str) -> int:
    made = insert(teams).values(name=name, key=name.casefold(), created=1).returning(teams.c.id)
    return int(connection.execute(made).scalar_one())


def new_user(connection: Connection, login: str, team_id: int | None = None) -> int:
    role = "organizer" if team_id is None else "captain"
    made = insert(users).values(
        login=login, password_hash="-", role=role, team_id=team_id, created=1
    )
    return int(connection.execute(made.returning(users.c.id)).scalar_one())


def organizer(connection: Connection, login: str = "desk") -> User:
    return accounts.add_user(connection, login, "hash", "organizer")


def new_metric(connection: Connection, name: str, kind: str, better: str = "lower") -> None:
    connection.execute(
        insert(metrics).values(name=name, title=name, kind=kind, better=better, position=1)
    )


def new_submission(connection: Connection, team_id: int, user_id: int, **more: str) -> Submission:
    upload = Upload(more.get("sha256", "a" * 64), 10, "data.csv")
    return add(
        connection, upload, team_id=team_id, user_id=user_id, phase="anonymize", quota=1_000_000
    )


def valid_submission(connection: Connection, team_id: int, user_id: int) -> Submission:
    made = new_submission(connection, team_id, user_id)
    assert checked(connection, made.id, {"valid": True}, valid=True)
    return made
