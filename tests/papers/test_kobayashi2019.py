"""Kobayashi 2019: Table 4, and the guarantees of every release."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from tokumei import History, Release, publish, read
from tokumei.anonymizers import Generalize
from tokumei.metrics import IdenticalGroups, InformationLoss, UncoveredCells
from tokumei.papers import kobayashi2019
from tokumei.papers.kobayashi2019_numbers import TABLE2, TABLE4


@pytest.fixture(scope="module")
def contest(real_data: Path) -> History:
    return read(real_data / "data/pwscup2018/T.csv", format="pwscup2018")


@pytest.fixture(scope="module")
def by_the_paper(contest: History) -> Callable[[int], tuple[kobayashi2019.Row, Release]]:
    """Return the paper's method for a k; each is measured once."""

    @cache
    def of(k: int) -> tuple[kobayashi2019.Row, Release]:
        return kobayashi2019.measured(contest, kobayashi2019.methods(k, 1)[0], seed=0)

    return of


@pytest.mark.realdata
@pytest.mark.parametrize("k", [2, 3, 4])
def test_the_papers_method_reproduces_table_4(by_the_paper, k: int) -> None:
    row, _ = by_the_paper(k)
    said = TABLE4[k]
    for name, tolerance in (("R", 0.05), ("F", 0.05), ("M", 0.05), ("RFM", 0.03)):
        assert getattr(row, name) == pytest.approx(said[name], abs=tolerance)
    assert row.safety == pytest.approx(1 / k, abs=0.01)
    assert (row.smallest_group, row.uncovered_cells) == (k, 0)


@pytest.mark.realdata
def test_the_search_for_rfm_keeps_the_ranks_of_many(contest: History) -> None:
    k = 4  # where it is hardest
    row, release = kobayashi2019.measured(contest, kobayashi2019.methods(k, 0.1)[2], seed=0)
    assert row.RFM > 0.6 > 2 * TABLE4[k]["RFM"]
    assert (row.smallest_group, row.uncovered_cells) == (k, 0)
    attacks = kobayashi2019.attacked(contest, release, seed=0)
    assert not any(attack["shot down"] for attack in attacks)
    for attack in attacks:
        assert attack["right"] <= 1.2 * len(contest.persons()) / k


@pytest.mark.realdata
def test_a_short_search_loses_less_than_the_order_of_row_counts(contest: History) -> None:
    release = publish(contest, Generalize(k=3, seconds=0.2)(contest, seed=0), secret=b"0")
    assert InformationLoss()(contest, release, seed=0).value < 0.345
    assert IdenticalGroups()(contest, release, seed=0).value == 3
    assert UncoveredCells()(contest, release, seed=0).value == 0


@pytest.mark.realdata
def test_the_papers_three_customers_are_shown(contest: History, by_the_paper) -> None:
    _, release = by_the_paper(2)
    shown = kobayashi2019.examples(contest, release)
    assert {row[0]: row[1:4] for row in shown.iter_rows()} == TABLE2
    rows = kobayashi2019.released_rows(release, 2)
    assert len(rows) == 4
    assert rows.drop("pseudonym").n_unique() == 2


def test_a_shop_is_measured_too(shop: History) -> None:
    rows, releases = kobayashi2019.table4(shop, ks=(2,), seconds=0.1, seed=0)
    assert [row.smallest_group for row in rows] == [2, 2, 2, 2]
    entry = kobayashi2019.contest_entry(shop, releases[2], rows[-1], seed=0)
    assert entry["information_loss"] == rows[-1].information_loss
    assert 0 < entry["shot_down_probability"] < 0.5
