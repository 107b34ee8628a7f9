"""The words that columns of the store can have."""

from __future__ import annotations

from typing import Literal

Role = Literal["organizer", "captain", "member", "observer"]
Scope = Literal["read", "write", "worker"]
SubmissionState = Literal["received", "valid", "invalid", "evaluated", "withdrawn", "error"]
GuessState = Literal["received", "marked", "invalid", "error"]
ScriptState = Literal["proposed", "approved", "rejected"]
Language = Literal["python", "r"]
MetricKind = Literal["utility", "safety", "total"]
Better = Literal["lower", "higher"]
JobState = Literal["queued", "running", "done", "failed", "infrastructure"]
SetState = Literal["open", "active", "archived"]
Reach = Literal["public", "team", "organizers"]
