"""What the organizers do, and what happens by plan."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import Connection

from tokumei.contest.actions.attacking import publish_all
from tokumei.contest.actions.people import COMMAND
from tokumei.contest.opening import Contest
from tokumei.contest.phases import phase_now
from tokumei.contest.settings import PhaseName, Settings
from tokumei.contest.store import audit, clock, control, events, housekeeping, jobs, results
from tokumei.contest.store import metrics as metric_rows
from tokumei.contest.store import submissions as submission_rows
from tokumei.contest.store.accounts import User
from tokumei.contest.store.contest_state import read_state
from tokumei.contest.store.errors import NotNow
from tokumei.contest.store.names import clean_name
from tokumei.contest.store.results import EvaluationSet
from tokumei.contest.store.viewing import EVERYBODY

PLAN = "plan"
"""Who acts where it was decided beforehand."""
REEVALUATION_PRIORITY = -1
"""What teams hand in meanwhile goes first."""


def set_phase(contest: Contest, actor: User | None, phase: PhaseName | None) -> None:
    """Put a phase in the place of the planned one; none goes back to the plan."""
    if phase == "attack" and contest.settings.custom:
        raise NotNow("A custom contest has no re-identification phase: it has no judge for it.")
    with contest.database.write() as connection:
        control.set_phase(connection, phase)
        audit.note(connection, _login(actor), "set phase", phase or PLAN)
        entered = _enter_phase(connection, contest.settings)
    if entered == "attack":
        publish_all(contest)


def freeze(contest: Contest, actor: User | None) -> None:
    """Let everybody but the organizers see scores as they are now."""
    with contest.database.write() as connection:
        if phase_now(connection, contest.settings) == "closed":
            raise NotNow("The contest is closed: its results are final and visible to all.")
        control.freeze(connection)
        audit.note(connection, _login(actor), "freeze")


def unfreeze(contest: Contest, actor: User | None) -> None:
    """Show all scores again."""
    with contest.database.write() as connection:
        control.unfreeze(connection)
        audit.note(connection, _login(actor), "unfreeze")


def retry_job(contest: Contest, actor: User, job_id: int) -> None:
    """Queue a job again that was given up."""
    with contest.database.write() as connection:
        jobs.retry(connection, job_id)
        audit.note(connection, actor.login, "retry job", f"job {job_id}")


def open_set(contest: Contest, actor: User, name: str) -> EvaluationSet:
    """Evaluate everything again, beside the table and not in it."""
    with contest.database.write() as connection:
        made = results.open_set(connection, clean_name(name, "name of a set"))
        if not _queue_again(connection, contest.settings, made.id):
            raise NotNow("There is no evaluated submission that could be evaluated again.")
        audit.note(connection, actor.login, "open set", f"set {made.id}", name=made.name)
    return made


def activate_set(contest: Contest, actor: User, set_id: int) -> None:
    """Put a reviewed set into the table."""
    with contest.database.write() as connection:
        results.activate(connection, set_id)
        audit.note(connection, actor.login, "activate set", f"set {set_id}")
        events.append(connection, "set.activated", EVERYBODY, {"set": set_id})


def discard_set(contest: Contest, actor: User, set_id: int) -> None:
    """Put a set away that shall not be in the table."""
    with contest.database.write() as connection:
        results.discard(connection, set_id)
        audit.note(connection, actor.login, "discard set", f"set {set_id}")


def tick(contest: Contest) -> None:
    """Do what is due by now; also what was due while no server ran."""
    jobs.expire(contest.database)
    with contest.database.read() as connection:
        phase = phase_now(connection, contest.settings)
        told = control.announced(connection) == phase
        freeze_is_due = _freeze_is_due(connection, contest.settings)
    if not told or freeze_is_due:
        _follow_plan(contest)
    if phase == "attack":
        publish_all(contest)


def clean_up(contest: Contest) -> None:
    """Throw away what has ended."""
    with contest.database.write() as connection:
        housekeeping.prune(connection)


def _follow_plan(contest: Contest) -> None:
    with contest.database.write() as connection:
        if entered := _enter_phase(connection, contest.settings):
            audit.note(connection, PLAN, "set phase", entered)
        if _freeze_is_due(connection, contest.settings):
            control.freeze(connection)
            audit.note(connection, PLAN, "freeze")


def _enter_phase(connection: Connection, settings: Settings) -> PhaseName | None:
    """Tell which phase it is, unless all know; results are final when the contest is closed."""
    phase = phase_now(connection, settings)
    if not control.announce(connection, phase):
        return None
    if phase == "closed":
        control.unfreeze(connection)
    return phase


def _freeze_is_due(connection: Connection, settings: Settings) -> bool:
    """Tell whether the planned freeze has begun and nobody has decided on one since."""
    closing = next((phase for phase in settings.phases if phase.name == "closed"), None)
    state = read_state(connection)
    if closing is None or not settings.freeze_minutes or state.phase or state.frozen:
        return False
    ends = clock.as_moment(closing.starts)
    begins = clock.as_moment(closing.starts - timedelta(minutes=settings.freeze_minutes))
    if not begins <= clock.now() < ends:
        return False
    return not control.frozen_or_unfrozen_since(connection, begins)


def _queue_again(connection: Connection, settings: Settings, set_id: int) -> int:
    scripts = [one.script_id for one in metric_rows.listed(connection) if one.script_id is not None]
    wanted = [("script", {"script": script_id}) for script_id in scripts]
    if not settings.custom:
        wanted.insert(0, ("score", {}))
    evaluated = [one for one in submission_rows.listed(connection) if one.state == "evaluated"]
    for one in reversed(evaluated):
        for kind, payload in wanted:
            jobs.enqueue(
                connection,
                kind,
                payload,
                team_id=one.team_id,
                submission_id=one.id,
                set_id=set_id,
                priority=REEVALUATION_PRIORITY,
            )
    return len(evaluated) * len(wanted)


def _login(actor: User | None) -> str:
    return actor.login if actor else COMMAND
