"""All of a contest as tables for its organizers; what is secret is not among them."""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, Boolean, Column, Connection, Double, Integer, Table, select

from tokumei.contest.server.exporting import Kind, Sheet
from tokumei.contest.store import schema

# Every column is named, so that a new one is not given away by itself.
_TABLES: dict[str, tuple[Table, str]] = {
    "teams": (schema.teams, "id name created"),
    "users": (schema.users, "id login role team_id created disabled"),
    "submissions": (
        schema.submissions,
        "id team_id user_id sha256 size original_name note phase state report chosen counted "
        "created evaluated",
    ),
    "scripts": (
        schema.scripts,
        "id user_id team_id name language sha256 kind better state created decided_by decided "
        "reason",
    ),
    "metrics": (schema.metrics, "name title kind better position script_id"),
    "sets": (schema.evaluation_sets, "id name state created decided"),
    "results": (schema.results, "set_id submission_id metric value problem job_id created"),
    "releases": (schema.releases, "id team_id submission_id sha256 size created"),
    "guesses": (
        schema.guesses,
        "id attacker_id defender_id release_id user_id sha256 size state report counted hits "
        "total success created marked",
    ),
    "events": (schema.events, "seq created kind reach team_id tells_scores payload"),
    "audit": (schema.audit_log, "id created actor action subject detail"),
}
_TIMES = {"created", "disabled", "evaluated", "decided", "marked"}


def everything(connection: Connection) -> dict[str, Sheet]:
    """Return every table that organizers may take home, all of one moment."""
    return {name: _sheet(connection, *wanted) for name, wanted in _TABLES.items()}


def _sheet(connection: Connection, table: Table, names: str) -> Sheet:
    columns = [table.c[name] for name in names.split()]
    rows = connection.execute(select(*columns).order_by(*table.primary_key))
    kinds = {column.name: _kind(column) for column in columns}
    return Sheet(kinds, [_cells(list(kinds), row) for row in rows])


def _cells(names: list[str], row: Any) -> list[Any]:
    return [
        _summary(cell) if name == "report" else cell for name, cell in zip(names, row, strict=True)
    ]


def _summary(report: dict[str, Any] | None) -> dict[str, Any] | None:
    """Leave out the single problems: they quote the data, and there can be many."""
    return report and {key: report.get(key) for key in ("valid", "count", "summary")}


def _kind(column: Column[Any]) -> Kind:
    if column.name in _TIMES:
        return "time"
    kinds: tuple[tuple[type, Kind], ...] = (
        (JSON, "json"),
        (Boolean, "yes_or_no"),
        (Double, "number"),
        (Integer, "whole"),
    )
    return next((kind for form, kind in kinds if isinstance(column.type, form)), "text")
