"""A contest to play with at once: generated purchases, three teams, submissions of ours."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import numpy as np
import polars as pl

from tokumei import rules
from tokumei.contest.creating import URL, Data, Link, create, titles_of
from tokumei.contest.demo_teams import Play, captains_links, hand_in, join
from tokumei.contest.opening import Contest
from tokumei.contracts import Anonymizer
from tokumei.data.generating import generate
from tokumei.data.pwscup import contest_text, customers_text
from tokumei.draws import derive, integers, keys_of, repeatable_secret
from tokumei.history import History
from tokumei.progress import track
from tokumei.registry import build
from tokumei.rules import Original
from tokumei.tables import table

CUSTOMERS = 200
USUAL_RULES = "simplified"
"""Quick to judge, and its total is easy to understand."""
COUNTRIES = ("United Kingdom", "France", "Germany", "Japan")
NO_ROW = b"C1,not-a-date\n"


@dataclass(frozen=True)
class Trial:
    """What a team of the demo tries: a method by its name, and its parameters."""

    team: str
    method: str
    parameters: Mapping[str, Any]

    @property
    def anonymizer(self) -> Anonymizer:
        """The method."""
        found: Anonymizer = build("anonymizer", {"method": self.method, **self.parameters})
        return found

    @property
    def words(self) -> str:
        """The method as one would write it for the command."""
        given = (f"--{name.replace('_', '-')} {value}" for name, value in self.parameters.items())
        return " ".join([self.method, *given])


NAMES_ONLY = Trial("Mist", "pseudonyms-only", {})
TRIALS: dict[str, tuple[Trial, ...]] = {
    "pwscup2016": (
        NAMES_ONLY,
        Trial("Fire", "shift-dates", {"days": 14}),
        Trial("Fire", "perturb-amounts", {"price": 0.2, "quantity": 0.2}),
        Trial("Ice", "yamaoka", {}),
    ),
    "pwscup2017": (
        NAMES_ONLY,
        Trial("Fire", "delete-rows", {"share": 0.3}),
        Trial("Fire", "perturb-amounts", {"price": 0.1, "quantity": 0.1}),
        Trial(
            "Ice",
            "equalize",
            {"groups": "balanced", "size": 2, "objective": "pwscup2017", "by": "month"},
        ),
        Trial("Ice", "equalize", {"objective": "pwscup2017", "by": "month", "seconds": 1.0}),
    ),
    "pwscup2018": (
        NAMES_ONLY,
        Trial("Mist", "generalize-at-random", {}),
        # Alignment in order: the other one, which loses less, has much to compile at first.
        Trial("Fire", "generalize", {"grouping": "row-count", "alignment": "order"}),
        Trial("Ice", "generalize", {"grouping": "rfm", "alignment": "order", "k": 2}),
    ),
    "simplified": (
        NAMES_ONLY,
        Trial("Mist", "delete-rows", {"share": 0.3}),
        Trial("Fire", "equalize", {"groups": "balanced", "size": 3}),
        Trial("Fire", "equalize", {"groups": "balanced", "size": 5}),
        Trial("Ice", "equalize", {"seconds": 1.0}),
    ),
}


def create_demo(
    folder: Path,
    rules_name: str = USUAL_RULES,
    *,
    title: Mapping[str, str] | None = None,
    seed: int = 0,
    url: str = URL,
) -> list[Link]:
    """Make a contest with data, teams and results; return the organizer's and captains' links."""
    usual = titles_of(rules_name)
    titles = title or {"en": f"Demo: {usual['en']}", "ja": f"デモ: {usual['ja']}"}

    def fill(contest: Contest) -> list[Link]:
        members = join(contest)
        hand_in(contest, members, _plays(contest, rules_name, seed))
        return captains_links(contest, members, url)

    with TemporaryDirectory(prefix="tokumei-demo-") as place:
        data = _write_data(Path(place), rules_name, seed)
        return create(folder, rules_name, data, title=titles, url=url, fill=fill)


def _write_data(folder: Path, rules_name: str, seed: int) -> Data:
    shop = generate("shop", customers=CUSTOMERS, seed=seed)
    original = folder / "T.csv"
    original.write_text(contest_text(shop, rules_name), encoding="utf-8")
    if rules_name != "pwscup2016":
        return Data(original)
    master = folder / "M.csv"
    master.write_text(customers_text(_with_customers(shop, seed)), encoding="utf-8")
    return Data(original, master)


def _with_customers(shop: History, seed: int) -> History:
    """Give every customer a sex, a birth date and a country."""
    persons = shop.persons()
    keys = keys_of(persons)
    born = np.datetime64(date(1940, 1, 1)) + integers(seed, "demo/birth", keys, 0, 60 * 365)
    countries = integers(seed, "demo/country", keys, 0, len(COUNTRIES) - 1)
    people = pl.DataFrame(
        {
            "person": persons,
            "sex": [("f", "m")[sex] for sex in integers(seed, "demo/sex", keys, 0, 1)],
            "birth": born,
            "country": [COUNTRIES[country] for country in countries],
        }
    )
    return replace(shop, customers=table(people))


def _plays(contest: Contest, rules_name: str, seed: int) -> list[Play]:
    trials, original = TRIALS[rules_name], contest.evaluation.original
    plays = [
        _play(rules_name, trial, original, derive(seed, f"demo/{trial.words}"))
        for trial in track(trials, len(trials), "anonymizing")
    ]
    # One is not as the rules want it, so that one sees how that is told.
    broken = plays[0].content[: len(plays[0].content) // 2] + NO_ROW
    return [*plays, Play("Mist", "broken.csv", broken, "The upload was cut off in the middle.")]


def _play(rules_name: str, trial: Trial, original: Original, seed: int) -> Play:
    anonymized = trial.anonymizer(original.history, seed=seed)
    secret = repeatable_secret(seed)  # the shop is invented
    texts = rules.find(rules_name).submission(original.history, anonymized, secret=secret)
    if len(texts) > 1:
        return Play(trial.team, f"{trial.method}.zip", _zipped(texts), trial.words)
    (text,) = texts.values()
    return Play(trial.team, f"{trial.method}.csv", text.encode(), trial.words)


def _zipped(texts: Mapping[str, str]) -> bytes:
    packed = io.BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
        for name, text in texts.items():
            # Without the time of now: the same seed gives the same file.
            archive.writestr(ZipInfo(name), text, ZIP_DEFLATED)
    return packed.getvalue()
