from datetime import date, time

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokumei import History, generate, publish
from tokumei.anonymizers import (
    Chain,
    DeleteRows,
    GeneralizeAtRandom,
    PerturbAmounts,
    PseudonymsOnly,
    ShiftDates,
    Yamaoka,
)
from tokumei.cells import covers, high, low
from tokumei.errors import SchemaError, Unachievable
from tokumei.history import ROW
from tokumei.tables import frame, table

SHOP = generate("shop", customers=40, seed=3)


def test_pseudonyms_only_changes_nothing(fruit: History) -> None:
    assert PseudonymsOnly()(fruit, seed=1).frame().equals(fruit.frame())


@given(st.floats(0, 0.99), st.integers(0, 2**40))
def test_deletion_takes_about_its_share(share: float, seed: int) -> None:
    left = DeleteRows(share=share)(SHOP, seed=seed)
    spread = 5 * (share * (1 - share) / SHOP.rows) ** 0.5
    assert abs(1 - left.rows / SHOP.rows - share) <= spread + 1e-9


def test_a_larger_share_deletes_the_same_rows_and_more() -> None:
    few, many = (set(DeleteRows(share=s)(SHOP, seed=1).frame()[ROW]) for s in (0.2, 0.6))
    assert many < few


@given(st.floats(0, 0.99), st.floats(0, 0.99))
def test_amounts_stay_within_their_spread(price: float, quantity: float) -> None:
    before = SHOP.frame().sort(ROW)
    after = PerturbAmounts(price=price, quantity=quantity)(SHOP, seed=5).frame().sort(ROW)
    change = (after["price"] - before["price"]).abs()
    assert (change <= before["price"] * price + 0.0101).all()
    change = (after["quantity"] - before["quantity"]).abs()
    assert (change <= before["quantity"] * quantity + 0.5).all()
    assert after["price"].min() >= 0.01  # type: ignore[operator]
    assert after["quantity"].min() >= 1  # type: ignore[operator]
    assert after["quantity"].dtype == pl.Int64


def test_amounts_are_needed_to_perturb_them(fruit: History) -> None:
    bare = fruit.with_purchases(fruit.frame().drop("price", "quantity"))
    with pytest.raises(SchemaError, match="needs a price or a quantity column"):
        PerturbAmounts()(bare, seed=1)


def test_a_customers_dates_move_together(fruit: History) -> None:
    shifted = ShiftDates(days=3)(fruit, seed=2).frame().sort(ROW)
    moves = (shifted["time"] - fruit.frame()["time"]).dt.total_days()
    inside = shifted["time"].is_between(date(2018, 9, 3), date(2018, 10, 11))
    for person in fruit.persons():
        chosen = (shifted["person"] == person) & inside
        assert moves.filter(chosen).n_unique() <= 1
    assert moves.n_unique() > 1


@given(st.integers(0, 400), st.sampled_from(["customer", "row"]), st.integers(0, 2**40))
def test_dates_stay_in_the_period_and_near(days: int, together: str, seed: int) -> None:
    before = SHOP.frame().sort(ROW)["time"]
    method = ShiftDates(days=days, together=together, keep_times=True)  # type: ignore[arg-type]
    after = method(SHOP, seed=seed).frame().sort(ROW)["time"]
    assert after.dt.date().min() >= before.dt.date().min()  # type: ignore[operator]
    assert after.dt.date().max() <= before.dt.date().max()  # type: ignore[operator]
    assert (after.dt.time() == before.dt.time()).all()
    assert ((after - before).dt.total_days().abs() <= days).all()


@pytest.mark.parametrize("together", ["customer", "row"])
def test_shifted_dates_carry_no_time_of_day_unless_it_is_kept(together) -> None:
    cut, kept = (
        ShiftDates(together=together, keep_times=keep)(SHOP, seed=1).frame()["time"]
        for keep in (False, True)
    )
    assert set(cut.dt.time()) == {time(0)}
    assert (cut.dt.date() == kept.dt.date()).all()
    assert kept.dt.time().n_unique() > 100
    assert cut.dtype == kept.dtype


def test_widened_dates_carry_no_time_of_day_unless_it_is_kept() -> None:
    cut, kept = (
        GeneralizeAtRandom(keep_times=keep)(SHOP, seed=1).frame().sort(ROW)["time"]
        for keep in (False, True)
    )
    assert set(low(cut).drop_nulls().dt.time()) == {time(0)}
    assert set(high(cut).drop_nulls().dt.time()) == {time(23, 59, 59, 999_999)}
    assert covers(cut, SHOP.frame().sort(ROW)["time"]).all()
    assert low(kept).drop_nulls().dt.time().n_unique() > 100


def test_plain_dates_stay_plain(fruit: History) -> None:
    assert ShiftDates(days=2)(fruit, seed=1).frame()["time"].dtype == pl.Date
    assert low(GeneralizeAtRandom()(fruit, seed=1).frame()["time"]).dtype == pl.Date


def test_yamaoka_gives_every_history_to_another_name(fruit: History) -> None:
    people = table(pl.DataFrame({"person": fruit.persons(), "age": [1, 2, 3, 4]}))
    history = History(fruit.purchases, people, fruit.source)
    moved = Yamaoka()(history, seed=1)
    before, after = history.frame().sort(ROW), moved.frame().sort(ROW)
    assert before.drop("person").equals(after.drop("person"))
    pairs = pl.DataFrame({"before": before["person"], "after": after["person"]}).unique()
    assert len(pairs) == 4
    assert (pairs["before"] != pairs["after"]).all()
    assert moved.customers is not None
    ages = dict(frame(people).iter_rows()), dict(frame(moved.customers).iter_rows())
    assert all(ages[0][b] == ages[1][a] for b, a in pairs.iter_rows())


def test_yamaoka_alone_is_impossible(fruit: History) -> None:
    alone = fruit.with_purchases(fruit.frame().filter(person="Alice"))
    with pytest.raises(Unachievable, match="at least two customers"):
        Yamaoka()(alone, seed=1)


def test_a_chain_is_its_steps_one_after_the_other() -> None:
    chain = Chain(steps=(DeleteRows(share=0.5), DeleteRows(share=0.5)))
    left = chain(SHOP, seed=1).rows / SHOP.rows
    assert 0.2 < left < 0.3  # had both steps drawn the same numbers, a half would be left


def test_an_empty_chain_changes_nothing() -> None:
    assert publish(SHOP, Chain()(SHOP, seed=1), secret=b"2").public.rows == SHOP.rows
