"""Groups made identical: costs by hand, the search against the proven optimum."""

from __future__ import annotations

from itertools import permutations, product
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tokumei import History, generate, publish, read
from tokumei.anonymizers.equalize import Equalize
from tokumei.attacks import ExactRow, Jaccard, MultisetJaccard
from tokumei.draws import repeatable_secret
from tokumei.equalizing.exact import MOST_CUSTOMERS, optimum
from tokumei.equalizing.games import SIMPLIFIED, Weights, game_of
from tokumei.equalizing.search import Costs, search
from tokumei.errors import ParameterError, SchemaError, Unachievable
from tokumei.history import ROW
from tokumei.judges import HitRate
from tokumei.metrics import IdenticalGroups, Indistinguishable
from tokumei.papers import hamada2018
from tokumei.threats import FullKnowledge

SCHEMA = ["person", "time", "item"]


def history_of(rows: list[tuple[str, str, str]]) -> History:
    return read(pl.DataFrame(rows, schema=SCHEMA, orient="row"))


def random_history(seed: int, most: int) -> History:
    draw = np.random.default_rng(seed)
    rows = [
        (f"p{person}", f"2018-09-{draw.integers(1, 8):02d}", f"i{draw.integers(5)}")
        for person in range(int(draw.integers(2, most + 1)))
        for _ in range(int(draw.integers(1, 6)))
    ]
    return history_of(rows)


def test_the_worked_example_has_its_three_totals_and_the_third_is_the_optimum() -> None:
    found = hamada2018.example()
    assert {name: found[name] for name in hamada2018.PRINTED} == hamada2018.PRINTED
    assert found["search"] == found["optimum"] == 0.8125


def least_cost(rows: list[list[tuple[int, int]]]) -> int:
    """Try every choice and order of rows: changed cells count 1, deleted rows 2."""
    common = min(map(len, rows))
    best = None
    for chosen in product(*(list(permutations(part, common)) for part in rows)):
        changed = 0
        for line in zip(*chosen, strict=True):
            for column in zip(*line, strict=True):
                changed += len(column) - max(column.count(value) for value in column)
        best = changed if best is None else min(best, changed)
    assert best is not None
    return best + 2 * sum(len(part) - common for part in rows)


def units(people: list[list[tuple[int, int]]]) -> int:
    """What making all of them identical costs by our kernels, in the units that they count."""
    rows = [
        (f"p{person}", f"2018-09-{day + 1:02d}", f"i{item}")
        for person, part in enumerate(people)
        for day, item in part
    ]
    game = game_of(history_of(rows), SIMPLIFIED)
    costs = Costs(game.data)
    return costs(costs.ordered(tuple(range(len(people))))) - game.data.group


cell = st.tuples(st.integers(0, 2), st.integers(0, 2))


@settings(max_examples=60)
@given(st.lists(st.lists(cell, min_size=1, max_size=4), min_size=2, max_size=2))
def test_the_cost_of_a_pair_is_the_least_there_is(people: list[list[tuple[int, int]]]) -> None:
    assert units(people) == 500 * least_cost(people)


@settings(max_examples=40)
@given(st.lists(st.lists(cell, min_size=1, max_size=3), min_size=3, max_size=3))
def test_the_cost_of_three_is_near_the_least(people: list[list[tuple[int, int]]]) -> None:
    assert least_cost(people) <= units(people) / 500 <= least_cost(people) + 2


def test_the_search_finds_the_optimum_of_50_small_games() -> None:
    for seed in range(50):
        data = game_of(random_history(seed, 8), SIMPLIFIED).data
        assert search(data, seconds=0.05, seed=1).cost == optimum(data).cost, seed


def test_the_search_is_near_the_optimum_of_larger_games() -> None:
    gaps = []
    for seed in range(1000, 1012):
        data = game_of(random_history(seed, 12), SIMPLIFIED).data
        gaps.append(search(data, seconds=0.1, seed=1).cost / optimum(data).cost - 1)
    assert min(gaps) >= 0
    assert np.mean(gaps) < 0.02


