"""tokumei: anonymize purchase histories, attack the result, and see who can still be found."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tokumei.contracts import Answer, Challenge, Guess, Key, Release, Score, Scorecard
    from tokumei.data.cleaning import Cleaning
    from tokumei.data.folder import read_release, write_release
    from tokumei.data.generating import generate
    from tokumei.data.reading import read
    from tokumei.history import History
    from tokumei.itemsets.statistics import statistics
    from tokumei.metrics.risk import Risk
    from tokumei.publishing import publish

__version__ = "0.1.0"

# Loaded when first used: `tokumei --version` need not wait for polars.
_HOMES = {
    "Answer": "contracts",
    "Challenge": "contracts",
    "Cleaning": "data.cleaning",
    "Guess": "contracts",
    "History": "history",
    "Key": "contracts",
    "Release": "contracts",
    "Risk": "metrics.risk",
    "Score": "contracts",
    "Scorecard": "contracts",
    "generate": "data.generating",
    "publish": "publishing",
    "read": "data.reading",
    "read_release": "data.folder",
    "statistics": "itemsets.statistics",
    "write_release": "data.folder",
}

__all__ = [
    "Answer",
    "Challenge",
    "Cleaning",
    "Guess",
    "History",
    "Key",
    "Release",
    "Risk",
    "Score",
    "Scorecard",
    "generate",
    "publish",
    "read",
    "read_release",
    "statistics",
    "write_release",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'tokumei' has no attribute '{name}'")
    return getattr(import_module(f"tokumei.{_HOMES[name]}"), name)
