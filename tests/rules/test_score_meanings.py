"""Every score of every contest says what it means."""

from __future__ import annotations

from pathlib import Path

import pytest
from submissions import VALID, checked, checked_2016

from tokumei import rules
from tokumei.words import translate


@pytest.mark.parametrize("year", rules.RULES)
def test_every_score_is_explained_in_both_languages(tmp_path: Path, year: str) -> None:
    contest = rules.find(year)
    original, entry = checked(tmp_path, year) if year in VALID else checked_2016(tmp_path)
    titles = {score.name for score in contest.judge(original, entry, seed=0).scores}
    said = contest.meanings()
    assert set(said) == titles
    for parts in [*said.values(), (contest.hit,)]:
        assert all(part.endswith(".") and translate(part, "ja") != part for part in parts), parts


@pytest.mark.parametrize("year", rules.RULES)
def test_only_the_same_attack_on_other_knowledge_has_the_same_words(year: str) -> None:
    said = {title.split("@")[0]: parts for title, parts in rules.find(year).meanings().items()}
    assert len(set(said.values())) == len(said)
