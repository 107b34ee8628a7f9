import math
from datetime import date, datetime

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokumei.cells import (
    Kind,
    covers,
    deviation,
    exactly,
    high,
    intervals,
    kind,
    low,
    parse,
    plain,
    to_text,
    units,
    widened,
)
from tokumei.errors import SchemaError


def numbers(texts: pl.Series) -> pl.Series:
    return texts.cast(pl.Int64, strict=False)


def words(values: pl.Series) -> pl.Series:
    return values.cast(pl.String)


def test_exact_texts_become_plain_values() -> None:
    cells, bad = parse(pl.Series(["3", "5"]), numbers)
    assert kind(cells.dtype) == "exact"
    assert cells.to_list() == [3, 5]
    assert not bad.any()


def test_one_interval_makes_the_column_intervals() -> None:
    cells, bad = parse(pl.Series(["3", "[5;7]", "*"]), numbers)
    assert kind(cells.dtype) == "interval"
    assert cells.to_list() == [{"lo": 3, "hi": 3}, {"lo": 5, "hi": 7}, None]
    assert low(cells).to_list() == [3, 5, None]
    assert high(cells).to_list() == [3, 7, None]
    assert not bad.any()


def test_one_set_makes_the_column_sets() -> None:
    cells, bad = parse(pl.Series(["a", "{b;c}", "*"]), lambda texts: texts)
    assert cells.to_list() == [["a"], ["b", "c"], None]
    assert not bad.any()


@pytest.mark.parametrize("text", ["[5;3]", "[5]", "[;5]", "[5;x]", "word", "", "[1;2;3]"])
def test_a_broken_interval_is_reported(text: str) -> None:
    _, bad = parse(pl.Series(["[1;2]", text or None]), numbers)
    assert bad.to_list() == [False, True]


def test_nan_is_no_end_of_an_interval() -> None:
    """To polars it is the largest number, so that 999 would lie between 1 and NaN."""
    texts = pl.Series(["[1;2]", "[1;NaN]", "[NaN;2]", "[NaN;NaN]", "NaN"])
    _, bad = parse(texts, lambda cells: cells.cast(pl.Float64, strict=False))
    assert bad.to_list() == [False, True, True, True, True]
    ends = pl.Series([1.0, math.nan]), pl.Series([math.nan, 1000.0])
    assert covers(intervals(*ends), pl.Series([999.0, 999.0])).to_list() == [False, False]


@pytest.mark.parametrize("text", ["{}", "{a;}", "{;a}"])
def test_a_broken_set_is_reported(text: str) -> None:
    _, bad = parse(pl.Series(["{a;b}", text]), lambda texts: texts)
    assert bad.to_list() == [False, True]


def test_intervals_and_sets_do_not_mix() -> None:
    with pytest.raises(SchemaError, match="mixes intervals"):
        parse(pl.Series("item", ["[1;2]", "{a;b}"]), lambda texts: texts)


def test_a_cell_covers_the_values_inside() -> None:
    cells, _ = parse(pl.Series(["[5;7]", "[5;7]", "[5;7]", "*"]), numbers)
    assert covers(cells, pl.Series([5, 7, 8, 99])).to_list() == [True, True, False, True]
    sets, _ = parse(pl.Series(["{a;b}", "{a;b}", "*"]), lambda texts: texts)
    assert covers(sets, pl.Series(["a", "c", "z"])).to_list() == [True, False, True]
    assert covers(pl.Series([1, None]), pl.Series([1, 1])).to_list() == [True, True]


def test_only_a_cell_with_one_value_says_it_exactly() -> None:
    cells, _ = parse(pl.Series(["[5;7]", "5", "5", "*"]), numbers)
    assert exactly(cells, pl.Series([5, 5, 6, 5])).to_list() == [False, True, False, False]
    sets, _ = parse(pl.Series(["{a;b}", "a", "b"]), lambda texts: texts)
    assert exactly(sets, pl.Series(["a", "a", "a"])).to_list() == [False, True, False]
    assert exactly(pl.Series([1, 2]), pl.Series([1, 1])).to_list() == [True, False]


def test_exact_cells_can_be_widened_and_still_say_the_same() -> None:
    plain = pl.Series("x", ["a", None])
    for to in ("exact", "interval", "set"):
        wide = widened(plain, to)
        assert kind(wide.dtype) == to
        assert exactly(wide, pl.Series(["a", "a"])).to_list() == [True, False]
        assert wide.null_count() == 1


