"""Every registered method obeys the laws."""

from __future__ import annotations

from typing import Any

import pytest
from laws import (
    anonymizer_ignores_the_order_of_rows,
    anonymizer_leaves_its_input_alone,
    anonymizer_output_can_be_published,
    anonymizer_repeats_itself,
    attack_ignores_the_order_of_rows,
    attack_repeats_itself,
    attack_stays_within_the_question,
    challenge_holds_nothing_secret,
    is_documented,
    judge_ignores_the_order_of_rows,
    judge_marks_a_perfect_guess_best_and_an_empty_one_worst,
    metric_ignores_the_order_of_rows,
    metric_lies_in_its_range,
    metric_repeats_itself,
    no_anonymization_has_the_best_utility,
    pickles,
    spec_makes_the_same_object,
    threat_answers_its_own_question,
    threat_repeats_itself,
)

from tokumei import Guess, History, Release, publish, registry
from tokumei.anonymizers import Chain, DeleteRows, PerturbAmounts, ShiftDates
from tokumei.attacks import Random
from tokumei.threats import FullKnowledge, MonthlyView

# Methods that need arguments, or that the defaults would not show enough of.
EXAMPLES: dict[tuple[str, str], list[dict[str, Any]]] = {
    ("anonymizer", "chain"): [{"steps": (ShiftDates(days=3), DeleteRows(share=0.5))}],
    ("anonymizer", "decoys"): [
        {"clusters": 15, "min_size": 4, "seconds": 0.1},
        {"clusters": 20, "grouping": "tfidf-kmeans", "style": "paper"},
        {"clusters": 15, "seconds": 0.1, "delete": 1.0},
        {"clusters": 15, "seconds": 0.1, "share": "rows"},
    ],
    ("anonymizer", "retain-replace"): [
        {"columns": "sex,country"},
        {"columns": "item,quantity", "table": "purchases", "rho": 0.5},
        {
            "columns": "sex,birth,country",
            "choose": "each",
            "forbidden": "sex=m & birth=1960-01-01",
        },
    ],
    ("anonymizer", "shift-dates"): [{}, {"days": 20, "together": "row"}],
    ("anonymizer", "equalize"): [
        {"seconds": 0.1},
        {"groups": "balanced"},
        {"by": "month", "objective": "pwscup2017", "seconds": 0.2},
    ],
    ("anonymizer", "generalize"): [
        {"seconds": 0.1},
        {"k": 2, "grouping": "row-count", "alignment": "order", "objective": "none"},
        {"k": 4, "grouping": "rfm"},
        {"objective": "rfm"},
        {"objective": "mixed", "seconds": 0.1},
    ],
    ("anonymizer", "generalize-at-random"): [{}, {"suppress": 0.0, "items": 2, "share": 1.0}],
    ("attack", "candidate-intersection"): [{}, {"one_to_one": False}],
    ("attack", "decoy-odds"): [{}, {"one_to_one": False}],
    ("attack", "fuzzy-rows"): [{}, {"one_to_one": False}],
    ("attack", "jaccard"): [{}, {"weights": "idf", "top": 1}, {"one_to_one": True}],
    ("attack", "key-matching"): [{}, {"on": "item+price", "item_characters": 9}],
    ("attack", "multiset-jaccard"): [{}, {"one_to_one": True}],
    ("attack", "random"): [{}, {"names": 5}, {"names": 1000}],
    ("attack", "rfm-profile"): [{}, {"one_to_one": True}, {"top": 1}],
    ("attack", "strip-decoys"): [{}, {"weights": "idf", "one_to_one": True}],
    ("attack", "time-profile"): [{}, {"days": 0, "one_to_one": True}],
    ("judge", "hit-rate"): [{}, {"top": 3}],
    ("judge", "shoot-down"): [{}, {"p": 0.5, "alpha": 0.1}],
    ("metric", "association-rules"): [
        {"columns": "item,quantity", "support": 0.001},
        {"columns": "sex,country", "table": "customers"},
        {"columns": "sex,country", "table": "customers", "measure": "in-place"},
        {"columns": "item,quantity", "support": 0.001, "measure": "support-error"},
        {"columns": "item,quantity", "support": 0.001, "measure": "confidence-error"},
    ],
    ("metric", "cross-tabulation"): [
        {"columns": "item,quantity", "table": "purchases"},
        {"columns": "sex,country"},
        {"columns": "sex,country", "reconstructed": True},
    ],
    ("metric", "pk-anonymity"): [
        {"columns": "sex,country"},
        {"columns": "quantity", "table": "purchases"},
    ],
    ("metric", "item-similarity"): [{}, {"sales": "retail"}],
    ("metric", "rfm-agreement"): [{}, {"of": "M", "bins": 4}, {"draws": 3}],
    ("metric", "top-items-list"): [{}, {"k": 7}],
    ("metric", "top-items-similarity"): [{}, {"k": 7}],
    ("threat", "monthly-view"): [{}, {"share": 1.0, "item_characters": 9}],
    ("threat", "partial-rows"): [{}, {"share": 1.0}],
}


