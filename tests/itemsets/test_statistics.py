from itertools import combinations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokumei import History, read, statistics
from tokumei.itemsets.matrix import item_sets, rows_per_item


def test_statistics_of_the_fruit_example(fruit: History) -> None:
    """Item sets: A {pear}, B {pear, grape}, C {peach, grape}, D {grape, pear}."""
    found = statistics(fruit)
    assert (found.customers, found.rows, found.baskets, found.items) == (4, 8, 8, 3)
    assert found.mean_items_per_customer == 7 / 4
    jaccard = [1 / 2, 0, 1 / 2, 1 / 3, 1, 1 / 3]  # AB AC AD BC BD CD
    assert found.mean_jaccard == pytest.approx(sum(jaccard) / 6)
    assert found.max_jaccard == 1
    assert found.mean_shared_items == pytest.approx((1 + 0 + 1 + 1 + 2 + 1) / 6)
    assert (found.price_min, found.price_max) == (1.1, 4.0)
    assert (found.quantity_min, found.quantity_max) == (1, 5)
    assert found.to_json()["period"] == ["2018-09-02", "2018-10-12"]


def test_a_suppressed_item_tells_nothing(fruit: History) -> None:
    """Without the grapes: A {pear}, B {pear}, C {peach}, D {pear}; without the peach C has none."""
    hidden = pl.col("item").replace({"grape": None, "peach": None})
    history = fruit.with_purchases(fruit.frame().with_columns(hidden))
    found = statistics(history)
    assert (found.customers, found.rows, found.items) == (4, 8, 1)
    assert found.mean_items_per_customer == 3 / 4
    assert found.mean_jaccard == found.mean_shared_items == 3 / 6  # AB AD BD
    sets = item_sets(history)
    assert sets.matrix.toarray().tolist() == [[1], [1], [0], [1]]
    assert rows_per_item(history, sets).toarray().tolist() == [[1], [1], [0], [1]]


def test_one_customer_has_no_pairs(fruit: History) -> None:
    found = statistics(fruit.with_purchases(fruit.frame().filter(person="Dan")))
    assert found.customers == 1
    assert found.mean_jaccard is None
    assert found.mean_shared_items is None


def test_columns_that_are_not_there_give_nothing() -> None:
    found = statistics(read(pl.DataFrame({"customer": ["a", "b"], "date": ["2020-01-01"] * 2})))
    assert found.items is None
    assert found.price_min is None
    assert found.period is not None


baskets = st.lists(st.tuples(st.sampled_from("abcdefgh"), st.sampled_from("uvwxyz")), min_size=1)


@given(baskets)
def test_similarity_is_that_of_python_sets(pairs: list[tuple[str, str]]) -> None:
    found = statistics(read(pl.DataFrame(pairs, schema=["customer", "item"], orient="row")))
    sets: dict[str, set[str]] = {}
    for person, item in pairs:
        sets.setdefault(person, set()).add(item)
    couples = list(combinations(sets.values(), 2))
    if couples:
        jaccard = [len(one & two) / len(one | two) for one, two in couples]
        shared = [len(one & two) for one, two in couples]
        assert found.mean_jaccard == pytest.approx(sum(jaccard) / len(couples))
        assert found.max_jaccard == pytest.approx(max(jaccard))
        assert found.mean_shared_items == pytest.approx(sum(shared) / len(couples))


@pytest.mark.realdata
def test_statistics_of_pwscup2016_are_the_papers(real_data) -> None:
    found = statistics(read(real_data / "data/pwscup2016/T.csv", format="pwscup2016"))
    assert (found.customers, found.rows, found.baskets, found.items) == (400, 38_087, 1_763, 2_781)
    assert found.mean_items_per_customer == 65.725
    assert found.mean_jaccard == pytest.approx(0.0300133, abs=5e-8)
    assert found.max_jaccard == pytest.approx(0.40, abs=1e-9)
    assert (found.price_min, found.price_max) == (0.04, 4161.06)
    assert (found.quantity_min, found.quantity_max) == (1, 74_215)
    assert found.to_json()["period"] == ["2010-12-01", "2011-12-09"]
