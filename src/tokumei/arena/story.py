"""The story of a contest as lines of JSON: a header, and what happened in the order of time.

```text
{"kind": "story", "version": 1, "title": {"en": …, "ja": …}, "counts": "best", "better": "lower",
 "by_ranks": false, "ranked": true, "frozen": null, "until": "2026-12-02T09:00:00Z",
 "metrics": [{"name": …, "title": {"en": …, "ja": …}, "kind": "utility", "better": "lower"}]}
{"t": "2026-12-01T00:00:00Z", "kind": "team", "team": 1, "name": "Ice"}
{"t": …, "kind": "phase", "phase": "anonymize"}
{"t": …, "kind": "submission", "team": 1, "submission": 7, "total": 0.2, "values": {"E1": 0.1}}
{"t": …, "kind": "choose", "team": 1, "submission": 7}
{"t": …, "kind": "withdraw", "team": 1, "submission": 7}
{"t": …, "kind": "guess", "attacker": 2, "defender": 1, "hits": 12, "total": 400, "success": 0.03}
```
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from tokumei.errors import ReadError

VERSION = 1
LARGEST = 200_000_000
PHASES = ("anonymize", "break", "attack", "closed", None)
Line = Mapping[str, Any]


@dataclass(frozen=True)
class Story:
    """A contest from its beginning to `until` of the header, as somebody may see it."""

    header: Line
    lines: tuple[Line, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the story as one object, as the arena takes it."""
        return {"header": dict(self.header), "lines": [dict(line) for line in self.lines]}

    def to_lines(self) -> str:
        """Return the story as lines of JSON."""
        every = (self.header, *self.lines)
        return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in every)


def header(
    *,
    title: Mapping[str, str],
    counts: str,
    better: str,
    metrics: list[dict[str, Any]],
    until: str,
    by_ranks: bool = False,
    ranked: bool = True,
    frozen: str | None = None,
) -> dict[str, Any]:
    """Return the first line of a story."""
    return {
        "kind": "story",
        "version": VERSION,
        "title": dict(title),
        "counts": counts,
        "better": better,
        "by_ranks": by_ranks,
        "ranked": ranked,
        "frozen": frozen,
        "until": until,
        "metrics": metrics,
    }


def read_story(path: Path) -> Story:
    """Read a story; a line that is not as it must be is named by its number."""
    try:
        if path.stat().st_size > LARGEST:
            raise ReadError(f"{path} has more than {LARGEST:,} bytes; it is no story of a contest.")
        rows = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise ReadError(f"{path} is not UTF-8 text, as a story must be.") from error
    read = [_line(path, number, row) for number, row in enumerate(rows, start=1) if row.strip()]
    if not read or read[0].get("kind") != "story":
        raise ReadError(f"{path} must begin with the header of a story ('kind': 'story').")
    if read[0].get("version") != VERSION:
        told = read[0].get("version")
        raise ReadError(f"{path} must have version {VERSION} in its header, not {told!r}.")
    first, *others = read
    wrong = [_wrong(first, HEADER), *(_wrong(line, KINDS.get(_kind(line))) for line in others)]
    for number, problem in enumerate(wrong, start=1):
        if problem:
            raise ReadError(f"{path}, entry {number}: {problem}.")
    return Story(first, tuple(others))


def _line(path: Path, number: int, row: str) -> dict[str, Any]:
    try:
        # Python would take NaN, which is no JSON and which a browser refuses.
        found = json.loads(row, parse_constant=_no_number)
        if "\\u" in row:  # half of a character, which no file and no page can have
            json.dumps(found, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise ReadError(f"{path}, line {number}: this is no JSON object.") from error
    if not isinstance(found, dict):
        raise ReadError(f"{path}, line {number}: this is no JSON object.")
    return found


def _no_number(name: str) -> None:
    raise ValueError(name)


def _kind(line: Line) -> str:
    return str(line.get("kind"))


Check = Callable[[Any], bool]


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53


def _number(value: Any) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    # Not `isfinite`, which fails on a whole number beyond all floats.
    return number and abs(value) <= sys.float_info.max


def _number_or_none(value: Any) -> bool:
    return value is None or _number(value)


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _flag(value: Any) -> bool:
    return isinstance(value, bool)


def _time(value: Any) -> bool:
    try:
        return datetime.fromisoformat(value).tzinfo is not None
    except (TypeError, ValueError):
        return False


def _both(value: Any) -> bool:
    return isinstance(value, dict) and all(_text(value.get(name)) for name in ("en", "ja"))


def _numbers(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_number_or_none, value.values()))


def _among(*choices: Any) -> Check:
    return lambda value: not isinstance(value, list | dict) and value in choices


def _metrics(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(one, dict) and not _wrong(one, METRIC) for one in value
    )


METRIC: dict[str, Check] = {
    "name": _text,
    "title": _both,
    "kind": _among("utility", "safety", "total"),
    "better": _among("lower", "higher"),
}
HEADER: dict[str, Check] = {
    "title": _both,
    "counts": _among("best", "latest", "chosen"),
    "better": _among("lower", "higher"),
    "by_ranks": _flag,
    "ranked": _flag,
    "frozen": lambda value: value is None or _time(value),
    "until": _time,
    "metrics": _metrics,
}
OF_TEAM: dict[str, Check] = {"t": _time, "team": _whole, "submission": _whole}
KINDS: dict[str, dict[str, Check]] = {
    "team": {"t": _time, "team": _whole, "name": _text},
    "phase": {"t": _time, "phase": _among(*PHASES)},
    "submission": {**OF_TEAM, "total": _number_or_none, "values": _numbers},
    "choose": OF_TEAM,
    "withdraw": OF_TEAM,
    "guess": {
        "t": _time,
        "attacker": _whole,
        "defender": _whole,
        "hits": _whole,
        "total": _whole,
        "success": lambda value: _number(value) and 0 <= value <= 1,
    },
}


def _wrong(line: Line, wanted: Mapping[str, Check] | None) -> str | None:
    if wanted is None:
        return f"a line must be one of {', '.join(KINDS)}, not {str(line.get('kind'))[:40]!r}"
    for name, check in wanted.items():
        if name not in line:
            return f"{name} is missing"
        if not check(line[name]):
            return f"{name} must not be {str(line[name])[:60]!r}"
    return None
