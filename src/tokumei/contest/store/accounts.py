"""Teams and users. A user of a team is its captain or a member; the others have no team."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from tokumei.contest.store import clock
from tokumei.contest.store.errors import NameTaken, NotFound, NotNow
from tokumei.contest.store.names import clean_name, key_of
from tokumei.contest.store.rows import columns, count, one, perhaps, several
from tokumei.contest.store.schema import sessions, teams, users
from tokumei.contest.store.states import Role


@dataclass(frozen=True)
class Team:
    """A team of the contest."""

    id: int
    name: str
    created: int


@dataclass(frozen=True)
class User:
    """Somebody who can log in, unless disabled; the password's hash stays in the store."""

    id: int
    login: str
    role: Role
    team_id: int | None
    created: int
    disabled: int | None


TEAM_FIELDS = columns(teams, Team)
USER_FIELDS = columns(users, User)


def add_team(connection: Connection, name: str) -> Team:
    """Add a team under a name that no other has, also not in other letters."""
    name = clean_name(name, "team name")
    statement = insert(teams).values(name=name, key=key_of(name), created=clock.now())
    try:
        # Without a savepoint PostgreSQL would refuse whatever the transaction does next.
        with connection.begin_nested():
            return one(connection, statement.returning(*TEAM_FIELDS), Team, "team")
    except IntegrityError:
        raise NameTaken(f"There is a team called {name} already.") from None


def find_team(connection: Connection, team_id: int) -> Team:
    """Return a team."""
    statement = select(*TEAM_FIELDS).where(teams.c.id == team_id)
    return one(connection, statement, Team, f"team {team_id}")


def team_exists(connection: Connection, name: str) -> bool:
    """Tell whether a name is taken."""
    statement = select(teams.c.id).where(teams.c.key == key_of(clean_name(name, "team name")))
    return connection.execute(statement).first() is not None


def listed_teams(connection: Connection) -> list[Team]:
    """Return all teams in the order of their arrival."""
    return several(connection, select(*TEAM_FIELDS).order_by(teams.c.id), Team)


def add_user(
    connection: Connection, login: str, password_hash: str, role: Role, team_id: int | None = None
) -> User:
    """Add a user under a login that no other has; large and small letters are the same."""
    login = key_of(clean_name(login, "login"))
    statement = insert(users).values(
        login=login,
        password_hash=password_hash,
        role=role,
        team_id=team_id,
        created=clock.now(),
    )
    same = select(users.c.id).where(users.c.login == login)
    try:
        with connection.begin_nested():
            return one(connection, statement.returning(*USER_FIELDS), User, "user")
    except IntegrityError:
        if connection.execute(same).first() is None:
            raise
        raise NameTaken(f"There is a user called {login} already.") from None


def find_user(connection: Connection, user_id: int) -> User:
    """Return a user."""
    statement = select(*USER_FIELDS).where(users.c.id == user_id)
    return one(connection, statement, User, f"user {user_id}")


def listed_users(connection: Connection, *, team_id: int | None = None) -> list[User]:
    """Return the users of a team, or all."""
    statement = select(*USER_FIELDS).order_by(users.c.id)
    if team_id is not None:
        statement = statement.where(users.c.team_id == team_id)
    return several(connection, statement, User)


def credentials(connection: Connection, login: str) -> tuple[User | None, str | None]:
    """Return a user who may log in and the hash to verify; verify also where there is none."""
    active = (users.c.login == key_of(" ".join(login.split())), users.c.disabled.is_(None))
    found = perhaps(connection, select(*USER_FIELDS).where(*active), User)
    stored = connection.execute(select(users.c.password_hash).where(*active)).scalar()
    return found, stored


def set_password(connection: Connection, user_id: int, password_hash: str) -> None:
    """Change a password and end all sessions: whoever knew the old one is out."""
    _change(connection, user_id, password_hash=password_hash)


def disable(connection: Connection, user_id: int) -> None:
    """Keep a user out; what it did stays. The last organizer cannot be kept out."""
    user = find_user(connection, user_id)
    active = (users.c.role == "organizer", users.c.disabled.is_(None))
    others = select(func.count()).where(*active, users.c.id != user_id)
    if user.role == "organizer" and not count(connection, others):
        raise NotNow("The last organizer cannot be disabled.")
    _change(connection, user_id, disabled=clock.now())


def enable(connection: Connection, user_id: int) -> None:
    """Let a user in again."""
    _change(connection, user_id, disabled=None)


def _change(connection: Connection, user_id: int, **values: str | int | None) -> None:
    statement = update(users).where(users.c.id == user_id).values(**values)
    if not connection.execute(statement).rowcount:
        raise NotFound(f"There is no user {user_id}.")
    connection.execute(delete(sessions).where(sessions.c.user_id == user_id))
