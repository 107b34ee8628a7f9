"""The sample attacks of the contests, by hand."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

from tokumei import History, publish, read
from tokumei.attacks import ItemIntersection, KeyMatching, MultisetJaccard, UniqueRow
from tokumei.cells import widened
from tokumei.contracts import Challenge
from tokumei.errors import ParameterError, SchemaError
from tokumei.history import ROW
from tokumei.judges import HitRate, WholeHistory
from tokumei.tables import frame, table
from tokumei.threats import FullKnowledge, MonthlyView


def history_of(*rows: tuple[str, str, str, float, int]) -> History:
    names = ["person", "time", "item", "price", "quantity"]
    return read(pl.DataFrame(rows, schema=names, orient="row"))


def asked(released: History, known: History) -> Challenge:
    """Who is behind each pseudonym of a release that was written by hand."""
    targets = released.frame().select(target="person").unique()
    people = known.frame().select(value="person").unique()
    return Challenge(released, known, table(targets), table(people), "By hand.")


def named(guess: pl.DataFrame) -> dict[str, str]:
    return dict(guess.select("target", "value").iter_rows())


def test_a_later_row_overwrites_an_earlier_one_in_the_dictionary_and_in_the_guess() -> None:
    released = history_of(
        ("p1", "2011-01-03", "21258", 1.0, 2),
        ("p2", "2011-01-03", "99999", 9.0, 2),  # the same date and quantity: overwrites p1
        ("p3", "2011-01-05", "21111", 1.0, 4),
    )
    known = history_of(
        ("Ann", "2011-01-03", "21", 1.0, 2),
        ("Ben", "2011-01-05", "21", 1.0, 4),
        ("Cay", "2011-01-05", "22", 7.0, 4),  # looks p3 up as well: overwrites Ben
    )
    guess = frame(KeyMatching(on="date+quantity")(asked(released, known), seed=0).pairs)
    assert named(guess) == {"p2": "Ann", "p3": "Cay"}


def test_items_are_compared_by_their_first_characters() -> None:
    released = history_of(("p1", "2011-01-03", "21258", 1.0, 2))
    known = history_of(("Ann", "2011-04-07", "21999", 1.0, 5))
    challenge = asked(released, known)
    assert named(frame(KeyMatching(on="item+price")(challenge, seed=0).pairs)) == {"p1": "Ann"}
    longer = KeyMatching(on="item+price", item_characters=3)
    assert frame(longer(challenge, seed=0).pairs).is_empty()


def test_a_key_of_other_cells_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"on must join cells out of .* by \+, not 'color'"):
        KeyMatching(on="date+color")


def test_a_month_is_answered_by_the_last_known_row_of_that_month(fruit: History) -> None:
    release = publish(fruit, fruit, secret=b"1", period="month")
    challenge, answer = MonthlyView(share=1.0, item_characters=9)(fruit, release, seed=1)
    guess = KeyMatching(on="date+item+price+quantity", item_characters=9)(challenge, seed=0)
    assert WholeHistory()(guess, answer).value == 1


def test_who_knows_no_row_names_nobody_in_any_month(fruit: History) -> None:
    challenge, _ = MonthlyView()(fruit, publish(fruit, fruit, secret=b"1"), seed=1)
    blind = challenge.known.with_purchases(challenge.known.frame().clear())
    guess = KeyMatching()(replace(challenge, known=blind), seed=0)
    assert frame(guess.pairs).is_empty()


def test_attacks_on_item_sets_answer_months_too(fruit: History) -> None:
    release = publish(fruit, fruit, secret=b"1")
    challenge, answer = MonthlyView(share=1.0, item_characters=9)(fruit, release, seed=1)
    assert WholeHistory()(MultisetJaccard()(challenge, seed=1), answer).value == 1


def test_a_row_names_its_customer_only_if_it_stands_once_in_the_original() -> None:
    known = history_of(
        ("Ann", "2011-01-03", "tea", 1.0, 2),
        ("Ann", "2011-01-04", "rice", 2.0, 1),
        ("Ann", "2011-01-04", "rice", 2.0, 1),
        ("Ben", "2011-01-03", "salt", 3.0, 2),
        ("Cay", "2011-01-03", "salt", 3.0, 2),
    )
    released = history_of(
        ("p1", "2011-01-03", "tea", 1.0, 2),
        ("p2", "2011-01-04", "rice", 2.0, 1),
        ("p3", "2011-01-03", "salt", 3.0, 2),
    )
    guess = frame(UniqueRow()(asked(released, known), seed=0).pairs)
    assert named(guess) == {"p1": "Ann"}


def test_the_last_unique_row_of_a_pseudonym_wins_and_wide_rows_are_passed_over() -> None:
    known = history_of(("Ann", "2011-01-03", "tea", 1.0, 2), ("Ben", "2011-01-03", "salt", 3.0, 2))
    released = history_of(
        ("p1", "2011-01-03", "tea", 1.0, 2),
        ("p1", "2011-01-03", "salt", 3.0, 2),
        ("p2", "2011-01-03", "tea", 1.0, 2),
    )
    rows = released.frame()
    items = pl.Series("item", [["tea"], ["salt"], ["salt", "tea"]])
    wide = released.with_purchases(rows.with_columns(items))
    assert named(frame(UniqueRow()(asked(wide, known), seed=0).pairs)) == {"p1": "Ben"}


def test_without_a_common_column_no_row_is_found_again() -> None:
    known = history_of(("Ann", "2011-01-03", "tea", 1.0, 2))
    released = History(known.purchases.select(ROW, "person"))
    with pytest.raises(SchemaError, match="must share a column"):
        UniqueRow()(asked(released, known), seed=0)


def test_who_may_hold_all_items_is_named_if_nobody_else_may() -> None:
    """Ann bought tea and rice; p1 has both, p2 lacks rice, p3 may hold anything but has 3 rows."""
    known = history_of(("Ann", "2011-01-03", "tea", 1.0, 2), ("Ann", "2011-01-04", "rice", 1.0, 2))
    rows = [
        ("p1", ["tea"]), ("p1", ["rice", "salt"]), ("p2", ["tea"]),
        ("p3", None), ("p3", ["tea"]), ("p3", ["tea"]),
    ]  # fmt: skip
    released = pl.DataFrame(rows, schema=["person", "item"], orient="row")
    numbered = released.with_columns(pl.int_range(pl.len()).alias(ROW))
    challenge = asked(History(table(numbered)), known)
    assert named(frame(ItemIntersection()(challenge, seed=0).pairs)) == {"p1": "Ann"}
    shorter = History(table(numbered.filter(pl.col(ROW) != 5)))
    assert frame(ItemIntersection()(asked(shorter, known), seed=0).pairs).is_empty()


def test_an_unchanged_release_gives_itself_away_by_its_items(shop: History) -> None:
    challenge, answer = FullKnowledge()(shop, publish(shop, shop, secret=b"1"), seed=1)
    rate = HitRate()(ItemIntersection()(challenge, seed=0), answer).value
    sets = widened(challenge.release.frame()["item"], "set")
    wide = challenge.release.with_purchases(challenge.release.frame().with_columns(sets))
    again = ItemIntersection()(Challenge(wide, *list(vars(challenge).values())[1:]), seed=0)
    assert rate > 0.9
    assert HitRate()(again, answer).value == rate
