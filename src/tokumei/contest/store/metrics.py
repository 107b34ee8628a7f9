"""The columns of the table: built-in metrics, and uploaded scripts that an organizer approved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from sqlalchemy import Connection, delete, func, insert, select, update

from tokumei.contest.store import clock
from tokumei.contest.store.errors import NotNow
from tokumei.contest.store.rows import columns, count, insert_into, one, several
from tokumei.contest.store.schema import metrics, results, scripts
from tokumei.contest.store.states import Better, Language, MetricKind, ScriptState


@dataclass(frozen=True)
class Metric:
    """A column of the table; one with a script is measured by it."""

    name: str
    title: str
    kind: MetricKind
    better: Better
    position: int
    script_id: int | None = None


@dataclass(frozen=True)
class Script:
    """A metric that somebody uploaded."""

    id: int
    user_id: int
    team_id: int | None
    name: str
    language: Language
    sha256: str
    kind: MetricKind
    better: Better
    state: ScriptState
    created: int
    decided_by: int | None
    decided: int | None
    reason: str


METRIC_FIELDS = columns(metrics, Metric)
SCRIPT_FIELDS = columns(scripts, Script)


def keep_built_in(connection: Connection, wanted: Sequence[Metric]) -> None:
    """Make the built-in metrics those that the contest's settings name, at every start."""
    for metric in wanted:
        statement = insert_into(connection, metrics).values(asdict(metric))
        new = {name: value for name, value in asdict(metric).items() if name != "name"}
        connection.execute(statement.on_conflict_do_update(index_elements=["name"], set_=new))
    measured = select(results.c.metric).where(results.c.metric == metrics.c.name).exists()
    gone = metrics.c.name.not_in([metric.name for metric in wanted])
    connection.execute(delete(metrics).where(gone, metrics.c.script_id.is_(None), ~measured))


def listed(connection: Connection) -> list[Metric]:
    """Return the metrics in the order of the table's columns."""
    statement = select(*METRIC_FIELDS).order_by(metrics.c.position, metrics.c.name)
    return several(connection, statement, Metric)


def propose(
    connection: Connection,
    *,
    name: str,
    language: Language,
    sha256: str,
    kind: MetricKind,
    better: Better,
    user_id: int,
    team_id: int | None,
) -> Script:
    """Keep an uploaded script; it runs only after `approve`."""
    statement = insert(scripts).values(
        name=name,
        language=language,
        sha256=sha256,
        kind=kind,
        better=better,
        user_id=user_id,
        team_id=team_id,
        state="proposed",
        created=clock.now(),
        reason="",
    )
    return one(connection, statement.returning(*SCRIPT_FIELDS), Script, "script")


def approve(connection: Connection, script_id: int, *, user_id: int) -> Metric:
    """Let a script be a metric, after all others; its jobs are queued by the caller."""
    script = _decide(connection, script_id, "approved", user_id, "")
    position = count(connection, select(func.coalesce(func.max(metrics.c.position), 0) + 1))
    # The id keeps two scripts of one name apart, and a script from posing as a built-in.
    metric = Metric(
        f"script:{script.id}", script.name, script.kind, script.better, position, script.id
    )
    connection.execute(insert(metrics).values(asdict(metric)))
    return metric


def reject(connection: Connection, script_id: int, *, user_id: int, reason: str) -> Script:
    """Refuse a script, with a reason for whoever uploaded it."""
    return _decide(connection, script_id, "rejected", user_id, reason)


def find_script(connection: Connection, script_id: int) -> Script:
    """Return a script."""
    statement = select(*SCRIPT_FIELDS).where(scripts.c.id == script_id)
    return one(connection, statement, Script, f"script {script_id}")


def listed_scripts(connection: Connection) -> list[Script]:
    """Return all scripts, the newest first."""
    return several(connection, select(*SCRIPT_FIELDS).order_by(scripts.c.id.desc()), Script)


def _decide(
    connection: Connection, script_id: int, state: ScriptState, user_id: int, reason: str
) -> Script:
    found = find_script(connection, script_id)
    statement = update(scripts).where(scripts.c.id == script_id, scripts.c.state == "proposed")
    decided = statement.values(state=state, decided_by=user_id, decided=clock.now(), reason=reason)
    if not connection.execute(decided).rowcount:
        raise NotNow(f"The script is {found.state} already.")
    return find_script(connection, script_id)
