"""Hamada 2018: customers made identical in groups; the worked example, and PWSCUP 2017's data."""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from tokumei import rules
from tokumei.anonymizers.delete_rows import DeleteRows
from tokumei.anonymizers.equalize import Equalize
from tokumei.anonymizers.pseudonyms_only import PseudonymsOnly
from tokumei.attacks import ExactRow, Jaccard, MultisetJaccard
from tokumei.contracts import Anonymizer, Attack, Release
from tokumei.data.reading import read
from tokumei.draws import derive, repeatable_secret
from tokumei.equalizing.games import SIMPLIFIED, game_of
from tokumei.history import ROW, History
from tokumei.judges.hit_rate import HitRate
from tokumei.metrics import Indistinguishable, RowsDeleted
from tokumei.progress import track
from tokumei.publishing import publish
from tokumei.rules.simplified import ChangedOfAll
from tokumei.threats.full_knowledge import FullKnowledge

# Fig. 1 of the article.
PURCHASES = (
    ("Alice", "2018-09-07", "pear"),
    ("Bob", "2018-09-02", "pear"),
    ("Bob", "2018-09-10", "grape"),
    ("Carol", "2018-09-02", "peach"),
    ("Carol", "2018-09-12", "grape"),
    ("Dan", "2018-09-02", "grape"),
    ("Dan", "2018-09-05", "pear"),
    ("Dan", "2018-09-12", "grape"),
)
GROUPINGS = {
    "all": (("Alice", "Bob", "Carol", "Dan"),),
    "pairs": (("Alice", "Bob"), ("Carol", "Dan")),
    "better": (("Alice",), ("Bob", "Carol", "Dan")),
}
"""Figs. 2, 4 and 5."""
PRINTED = {"all": 0.9375, "pairs": 0.875, "better": 0.8125}


def example() -> dict[str, float]:
    """Return the totals of the article's groupings, of the search, and the proven optimum."""
    from tokumei.equalizing.exact import optimum
    from tokumei.equalizing.search import Costs, search

    history = read(pl.DataFrame(PURCHASES, schema=["person", "time", "item"], orient="row"))
    game = game_of(history, SIMPLIFIED)
    costs, number = Costs(game.data), {name: place for place, name in enumerate(game.persons)}
    found = {
        name: game.total(
            sum(costs(costs.ordered(tuple(number[who] for who in group))) for group in groups)
        )
        for name, groups in GROUPINGS.items()
    }
    found["search"] = game.total(search(game.data, seconds=0.1, seed=0).cost)
    found["optimum"] = game.total(optimum(game.data).cost)
    return found


@dataclass(frozen=True)
class Point:
    """One release under the simplified game."""

    method: str
    groups: int
    safety: float
    utility: float
    total: float
    seconds: float


def simplified(history: History) -> History:
    """Return the columns that the simplified game has."""
    rows = history.frame().select("person", pl.col("time").cast(pl.Date), "item", ROW)
    return History(history.with_purchases(rows).purchases)


def measured(
    history: History, method: Anonymizer, name: str, *, seed: int
) -> tuple[Point, Release]:
    """Anonymize, publish and score by the simplified game, from what was released."""
    begun = time.perf_counter()
    release = publish(
        history, method(history, seed=seed), secret=repeatable_secret(derive(seed, "publish"))
    )
    taken = time.perf_counter() - begun
    deleted, changed, kinds = (
        metric(history, release, seed=seed)
        for metric in (RowsDeleted(), ChangedOfAll(), Indistinguishable(by="rows"))
    )
    groups = round(kinds.value * kinds.n)
    safety, utility = groups / len(history.persons()), deleted.value + changed.value
    return Point(name, groups, safety, utility, safety + utility, taken), release


def frontier(history: History, *, seconds: float, seed: int) -> tuple[list[Point], Release]:
    """Return fixed group sizes and the search at several weights, and the search's release."""
    planned: list[tuple[str, Anonymizer]] = [("identity", PseudonymsOnly())]
    planned += [
        (f"groups of {size}", Equalize(groups="balanced", size=size)) for size in range(2, 11)
    ]
    planned += [("random deletion, 45%", DeleteRows(share=0.45))]
    planned += [
        (f"search, safety x {weight:g}", Equalize(seconds=seconds, safety=weight))
        for weight in (0.25, 0.5, 1.0, 2.0, 4.0)
    ]
    points = []
    for name, method in track(planned, len(planned), "simplified game"):
        point, release = measured(history, method, name, seed=seed)
        points.append(point)
        if name == "search, safety x 1":
            searched = release
    return points, searched


def attacked(history: History, release: Release, *, seed: int) -> dict[str, float]:
    """Return what our attacks find, with every purchase of everybody known."""
    challenge, answer = FullKnowledge()(history, release, seed=seed)
    attacks: dict[str, Attack] = {"jaccard": Jaccard(), "exact-row": ExactRow()}
    if "quantity" in release.public.visible:
        attacks["multiset-jaccard"] = MultisetJaccard()
    return {
        name: HitRate()(attack(challenge, seed=seed), answer).value
        for name, attack in attacks.items()
    }


def judged(folder: Path, *, seconds: float, seed: int) -> list[dict[str, Any]]:
    """Return identity, random deletion and ours under the full rules of PWSCUP 2017."""
    contest = rules.find("pwscup2017")
    original = contest.read(folder / "T.csv", folder / "M.csv")
    planned: list[tuple[str, Anonymizer]] = [
        ("identity", PseudonymsOnly()),
        ("random deletion, 45%", DeleteRows(share=0.45)),
    ]
    planned += [
        (
            f"equalize by month, safety x {weight:g}",
            Equalize(objective="pwscup2017", by="month", safety=weight, seconds=seconds),
        )
        for weight in (0.125, 0.25, 0.5, 1.0)
    ]
    views = folder if (folder / "T25.csv").is_file() else None
    found = []
    for name, method in track(planned, len(planned), "rules of 2017"):
        made = method(original.history, seed=seed)
        secret = repeatable_secret(derive(seed, "publish"))
        text = contest.submission(original.history, made, secret=secret)["AT.csv"]
        with tempfile.TemporaryDirectory() as scratch:
            path = Path(scratch) / "AT.csv"
            path.write_text(text, encoding="utf-8")
            entry = contest.check(original, path)
            judgment = contest.judge(original, entry, seed=seed, views=views)
        values = {score.name: score.value for score in judgment.scores if "@" not in score.name}
        found.append({"method": name, "valid": entry.report.valid, **values})
    return found
