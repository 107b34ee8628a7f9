"""A valid file has an empty report, and what is odd but allowed is at most a warning."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from submissions import (
    FOLDER,
    VALID,
    Change,
    cell,
    checked,
    checked_2016,
    line,
    places,
    together,
    with_returns,
    without_last_break,
)

from tokumei import rules
from tokumei.errors import Unachievable


@pytest.mark.parametrize("year", VALID)
@pytest.mark.parametrize("change", [bytes, without_last_break, gzip.compress])
def test_a_valid_file_has_an_empty_report(tmp_path: Path, year: str, change: Change) -> None:
    _, entry = checked(tmp_path, year, change)
    assert entry.report.valid
    assert entry.report.found.is_empty()
    assert entry.report.summary() == []
    assert entry.report.sentence() == "submission.csv keeps the rules."
    assert entry.report.to_json()["problems"] == []


def test_a_valid_folder_of_2016_has_an_empty_report(tmp_path: Path) -> None:
    original, entry = checked_2016(tmp_path)
    assert entry.report.found.is_empty()
    judgment = rules.find("pwscup2016").judge(original, entry, seed=1)
    assert 0 <= judgment.total <= 1


@pytest.mark.parametrize("year", VALID)
def test_cr_lf_is_a_warning_because_the_contests_wrote_it(tmp_path: Path, year: str) -> None:
    _, entry = checked(tmp_path, year, with_returns)
    assert entry.report.valid
    rows = VALID[year].count("\n")
    assert places(entry.report, "warning") == [(row + 1, "whole line") for row in range(rows)]


@pytest.mark.parametrize("name", ["M", "T", "P"])
def test_cr_lf_is_a_warning_in_2016_as_well(tmp_path: Path, name: str) -> None:
    _, entry = checked_2016(tmp_path, with_returns, name)
    assert entry.report.valid
    rows = FOLDER[name].count("\n")
    expected = [(row + 1, f"{name}.whole line") for row in range(rows)]
    assert places(entry.report, "warning") == expected


def test_two_customers_with_one_pseudonym_are_a_warning_in_2017(tmp_path: Path) -> None:
    _, entry = checked(tmp_path, "pwscup2017", cell(4, 1, "p1"))
    assert entry.report.valid
    assert places(entry.report, "warning") == [(4, "pseudonym")]


def test_one_pseudonym_may_serve_several_months_in_2017(tmp_path: Path) -> None:
    _, entry = checked(tmp_path, "pwscup2017", cell(3, 1, "p1"))
    assert entry.report.found.is_empty()


def test_half_of_the_rows_may_be_deleted_in_2017(tmp_path: Path) -> None:
    change = together(*(line(row, "DEL,,,,,,") for row in (1, 2, 3, 4)))
    _, entry = checked(tmp_path, "pwscup2017", change)
    assert entry.report.found.is_empty()


def test_a_release_without_rows_cannot_be_judged(tmp_path: Path) -> None:
    for year, mark in (("pwscup2018", "*,*,*,*,*"), ("simplified", "DEL,,")):
        rows = VALID[year].count("\n")
        change = together(*(line(row + 1, mark) for row in range(rows)))
        original, entry = checked(tmp_path, year, change)
        with pytest.raises(Unachievable, match="every row is deleted"):
            rules.find(year).judge(original, entry, seed=1)
