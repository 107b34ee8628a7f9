"""The pages of a contest: the demo, with guesses of every team at the others."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Any, Final

import polars as pl

from tokumei import Challenge, read
from tokumei.attacks import ExactRow, Jaccard, Random
from tokumei.contest.actions import attacking, organizing
from tokumei.contest.creating import Link
from tokumei.contest.demo import create_demo
from tokumei.contest.demo_teams import MEGABYTE, TEAMS, work
from tokumei.contest.opening import Contest, open_contest
from tokumei.contest.serving import running
from tokumei.contest.store import accounts, guesses
from tokumei.contracts import Attack
from tokumei.tables import frame, table
from tools.screenshots.camera import LOCALES, Camera

WIDTH = 1000
RULES: Final = "simplified"
ORGANIZER = "organizer"
# Before and after the attack phase begins: picture → page, who looks, and how high it is.
BEFORE = {
    "contest-home": ("/", "Ice", 620),
    "contest-submit": ("/submit", "Mist", 880),
    "contest-results": ("/results", "Ice", 700),
    "contest-organize": ("/organize", ORGANIZER, 900),
}
AFTER = {"contest-matrix": ("/matrix", "Ice", 720)}
PICTURES = [f"{name}-{language}" for name in BEFORE | AFTER for language in LOCALES]
# Teams differ in how they attack.
ATTACKS: dict[str, Attack] = {"Ice": ExactRow(), "Fire": Jaccard(), "Mist": Random()}


def take(camera: Camera) -> None:
    """Make the demo, let somebody of each kind come in by a link, and look at the pages."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "contest"
        links = create_demo(folder, RULES, seed=0)
        with open_contest(folder) as contest, running(contest) as address:
            states = {link.team or ORGANIZER: _joined(camera, address, link) for link in links}
            _look(camera, address, states, BEFORE)
            organizing.set_phase(contest, None, "attack")
            work(contest)
            _attack(contest, Path(place))
            _look(camera, address, states, AFTER)


def _joined(camera: Camera, address: str, link: Link) -> Any:
    """Follow an invitation; return what the browser then knows."""
    with camera.page((WIDTH, 700)) as page:
        page.goto(re.sub(r"^http://[^/]+", address, link.url))
        page.fill("#accept input[name=login]", link.team or "desk")
        page.fill("#accept input[name=password]", "a long password of mine")
        page.click("#accept button")
        page.wait_for_url(f"{address}/")
        return page.context.storage_state()


def _look(
    camera: Camera, address: str, states: dict[str, Any], pages: dict[str, tuple[str, str, int]]
) -> None:
    for name, (path, who, height) in pages.items():
        for language in LOCALES:
            with camera.page((WIDTH, height), language=language, state=states[who]) as page:
                page.goto(f"{address}{path}")
                page.wait_for_selector('#live[data-state="live"]')
                camera.take(page, f"{name}-{language}")


def _attack(contest: Contest, folder: Path) -> None:
    """Let a member of every team attack the other teams."""
    with contest.database.read() as connection:
        members = {team: accounts.credentials(connection, f"{team}-member")[0] for team in TEAMS}
        published = {one.team_id: one.sha256 for one in guesses.published(connection)}
    for team, member in members.items():
        for other in members.values():
            if member is None or other is None or other is member or other.team_id is None:
                continue
            file = folder / "release.csv"
            file.write_bytes(contest.blobs.path(published[other.team_id]).read_bytes())
            lines = _guess(contest, file, ATTACKS[team]).encode()
            blob = contest.blobs.add([lines], most=MEGABYTE)
            attacking.guess(contest, member, other.team_id, blob)
    work(contest)


def _guess(contest: Contest, file: Path, attack: Attack) -> str:
    """Name a customer for each pseudonym of a release."""
    known, released = contest.evaluation.original.history, read(file, format=RULES)
    challenge = Challenge(
        release=released,
        known=known,
        targets=table(pl.DataFrame({"target": released.persons()})),
        candidates=table(pl.DataFrame({"value": known.persons()})),
        assumes="The attacker knows every purchase of every customer.",
    )
    pairs = frame(attack(challenge, seed=0).pairs).sort("weight", "value", descending=True)
    best = pairs.unique("target", keep="first").sort("target")
    return best.select("target", "value").write_csv(include_header=False)
