"""The final report has what the table and the matrix have, for whom it is, and nothing secret."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape

import pytest
from playing import COARSE, hand_in, play_to_attack, played
from staging import SQLITE, ClientOf, People

from tokumei.contest.actions import organizing
from tokumei.contest.opening import Contest
from tokumei.contest.server.final_report import final_report
from tokumei.contest.store import accounts
from tokumei.contest.store.standings import standings
from tokumei.contest.store.submissions import listed
from tokumei.contest.store.viewing import ORGANIZER

pytestmark = SQLITE


def text_of(page: str) -> str:
    """Return what people read of a page."""
    body = page.split("</style>")[1]
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", body)).split())


def test_the_report_names_the_winner_and_every_number_of_the_table(
    contest: Contest, people: People, client_of: ClientOf
) -> None:
    played(contest, people, client_of)
    organizing.set_phase(contest, people.organizer, "closed")
    said = text_of(final_report(contest, "en"))
    with contest.database.read() as connection:
        table = standings(connection, ORGANIZER, "best")
        files = [one.sha256 for one in listed(connection)]
    assert "fire First of 2 ranked teams, with a total of 1.04167." in said
    for row in table.rows:
        assert f"{row.rank} {row.team} {row.submission_id} {row.total:.6g}" in said
        for value in row.values.values():
            assert f"{value.value:.6g}" in said
    assert "66.7% 2 / 3" in said
    assert "100.0% 3 / 3" in said
    assert "ice lost the least, at most 66.7%" in said
    assert all(file in said for file in files)
    assert "tokumei judge simplified --original data/T.csv --submission FILE" in said
    assert "not closed" not in said


def test_the_report_is_for_all_after_the_end_and_for_organizers_before(
    contest: Contest, people: People, client_of: ClientOf
) -> None:
    play_to_attack(contest, people)
    everybody = (people.captain, people.member, people.rival, people.observer)
    for who in everybody:
        assert client_of(who).get("/api/report").status_code == 409
    early = client_of(people.organizer).get("/api/report")
    assert "The contest is not closed" in text_of(early.text)
    organizing.set_phase(contest, people.organizer, "closed")
    for who in everybody:
        assert client_of(who).get("/api/report").status_code == 200
    assert client_of(None).get("/api/report").status_code == 401


def test_the_report_is_one_file_in_which_nothing_runs(
    contest: Contest, people: People, client_of: ClientOf
) -> None:
    with contest.database.write() as connection:
        evil = accounts.add_team(connection, "<script>alert(1)</script>")
        user = accounts.add_user(connection, "evil", "-", "captain", evil.id)
    hand_in(contest, user)
    answer = client_of(people.organizer).get("/api/report")
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script" not in policy.replace("style-src", "")
    assert "<script" not in answer.text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in answer.text
    assert not re.findall(r"""(?:src|href)=|url\(|@import|https?:""", answer.text)


def test_the_report_is_japanese_for_whom_reads_japanese(
    contest: Contest, people: People, client_of: ClientOf
) -> None:
    client = client_of(people.organizer)
    client.cookies.set("tokumei_language", "ja")
    page = client.get("/api/report").text
    assert '<html lang="ja">' in page
    assert "プチ PWSCUP" in page
    client.cookies.set("tokumei_language", "en")
    assert "Petit PWSCUP" in client.get("/api/report").text


def test_the_secret_seed_is_not_in_the_report(
    contest: Contest, people: People, client_of: ClientOf
) -> None:
    played(contest, people, client_of)
    assert str(contest.seed) not in final_report(contest, "en")


def test_a_contest_without_anything_has_a_report_too(contest: Contest, people: People) -> None:
    said = text_of(final_report(contest, "en"))
    assert "No team is ranked" in said
    assert "nothing was published" in said
    custom = replace(contest, settings=replace(contest.settings, rules="custom"))
    said = text_of(final_report(custom, "ja"))
    assert "tokumei judge" not in said


def test_two_equal_teams_have_won_together(contest: Contest, people: People) -> None:
    for who in (people.captain, people.rival):
        hand_in(contest, who, COARSE)
    said = text_of(final_report(contest, "en"))
    assert "ice, fire Together first of 2 ranked teams" in said


@pytest.mark.parametrize("more_settings", ['counts = "latest"', 'counts = "chosen"'])
def test_the_report_says_which_submission_counts(
    contest: Contest, people: People, more_settings: str
) -> None:
    said = text_of(final_report(contest, "en"))
    expected = {"latest": "its latest submission counts", "chosen": "that it chose counts"}
    assert expected[contest.settings.counts] in said
