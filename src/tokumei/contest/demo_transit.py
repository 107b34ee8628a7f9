"""A custom contest to play with: rides with transit cards, measured by scripts."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl

from tokumei.contest import sandbox
from tokumei.contest.actions import scripts
from tokumei.contest.creating import URL, Data, Link, create
from tokumei.contest.demo_teams import Play, captains_links, hand_in, join, organizer
from tokumei.contest.opening import Contest
from tokumei.contest.sandbox.interpreters import find_interpreter
from tokumei.contest.settings import CUSTOM
from tokumei.contest.store.states import Better, Language, MetricKind
from tokumei.data.generating import generate
from tokumei.draws import derive, repeatable_secret
from tokumei.history import ROW, History
from tokumei.progress import track
from tokumei.publishing import publish
from tokumei.registry import build
from tokumei.tables import frame

log = logging.getLogger(__name__)

CARDS = 120
TITLES = {"en": "Demo: transit cards", "ja": "デモ: 交通系 IC カード"}
COLUMNS = {"card": "person", "time": "time", "entry": "entry", "exit": "item", "fare": "price"}
"""The columns of the file, and what a history calls them."""
LARGEST_SCRIPT = 100_000


@dataclass(frozen=True)
class Metric:
    """A script of ours: its title and its file."""

    title: str
    file: str
    language: Language
    kind: MetricKind
    better: Better = "lower"


METRICS = (
    Metric("exits moved", "exits_moved.py.txt", "python", "utility"),
    Metric("cards found by exit", "cards_found.py.txt", "python", "safety"),
    Metric("cards found by fare", "cards_found_by_fare.R", "r", "safety"),
)
TRIALS: tuple[tuple[str, str, Mapping[str, Any]], ...] = (
    ("Mist", "pseudonyms-only", {}),
    ("Mist", "delete-rows", {"share": 0.3}),
    ("Fire", "shift-dates", {"days": 14}),
    ("Ice", "shift-dates", {"days": 45, "together": "row"}),
    ("Fire", "perturb-amounts", {"price": 0.3}),
)


def create_transit_demo(
    folder: Path, *, title: Mapping[str, str] | None = None, seed: int = 0, url: str = URL
) -> list[Link]:
    """Make a custom contest with data, teams and scripts; return the links to come in by."""
    rides = generate("transit", customers=CARDS, seed=seed)

    def fill(contest: Contest) -> list[Link]:
        members = join(contest)
        _approve_scripts(contest)
        hand_in(contest, members, _plays(rides, seed))
        return captains_links(contest, members, url)

    with TemporaryDirectory(prefix="tokumei-demo-") as place:
        file = Path(place) / "rides.csv"
        file.write_text(_text(rides.in_row_order()), encoding="utf-8")
        data = Data(file, columns={"card": "person"})
        return create(folder, CUSTOM, data, title=title or TITLES, url=url, fill=fill)


def _approve_scripts(contest: Contest) -> None:
    if sandbox.available() is None:
        log.warning("No sandbox works here, so that the demo has no scripts and no scores.")
        return
    desk = organizer(contest)
    folder = resources.files("tokumei.contest").joinpath("demo_scripts")
    for metric in METRICS:
        try:
            find_interpreter(metric.language)
        except sandbox.SandboxUnavailable as error:
            log.warning("The script '%s' is left out: %s", metric.title, error)
            continue
        source = folder.joinpath(metric.file).read_bytes()
        blob = contest.blobs.add([source], most=LARGEST_SCRIPT)
        given = (metric.title, metric.language, metric.kind, metric.better)
        scripts.propose(contest, desk, blob, *given)


def _plays(rides: History, seed: int) -> list[Play]:
    plays = []
    for team, method, parameters in track(TRIALS, len(TRIALS), "anonymizing"):
        words = " ".join([method, *(f"--{name} {value}" for name, value in parameters.items())])
        anonymizer = build("anonymizer", {"method": method, **parameters})
        part = derive(seed, f"demo/{words}")
        text = _aligned(rides, anonymizer(rides, seed=part), part)
        plays.append(Play(team, f"{method}.csv", text.encode(), words))
    header, *lines = plays[0].content.decode().splitlines()
    broken = "\n".join([header, lines[0].replace(",", ",yesterday", 1), *lines[1:]])
    return [*plays, Play("Mist", "broken.csv", broken.encode(), "A time is no time.")]


def _aligned(rides: History, anonymized: History, seed: int) -> str:
    """Write a ride for every ride of the original, at its place; what was deleted is empty."""
    release = publish(rides, anonymized, secret=repeatable_secret(seed))
    origins = frame(release.key.rows).select(ROW, "origin")
    rows = release.public.frame().join(origins, on=ROW).drop(ROW).rename({"origin": ROW})
    names = frame(release.key.pseudonyms).select("person", "pseudonym")
    every = rides.in_row_order().select(ROW, owner="person")
    every = every.join(names, left_on="owner", right_on="person", how="left")
    full = every.join(rows, on=ROW, how="left", maintain_order="left").sort(ROW)
    # Somebody all of whose rides are deleted has no pseudonym.
    name = pl.coalesce("pseudonym", pl.lit("nobody"))
    return _text(full.with_columns(name.alias("person")))


def _text(rides: pl.DataFrame) -> str:
    shown = rides.select(pl.col(column).alias(name) for name, column in COLUMNS.items())
    return shown.with_columns(
        pl.col("time").cast(pl.Datetime).dt.strftime("%Y-%m-%d %H:%M"),
        pl.col("fare").cast(pl.Int64),
    ).write_csv()