def objects(family: registry.Family) -> list[Any]:
    return [
        pytest.param(registry.find(family, name)(**fields), id=f"{name}-{number}")
        for name in registry.names(family)
        for number, fields in enumerate(EXAMPLES.get((family, name), [{}]))
    ]


everything = pytest.mark.parametrize(
    ("family", "method"),
    [(family, part.values[0]) for family in registry.FAMILIES for part in objects(family)],
    ids=lambda value: value if isinstance(value, str) else registry.name_of(value),
)


@pytest.fixture(scope="module")
def shop(shop_with_customers: History) -> History:
    """With attributes of the customers, for the metrics that need them."""
    return shop_with_customers


@pytest.fixture(scope="module")
def release(shop: History) -> Release:
    """Rows gone, dates and amounts changed, one pseudonym each."""
    steps = (
        DeleteRows(share=0.3),
        ShiftDates(days=2, together="row", keep_times=True),
        PerturbAmounts(),
    )
    return publish(shop, Chain(steps=steps)(shop, seed=11), secret=b"12")


@everything
def test_every_method_is_documented(family: registry.Family, method: Any) -> None:
    is_documented(type(method))


@everything
def test_spec_to_object_to_spec(family: registry.Family, method: Any) -> None:
    spec_makes_the_same_object(method, family)
    pickles(method)


@pytest.mark.parametrize("method", objects("anonymizer"))
def test_anonymizers_obey_the_laws(method: Any, shop: History) -> None:
    anonymizer_repeats_itself(method, shop)
    anonymizer_ignores_the_order_of_rows(method, shop)
    anonymizer_leaves_its_input_alone(method, shop)
    anonymizer_output_can_be_published(method, shop)


@pytest.mark.parametrize("method", objects("threat"))
def test_threats_obey_the_laws(method: Any, shop: History, release: Release) -> None:
    threat_answers_its_own_question(method, shop, release)
    threat_repeats_itself(method, shop, release)
    challenge_holds_nothing_secret(method, shop, release)


@pytest.mark.parametrize("threat", [FullKnowledge(), MonthlyView(share=0.5, item_characters=9)])
@pytest.mark.parametrize("method", objects("attack"))
def test_attacks_obey_the_laws(method: Any, threat: Any, shop: History, release: Release) -> None:
    challenge, _ = threat(shop, release, seed=1)
    attack_repeats_itself(method, challenge)
    attack_ignores_the_order_of_rows(method, challenge)
    attack_stays_within_the_question(method, challenge)


@pytest.mark.parametrize("method", objects("judge"))
def test_judges_obey_the_laws(method: Any, shop: History, release: Release) -> None:
    challenge, answer = FullKnowledge()(shop, release, seed=1)
    guess: Guess = Random(names=5)(challenge, seed=4)
    judge_marks_a_perfect_guess_best_and_an_empty_one_worst(method, answer)
    judge_ignores_the_order_of_rows(method, guess, answer)


@pytest.mark.parametrize("method", objects("metric"))
def test_metrics_obey_the_laws(method: Any, shop: History, release: Release) -> None:
    metric_repeats_itself(method, shop, release)
    metric_ignores_the_order_of_rows(method, shop, release)
    metric_lies_in_its_range(method, shop, release)
    no_anonymization_has_the_best_utility(method, shop)
