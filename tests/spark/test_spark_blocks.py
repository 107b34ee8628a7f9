"""Blocks: every customer is in one, and the guarantees of groups hold over many."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tokumei import History, generate, publish
from tokumei.anonymizers import Decoys, Generalize
from tokumei.errors import ParameterError
from tokumei.tables import small

pytest.importorskip("pyspark", reason="PySpark is not installed: pip install 'tokumei[spark]'")

from tokumei.metrics import Indistinguishable, InformationLoss, UncoveredCells
from tokumei.spark import from_cluster, to_cluster
from tokumei.spark.blocks import plan


def test_ten_customers_of_two_parts_in_four_clusters_and_blocks_of_five() -> None:
    # The part of seven ends at a multiple of two; the part of three is a block of its own.
    parts = plan([7, 3], 4, 2, block=5)
    assert [(part.first_person, part.people, part.clusters) for part in parts] == [
        (0, 6, 2),
        (6, 4, 2),
    ]


@given(
    st.lists(st.integers(0, 80), min_size=1, max_size=60),
    st.integers(1, 20),
    st.floats(0, 1),
    st.integers(8, 50),
)
def test_blocks_hold_everybody_and_all_clusters(
    parts: list[int], min_size: int, share: float, block: int
) -> None:
    people = sum(parts)
    assume(people >= min_size)
    clusters = max(1, int(share * (people // min_size)))
    found = plan(parts, clusters, min_size, block)
    assert sum(part.people for part in found) == people
    assert sum(part.clusters for part in found) == clusters
    starts = np.cumsum([0, *(part.people for part in found)])[:-1].tolist()
    assert [part.first_person for part in found] == starts
    assert all(part.clusters >= 1 for part in found)
    assert all(part.people >= part.clusters * min_size for part in found)


def test_too_many_clusters_are_an_error() -> None:
    with pytest.raises(ParameterError, match="need 12 customers; there are 10"):
        plan([10], 6, 2, block=4)


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tokumei.spark.blocks.BLOCK", 25)


def test_decoys_of_many_blocks_keep_their_promise(spark: Any, small_blocks: None) -> None:
    local = generate("shop", customers=90, seed=2)
    distant = to_cluster(local, spark)
    made = Decoys(clusters=30, min_size=3, seconds=0.1)(distant, seed=1)
    release = publish(distant, made, secret=b"2")
    assert Indistinguishable()(distant, release, seed=1).value <= 30 / 90
    rows = small(made.purchases)
    kept = rows.filter(rows["row"] >= 0)
    assert kept.sort("row").select(local.frame().columns).equals(local.in_row_order())
    assert not rows["row"].is_duplicated().any()
    shuffled = History(distant.purchases.sort("price"), None, distant.source)
    again = Decoys(clusters=30, min_size=3, seconds=0.1)(shuffled, seed=1)
    assert small(again.purchases).sort("row").equals(rows.sort("row"))


@pytest.mark.parametrize("grouping", ["search", "rfm"])
def test_generalized_groups_of_many_blocks_are_alike(
    spark: Any, small_blocks: None, grouping: Any
) -> None:
    local = generate("shop", customers=60, seed=2)
    distant = to_cluster(local, spark)
    method = Generalize(k=3, grouping=grouping, seconds=0.1)
    release = publish(distant, method(distant, seed=1), secret=b"2")
    here = from_cluster(release)
    assert Indistinguishable(by="rows")(local, here, seed=1).value <= 1 / 3
    assert UncoveredCells()(local, here, seed=1).value == 0
    there = InformationLoss()(distant, release, seed=1)
    assert there.value == pytest.approx(InformationLoss()(local, here, seed=1).value, abs=1e-9)
