"""The tables of a contest.

Times are microseconds since 1970 in UTC (`clock`), secrets stand as hashes only, files as their
SHA-256. A change here needs a migration; a test compares the two.
"""

from __future__ import annotations

from typing import get_args

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    UniqueConstraint,
)

from tokumei.contest.store import states
from tokumei.contest.store.columns import (
    NAMES,
    Json,
    Number,
    Words,
    moment,
    number_key,
    one_of,
    only_one,
    reference,
    words,
)

metadata = MetaData(naming_convention=NAMES)
ONLY_ROW = 1
"""The id in the tables that have a single row."""

teams = Table(
    "teams", metadata, number_key(), words("name"), words("key", unique=True), moment("created")
)
users = Table(
    "users",
    metadata,
    number_key(),
    words("login", unique=True),
    words("password_hash"),
    words("role"),
    reference("team_id", "teams", optional=True, index=True),
    moment("created"),
    moment("disabled", optional=True),
    one_of("role", get_args(states.Role)),
    CheckConstraint("(role IN ('captain', 'member')) = (team_id IS NOT NULL)", name="team"),
)
invitations = Table(
    "invitations",
    metadata,
    number_key(),
    words("token_hash", unique=True),
    words("role"),
    reference("team_id", "teams", optional=True),
    words("team_name", optional=True),
    moment("created"),
    reference("created_by", "users", optional=True),
    moment("expires"),
    moment("used", optional=True),
    one_of("role", get_args(states.Role)),
    CheckConstraint("team_id IS NULL OR team_name IS NULL", name="one_team"),
)
sessions = Table(
    "sessions",
    metadata,
    Column("token_hash", Words, primary_key=True),
    reference("user_id", "users", index=True),
    words("csrf"),
    moment("created"),
    moment("seen"),
    moment("expires"),
)
api_tokens = Table(
    "api_tokens",
    metadata,
    number_key(),
    words("token_hash", unique=True),
    reference("user_id", "users", optional=True, index=True),
    words("scope"),
    words("name"),
    moment("created"),
    moment("expires"),
    moment("last_used", optional=True),
    one_of("scope", get_args(states.Scope)),
    CheckConstraint("(scope = 'worker') = (user_id IS NULL)", name="owner"),
)
login_attempts = Table(
    "login_attempts",
    metadata,
    number_key(),
    words("login_hash"),
    words("address_hash"),
    moment("created"),
    Index(None, "login_hash", "created"),
    Index(None, "address_hash", "created"),
    Index(None, "created"),
)
submissions = Table(
    "submissions",
    metadata,
    number_key(),
    reference("team_id", "teams"),
    reference("user_id", "users"),
    words("sha256"),
    Column("size", Number, nullable=False),
    words("original_name"),
    words("note"),
    words("phase"),
    words("state"),
    Column("report", Json),
    Column("chosen", Boolean, nullable=False),
    # Whether it costs: held while it is checked, given back where the fault is not the team's.
    Column("counted", Boolean, nullable=False),
    moment("created"),
    # When it was first complete; a later re-evaluation does not move it across a freeze.
    moment("evaluated", optional=True),
    one_of("state", get_args(states.SubmissionState)),
    Index(None, "team_id", "phase"),
    only_one("uq_submissions_chosen", "team_id", where="chosen"),
)
scripts = Table(
    "scripts",
    metadata,
    number_key(),
    reference("user_id", "users"),
    reference("team_id", "teams", optional=True),
    words("name"),
    words("language"),
    words("sha256"),
    words("kind"),
    words("better"),
    words("state"),
    moment("created"),
    reference("decided_by", "users", optional=True),
    moment("decided", optional=True),
    words("reason"),
    one_of("language", get_args(states.Language)),
    one_of("kind", ("utility", "safety")),
    one_of("better", get_args(states.Better)),
    one_of("state", get_args(states.ScriptState)),
    CheckConstraint("(state = 'proposed') = (decided IS NULL)", name="decided"),
)
metrics = Table(
    "metrics",
    metadata,
    Column("name", Words, primary_key=True),
    words("title"),
    words("kind"),
    words("better"),
    Column("position", Integer, nullable=False),
    reference("script_id", "scripts", optional=True, unique=True),
    one_of("kind", get_args(states.MetricKind)),
    one_of("better", get_args(states.Better)),
)
evaluation_sets = Table(
    "evaluation_sets",
    metadata,
    number_key(),
    words("name"),
    words("state"),
    moment("created"),
    moment("decided", optional=True),
    one_of("state", get_args(states.SetState)),
    only_one("uq_evaluation_sets_active", "state", where="state = 'active'"),
)
releases = Table(
    "releases",
    metadata,
    number_key(),
    reference("team_id", "teams", unique=True),
    reference("submission_id", "submissions"),
    words("sha256"),
    Column("size", Number, nullable=False),
    moment("created"),
)
guesses = Table(
    "guesses",
    metadata,
    number_key(),
    reference("attacker_id", "teams"),
    reference("defender_id", "teams", index=True),
    reference("release_id", "releases"),
    reference("user_id", "users"),
    words("sha256"),
    Column("size", Number, nullable=False),
    words("state"),
    Column("report", Json),
    Column("counted", Boolean, nullable=False),
    Column("hits", Integer),
    Column("total", Integer),
    Column("success", Double),
    moment("created"),
    moment("marked", optional=True),
    one_of("state", get_args(states.GuessState)),
    CheckConstraint("attacker_id <> defender_id", name="other_team"),
    CheckConstraint("(state = 'marked') = (success IS NOT NULL)", name="success"),
    Index(None, "attacker_id", "defender_id"),
)
jobs = Table(
    "jobs",
    metadata,
    number_key(),
    words("kind"),
    Column("payload", Json, nullable=False),
    reference("team_id", "teams", optional=True),
    reference("submission_id", "submissions", optional=True, index=True),
    reference("guess_id", "guesses", optional=True, index=True),
    # Where results go; none means the set that is active when they come.
    reference("set_id", "evaluation_sets", optional=True, index=True),
    words("state"),
    Column("priority", Integer, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("max_attempts", Integer, nullable=False),
    moment("ready"),
    words("worker", optional=True),
    words("lease_token", optional=True),
    moment("lease_until", optional=True),
    # However often a worker says that it is alive, its lease ends here.
    moment("deadline", optional=True),
    moment("created"),
    moment("started", optional=True),
    moment("finished", optional=True),
    words("error", optional=True),
    one_of("state", get_args(states.JobState)),
    CheckConstraint(
        "state <> 'running' OR (lease_token IS NOT NULL AND lease_until IS NOT NULL)", name="lease"
    ),
    Index(None, "state", "priority", "id"),
    Index(None, "state", "lease_until"),
)
workers = Table("workers", metadata, Column("name", Words, primary_key=True), moment("seen"))
results = Table(
    "results",
    metadata,
    number_key(),
    reference("submission_id", "submissions"),
    Column("metric", Words, ForeignKey("metrics.name"), nullable=False),
    reference("set_id", "evaluation_sets"),
    Column("value", Double),
    words("problem", optional=True),
    reference("job_id", "jobs", optional=True, index=True),
    moment("created"),
    UniqueConstraint("set_id", "submission_id", "metric"),
    CheckConstraint("(value IS NULL) <> (problem IS NULL)", name="value_or_problem"),
)
event_counter = Table(
    "event_counter",
    metadata,
    number_key(),
    Column("last", Number, nullable=False),
    CheckConstraint(f"id = {ONLY_ROW}", name="only_row"),
)
events = Table(
    "events",
    metadata,
    Column("seq", Number, primary_key=True, autoincrement=False),
    moment("created"),
    words("kind"),
    words("reach"),
    reference("team_id", "teams", optional=True),
    Column("tells_scores", Boolean, nullable=False),
    Column("payload", Json, nullable=False),
    one_of("reach", get_args(states.Reach)),
    CheckConstraint("reach <> 'team' OR team_id IS NOT NULL", name="team"),
)
audit_log = Table(
    "audit_log",
    metadata,
    number_key(),
    moment("created"),
    words("actor"),
    words("action"),
    words("subject"),
    Column("detail", Json, nullable=False),
)
contest_state = Table(
    "contest_state",
    metadata,
    number_key(),
    words("phase", optional=True),
    moment("frozen", optional=True),
    Column("frozen_seq", Number),
    CheckConstraint(f"id = {ONLY_ROW}", name="only_row"),
    CheckConstraint("(frozen IS NULL) = (frozen_seq IS NULL)", name="freeze"),
)
