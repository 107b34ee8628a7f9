"""Kobayashi 2019: Table 4, and the guarantees of every release."""

from __future__ import annotations

from pathlib import Path

import pytest

from tokumei import History, publish, read
from tokumei.anonymizers import Generalize
from tokumei.metrics import IdenticalGroups, InformationLoss, UncoveredCells
from tokumei.papers import kobayashi2019
from tokumei.papers.kobayashi2019_numbers import TABLE2, TABLE4


@pytest.fixture(scope="module")
def contest(shared: Path) -> History:
    return read(shared / "data/pwscup2018/T.csv", format="pwscup2018")


@pytest.mark.realdata
@pytest.mark.parametrize("k", [2, 3, 4])
def test_the_papers_method_reproduces_table_4(contest: History, k: int) -> None:
    row, _ = kobayashi2019.measured(contest, kobayashi2019.methods(k, 1)[0], seed=0)
    said = TABLE4[k]
    for name, tolerance in (("R", 0.05), ("F", 0.05), ("M", 0.05), ("RFM", 0.03)):
        assert getattr(row, name) == pytest.approx(said[name], abs=tolerance)
    assert row.safety == pytest.approx(1 / k, abs=0.01)
    assert (row.smallest_group, row.uncovered_cells) == (k, 0)


@pytest.mark.realdata
@pytest.mark.parametrize(("k", "least"), [(2, 0.40), (3, 0.28), (4, 0.26)])
def test_the_search_for_rfm_keeps_the_ranks_of_many(contest: History, k: int, least: float) -> None:
    row, release = kobayashi2019.measured(contest, kobayashi2019.methods(k, 1)[2], seed=0)
    assert least <= row.RFM
    assert (row.smallest_group, row.uncovered_cells) == (k, 0)
    attacks = kobayashi2019.attacked(contest, release, seed=0)
    assert not any(attack["shot down"] for attack in attacks)
    for attack in attacks:
        assert attack["right"] <= 1.2 * len(contest.persons()) / k


@pytest.mark.realdata
def test_a_short_search_loses_less_than_the_order_of_row_counts(contest: History) -> None:
    release = publish(contest, Generalize(k=3, seconds=2)(contest, seed=0), seed=0)
    assert InformationLoss()(contest, release, seed=0).value < 0.345
    assert IdenticalGroups()(contest, release, seed=0).value == 3
    assert UncoveredCells()(contest, release, seed=0).value == 0


@pytest.mark.realdata
def test_the_papers_three_customers_are_shown(contest: History) -> None:
    _, release = kobayashi2019.measured(contest, kobayashi2019.methods(2, 1)[0], seed=0)
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
