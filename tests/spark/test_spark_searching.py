"""The most similar item sets of many blocks are those of one machine."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from tokumei import Answer, Challenge, History, generate, publish
from tokumei.anonymizers import DeleteRows
from tokumei.attacks import Jaccard
from tokumei.judges import HitRate
from tokumei.tables import frame, small, table
from tokumei.threats import ItemSets

Question = tuple[Challenge, Answer]


def asked(history: History) -> Question:
    release = publish(history, DeleteRows(share=0.5)(history, seed=1), secret=b"2")
    return ItemSets()(history, release, seed=3)


@pytest.fixture(scope="module")
def crowd() -> History:
    return generate("shop", customers=250, seed=4)


@pytest.fixture(scope="module")
def here(crowd: History) -> Question:
    return asked(crowd)


@pytest.fixture(scope="module")
def there(crowd: History, spark: Any) -> Question:
    from tokumei.spark import to_cluster

    return asked(to_cluster(crowd, spark))


@pytest.mark.parametrize(("weights", "top"), [("none", 1), ("none", 4), ("idf", 2)])
def test_many_blocks_find_what_one_machine_finds(
    here: Question, there: Question, weights: Any, top: int
) -> None:
    from tokumei.spark.item_sets import indexed, most_similar

    one = frame(Jaccard(weights=weights, top=top)(here[0], seed=5).pairs)
    sets = indexed(there[0], idf=weights == "idf")
    found = small(table(most_similar(sets, top=top, seed=5, block=60)))
    two = found.rename({"pseudonym": "target", "person": "value"}).select(one.columns)
    assert_frame_equal(one.sort("target", "value"), two.sort("target", "value"), check_exact=True)


def test_a_target_goes_first_to_customers_of_its_size() -> None:
    from tokumei.spark.item_sets import homes

    asked = pl.DataFrame({"_block": [0, 1, 2], "low": [1, 9, 40], "high": [3, 11, 90]})
    known = pl.DataFrame({"_block": [0, 1, 2], "low": [1, 4, 8], "high": [4, 8, 30]})
    assert homes(asked, known) == [0, 2, 2]


def test_minhash_finds_most_of_what_exact_search_finds(
    here: Question, there: Question, caplog: pytest.LogCaptureFixture
) -> None:
    guess = Jaccard(search="minhash")(there[0], seed=5)
    exact = HitRate()(Jaccard()(here[0], seed=5), here[1]).value
    assert 0.9 * exact < HitRate()(guess, there[1]).value <= exact + 0.05
    told = next(text for text in caplog.messages if text.startswith("MinHash found"))
    found, checked = (int(word) for word in told.split() if word.isdigit())
    assert 150 < checked < 250
    assert found > 0.9 * checked


def test_minhash_keeps_the_most_similar_of_a_bucket_once() -> None:
    """Two bands bring customer a twice; b shares two of three items, c none."""
    from tokumei.spark.minhash import best_of

    targets = pl.DataFrame({"person": ["t", "t"], "items": [[0, 1], [0, 1]], "_key": [7, 8]})
    customers = pl.DataFrame(
        {
            "person": ["a", "a", "b", "c"],
            "items": [[0, 1], [0, 1], [0, 1, 2], [3]],
            "_key": [7, 8, 7, 9],
        }
    )
    found = best_of(targets, customers, top=5, seed=1)
    assert found.select("pseudonym", "person", "weight").rows() == [
        ("t", "a", 1.0),
        ("t", "b", 2 / 3),
    ]
    assert best_of(targets, customers, top=1, seed=1)["person"].to_list() == ["a"]