def test_too_large_a_game_is_not_proven() -> None:
    data = game_of(generate("shop", customers=MOST_CUSTOMERS + 1, seed=1), SIMPLIFIED).data
    with pytest.raises(Unachievable, match="proven for up to 14 customers; there are 15"):
        optimum(data)


@pytest.mark.parametrize(
    "options",
    [
        {"seconds": 0.2},
        {"groups": "balanced", "size": 4},
        {"groups": "everyone"},
        {"objective": "pwscup2017", "seconds": 0.2},
        {"objective": "own", "item_weight": 5.0, "price_weight": 0.0, "seconds": 0.2},
    ],
)
def test_members_of_a_group_differ_in_nothing(shop: History, options: dict[str, Any]) -> None:
    made = Equalize(**options)(shop, seed=3)
    release = publish(shop, made, secret=b"5")
    kinds = Indistinguishable(by="rows")(shop, release, seed=0)
    if options.get("groups") == "everyone":
        assert kinds.value * kinds.n == 1
    if options.get("size"):
        assert IdenticalGroups()(shop, release, seed=0).value == 4
    assert kinds.value <= 1
    assert set(made.frame()[ROW]) <= set(shop.frame()[ROW])
    assert set(made.frame()["item"]) <= set(shop.frame()["item"])


def test_no_attack_names_more_than_the_groups(shop: History) -> None:
    made = Equalize(objective="information-loss", seconds=0.5)(shop, seed=3)
    rates: dict[str, list[float]] = {}
    for seed in range(12):
        release = publish(shop, made, secret=repeatable_secret(seed))
        challenge, answer = FullKnowledge()(shop, release, seed=1)
        for attack in (Jaccard(), MultisetJaccard(), ExactRow()):
            found = HitRate()(attack(challenge, seed=seed), answer).value
            rates.setdefault(type(attack).__name__, []).append(found)
    bound = Indistinguishable(by="rows")(shop, release, seed=0).value
    for name, values in rates.items():
        assert np.mean(values) <= bound + 0.06, name


def test_by_month_dates_stay_in_their_months(shop: History) -> None:
    made = Equalize(by="month", objective="pwscup2017", seconds=0.3)(shop, seed=3).frame()
    before = shop.frame().select(ROW, month=pl.col("time").dt.strftime("%Y-%m"))
    both = made.join(before, on=ROW)
    assert (both["time"].dt.strftime("%Y-%m") == both["month"]).all()


def test_the_balanced_total_is_what_the_game_says() -> None:
    """Fig. 2: everyone alike deletes 4 of 8 rows and changes 3 of 16 cells."""
    history = history_of(list(hamada2018.PURCHASES))
    point, _ = hamada2018.measured(history, Equalize(groups="everyone"), "all", seed=1)
    assert (point.groups, point.utility, point.total) == (1, 0.6875, 0.9375)


def test_bad_input_is_refused(fruit: History) -> None:
    with pytest.raises(Unachievable, match="There are 4 customers; no group can have 5"):
        Equalize(groups="balanced", size=5)(fruit, seed=1)
    with pytest.raises(ParameterError, match="must be at least 0 and not all 0"):
        Weights({"item": 0.0})
    with pytest.raises(SchemaError, match="needs a column for item"):
        Equalize()(fruit.with_purchases(fruit.frame().drop("item")), seed=1)


def test_one_customer_stays_as_it_is() -> None:
    alone = history_of([("Ann", "2018-09-07", "pear"), ("Ann", "2018-09-08", "tea")])
    assert (
        Equalize(seconds=0.1)(alone, seed=1)
        .frame()
        .equals(alone.frame().select("person", "time", "item", ROW))
    )


def test_equal_customers_are_put_together_at_no_cost() -> None:
    rows = [
        (name, day, item)
        for name in "ABC"
        for day, item in (("2018-09-07", "pear"), ("2018-09-08", "tea"))
    ]
    twins = history_of(rows)
    point, _ = hamada2018.measured(twins, Equalize(seconds=0.1), "search", seed=1)
    assert (point.groups, point.utility) == (1, 0)