@pytest.mark.parametrize(
    ("of", "texts", "read"),
    [
        ("interval", ["{a;b}", "{c}"], ["{a;b}", "{c}"]),
        ("set", ["[1;2]", "[3]"], ["[1;2]", "[3]"]),
        ("exact", ["{a;b}", "[1;2]"], ["{a;b}", "[1;2]"]),
    ],
)
def test_a_column_of_one_kind_may_hold_names_that_look_like_another(
    of: Kind, texts: list[str], read: list[str]
) -> None:
    cells, bad = parse(pl.Series(texts), lambda found: found, of=of)
    assert cells.to_list() == read
    assert not bad.any()


@pytest.mark.parametrize("text", ["{a", "a}", "[a", "a]"])
def test_half_of_a_bracket_belongs_to_the_name(text: str) -> None:
    cells, bad = parse(pl.Series([text, "b", "*"]), lambda texts: texts)
    assert cells.to_list() == [text, "b", None]
    assert bad.to_list() == [False, False, False]


def test_a_missing_text_is_reported_whatever_the_others_are() -> None:
    for other in ("a", "{a;b}"):
        _, bad = parse(pl.Series([other, None]), lambda texts: texts)
        assert bad.to_list() == [False, True]
    _, bad = parse(pl.Series(["[1;2]", None, "*"]), numbers)
    assert bad.to_list() == [False, True, False]


def test_plain_values_are_those_of_cells_that_say_one() -> None:
    ends = pl.Series("x", ["[5;7]", "5", "*"])
    cells, _ = parse(ends, numbers)
    assert plain(cells).to_list() == [None, 5, None]
    assert plain(cells).name == "x"
    sets, _ = parse(pl.Series(["{a;b}", "c", "*"]), lambda texts: texts)
    assert plain(sets).to_list() == [None, "c", None]
    assert plain(pl.Series([1, None])).to_list() == [1, None]


def test_units_are_days_hundredths_and_pieces() -> None:
    assert units(pl.Series([date(1970, 1, 3)])).to_list() == [2]
    assert units(pl.Series([datetime(1970, 1, 3, 23)])).to_list() == [2]
    assert units(pl.Series([1.23, 2.008])).to_list() == [123, 201]
    assert units(pl.Series([7])).to_list() == [7]


def test_the_deviation_is_that_of_all_values_and_items_have_none() -> None:
    assert deviation(pl.Series([1, 3])) == 1.0
    assert deviation(pl.Series([0.01, 0.03])) == 1.0
    assert deviation(pl.Series([date(2020, 1, 1), date(2020, 1, 5)])) == 2.0
    assert deviation(pl.Series([], dtype=pl.Int64)) == 0.0
    assert deviation(pl.Series(["a", "b"])) == 0.0


@pytest.mark.parametrize("item", ["a;b", "{a", "a}"])
def test_an_item_that_looks_like_a_set_cannot_stand_in_one(item: str) -> None:
    cells = pl.Series("item", [["x", "y"], ["z", item]])
    with pytest.raises(SchemaError, match="An item of a set may not hold any of") as error:
        to_text(cells, words)
    assert f"{item!r} in item does" in str(error.value)


def test_sets_are_written_in_order() -> None:
    assert to_text(pl.Series([["b", "a"], ["c"], None]), words).to_list() == ["{a;b}", "c", "*"]


days = st.dates(date(2000, 1, 1), date(2030, 1, 1))


@given(st.lists(st.tuples(days, days) | st.none(), min_size=1))
def test_intervals_survive_writing_and_reading(ends: list[tuple[date, date] | None]) -> None:
    ordered = [None if pair is None else {"lo": min(pair), "hi": max(pair)} for pair in ends]
    schema = pl.Struct({"lo": pl.Date, "hi": pl.Date})
    cells = pl.Series("time", ordered, dtype=schema)
    read_back, bad = parse(
        to_text(cells, lambda values: values.dt.strftime("%Y/%-m/%-d")),
        lambda texts: texts.str.to_date("%Y/%m/%d", strict=False),
    )
    assert not bad.any()
    assert widened(read_back, "interval").to_list() == ordered


@given(st.lists(st.none() | st.sets(st.sampled_from("abcdef"), min_size=1), min_size=1))
def test_sets_survive_writing_and_reading(sets: list[set[str] | None]) -> None:
    cells = pl.Series(
        "item", [None if s is None else sorted(s) for s in sets], dtype=pl.List(pl.String)
    )
    read_back, bad = parse(to_text(cells, words), lambda texts: texts.replace("*", None))
    assert not bad.any()
    assert widened(read_back, "set").to_list() == cells.to_list()
