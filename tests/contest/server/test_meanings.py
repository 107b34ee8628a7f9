"""What a column means stands wherever its title does, to be read without a mouse."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from fastapi import FastAPI
from page_reading import Page
from playing import played
from staging import SQLITE, ClientOf, People

from tokumei import rules
from tokumei.contest.opening import Contest
from tokumei.contest.server.final_report import final_report
from tokumei.contest.server.meanings import LONGEST, first_comment
from tokumei.contest.store import metrics
from tokumei.words import LANGUAGES, Language, translate

COMMENTED = "# 残った行の割合\nprint(1)\n"
SILENT = "The first number that the script prints; it does not say what it is."


def approve(contest: Contest, people: People, source: str) -> None:
    blob = contest.blobs.add([source.encode()], most=10_000)
    with contest.database.write() as connection:
        made = metrics.propose(
            connection, name="kept", language="python", sha256=blob.sha256, kind="utility",
            better="lower", user_id=people.captain.id, team_id=people.captain.team_id,
        )  # fmt: skip
        metrics.approve(connection, made.id, user_id=people.organizer.id)


@SQLITE
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_with_scores_says_what_they_mean(
    contest: Contest, people: People, client_of: ClientOf, language: Language
) -> None:
    played(contest, people, client_of)
    approve(contest, people, COMMENTED)
    parts = [part for said in rules.find("simplified").meanings().values() for part in said]
    wanted = {translate(part, language) for part in parts} | {"残った行の割合"}
    client = client_of(people.captain)
    for path in ("/results", "/submit", "/team", "/metrics"):
        page = Page(client.get(path, headers={"accept-language": language}).text)
        assert wanted <= set(page.texts), path
    report = Page(final_report(contest, language))
    assert wanted <= set(report.texts)


@SQLITE
@pytest.mark.parametrize("language", LANGUAGES)
def test_who_attacks_reads_what_a_hit_is(
    contest: Contest, people: People, client_of: ClientOf, language: Language
) -> None:
    played(contest, people, client_of)
    hit = translate(rules.find("simplified").hit, language)
    page = client_of(people.captain).get("/matrix", headers={"accept-language": language})
    assert hit in page.text
    assert hit in final_report(contest, language)


@SQLITE
def test_a_custom_contest_has_the_words_of_its_scripts(
    contest: Contest, people: People, app: FastAPI, client_of: ClientOf
) -> None:
    custom = replace(contest, settings=replace(contest.settings, rules="custom"))
    app.state.contest = custom
    approve(custom, people, COMMENTED)
    approve(custom, people, "print(2)\n")
    for language in LANGUAGES:
        headers = {"accept-language": language}
        page = Page(client_of(people.captain).get("/metrics", headers=headers).text)
        assert {"残った行の割合", translate(SILENT, language)} <= set(page.texts)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("# One.\n# Two.\n#\n# Three.\nprint(1)", "One. Two."),
        ("#!/usr/bin/python\n# -*- coding: utf-8 -*-\n\n# One.\n", "One."),
        ("\ufeff# One.\r\nprint(1)\r\n", "One."),
        ("#' One.\nprint(1)", "One."),
        ('"""One\n   and two.\n\nThree."""\nprint(1)', "One and two."),
        ("r'''One.'''", "One."),
        ("# \u202eOne\x07.", "One."),
        ("print(1)  # One.\n# Two.", ""),
        ('"""One.', ""),
        ("", ""),
        ("#" + "x" * 900, "x" * LONGEST + "…"),
    ],
)
def test_the_first_paragraph_of_a_script_is_what_it_says(
    tmp_path: Path, source: str, said: str
) -> None:
    script = tmp_path / "script"
    script.write_bytes(source.encode())
    assert first_comment(script) == said
