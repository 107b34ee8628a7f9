"""Rows found again by a key, beside a dictionary that is filled and asked row by row."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokumei import History
from tokumei.attacks import KeyMatching, key_matching
from tokumei.attacks.key_matching import SAMPLES, guesses
from tokumei.contracts import Challenge
from tokumei.tables import frame, table

SCHEMA = {
    "person": pl.String, "time": pl.String, "item": pl.String, "price": pl.Float64,
    "quantity": pl.Int64,
}  # fmt: skip
rows = st.lists(
    st.tuples(
        st.sampled_from("abc"),
        st.sampled_from(["2011/1/3", "2011/1/4", "2011/2/1"]),
        st.sampled_from(["21", "219", "220", None]),
        st.sampled_from([1.0, 2.5, None]),
        st.sampled_from([1, 2, None]),
    ),
    max_size=12,
)
Row = tuple[Any, ...]
Rows = list[Row]


def history(cells: Rows) -> History:
    made = pl.DataFrame(cells, schema=SCHEMA, orient="row")
    return History(table(made.with_row_index("row").with_columns(pl.col("row").cast(pl.Int64))))


def challenge(released: Rows, known: Rows, *, by_month: bool) -> Challenge:
    public, seen = history(released), history(known)
    if by_month:
        asked = [(who, f"2011-0{month}") for who in "abc" for month in (1, 2)]
        targets = pl.DataFrame(
            [(f"{who} {month}", who, month) for who, month in asked],
            schema=["target", "person", "month"],
            orient="row",
        )
    else:
        targets = public.frame().select(target="person").unique()
    candidates = pl.DataFrame({"value": ["a", "b", "c"]})
    return Challenge(public, seen, table(targets), table(candidates), "By hand.")


def literally(on: str, released: Rows, known: Rows, *, by_month: bool) -> dict[str, str]:
    place = {"date": 1, "item": 2, "price": 3, "quantity": 4}

    def key(row: Row) -> Row:
        cut = (*row[:2], row[2] and row[2][:2], *row[3:])
        return tuple(cut[place[name]] for name in on.split("+"))

    book = {key(row): row[0] for row in released if None not in key(row)}
    said: dict[str, str] = {}
    for row in known:
        if (name := book.get(key(row))) is None:
            continue
        if by_month:
            said[f"{row[0]} 2011-0{str(row[1]).split('/')[1]}"] = name
        else:
            said[name] = str(row[0])
    return said


@pytest.mark.parametrize("highest", [2**63 - 1, 3], ids=["as it is", "numbers that run out"])
@pytest.mark.parametrize("by_month", [True, False], ids=["whose month", "who is who"])
def test_the_sample_attacks_say_what_a_dictionary_says(
    by_month: bool, highest: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(key_matching, "HIGHEST", highest)

    @given(rows, rows)
    def check(released: Rows, known: Rows) -> None:
        asked = challenge(released, known, by_month=by_month)
        for attack, guess in zip(
            SAMPLES.values(), guesses(list(SAMPLES.values()), asked), strict=True
        ):
            said = dict(frame(guess.pairs).select("target", "value").iter_rows())
            assert said == literally(attack.on, released, known, by_month=by_month)

    check()


def test_a_cell_that_is_named_twice_counts_once() -> None:
    known: Rows = [("a", "2011/1/3", "21", 1.0, 1)]
    asked = challenge([("b", "2011/1/3", "22", 2.5, 1)], known, by_month=False)
    guess = KeyMatching(on="date+quantity+date")(asked, seed=0)
    assert frame(guess.pairs).rows() == [("b", "a", 1.0)]
