"""A new contest: the folder, its settings and data, its database, and the first invitation.

Everything is made beside the folder and renamed at the end: nothing half-made is left.
"""

from __future__ import annotations

import csv
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import func, select

from tokumei import rules
from tokumei.contest.actions import people
from tokumei.contest.opening import Contest, new_seed, open_contest
from tokumei.contest.settings import CUSTOM, FILE, Phase, Settings
from tokumei.contest.store.database import Database
from tokumei.contest.store.errors import NotNow
from tokumei.contest.store.schema import invitations, users
from tokumei.contest.store.states import Role
from tokumei.contest.toml_text import toml_text
from tokumei.data.reading import read
from tokumei.data.roles import find_roles
from tokumei.data.text import read_strings
from tokumei.data.writing import check_new, whole_folder
from tokumei.errors import ParameterError, SchemaError
from tokumei.history import ROLES

URL = "http://127.0.0.1:8000"
ATTACK_AFTER = timedelta(days=7)
CLOSED_AFTER = timedelta(days=14)
TITLES = {
    CUSTOM: {"en": "Anonymization contest", "ja": "匿名加工コンテスト"},
    "simplified": {"en": "Simplified PWSCUP", "ja": "簡易版 PWSCUP"},
}


@dataclass(frozen=True)
class Link:
    """An invitation as a link that works once; nobody can look it up again."""

    role: Role
    url: str = field(repr=False)
    team: str | None = None


@dataclass(frozen=True)
class Data:
    """The files that a contest is about; in custom contests the columns have roles."""

    original: Path
    master: Path | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    """Column → role, where the role cannot be told by the column's name."""


def create(
    folder: Path,
    rules_name: str,
    data: Data,
    *,
    title: Mapping[str, str] | None = None,
    url: str = URL,
    fill: Callable[[Contest], list[Link]] | None = None,
) -> list[Link]:
    """Make a contest, filled by `fill` where it is a demo; return the links to come in by.

    The first is that of the first organizer.
    """
    check_new(folder)
    _check(rules_name, data)
    with whole_folder(folder) as part:
        part.chmod(0o700)
        settings = _settings(part, rules_name, data, title or titles_of(rules_name))
        (part / FILE).write_text(toml_text(settings), encoding="utf-8")
        new_seed(part)
        with open_contest(part) as contest:
            refuse_used(contest.database)
            others = fill(contest) if fill is not None else []
            first = invite(contest, "organizer", url=url)
    return [first, *others]


def invite(
    contest: Contest,
    role: Role,
    *,
    url: str = URL,
    team: str | None = None,
    team_id: int | None = None,
) -> Link:
    """Invite somebody: to a team that there is, by its id, or to found one of that name."""
    named = {"team_id": team_id} if team_id is not None else {"team_name": team}
    made = people.invite(contest, None, role, **named)
    # A browser does not send what stands after the #: no log has it.
    return Link(role, f"{url.rstrip('/')}/invitation#{made.secret}", team)


def _settings(folder: Path, rules_name: str, data: Data, title: Mapping[str, str]) -> Settings:
    (folder / "data").mkdir()
    custom = rules_name == CUSTOM
    original = _copied(data.original, folder, "original" if custom else "T")
    master = _copied(data.master, folder, "M") if data.master is not None else None
    # Whole minutes are easier to read and to change.
    now = datetime.now().astimezone().replace(second=0, microsecond=0)
    return Settings(
        title=title,
        rules=rules_name,
        original=original,
        master=master,
        phases=(
            Phase("anonymize", now),
            # Without rules of a year nobody knows how to publish and mark.
            *([] if custom else [Phase("attack", now + ATTACK_AFTER)]),
            Phase("closed", now + CLOSED_AFTER),
        ),
        columns=_roles(data) if custom else {},
    )


def titles_of(rules_name: str) -> Mapping[str, str]:
    """Return what a contest is called where its organizer gives no title."""
    if rules_name in TITLES:
        return TITLES[rules_name]
    return dict.fromkeys(("en", "ja"), rules.find(rules_name).title)


def _copied(file: Path, folder: Path, name: str) -> str:
    place = f"data/{name}.csv{'.gz' if file.suffix == '.gz' else ''}"
    shutil.copyfile(file, folder / place)
    return place


def _check(rules_name: str, data: Data) -> None:
    """Read the data as the server will, so that a wrong file is refused at once."""
    if rules_name != CUSTOM:
        if data.columns:
            raise ParameterError(f"The columns of {rules_name} have fixed roles; give none.")
        rules.find(rules_name).read(data.original, data.master)
        return
    if data.master is not None:
        raise ParameterError("A custom contest has one table and no master data.")
    roles = _roles(data)
    try:
        header = data.original.read_text(encoding="utf-8-sig").partition("\n")[0]
    except UnicodeDecodeError:
        header = ""
    # Scripts read the file as it is, so that it must be what every language can read.
    if next(csv.reader([header]), []) != list(roles):
        raise SchemaError(
            f"{data.original.name}: the data of a custom contest must be CSV with commas, in UTF-8."
        )
    named: dict[str, Any] = dict.fromkeys(ROLES, "")
    named |= {role: name for name, role in roles.items() if role}
    read(data.original, **named, keep=[name for name, role in roles.items() if not role])


def _roles(data: Data) -> dict[str, str]:
    """Return column → role, given or guessed by the names, in the order of the file."""
    columns = read_strings(data.original, header=True).columns
    given: dict[str, str] = {}
    for column, role in data.columns.items():
        if role not in ROLES:
            raise ParameterError(f"The role of {column} must be one of {', '.join(ROLES)}.")
        if role in given:
            raise ParameterError(f"The role {role} is given to {given[role]} and to {column}.")
        given[role] = column
    of_column = {column: role for role, column in find_roles(columns, given).items()}
    return {column: of_column.get(column, "") for column in columns}


def refuse_used(database: Database) -> None:
    """Refuse a database of PostgreSQL that another contest is in."""
    with database.read() as connection:
        for table in (users, invitations):
            if connection.execute(select(func.count()).select_from(table)).scalar_one():
                raise NotNow(f"The {database.name} has a contest already.")
