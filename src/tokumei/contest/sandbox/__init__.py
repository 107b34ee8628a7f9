"""Run uploaded metric scripts where they can do no harm, or not at all."""

from tokumei.contest.sandbox.probing import Finding, available, probe, run
from tokumei.contest.sandbox.values import Language, Limits, Outcome, SandboxUnavailable, Script

__all__ = [
    "Finding",
    "Language",
    "Limits",
    "Outcome",
    "SandboxUnavailable",
    "Script",
    "available",
    "probe",
    "run",
]
