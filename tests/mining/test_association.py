"""Association rules, against numbers worked out by hand and against a miner that tries all."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from tokumei.errors import ParameterError, SchemaError, Unachievable
from tokumei.mining import RuleAgreement, compare, cross_tabulation, mine
from tokumei.mining.association import RULES

Rule = tuple[list[str], str, float, float]

DRINKS = pl.DataFrame(
    [
        ("f", "tea", "Japan", 3),
        ("f", "tea", "France", 1),
        ("f", "coffee", "France", 1),
        ("m", "tea", "Japan", 2),
        ("m", "coffee", "France", 3),
    ],
    schema=["sex", "drink", "country", "count"],
    orient="row",
)
"""Ten records: 5 f and 5 m, 6 tea and 4 coffee, 5 Japan and 5 France."""


def rules(*rows: Rule) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=RULES, orient="row")


def test_rules_by_hand() -> None:
    """Support of at least 3 of 10 records; ties go to the larger confidence, then by text."""
    assert mine(DRINKS, support=0.3, confidence=0.7).rows() == [
        (["country=Japan"], "drink=tea", 5 / 10, 5 / 5),
        (["drink=tea"], "country=Japan", 5 / 10, 5 / 6),
        (["drink=coffee"], "country=France", 4 / 10, 4 / 4),
        (["country=France"], "drink=coffee", 4 / 10, 4 / 5),
        (["sex=f"], "drink=tea", 4 / 10, 4 / 5),
        (["sex=f", "country=Japan"], "drink=tea", 3 / 10, 3 / 3),
        (["sex=m", "country=France"], "drink=coffee", 3 / 10, 3 / 3),
        (["sex=m", "drink=coffee"], "country=France", 3 / 10, 3 / 3),
        (["drink=coffee"], "sex=m", 3 / 10, 3 / 4),
        (["drink=coffee", "country=France"], "sex=m", 3 / 10, 3 / 4),
        (["sex=f", "drink=tea"], "country=Japan", 3 / 10, 3 / 4),
    ]


def by_trying_all(table: pl.DataFrame, support: str, confidence: str) -> list[Rule]:
    """Every set of columns with every choice of values, counted in exact fractions."""
    columns = [name for name in table.columns if name != "count"]
    records = [(row, Fraction(row["count"])) for row in table.iter_rows(named=True)]
    total = sum(times for _, times in records)
    values = {name: set(table[name].drop_nulls()) for name in columns}

    def counted(items: dict[str, str]) -> Fraction:
        fits = (times for row, times in records if all(row[k] == v for k, v in items.items()))
        return sum(fits, Fraction(0))

    found: list[Rule] = []
    for size in range(2, len(columns) + 1):
        for names in combinations(columns, size):
            for choice in product(*(values[name] for name in names)):
                items = dict(zip(names, choice, strict=True))
                both = counted(items)
                if not both or both / total < Fraction(support):
                    continue
                for right in names:
                    left = {name: items[name] for name in names if name != right}
                    sure = both / counted(left)
                    if sure >= Fraction(confidence):
                        texts = [f"{name}={value}" for name, value in left.items()]
                        head = f"{right}={items[right]}"
                        found.append((texts, head, float(both / total), float(sure)))
    return sorted(found, key=lambda rule: (-rule[2], -rule[3], rule[0], rule[1]))


@st.composite
def tables(draw: st.DrawFn, counts: st.SearchStrategy[Any]) -> pl.DataFrame:
    """One to four columns of up to three values, or none; every combination at most once."""
    columns = ["a", "b", "c", "d"][: draw(st.integers(1, 4))]
    value = st.sampled_from(["x", "y", "z", None])
    combination = st.tuples(*(value for _ in columns))
    chosen = draw(st.lists(combination, unique=True, min_size=1, max_size=10))
    times = draw(st.lists(counts, min_size=len(chosen), max_size=len(chosen)))
    schema = dict.fromkeys(columns, pl.String)
    return pl.DataFrame(chosen, schema=schema, orient="row").with_columns(count=pl.Series(times))


THRESHOLDS = st.sampled_from(["0.01", "0.05", "0.07", "0.1", "0.2", "0.25", "0.3", "0.5", "1"])


@given(tables(st.integers(0, 30)), THRESHOLDS, THRESHOLDS)
def test_whole_counts_give_what_trying_all_gives(
    table: pl.DataFrame, support: str, confidence: str
) -> None:
    mined = mine(table, support=float(support), confidence=float(confidence))
    assert mined.schema == RULES
    assert mined.rows() == by_trying_all(table, support, confidence)


@given(tables(st.integers(0, 80).map(lambda eighths: eighths / 8)), THRESHOLDS, THRESHOLDS)
def test_eighths_give_what_trying_all_gives(
    table: pl.DataFrame, support: str, confidence: str
) -> None:
    mined = mine(table, support=float(support), confidence=float(confidence))
    assert mined.rows() == by_trying_all(table, support, confidence)


@given(tables(st.integers(0, 10**6)), st.permutations(range(10)))
def test_the_order_of_rows_does_not_matter(table: pl.DataFrame, order: list[int]) -> None:
    turned = table[[row for row in order if row < len(table)]]
    estimated = pl.col("count") / 3
    for counts in (pl.col("count"), estimated):
        first, second = (mine(part.with_columns(counts)) for part in (table, turned))
        assert_frame_equal(first, second, check_exact=True)


def test_estimated_counts_move_by_less_than_a_billionth() -> None:
    estimated = DRINKS.with_columns(pl.col("count") * 0.123456789)
    mined = mine(estimated, support=0.2, confidence=0.1)
    assert_frame_equal(mined, mine(DRINKS, support=0.2, confidence=0.1), abs_tol=1e-8)


@pytest.mark.parametrize("factor", [2.0**-40, 10**6, 10**9, 10**15])
def test_small_and_huge_totals_have_the_same_rules(factor: float) -> None:
    scaled = DRINKS.with_columns(pl.col("count") * factor)
    mined = mine(scaled, support=0.25, confidence=0.7)
    assert_frame_equal(mined, mine(DRINKS, support=0.25, confidence=0.7), abs_tol=1e-8)


def test_values_that_all_records_have_make_rules() -> None:
    table = pl.DataFrame({"sex": ["f", "f"], "drink": ["tea", "tea"], "size": ["1", "2"]})
    everywhere = mine(cross_tabulation(table, ["sex", "drink"]))
    assert everywhere.rows() == [
        (["drink=tea"], "sex=f", 1.0, 1.0),
        (["sex=f"], "drink=tea", 1.0, 1.0),
    ]
    assert mine(cross_tabulation(table, table.columns))[:2].equals(everywhere)


def test_a_suppressed_value_is_no_item_but_its_record_counts() -> None:
    table = pl.DataFrame({"sex": ["f", None], "drink": ["tea", "tea"], "count": [3, 1]})
    assert mine(table).rows() == [
        (["sex=f"], "drink=tea", 0.75, 1.0),
        (["drink=tea"], "sex=f", 0.75, 0.75),
    ]


def test_enums_and_categoricals_are_categorical() -> None:
    kinds = {"sex": pl.Enum(["m", "f"]), "drink": pl.Categorical}
    assert mine(DRINKS.cast(kinds)).equals(mine(DRINKS))  # type: ignore[arg-type]


@pytest.mark.parametrize("table", [DRINKS.clear(), DRINKS.with_columns(count=0)])
def test_no_records_have_no_rules(table: pl.DataFrame) -> None:
    assert_frame_equal(mine(table), rules())


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        (DRINKS.drop("count"), "A cross tabulation needs a column 'count' of numbers."),
        (
            DRINKS.with_columns(age=pl.lit(7)),
            "Rules are mined from columns of texts; age is of type Int32.",
        ),
        (
            pl.concat([DRINKS, DRINKS[1:2]]),
            "A cross tabulation has every combination once; (f, tea, France) is repeated.",
        ),
        (
            DRINKS.with_columns(count=-0.5),
            "A count must be a finite number of at least 0, not -0.5.",
        ),
        (
            DRINKS.with_columns(count=float("nan")),
            "A count must be a finite number of at least 0, not nan.",
        ),
    ],
)
def test_what_is_no_cross_tabulation_is_refused(table: pl.DataFrame, sentence: str) -> None:
    with pytest.raises(SchemaError) as error:
        mine(table)
    assert str(error.value) == sentence


def test_thresholds_are_shares() -> None:
    with pytest.raises(ParameterError, match=r"support must lie in \(0, 1\], not 5\."):
        mine(DRINKS, support=5)
    with pytest.raises(ParameterError, match=r"confidence must lie in \(0, 1\], not 0\."):
        mine(DRINKS, confidence=0)


def test_rows_are_counted() -> None:
    rows = pl.DataFrame({"sex": ["m", "f", "m"], "drink": ["tea", "tea", "tea"], "x": [1, 2, 3]})
    assert cross_tabulation(rows, ["sex", "drink"]).rows() == [("f", "tea", 1), ("m", "tea", 2)]
    with pytest.raises(SchemaError, match="There is no column 'age' to tabulate; there are sex,"):
        cross_tabulation(rows, ["sex", "age"])
    with pytest.raises(SchemaError, match="may not be called 'count'"):
        cross_tabulation(rows.rename({"x": "count"}), ["sex", "count"])


ORIGINAL = rules(
    (["a=1"], "b=1", 0.5, 1.0),
    (["b=1"], "a=1", 0.5, 0.8),
    (["a=2"], "b=2", 0.4, 0.9),
    (["b=2"], "a=2", 0.4, 0.6),
)


def test_agreement_by_hand() -> None:
    """The second rule is lost, the fourth stands one rank lower, the others are in place."""
    other = rules(
        (["a=1"], "b=1", 0.4, 0.9),
        (["c=1"], "a=1", 0.4, 0.8),
        (["a=2"], "b=2", 0.35, 0.9),
        (["x=1"], "a=2", 0.3, 0.6),
        (["b=2"], "a=2", 0.25, 0.4),
    )
    agreement = compare(ORIGINAL, other)
    assert (agreement.compared, agreement.extracted, agreement.in_place) == (4, 3 / 4, 2 / 4)
    assert agreement.support_error == pytest.approx((0.1 + 0.05 + 0.15) / 3)
    assert agreement.confidence_error == pytest.approx((0.1 + 0.0 + 0.2) / 3)


def test_only_the_top_rules_are_looked_for_but_anywhere() -> None:
    last = pl.concat([ORIGINAL[1:], ORIGINAL[:1]])
    assert compare(ORIGINAL, last, top=1) == RuleAgreement(1, 1.0, 0.0, 0.0, 0.0)
    assert compare(ORIGINAL, ORIGINAL[:1], top=1) == RuleAgreement(1, 1.0, 1.0, 0.0, 0.0)


def test_nothing_found_again_has_the_worst_errors() -> None:
    assert compare(ORIGINAL, rules()) == RuleAgreement(4, 0.0, 0.0, 1.0, 1.0)


def test_there_must_be_something_to_find() -> None:
    with pytest.raises(Unachievable, match="The original has no association rule; lower"):
        compare(rules(), ORIGINAL)
    with pytest.raises(ParameterError, match="top must be at least 1, not 0"):
        compare(ORIGINAL, ORIGINAL, top=0)
