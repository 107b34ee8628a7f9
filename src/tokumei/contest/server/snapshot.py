"""The contest at one moment, as a viewer may see it: what a live client starts from."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel
from sqlalchemy import Connection, func, select

from tokumei.contest.opening import Contest
from tokumei.contest.phases import next_change, phase_now
from tokumei.contest.server.access import iso
from tokumei.contest.server.messages import Message
from tokumei.contest.server.tables import Cell, ResultsQuery, attack_cells, results_table
from tokumei.contest.settings import PhaseName, Settings
from tokumei.contest.store import accounts, clock, events
from tokumei.contest.store.schema import jobs
from tokumei.contest.store.states import Better, MetricKind
from tokumei.contest.store.viewing import Sees, Viewer

FRESH_SECONDS = 1.0
"""So long a snapshot serves all who ask, unless something happens: the queue moves silently."""


class NextPhase(BaseModel):
    """What begins next."""

    name: PhaseName
    starts: str


class TeamName(BaseModel):
    """A team."""

    id: int
    name: str


class Column(BaseModel):
    """A metric of the table."""

    name: str
    title: str
    kind: MetricKind
    better: Better


class Place(BaseModel):
    """A team's place in the table; a value that is missing or failed is null."""

    team: int
    submission: int
    created: str
    rank: int | None
    total: float | None
    values: Mapping[str, float | None]


class QueueLength(BaseModel):
    """How many jobs wait and run."""

    queued: int
    running: int


class State(BaseModel):
    """The contest at one moment; `sees` says whose results the viewer may see."""

    phase: PhaseName | None
    next: NextPhase | None
    frozen: str | None
    sees: Sees
    better: Better
    metrics: list[Column]
    teams: list[TeamName]
    standings: list[Place]
    matrix: list[Cell]
    queue: QueueLength


class SnapshotMessage(BaseModel):
    """The contest after the event `seq`."""

    type: Literal["snapshot"] = "snapshot"
    seq: int
    state: State


class Snapshots:
    """Snapshots for viewers; for one thread."""

    def __init__(self, contest: Contest) -> None:
        self._contest = contest
        self._made: dict[Viewer, tuple[float, Message]] = {}

    def of(self, connection: Connection, viewer: Viewer) -> Message:
        """Return the contest as a viewer may see it; many who come at once share one."""
        seq = events.last_seq(connection)
        made, message = self._made.get(viewer, (0.0, None))
        now = time.monotonic()
        if message is None or message.last != seq or now - made > FRESH_SECONDS:
            state = state_of(self._contest, connection, viewer)
            message = Message(SnapshotMessage(seq=seq, state=state).model_dump_json(), seq)
            self._made[viewer] = (now, message)
        return message


def state_of(contest: Contest, connection: Connection, viewer: Viewer) -> State:
    """Return the contest as a viewer may see it."""
    settings = contest.settings
    table = results_table(contest, connection, viewer, ResultsQuery())
    return State(
        phase=phase_now(connection, settings),
        next=_next(connection, settings),
        frozen=None if table.frozen is None else iso(table.frozen),
        sees=table.sees,
        better=table.better,
        metrics=[
            Column(name=one.name, title=one.title, kind=one.kind, better=one.better)
            for one in table.metrics
        ],
        teams=[TeamName(id=one.id, name=one.name) for one in accounts.listed_teams(connection)],
        standings=[
            Place(
                team=row.team_id,
                submission=row.submission_id,
                created=iso(row.created),
                rank=row.rank,
                total=row.total,
                values={name: said.value for name, said in row.values.items()},
            )
            for row in table.rows
        ],
        matrix=attack_cells(connection, viewer, table.sees),
        queue=_queue(connection),
    )


def _next(connection: Connection, settings: Settings) -> NextPhase | None:
    phase = next_change(connection, settings)
    if phase is None:
        return None
    return NextPhase(name=phase.name, starts=iso(clock.as_moment(phase.starts)))


def _queue(connection: Connection) -> QueueLength:
    counted = select(jobs.c.state, func.count()).group_by(jobs.c.state)
    open_jobs = counted.where(jobs.c.state.in_(("queued", "running")))
    numbers = {row.state: row[1] for row in connection.execute(open_jobs)}
    return QueueLength(queued=numbers.get("queued", 0), running=numbers.get("running", 0))
