"""The first tables."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from tokumei.contest.store.columns import (
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

revision = "0001"
down_revision = None

TABLES = (
    "teams", "users", "invitations", "sessions", "api_tokens", "login_attempts", "submissions",
    "scripts", "metrics", "evaluation_sets", "releases", "guesses", "jobs", "workers", "results",
    "event_counter", "events", "audit_log", "contest_state",
)  # fmt: skip
"""In the order in which they can be made."""


def upgrade() -> None:
    """Make the tables, and the rows that are always there."""
    _people()
    _contest()
    _queue()
    _log()
    op.execute("INSERT INTO event_counter (id, last) VALUES (1, 0)")
    op.execute("INSERT INTO contest_state (id) VALUES (1)")
    op.execute("INSERT INTO evaluation_sets (name, state, created) VALUES ('live', 'active', 0)")


def downgrade() -> None:
    """Drop everything."""
    for name in reversed(TABLES):
        op.drop_table(name)


def _people() -> None:
    op.create_table(
        "teams", number_key(), words("name"), words("key", unique=True), moment("created")
    )
    op.create_table(
        "users",
        number_key(),
        words("login", unique=True),
        words("password_hash"),
        words("role"),
        reference("team_id", "teams", optional=True, index=True),
        moment("created"),
        moment("disabled", optional=True),
        one_of("role", ("organizer", "captain", "member", "observer")),
        sa.CheckConstraint("(role IN ('captain', 'member')) = (team_id IS NOT NULL)", name="team"),
    )
    op.create_table(
        "invitations",
        number_key(),
        words("token_hash", unique=True),
        words("role"),
        reference("team_id", "teams", optional=True),
        words("team_name", optional=True),
        moment("created"),
        reference("created_by", "users", optional=True),
        moment("expires"),
        moment("used", optional=True),
        one_of("role", ("organizer", "captain", "member", "observer")),
        sa.CheckConstraint("team_id IS NULL OR team_name IS NULL", name="one_team"),
    )
    op.create_table(
        "sessions",
        sa.Column("token_hash", Words, primary_key=True),
        reference("user_id", "users", index=True),
        words("csrf"),
        moment("created"),
        moment("seen"),
        moment("expires"),
    )
    op.create_table(
        "api_tokens",
        number_key(),
        words("token_hash", unique=True),
        reference("user_id", "users", optional=True, index=True),
        words("scope"),
        words("name"),
        moment("created"),
        moment("expires"),
        moment("last_used", optional=True),
        one_of("scope", ("read", "write", "worker")),
        sa.CheckConstraint("(scope = 'worker') = (user_id IS NULL)", name="owner"),
    )
    op.create_table(
        "login_attempts",
        number_key(),
        words("login_hash"),
        words("address_hash"),
        moment("created"),
        sa.Index(None, "login_hash", "created"),
        sa.Index(None, "address_hash", "created"),
        sa.Index(None, "created"),
    )


def _contest() -> None:
    op.create_table(
        "submissions",
        number_key(),
        reference("team_id", "teams"),
        reference("user_id", "users"),
        words("sha256"),
        sa.Column("size", Number, nullable=False),
        words("original_name"),
        words("note"),
        words("phase"),
        words("state"),
        sa.Column("report", Json),
        sa.Column("chosen", sa.Boolean, nullable=False),
        sa.Column("counted", sa.Boolean, nullable=False),
        moment("created"),
        moment("evaluated", optional=True),
        one_of("state", ("received", "valid", "invalid", "evaluated", "withdrawn", "error")),
        sa.Index(None, "team_id", "phase"),
        only_one("uq_submissions_chosen", "team_id", where="chosen"),
    )
    op.create_table(
        "scripts",
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
        one_of("language", ("python", "r")),
        one_of("kind", ("utility", "safety")),
        one_of("better", ("lower", "higher")),
        one_of("state", ("proposed", "approved", "rejected")),
        sa.CheckConstraint("(state = 'proposed') = (decided IS NULL)", name="decided"),
    )
    op.create_table(
        "metrics",
        sa.Column("name", Words, primary_key=True),
        words("title"),
        words("kind"),
        words("better"),
        sa.Column("position", sa.Integer, nullable=False),
        reference("script_id", "scripts", optional=True, unique=True),
        one_of("kind", ("utility", "safety", "total")),
        one_of("better", ("lower", "higher")),
    )
    op.create_table(
        "evaluation_sets",
        number_key(),
        words("name"),
        words("state"),
        moment("created"),
        moment("decided", optional=True),
        one_of("state", ("open", "active", "archived")),
        only_one("uq_evaluation_sets_active", "state", where="state = 'active'"),
    )
    op.create_table(
        "releases",
        number_key(),
        reference("team_id", "teams", unique=True),
        reference("submission_id", "submissions"),
        words("sha256"),
        sa.Column("size", Number, nullable=False),
        moment("created"),
    )
    op.create_table(
        "guesses",
        number_key(),
        reference("attacker_id", "teams"),
        reference("defender_id", "teams", index=True),
        reference("release_id", "releases"),
        reference("user_id", "users"),
        words("sha256"),
        sa.Column("size", Number, nullable=False),
        words("state"),
        sa.Column("report", Json),
        sa.Column("counted", sa.Boolean, nullable=False),
        sa.Column("hits", sa.Integer),
        sa.Column("total", sa.Integer),
        sa.Column("success", sa.Double),
        moment("created"),
        moment("marked", optional=True),
        one_of("state", ("received", "marked", "invalid", "error")),
        sa.CheckConstraint("attacker_id <> defender_id", name="other_team"),
        sa.CheckConstraint("(state = 'marked') = (success IS NOT NULL)", name="success"),
        sa.Index(None, "attacker_id", "defender_id"),
    )


def _queue() -> None:
    op.create_table(
        "jobs",
        number_key(),
        words("kind"),
        sa.Column("payload", Json, nullable=False),
        reference("team_id", "teams", optional=True),
        reference("submission_id", "submissions", optional=True, index=True),
        reference("guess_id", "guesses", optional=True, index=True),
        reference("set_id", "evaluation_sets", optional=True, index=True),
        words("state"),
        sa.Column("priority", sa.Integer, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("max_attempts", sa.Integer, nullable=False),
        moment("ready"),
        words("worker", optional=True),
        words("lease_token", optional=True),
        moment("lease_until", optional=True),
        moment("deadline", optional=True),
        moment("created"),
        moment("started", optional=True),
        moment("finished", optional=True),
        words("error", optional=True),
        one_of("state", ("queued", "running", "done", "failed", "infrastructure")),
        sa.CheckConstraint(
            "state <> 'running' OR (lease_token IS NOT NULL AND lease_until IS NOT NULL)",
            name="lease",
        ),
        sa.Index(None, "state", "priority", "id"),
        sa.Index(None, "state", "lease_until"),
    )
    op.create_table("workers", sa.Column("name", Words, primary_key=True), moment("seen"))
    op.create_table(
        "results",
        number_key(),
        reference("submission_id", "submissions"),
        sa.Column("metric", Words, sa.ForeignKey("metrics.name"), nullable=False),
        reference("set_id", "evaluation_sets"),
        sa.Column("value", sa.Double),
        words("problem", optional=True),
        reference("job_id", "jobs", optional=True, index=True),
        moment("created"),
        sa.UniqueConstraint("set_id", "submission_id", "metric"),
        sa.CheckConstraint("(value IS NULL) <> (problem IS NULL)", name="value_or_problem"),
    )


def _log() -> None:
    op.create_table(
        "event_counter",
        number_key(),
        sa.Column("last", Number, nullable=False),
        sa.CheckConstraint("id = 1", name="only_row"),
    )
    op.create_table(
        "events",
        sa.Column("seq", Number, primary_key=True, autoincrement=False),
        moment("created"),
        words("kind"),
        words("reach"),
        reference("team_id", "teams", optional=True),
        sa.Column("tells_scores", sa.Boolean, nullable=False),
        sa.Column("payload", Json, nullable=False),
        one_of("reach", ("public", "team", "organizers")),
        sa.CheckConstraint("reach <> 'team' OR team_id IS NOT NULL", name="team"),
    )
    op.create_table(
        "audit_log",
        number_key(),
        moment("created"),
        words("actor"),
        words("action"),
        words("subject"),
        sa.Column("detail", Json, nullable=False),
    )
    op.create_table(
        "contest_state",
        number_key(),
        words("phase", optional=True),
        moment("frozen", optional=True),
        sa.Column("frozen_seq", Number),
        sa.CheckConstraint("id = 1", name="only_row"),
        sa.CheckConstraint("(frozen IS NULL) = (frozen_seq IS NULL)", name="freeze"),
    )
