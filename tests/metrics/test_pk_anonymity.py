"""Pk-anonymity of small releases, by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import polars as pl
import pytest

from tokumei import History, Release, publish
from tokumei.errors import ParameterError, SchemaError
from tokumei.history import ROW
from tokumei.metrics import PkAnonymity
from tokumei.metrics.pk_anonymity import linked
from tokumei.tables import frame, table


def people(*columns: str) -> History:
    """Customers who bought one thing each; the letters of a text are the values of a column."""
    count = len(columns[0])
    persons = [f"c{number:03d}" for number in range(count)]
    rows = pl.DataFrame({ROW: range(count), "person": persons, "item": ["tea"] * count})
    names = dict(zip("abc", map(list, columns), strict=False))
    return History(table(rows), table(pl.DataFrame({"person": persons} | names)))


def released(before: History, after: History) -> Release:
    return publish(before, after, secret=b"1")


def k_of(rho: float, *, values: int, records: int) -> float:
    """k of one attribute: its values stay with rho, and are drawn anew otherwise."""
    other = (1 - rho) / values
    return 1 + (records - 1) * (other / (rho + other)) ** 2


def test_k_follows_from_the_share_of_values_that_are_kept() -> None:
    """5 of 8 are kept, so rho is 1/2; A is 5/8 and 1/8; k is 1 + 7 / 25."""
    before, after = people("00112233"), people("00112301")
    score = PkAnonymity(columns="a")(before, released(before, after), seed=1)
    assert score.value == pytest.approx(1.28)
    assert (score.name, score.better, score.range, score.n) == (
        *("pk-anonymity", "higher", (1.0, 8.0)),
        8,
    )
    error = math.sqrt(8 * 5 / 8 * 3 / 8) / 6
    low, high = (k_of(0.5 + 1.96 * sign * error, values=4, records=8) for sign in (1, -1))
    assert score.interval == pytest.approx((low, high))


def test_where_all_may_have_been_kept_the_interval_begins_at_1() -> None:
    before, after = people("00112233"), people("00112230")
    score = PkAnonymity(columns="a")(before, released(before, after), seed=1)
    rho = 5 / 6
    low, high = score.interval
    assert score.value == pytest.approx(k_of(rho, values=4, records=8))
    assert low == 1.0
    error = math.sqrt(8 * 7 / 8 * 1 / 8) / 6
    assert high == pytest.approx(k_of(rho - 1.96 * error, values=4, records=8))


def test_a_column_that_is_kept_whole_gives_everybody_away() -> None:
    before, after = people("00112233", "01010101"), people("00112301", "01010101")
    for columns in ("a,b", "b,a"):
        score = PkAnonymity(columns=columns)(before, released(before, after), seed=1)
        assert (score.value, score.interval) == (1.0, (1.0, pytest.approx(1.0)))


def test_values_that_all_go_to_one_place_promise_nothing() -> None:
    """Fifty times 0 becomes 1: the kept values alone would give k above 10."""
    before, after = people("0" * 50 + "23456789ab"), people("1" * 50 + "23456789ab")
    score = PkAnonymity(columns="a")(before, released(before, after), seed=1)
    assert k_of((10 - 5) / 55, values=12, records=60) > 10
    assert (score.value, score.interval) == (1.0, (1.0, 1.0))


def test_two_records_are_enough_and_one_is_not() -> None:
    before, after = people("01"), people("10")
    release = released(before, after)
    assert PkAnonymity(columns="a")(before, release, seed=1).value == pytest.approx(2)
    known = frame(release.key.pseudonyms)[:1]
    less = replace(release, key=replace(release.key, pseudonyms=table(known)))
    with pytest.raises(SchemaError, match="at least 2 records must be linked by the key"):
        PkAnonymity(columns="a")(before, less, seed=1)


def test_purchases_are_linked_row_by_row() -> None:
    """Two customers, four rows each; a row is lost, one is invented; 6 of 7 items are kept."""
    rows = pl.DataFrame(
        {ROW: range(8), "person": list("ppppqqqq"), "item": list("00112233")},
        schema_overrides={ROW: pl.Int64},
    )
    before = History(table(rows))
    kept = before.with_purchases(rows.with_columns(item=pl.Series(list("00112203"))).head(7))
    after = kept.add_rows(rows.tail(1).drop(ROW))
    release = publish(before, after, secret=b"1")
    score = PkAnonymity(columns="item", table="purchases")(before, release, seed=1)
    rho = (6 - 7 / 4) / (7 * 3 / 4)
    assert score.n == 7
    assert score.value == pytest.approx(k_of(rho, values=4, records=7))


@pytest.mark.parametrize("part", ["customers", "purchases"])
def test_the_order_of_rows_makes_no_difference(part: str) -> None:
    """What was drawn within bins belongs to a record, wherever it stands."""
    before, after = people("0" * 100), people("1234" * 25)
    if part == "purchases":
        item = frame(before.customers)["a"].alias("item"), frame(after.customers)["a"].alias("item")
        before, after = (
            replace(before, purchases=table(before.frame().with_columns(column)), customers=None)
            for column in item
        )
    column = "a" if part == "customers" else "item"
    release = released(before, after)
    mixed = replace(
        before,
        purchases=table(before.frame().reverse()),
        customers=None if before.customers is None else table(frame(before.customers).reverse()),
    )
    found = [
        linked(history, release, part, [column], "", seed=1).estimate for history in (before, mixed)
    ]
    assert found[0] == found[1]
    assert 0 < found[0].chance < 1


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"columns": "a", "table": "rows"}, "table must be"),
        ({"columns": "a,a"}, "must name different columns"),
        ({"columns": "a", "forbidden": "a"}, "looks like age=0-4"),
    ],
)
def test_wrong_parameters_are_refused_before_anything_is_read(
    fields: dict[str, str], sentence: str
) -> None:
    with pytest.raises(ParameterError, match=sentence):
        PkAnonymity(**fields)  # type: ignore[arg-type]
