from datetime import date

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokumei import History, generate, publish
from tokumei.anonymizers import (
    Chain,
    DeleteRows,
    PerturbAmounts,
    PseudonymsOnly,
    ShiftDates,
    Yamaoka,
)
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


def test_plain_dates_stay_plain(fruit: History) -> None:
    assert ShiftDates(days=2)(fruit, seed=1).frame()["time"].dtype == pl.Date


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


def test_small_quantities_cannot_change_at_small_noise() -> None:
    """At 0.1 a quantity of 4 becomes 3.6 to 4.4, which is 4 again; one of 8 can become 7 or 9."""
    rows = pl.DataFrame(
        {
            ROW: range(800),
            "person": ["Ann"] * 800,
            "quantity": [number % 8 + 1 for number in range(800)],
        }
    )
    after = PerturbAmounts(quantity=0.1)(History(table(rows)), seed=1).frame().sort(ROW)
    changed = set(rows["quantity"].filter(rows["quantity"] != after["quantity"]))
    assert changed == {6, 7, 8} or changed == {5, 6, 7, 8}
    assert "all quantities of 4 or less are as they were" in " ".join(
        (PerturbAmounts.__doc__ or "").split()
    )
