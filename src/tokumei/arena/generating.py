"""A contest that nobody played: teams that learn, submissions, attacks; the same for one seed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from tokumei.arena.story import Line, Story, header
from tokumei.draws import derive
from tokumei.errors import ParameterError

NAMES = (
    "Glacier", "雪うさぎ", "Ember", "氷室", "Northern Light", "ほのお", "Permafrost", "Kagami",
    "Salamander", "みぞれ", "Iceberg", "かげろう", "Blue Hour", "Hokuto", "Wildfire", "つらら",
    "Aurora", "すみび", "Avalanche", "Yukimi",
)  # fmt: skip
MOST_TEAMS = 500
CUSTOMERS = 400
BEGINS = datetime(2026, 12, 1, 0, tzinfo=UTC)
ANONYMIZE, PAUSE, ATTACK = timedelta(hours=30), timedelta(hours=3), timedelta(hours=15)
TITLE = {"en": "Ice & Fire, a generated contest", "ja": "Ice & Fire（生成したコンテスト）"}
METRICS = (
    ("E1", "utility", {"en": "E1 cross tabulation", "ja": "E1 クロス集計"}),
    ("E2", "utility", {"en": "E2 item sets", "ja": "E2 商品集合"}),
    ("E3", "utility", {"en": "E3 purchase days", "ja": "E3 購買日"}),
    ("S1", "safety", {"en": "S1 re-identification by items", "ja": "S1 商品による再識別"}),
    ("S2", "safety", {"en": "S2 re-identification by days", "ja": "S2 購買日による再識別"}),
    ("total", "total", {"en": "total", "ja": "総合"}),
)


def generate_story(*, teams: int = 20, seed: int = 0, submissions: int | None = None) -> Story:
    """Make up a contest; without a number, each team hands in between three and nine times."""
    if not 2 <= teams <= MOST_TEAMS:
        raise ParameterError(f"teams must lie in [2, {MOST_TEAMS}], not {teams}")
    random = np.random.default_rng(derive(seed, "arena"))
    lines = [*_phases(), *_teams(teams)]
    entries = list(_submissions(random, teams, submissions))
    lines += [*entries, *_attacks(random, teams, entries)]
    metrics = [
        {"name": name, "title": title, "kind": kind, "better": "lower"}
        for name, kind, title in METRICS
    ]
    told = header(
        title=TITLE,
        counts="best",
        better="lower",
        metrics=metrics,
        until=_iso(ANONYMIZE + PAUSE + ATTACK + timedelta(minutes=40)),
    )
    return Story(told, tuple(sorted(lines, key=lambda line: line["t"])))


def _iso(after: timedelta) -> str:
    return (BEGINS + after).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _phases() -> Iterator[Line]:
    starts = {
        "anonymize": timedelta(),
        "break": ANONYMIZE,
        "attack": ANONYMIZE + PAUSE,
        "closed": ANONYMIZE + PAUSE + ATTACK,
    }
    for phase, start in starts.items():
        yield {"t": _iso(start), "kind": "phase", "phase": phase}


def _teams(teams: int) -> Iterator[Line]:
    for team in range(1, teams + 1):
        again = (team - 1) // len(NAMES)
        name = NAMES[(team - 1) % len(NAMES)] + (f" {again + 1}" if again else "")
        yield {"t": _iso(timedelta(seconds=team)), "kind": "team", "team": team, "name": name}


def _submissions(
    random: np.random.Generator, teams: int, submissions: int | None
) -> Iterator[Line]:
    """Let every team try a mix of losing utility and safety, and get better at both."""
    counts = [submissions or int(random.integers(3, 10)) for _ in range(teams)]
    taste, skill = random.uniform(0.15, 0.85, teams), random.uniform(0.25, 1.0, teams)
    # Most hand in towards the end.
    when = [
        (ANONYMIZE * float(random.beta(1.6, 1.1)), team)
        for team, count in enumerate(counts)
        for _ in range(count)
    ]
    tried = [0] * teams
    for number, (after, team) in enumerate(sorted(when), start=1):
        tried[team] += 1
        progress = 1 - 0.75 ** (tried[team] * skill[team])
        side = np.clip(taste[team] + random.normal(0, 0.12), 0.02, 0.98)
        loss = (1.05 - 0.7 * progress) * side
        risk = (1.05 - 0.7 * progress) * (1 - side)
        values = {
            name: round(float(np.clip(base + random.normal(0, 0.04), 0.004, 1)), 4)
            for name, base in zip(
                ("E1", "E2", "E3", "S1", "S2"), (loss, loss, loss, risk, risk), strict=True
            )
        }
        utility = max(values[name] for name in ("E1", "E2", "E3"))
        safety = max(values[name] for name in ("S1", "S2"))
        total = round(utility + safety, 4)
        yield {
            "t": _iso(after + timedelta(minutes=1)),
            "kind": "submission",
            "team": team + 1,
            "submission": number,
            "total": total,
            "values": {**values, "total": total},
        }


def _attacks(
    random: np.random.Generator, teams: int, entries: list[Line]
) -> Iterator[dict[str, Any]]:
    """Let every team attack some others; good attackers find more, safe data gives less."""
    best: dict[int, Line] = {}
    for entry in entries:
        if entry["team"] not in best or entry["total"] < best[entry["team"]]["total"]:
            best[entry["team"]] = entry
    strength = random.beta(1.4, 2.2, teams)
    begins = ANONYMIZE + PAUSE
    for attacker in range(1, teams + 1):
        others = [team for team in best if team != attacker]
        tries = int(min(len(others), 1 + random.poisson(5)))
        for defender in random.choice(others, tries, replace=False).tolist():
            weak = max(best[defender]["values"][name] for name in ("S1", "S2"))
            share = weak * strength[attacker - 1] * random.uniform(0.5, 1.3)
            hits = int(min(CUSTOMERS, CUSTOMERS * share))
            yield {
                "t": _iso(begins + ATTACK * float(random.beta(1.2, 1.0))),
                "kind": "guess",
                "attacker": attacker,
                "defender": defender,
                "hits": hits,
                "total": CUSTOMERS,
                "success": hits / CUSTOMERS,
            }
