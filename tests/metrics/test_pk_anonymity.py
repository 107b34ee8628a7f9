"""Pk-anonymity of small releases, by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from tokumei import History, Release, publish
from tokumei.errors import ParameterError, SchemaError
from tokumei.history import ROW
from tokumei.metrics import PkAnonymity
from tokumei.metrics.pk_anonymity import linked
from tokumei.pk import Domain, mechanism
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


def drawn(before: str, rho: float, *, seed: int = 1) -> str:
    """Return letters kept with probability rho, and drawn from those that occur otherwise."""
    values = sorted(set(before))
    of = mechanism(Domain.of({"a": values}), rho)
    cells = np.array([values.index(letter) for letter in before])
    return "".join(values[cell] for cell in of.draw(cells, np.arange(len(cells)), seed=seed))


def test_k_follows_from_the_share_of_values_that_are_kept() -> None:
    letters = "0123" * 50
    perturbed = drawn(letters, 0.5)
    before, after = people(letters), people(perturbed)
    score = PkAnonymity(columns="a")(before, released(before, after), seed=1)
    same = sum(map(str.__eq__, letters, perturbed))
    rho = (same - 50) / 150  # 50 of 200 would be the same by chance
    assert score.value == pytest.approx(k_of(rho, values=4, records=200))
    assert (score.name, score.better, score.range, score.n) == (
        *("pk-anonymity", "higher", (1.0, 200.0)),
        200,
    )
    error = math.sqrt(200 * same / 200 * (1 - same / 200)) / 150
    low, high = (k_of(rho + 1.96 * sign * error, values=4, records=200) for sign in (1, -1))
    assert score.interval == pytest.approx((low, high))


def test_where_a_substitution_would_not_be_noticed_nothing_is_promised() -> None:
    """8 records: 5 of 8 are kept, so rho would be 1/2; but any rule could have moved the 3."""
    before, after = people("00112233"), people("00112301")
    score = PkAnonymity(columns="a")(before, released(before, after), seed=1)
    assert (score.value, score.interval) == (1.0, (1.0, 1.0))


def test_where_values_are_all_different_nothing_is_promised() -> None:
    letters = "".join(map(chr, range(0x4E00, 0x4E00 + 120)))
    before, after = people(letters), people(drawn(letters, 0.1))
    assert PkAnonymity(columns="a")(before, released(before, after), seed=1).value == 1.0


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


def test_fewer_values_kept_than_by_chance_promise_nothing() -> None:
    """Nobody keeps one of 12 letters; of 240 draws, 20 would be the same."""
    letters = "0123456789ab" * 20
    rng = np.random.default_rng(3)
    moved = "".join(rng.choice(sorted(set(letters) - {letter})) for letter in letters)
    before, after = people(letters), people(moved)
    assert PkAnonymity(columns="a")(before, released(before, after), seed=1).value == 1.0


def test_one_coin_for_two_columns_promises_nothing() -> None:
    """Each column by itself looks kept with rho .3; together they are kept or drawn."""
    rng = np.random.default_rng(4)
    a, b = ("".join(rng.choice(list("01234"), 600)) for _ in "ab")
    other = ["".join(rng.choice(list("01234"), 600)) for _ in "ab"]
    coins = rng.random(600) < 0.3
    one = [
        "".join(np.where(coins, list(old), list(new)))
        for old, new in zip((a, b), other, strict=True)
    ]
    before = people(a, b)
    assert PkAnonymity(columns="a,b")(before, released(before, people(*one)), seed=1).value == 1.0
    two = people(drawn(a, 0.3), drawn(b, 0.3, seed=2))
    assert PkAnonymity(columns="a,b")(before, released(before, two), seed=1).value > 2


def test_one_record_is_not_enough() -> None:
    before, after = people("01"), people("10")
    release = released(before, after)
    known = frame(release.key.pseudonyms)[:1]
    less = replace(release, key=replace(release.key, pseudonyms=table(known)))
    with pytest.raises(SchemaError, match="at least 2 records must be linked by the key"):
        PkAnonymity(columns="a")(before, less, seed=1)


def test_purchases_are_linked_row_by_row() -> None:
    """Two customers with 200 rows; one is lost, one is invented; the others are linked."""
    letters = "0123" * 50
    rows = pl.DataFrame(
        {ROW: range(200), "person": ["p", "q"] * 100, "item": list(letters)},
        schema_overrides={ROW: pl.Int64},
    )
    before = History(table(rows))
    perturbed = drawn(letters, 0.5)
    kept = before.with_purchases(rows.with_columns(item=pl.Series(list(perturbed))).head(199))
    after = kept.add_rows(rows.tail(1).drop(ROW))
    release = publish(before, after, secret=b"1")
    score = PkAnonymity(columns="item", table="purchases")(before, release, seed=1)
    same = sum(map(str.__eq__, letters[:199], perturbed))
    rho = (same - 199 / 4) / (199 * 3 / 4)
    assert score.n == 199
    assert score.value == pytest.approx(k_of(rho, values=4, records=199))


@pytest.mark.parametrize("part", ["customers", "purchases"])
def test_the_order_of_rows_makes_no_difference(part: str) -> None:
    """Records are compared in the order of their names, wherever they stand."""
    letters = "0123" * 25
    before, after = people(letters), people(drawn(letters, 0.2))
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
    found = [linked(history, release, part, [column], "") for history in (before, mixed)]
    assert found[0].before.tolist() == found[1].before.tolist()
    assert found[0].after.tolist() == found[1].after.tolist()


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
