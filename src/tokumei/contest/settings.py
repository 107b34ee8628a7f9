"""`contest.toml`: everything that a contest's organizer decides beforehand.

```toml
title = { en = "Petit PWSCUP", ja = "プチ PWSCUP" }
rules = "pwscup2018"        # a contest year, "simplified", or "custom"
original = "data/T.csv"
counts = "best"             # which submission of a team counts: best, latest or chosen

[[phases]]
name = "anonymize"          # anonymize, break, attack, closed; in this order of time
starts = 2026-12-01T09:00:00+09:00

[quotas]
submissions = 20            # valid ones, of each team
guesses = 5                 # of each team against each other
megabytes = 50              # of a file

[public]
results = "live"            # live, own (each team its own), closed (after the contest)
freeze_minutes = 30         # before the last phase ends, the others' results stand still

[columns]                   # custom contests: the columns of the data and their roles
card = "person"
station = "item"
```
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, get_args

from tokumei.errors import ReadError, SchemaError
from tokumei.history import ROLES
from tokumei.rules import RULES

PhaseName = Literal["anonymize", "break", "attack", "closed"]
Counts = Literal["best", "latest", "chosen"]
Shown = Literal["live", "own", "closed"]
CUSTOM = "custom"
FILE = "contest.toml"


@dataclass(frozen=True)
class Phase:
    """A part of the contest, from its start to the start of the next one."""

    name: PhaseName
    starts: datetime


@dataclass(frozen=True)
class Quotas:
    """What each team may do."""

    submissions: int = 20
    guesses: int = 5
    megabytes: int = 50


@dataclass(frozen=True)
class Settings:
    """A contest as its organizer set it up."""

    title: Mapping[str, str]
    rules: str
    original: str
    phases: tuple[Phase, ...]
    master: str | None = None
    counts: Counts = "best"
    quotas: Quotas = field(default_factory=Quotas)
    results: Shown = "live"
    freeze_minutes: int = 0
    columns: Mapping[str, str] = field(default_factory=dict)
    """Custom contests: column → role, or an empty text for a column without one."""

    @property
    def custom(self) -> bool:
        """Whether the contest has scripts only."""
        return self.rules == CUSTOM

    def phase_at(self, now: datetime) -> Phase | None:
        """Return the phase of a time; none before the first."""
        begun = [phase for phase in self.phases if phase.starts <= now]
        return begun[-1] if begun else None


def read_settings(folder: Path) -> Settings:
    """Read the settings of a contest's folder; whatever is wrong is named with its place."""
    path = folder / FILE
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ReadError(
            f"{folder} is not the folder of a contest: it has no {FILE}; make one with "
            "'tokumei contest init'."
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ReadError(f"{path} cannot be read as TOML ({error}).") from error
    return _Reader(path).settings(content)


@dataclass(frozen=True)
class _Reader:
    path: Path

    def settings(self, given: dict[str, Any]) -> Settings:
        known = {"title", "rules", "original", "master", "counts", "phases", "quotas", "public"}
        self.only(given, known | {"columns"}, "")
        rules = self.choice(given, "rules", (*RULES, CUSTOM))
        public = self.table(given, "public")
        self.only(public, {"results", "freeze_minutes"}, "public.")
        columns = self.columns(given) if rules == CUSTOM else {}
        phases = self.phases(given)
        if rules == CUSTOM and any(phase.name == "attack" for phase in phases):
            raise self.wrong("phases", "of a custom contest cannot have an attack phase")
        if rules != CUSTOM and "columns" in given:
            raise self.wrong("columns", "belong to custom contests; the others' are fixed")
        return Settings(
            title=self.title(given),
            rules=rules,
            original=self.text(given, "original"),
            master=self.text(given, "master") if "master" in given else None,
            phases=phases,
            counts=self.choice(given, "counts", get_args(Counts), default="best"),  # type: ignore[arg-type]
            quotas=self.quotas(given),
            results=self.choice(public, "results", get_args(Shown), default="live"),  # type: ignore[arg-type]
            freeze_minutes=self.number(public, "freeze_minutes", 0, least=0),
            columns=columns,
        )

    def title(self, given: dict[str, Any]) -> dict[str, str]:
        title = given.get("title")
        if isinstance(title, str) and title.strip():
            return {"en": title, "ja": title}
        if not isinstance(title, dict) or not all(isinstance(t, str) for t in title.values()):
            raise self.wrong("title", "must be a text, or a text for en and for ja")
        self.only(title, {"en", "ja"}, "title.")
        either = title.get("en") or title.get("ja")
        if not either:
            raise self.wrong("title", "must be a text, or a text for en and for ja")
        return {"en": title.get("en") or either, "ja": title.get("ja") or either}

    def phases(self, given: dict[str, Any]) -> tuple[Phase, ...]:
        listed = given.get("phases")
        if not isinstance(listed, list) or not listed:
            raise self.wrong("phases", "must list at least one phase with its name and start")
        found: list[Phase] = []
        for number, part in enumerate(listed, start=1):
            place = f"phases[{number}]."
            if not isinstance(part, dict):
                raise self.wrong(place[:-1], "must be a table with name and starts")
            self.only(part, {"name", "starts"}, place)
            name = self.choice(part, "name", get_args(PhaseName), place=place)
            starts = part.get("starts")
            if not isinstance(starts, datetime) or starts.tzinfo is None:
                raise self.wrong(
                    f"{place}starts", "must be a time with its zone, as 2026-12-01T09:00:00+09:00"
                )
            if found and starts <= found[-1].starts:
                raise self.wrong(f"{place}starts", "must be later than the start of the one before")
            found.append(Phase(name, starts))  # type: ignore[arg-type]
        return tuple(found)

    def quotas(self, given: dict[str, Any]) -> Quotas:
        part, usual = self.table(given, "quotas"), Quotas()
        self.only(part, {"submissions", "guesses", "megabytes"}, "quotas.")
        return Quotas(
            submissions=self.number(part, "submissions", usual.submissions),
            guesses=self.number(part, "guesses", usual.guesses),
            megabytes=self.number(part, "megabytes", usual.megabytes, most=1000),
        )

    def columns(self, given: dict[str, Any]) -> dict[str, str]:
        part = self.table(given, "columns")
        roles = [role for role in part.values() if role]
        if "person" not in roles:
            raise self.wrong("columns", "must say which column is the person")
        for name, role in part.items():
            if role and role not in ROLES:
                allowed = ", ".join(ROLES)
                raise self.wrong(f"columns.{name}", f"must be one of {allowed} or empty", role)
            if role and roles.count(role) > 1:
                raise self.wrong(f"columns.{name}", "must be a role that no other column has", role)
        return part

    def wrong(self, key: str, rule: str, value: object = None) -> SchemaError:
        shown = "" if value is None else f", not {value!r}"
        return SchemaError(f"{self.path}: {key} {rule}{shown}.")

    def only(self, given: Mapping[str, Any], known: set[str], place: str) -> None:
        for key in given:
            if key not in known:
                names = ", ".join(sorted(known))
                raise self.wrong(f"{place}{key}", f"is unknown; there are {names}")

    def table(self, given: Mapping[str, Any], key: str) -> dict[str, Any]:
        part = given.get(key, {})
        if not isinstance(part, dict):
            raise self.wrong(key, "must be a table", part)
        return part

    def text(self, given: Mapping[str, Any], key: str) -> str:
        value = given.get(key)
        if not isinstance(value, str) or not value.strip():
            raise self.wrong(key, "must be a text", value)
        return value

    def choice(
        self,
        given: Mapping[str, Any],
        key: str,
        choices: tuple[str, ...],
        *,
        default: str | None = None,
        place: str = "",
    ) -> str:
        value = given.get(key, default)
        if value not in choices:
            raise self.wrong(f"{place}{key}", f"must be one of {', '.join(choices)}", value)
        return str(value)

    def number(
        self, given: Mapping[str, Any], key: str, usual: int, *, least: int = 1, most: int = 10**6
    ) -> int:
        value = given.get(key, usual)
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise self.wrong(key, f"must be a whole number from {least:,} to {most:,}", value)
        return value
