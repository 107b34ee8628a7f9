"""`contest.toml` of a new contest, with comments that say what can be changed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime

from tokumei.contest.settings import CUSTOM, Settings

COMMENTS = {
    "counts": "which submission of a team counts: best, latest or chosen",
    "submissions": "valid ones, of each team",
    "guesses": "of each team against each other",
    "megabytes": "of a file",
    "results": "live, own (each team its own) or closed (after the contest)",
    "freeze_minutes": "before the last phase ends, the others' results stand still",
}


def toml_text(settings: Settings) -> str:
    """Write settings as the file that `read_settings` reads."""
    lines = [
        "# The settings of this contest; the server reads them when it starts.",
        f"title = {_titles(settings.title)}",
        f"rules = {_text(settings.rules)}",
        f"original = {_text(settings.original)}",
        *([f"master = {_text(settings.master)}"] if settings.master else []),
        _commented("counts", _text(settings.counts)),
        "",
        "# Phases: anonymize, break, attack, closed; each lasts until the next one starts.",
        *(
            f"[[phases]]\nname = {_text(phase.name)}\nstarts = {_time(phase.starts)}\n"
            for phase in settings.phases
        ),
        "[quotas]",
        _commented("submissions", str(settings.quotas.submissions)),
        _commented("guesses", str(settings.quotas.guesses)),
        _commented("megabytes", str(settings.quotas.megabytes)),
        "",
        "[public]",
        _commented("results", _text(settings.results)),
        _commented("freeze_minutes", str(settings.freeze_minutes)),
    ]
    if settings.rules == CUSTOM:
        lines += [
            "",
            "# The columns of the data, and the role of each; empty for none.",
            "[columns]",
        ]
        lines += [f"{_text(name)} = {_text(role)}" for name, role in settings.columns.items()]
    return "\n".join(lines) + "\n"


def _commented(key: str, value: str) -> str:
    return f"{key} = {value}".ljust(28) + f"# {COMMENTS[key]}"


def _titles(title: Mapping[str, str]) -> str:
    return f"{{ en = {_text(title['en'])}, ja = {_text(title['ja'])} }}"


def _text(value: str) -> str:
    # TOML's texts are JSON's, save for one character.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _time(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds")
