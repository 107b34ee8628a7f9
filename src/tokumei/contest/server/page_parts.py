"""What pages show beyond the answers of the API: the plan, the trend of a team, the cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from tokumei.contest.server.api.attack import Matrix
from tokumei.contest.server.api.metrics import MetricAnswer
from tokumei.contest.server.api.results import HistoryRow
from tokumei.contest.server.api.session import TeamName
from tokumei.contest.settings import Phase, PhaseName
from tokumei.contest.store.states import Better, MetricKind

WIDTH = 960
LAST_SHARE = 0.14
"""Of the plan's picture, for the phase that has no end."""
NARROWEST = 0.12
"""Of the picture, so that a short phase has room for its name."""
HEATS = 5
POINTS = 30
"""Submissions in the picture of a team; the newest."""
TOP, BOTTOM, LEFT, STEP = 8.0, 126.0, 84.0, 44.0


KINDS: tuple[MetricKind, ...] = ("total", "utility", "safety")
"""What the others sum up to comes first."""
SUMS = ("total", "utility", "safety", "risk", "U", "E", "shot_down")
"""Names of scores that sum up others, in the contest years."""


@dataclass(frozen=True)
class MetricGroup:
    """Metrics of one kind, which stand side by side in the table."""

    kind: MetricKind
    metrics: list[MetricAnswer]


def by_kind(metrics: Sequence[MetricAnswer]) -> list[MetricGroup]:
    """Return the groups of columns in the table."""
    grouped = [(kind, [one for one in metrics if one.kind == kind]) for kind in KINDS]
    return [MetricGroup(kind, own) for kind, own in grouped if own]


@dataclass(frozen=True)
class Meaning:
    """What metrics mean that one explanation holds for."""

    kind: MetricKind
    better: Better
    script: int | None
    text: str
    metrics: list[MetricAnswer]


def by_meaning(metrics: Sequence[MetricAnswer], texts: Mapping[str, str]) -> list[Meaning]:
    """Return the explanations of metrics; a script has one of its own."""
    groups: dict[tuple[MetricKind, Better, int | None, str], list[MetricAnswer]] = {}
    for one in sorted(metrics, key=lambda one: KINDS.index(one.kind)):
        key = (one.kind, one.better, one.script, texts.get(one.name, ""))
        groups.setdefault(key, []).append(one)
    return [Meaning(*key, own) for key, own in groups.items()]


@dataclass(frozen=True)
class PlannedPart:
    """A phase in the picture of the plan."""

    name: PhaseName
    starts: datetime
    x: float
    width: float
    later: bool


def plan_parts(phases: Sequence[Phase], now: datetime) -> tuple[list[PlannedPart], float | None]:
    """Return the phases as parts of a bar, and where in it now is; none before it begins."""
    lengths = [(after.starts - one.starts).total_seconds() for one, after in pairwise(phases)]
    whole = sum(lengths) or 1.0
    shares = [*(max(length / whole, NARROWEST) for length in lengths), LAST_SHARE]
    widths = [WIDTH * share / sum(shares) for share in shares]
    parts: list[PlannedPart] = []
    at: float | None = None
    x = 0.0
    for number, (phase, width) in enumerate(zip(phases, widths, strict=True)):
        parts.append(
            PlannedPart(phase.name, phase.starts, round(x, 1), round(width - 2, 1),
                        later=phase.starts > now)
        )  # fmt: skip
        if phase.starts <= now:
            passed = (now - phase.starts).total_seconds()
            share = passed / lengths[number] if number < len(lengths) else 0.5
            at = round(x + width * min(share, 1.0), 1)
        x += width
    return parts, at


@dataclass(frozen=True)
class Point:
    """A submission in the picture of a team."""

    submission: int
    x: float
    y: float
    best: bool


@dataclass(frozen=True)
class Trend:
    """How the totals of a team went, the better ones on top."""

    points: list[Point]
    width: int
    top: float
    bottom: float
    best: float


def trend_of(history: Sequence[HistoryRow], better: Better) -> Trend | None:
    """Return the picture of a history that comes newest first; none with less than two totals."""
    totals = [(one.submission, one.total) for one in reversed(history) if one.total is not None]
    totals = totals[-POINTS:]
    if len(totals) < 2:
        return None
    low, high = min(total for _, total in totals), max(total for _, total in totals)
    best, worst = (high, low) if better == "higher" else (low, high)
    points = []
    for place, (submission, total) in enumerate(totals):
        share = (total - best) / (worst - best) if worst != best else 0.0
        y = TOP + share * (BOTTOM - TOP)
        points.append(Point(submission, LEFT + place * STEP, round(y, 1), total == best))
    return Trend(points, round(LEFT + len(totals) * STEP), best, worst, best)


@dataclass(frozen=True)
class MatrixCell:
    """What an attacker found of a defender; `heat` is its step on the scale, 0 to 5."""

    defender: int
    used: int
    hits: int | None
    total: int | None
    success: float | None
    heat: int
    own: bool
    mine: bool


@dataclass(frozen=True)
class MatrixRow:
    """What an attacker found of everybody."""

    team: TeamName
    cells: list[MatrixCell]


@dataclass(frozen=True)
class BestAttack:
    """The attack that found the largest share."""

    attacker: str
    defender: str
    success: float


def matrix_rows(matrix: Matrix, own_team: int | None) -> list[MatrixRow]:
    """Return the table of who found whom, attackers by rows."""
    cells = {(cell.attacker, cell.defender): cell for cell in matrix.cells}
    rows = []
    for attacker in matrix.teams:
        row = []
        for defender in matrix.teams:
            cell = cells.get((attacker.id, defender.id))
            row.append(
                MatrixCell(
                    defender=defender.id,
                    used=cell.used if cell else 0,
                    hits=cell.hits if cell else None,
                    total=cell.total if cell else None,
                    success=cell.success if cell else None,
                    heat=heat_of(cell.success if cell else None),
                    own=attacker.id == defender.id,
                    mine=own_team is not None and own_team in (attacker.id, defender.id),
                )
            )
        rows.append(MatrixRow(attacker, row))
    return rows


def heat_of(success: float | None) -> int:
    """Return the step of a share on the scale.

    >>> heat_of(None), heat_of(0.0), heat_of(0.01), heat_of(0.2), heat_of(0.21), heat_of(1.0)
    (0, 0, 1, 1, 2, 5)
    """
    steps = [step for step in range(HEATS) if success is not None and success > step / HEATS]
    return len(steps)


def best_attack(matrix: Matrix) -> BestAttack | None:
    """Return the attack that found the largest share, if one found anybody."""
    names = {team.id: team.name for team in matrix.teams}
    found = [cell for cell in matrix.cells if cell.success]
    if not found:
        return None
    best = max(found, key=lambda cell: cell.success or 0.0)
    return BestAttack(names[best.attacker], names[best.defender], best.success or 0.0)
