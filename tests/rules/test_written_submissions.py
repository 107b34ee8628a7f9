"""What a method makes of a history is written as a submission that the contest takes."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from submissions import ORIGINALS, T_2017, VALID, opened

from tokumei import rules
from tokumei.errors import ParameterError, Unachievable
from tokumei.history import ROW, History

CASES = [
    ("pwscup2017", "AT.csv", "DEL,,,,,,", ["date", "time", "item", "price", "quantity"]),
    ("pwscup2018", "A.csv", "*,*,*,*,*", ["date", "item", "price", "quantity"]),
    ("simplified", "A.csv", "DEL,,", ["date", "item"]),
]


@pytest.mark.parametrize(("year", "file", "mark", "same"), CASES)
def test_a_row_stands_where_it_stood_in_t(
    tmp_path: Path, year: str, file: str, mark: str, same: list[str]
) -> None:
    """Cells that no method changed stay; pseudonyms and invoices come first and are new."""
    original = opened(tmp_path, year)
    kept = original.history.frame().filter(pl.col(ROW) != 2).reverse()
    anonymized = original.history.with_purchases(kept)
    text = rules.find(year).submission(original.history, anonymized, secret=b"1")[file]
    (tmp_path / file).write_text(text)
    assert rules.find(year).check(original, tmp_path / file).report.found.is_empty()
    found, expected = (
        [line.rsplit(",", len(same))[1:] for line in lines.splitlines()]
        for lines in (text, ORIGINALS[year])
    )
    expected[2] = mark.rsplit(",", len(same))[1:]
    assert found == expected


@pytest.mark.parametrize("year", VALID)
def test_an_invented_row_has_no_place_in_a_submission(tmp_path: Path, year: str) -> None:
    history = opened(tmp_path, year).history
    more = history.add_rows(history.frame().head(1).drop(ROW))
    with pytest.raises(Unachievable, match="the method invented 1 rows"):
        rules.find(year).submission(history, more, secret=b"1")


def test_p_of_2016_says_who_each_row_of_m_is(tmp_path: Path) -> None:
    original, contest = opened(tmp_path, "pwscup2016"), rules.find("pwscup2016")
    (tmp_path / "mine").mkdir()
    texts = contest.submission(original.history, original.history, secret=b"1")
    for file, text in texts.items():
        (tmp_path / "mine" / file).write_text(text)
    entry = contest.check(original, tmp_path / "mine")
    assert entry.report.found.is_empty()
    owners = dict(entry.names.rows())
    written = [line.split(",") for line in texts["T.csv"].splitlines()]
    true = [line.split(",") for line in T_2017.splitlines()]
    named = sorted((owners[name], *cells) for name, _, *cells in written)
    assert named == sorted((name, *cells) for name, _, *cells in true)


def test_a_submission_to_2016_needs_the_customers_on_both_sides(tmp_path: Path) -> None:
    history, contest = opened(tmp_path, "pwscup2016").history, rules.find("pwscup2016")
    without = History(history.purchases)
    for original, anonymized in ((history, without), (without, history), (without, without)):
        with pytest.raises(ParameterError, match="needs the customers table M"):
            contest.submission(original, anonymized, secret=b"1")
