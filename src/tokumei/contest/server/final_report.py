"""The final report: a contest on one page, in one file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from functools import partial

from sqlalchemy import Connection

import tokumei
from tokumei.contest.opening import Contest
from tokumei.contest.phases import phase_now
from tokumei.contest.server.api.metrics import metric_answer
from tokumei.contest.server.meanings import meanings
from tokumei.contest.server.page_parts import Meaning, by_meaning, heat_of
from tokumei.contest.server.report_charts import Steps, steps_of
from tokumei.contest.store import accounts, clock, guesses, metrics, results, submissions
from tokumei.contest.store.guesses import Cell
from tokumei.contest.store.metrics import Metric
from tokumei.contest.store.standings import standings
from tokumei.contest.store.viewing import ORGANIZER
from tokumei.report.rendering import templates
from tokumei.words import Language, translate


@dataclass(frozen=True)
class ReportedMetric:
    """Columns that mean the same, and who brought them; built-in ones are the rules' own."""

    said: Meaning
    proposer: str | None
    language: str | None
    sha256: str | None


@dataclass(frozen=True)
class TeamInAttack:
    """What a team found of the others, and the most that one of the others found of it."""

    name: str
    found: int
    attacked: int
    lost: float | None
    worst: str | None
    published: bool


def final_report(contest: Contest, language: Language) -> str:
    """Return the report as a page; who may see it is the caller's question."""
    means = meanings(contest, language)
    with contest.database.read() as connection:
        table = standings(connection, ORGANIZER, contest.settings.counts)
        teams = accounts.listed_teams(connection)
        cells = guesses.matrix(connection, ORGANIZER)
        published = {one.team_id for one in guesses.published(connection)}
        handed_in = submissions.listed(connection)
        reported = _metrics(connection, table.metrics, means)
        sets, progress = results.sets(connection), results.progress(connection)
        phase = phase_now(connection, contest.settings)
    names = {team.id: team.name for team in teams}
    files = {one.id: one for one in handed_in}
    chart = steps_of(handed_in, names)
    zone = contest.settings.phases[0].starts.tzinfo
    pages = templates(
        "tokumei.contest.server", number=_number, heat=heat_of, moment=partial(_moment, zone=zone)
    )
    return pages.get_template("final_report.html").render(
        language=language,
        tr=partial(translate, language=language),
        settings=contest.settings,
        title=contest.settings.title[language],
        rules_title=None if contest.settings.custom else contest.evaluation.year.title,
        hit=None if contest.settings.custom else contest.evaluation.year.hit,
        means=means,
        phase=phase,
        now=clock.now(),
        version=tokumei.__version__,
        table=table,
        utilities=[one for one in table.metrics if one.kind == "utility"],
        safeties=[one for one in table.metrics if one.kind == "safety"],
        winners=[row for row in table.rows if row.rank == 1],
        ranked=[row for row in table.rows if row.rank is not None],
        files=files,
        teams=teams,
        published=published,
        cells={(cell.attacker_id, cell.defender_id): cell for cell in cells},
        in_attack=_in_attack(names, cells, published),
        guesses_made=sum(cell.used for cell in cells),
        chart=chart,
        most_active=_most_active(chart),
        metrics=reported,
        sets=[(one, progress.get(one.id, results.Progress())) for one in sets],
    )


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.6g}"


def _moment(moment: int, zone: tzinfo | None) -> str:
    return f"{clock.as_datetime(moment).astimezone(zone):%Y-%m-%d %H:%M (%Z)}"


def _metrics(
    connection: Connection, listed: Sequence[Metric], means: Mapping[str, str]
) -> list[ReportedMetric]:
    names = {team.id: team.name for team in accounts.listed_teams(connection)}
    scripts = {one.id: one for one in metrics.listed_scripts(connection)}
    found = []
    for one in by_meaning([metric_answer(metric) for metric in listed], means):
        script = scripts.get(one.script) if one.script is not None else None
        if script is None:
            found.append(ReportedMetric(one, None, None, None))
        else:
            proposer = names.get(script.team_id) if script.team_id is not None else None
            found.append(ReportedMetric(one, proposer, script.language, script.sha256))
    return found


def _in_attack(
    names: dict[int, str], cells: Sequence[Cell], published: set[int]
) -> list[TeamInAttack]:
    """Sum up the matrix; the team that lost the least of what it published comes first."""
    found = []
    for team_id, name in names.items():
        hits = [cell.hits or 0 for cell in cells if cell.attacker_id == team_id]
        losses = [
            (cell.success, names[cell.attacker_id])
            for cell in cells
            if cell.defender_id == team_id and cell.success is not None
        ]
        lost, worst = max(losses, key=lambda loss: loss[0], default=(None, None))
        found.append(
            TeamInAttack(name, sum(hits), len(hits), lost, worst, published=team_id in published)
        )
    return sorted(found, key=lambda team: (not team.published, team.lost or 0.0))


def _most_active(chart: Steps | None) -> tuple[str, int] | None:
    if chart is None:
        return None
    first = max(chart.lines, key=lambda line: line.count)
    return first.name, first.count
