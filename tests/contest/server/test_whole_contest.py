"""A whole contest in two real browsers at once, from the first link to the final report."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from browsing import LIVE, Person, launched, served
from playwright.sync_api import Page, expect, sync_playwright
from staging import BROKEN, ORIGINAL, VALID

from tokumei.contest import sandbox

TEAMS = ("ice", "fire & flame", "<img src=x onerror=alert(1)>")
"""The last one hopes that somebody forgets to escape its name."""
CAREFUL = "p1,2018/9/7,pear\nDEL,,\nDEL,,\np3,2018/9/2,grape\n"
EVIL_FILE = "<img src=x onerror=alert(2)>.csv"
PYTHON = """\
import csv, json, sys
rows = list(csv.reader(open(sys.argv[2], encoding="utf-8")))
print(json.dumps({"deleted": sum(row[0] == "DEL" for row in rows)}))
"""
R = """\
paths <- commandArgs(trailingOnly = TRUE)
rows <- readLines(paths[2])
cat(sprintf('{"names": %d}', length(unique(sub(",.*", "", rows)))))
"""


@pytest.fixture
def founded(tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, str]:
    """A contest made by the command, and the link of its first organizer."""
    monkeypatch.setenv("TOKUMEI_DATABASE_URL", url)
    (tmp_path / "T.csv").write_text(ORIGINAL)
    folder = tmp_path / "contest"
    done = subprocess.run(
        [sys.executable, "-m", "tokumei", "contest", "init", str(folder), "--rules", "simplified",
         "--original", str(tmp_path / "T.csv"), "--title", "Petit PWSCUP", "--json"],
        capture_output=True, text=True, check=True, timeout=120,
    )  # fmt: skip
    (link,) = (one["link"] for one in json.loads(done.stdout)["links"])
    return folder, link


@pytest.fixture
def address(founded: tuple[Path, str], url: str) -> Iterator[str]:
    if sandbox.available() is None:
        pytest.skip("There is no sandbox for scripts here (Debian: apt-get install bubblewrap)")
    with served(founded[0], url) as at:
        yield at


def test_a_whole_contest(
    founded: tuple[Path, str], address: str, request: pytest.FixtureRequest
) -> None:
    # On one database the organizer reads Japanese and the teams English, on the other vice versa.
    ours, theirs = ("ja-JP", "en-US") if "sqlite" in request.node.name else ("en-US", "ja-JP")
    with sync_playwright() as playwright:
        one, other = launched(playwright), launched(playwright)
        desk = Person(one.new_context(locale=ours).new_page(), address)
        teams = [Person(other.new_context(locale=theirs).new_page(), address) for _ in TEAMS]
        everybody = [desk, *teams]
        desk.join(founded[1], "desk")
        assert desk.page.locator("html").get_attribute("lang") == ours[:2]
        for name, team in zip(TEAMS, teams, strict=True):
            team.join(_invited(desk, name), f"captain of {TEAMS.index(name)}")
            assert team.page.locator("html").get_attribute("lang") == theirs[:2]
        desk.picture(f"organize-{ours[:2]}")
        _hand_in(desk, teams)
        _measure(desk, teams)
        _sort_and_export(desk)
        _attack(desk, teams)
        _close(desk, teams)
        for person in everybody:
            assert not person.complaints
        one.close()
        other.close()


def _invited(desk: Person, team: str) -> str:
    desk.go("/organize")
    desk.page.fill("#invite-captain input[name=team_name]", team)
    desk.press("#invite-captain button")
    return desk.see("#invite-captain .secret output").inner_text()


def _hand_in(desk: Person, teams: list[Person]) -> None:
    """The organizer watches the table while teams drop files into their pages."""
    desk.go("/results")
    desk.see('#live[data-state="live"]')
    for team, text in zip(teams, (VALID.decode(), CAREFUL, VALID.decode()), strict=True):
        team.go("/submit")
        team.drop(".drop", ("A.csv", text))
        team.see("li.card.evaluated")
        number = team.page.locator("li.card.evaluated").get_attribute("id")
        desk.see(f"#row-{str(number).rpartition('-')[2]}", LIVE)
    # Two files at once, one of which breaks the rules, and both have a name that is a script.
    evil = teams[2]
    evil.drop(".drop", (EVIL_FILE, BROKEN.decode()), (EVIL_FILE, VALID.decode()))
    evil.see("li.card.invalid .broken li")
    expect(evil.page.locator("li.card.invalid h3")).to_contain_text(EVIL_FILE)
    expect(evil.page.locator("li.card.evaluated")).to_have_count(2)
    assert "2" in evil.page.locator("#quota dd").first.inner_text().split("/")[1]
    evil.picture("submit-with-a-problem")
    desk.see("#results tbody tr")
    expect(desk.page.locator("#results tbody")).to_contain_text(TEAMS[2])


def _measure(desk: Person, teams: list[Person]) -> None:
    """Two teams propose scripts, in Python and in R; the organizer reads and approves them."""
    for team, name, language, kind, source in (
        (teams[0], "deleted rows", "python", "utility", PYTHON),
        (teams[1], "names left", "r", "safety", R),
    ):
        team.go("/metrics")
        team.page.fill("form[data-upload] input[name=name]", name)
        team.page.select_option("select[name=language]", language)
        team.page.select_option("select[name=kind]", kind)
        team.page.set_input_files(
            "form[data-upload] input[type=file]",
            {"name": "script", "mimeType": "text/plain", "buffer": source.encode()},
        )
        team.see("#scripts li.card")
    desk.go("/metrics")
    desk.picture("metrics-to-approve")
    for number in (1, 2):
        desk.press(f"#source-{number} summary")
        desk.press(f"#decide-{number} form:first-child button", sure=True)
        desk.see(f"#script-{number}.evaluated")
    desk.go("/results")
    for column in ("deleted rows", "names left"):
        expect(desk.page.locator("#results thead")).to_contain_text(column)
    expect(desk.page.locator("#results .missing")).to_have_count(0, timeout=60_000)
    expect(desk.page.locator("#results .failed")).to_have_count(0)


def _sort_and_export(desk: Person) -> None:
    """Every way of sorting and filtering is also what the file has."""
    page = desk.page
    seen = []
    for _ in range(2):
        _click_during_refreshes(page, "deleted rows")
        heading = page.locator("th[aria-sort]", has_text="deleted rows")
        expect(heading).to_have_attribute("aria-sort", ("ascending", "descending")[len(seen)])
        expect(page.locator(".htmx-request")).to_have_count(0)
        seen.append(_numbers(page))
        assert [float(row["deleted rows"]) for row in _file(page)] == seen[-1]
    assert seen == [[1, 1, 2], [2, 1, 1]]
    page.fill("#filter", "FIRE")
    expect(page.locator("#results tbody tr")).to_have_count(1)
    (row,) = _file(page)
    assert row["team"] == TEAMS[1]
    page.fill("#filter", "")
    expect(page.locator("#results tbody tr")).to_have_count(3)
    desk.picture("results")


def _numbers(page: Page) -> list[float]:
    heads = page.locator("#results thead tr:last-child th").all_inner_texts()
    place = next(i for i, head in enumerate(heads) if "deleted rows" in head)
    cells = page.locator(f"#results tbody tr > :nth-child({place + 1}) data")
    return [float(value) for value in cells.evaluate_all("cells => cells.map(cell => cell.value)")]


def _click_during_refreshes(page: Page, name: str) -> None:
    """Click while a refresh of the page as it was is under way, and another one waits."""
    old = page.url
    page.route(old, lambda _: None)
    with page.expect_request(old):
        for _ in range(2):
            page.evaluate("document.body.dispatchEvent(new CustomEvent('live:changed'))")
    page.get_by_role("link", name=name).click()
    page.wait_for_url(lambda url: url != old)
    page.unroute(old)  # lets the refresh go on


def _file(page: Page) -> list[dict[str, str]]:
    link = page.get_by_role("link", name="CSV").get_attribute("href")
    text = page.evaluate("async (link) => await (await fetch(link)).text()", link)
    return list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))))


def _attack(desk: Person, teams: list[Person]) -> None:
    """The phase changes, data is published, guesses are marked, and both browsers see it."""
    attacker, defender = teams[0], teams[1]
    defender.go("/matrix")
    defender.see('#live[data-state="live"]')
    desk.go("/organize")
    desk.press('#phases form:has(input[value="attack"]) button', sure=True)
    # Without a reload: the others' data can be downloaded.
    expect(defender.page.locator("#matrix a[href^='/api/releases/']")).to_have_count(
        2, timeout=60_000
    )
    attacker.go("/matrix")
    page = attacker.page
    page.select_option("#defender", label=_option(page, TEAMS[1]))
    number = page.locator("#defender").input_value()
    release = page.evaluate(
        "async (link) => await (await fetch(link)).text()", f"/api/releases/{number}/file"
    )
    names = sorted({line.split(",")[0] for line in release.splitlines() if line})
    guess = "".join(f"{name},Alice\n" for name in names)
    attacker.drop(".drop", ("guess.csv", guess))
    expect(page.locator("#matrix td b")).to_have_count(1, timeout=60_000)
    found = page.locator("#matrix td b").inner_text()
    expect(defender.page.locator("#matrix td b")).to_have_text(found, timeout=LIVE)
    attacker.picture("matrix")


def _option(page: Page, team: str) -> str:
    options = page.locator("#defender option").all_inner_texts()
    return next(option for option in options if option.startswith(team))


def _close(desk: Person, teams: list[Person]) -> None:
    """The table is frozen and the contest closed; then everybody may read the report."""
    team = teams[0]
    team.go("/results")
    team.see('#live[data-state="live"]')
    desk.press('#phases form[data-api="POST /api/freeze"] button', sure=True)
    team.see("#results .notice.fire", LIVE)
    assert team.page.request.get(f"{team.address}/api/report").status == 409
    desk.press('#phases form:has(input[value="closed"]) button', sure=True)
    expect(team.page.locator("#results .notice.fire")).to_have_count(0, timeout=10_000)
    team.go("/api/report")
    for name in TEAMS:
        expect(team.page.locator("body")).to_contain_text(name)
    team.picture("final-report")
