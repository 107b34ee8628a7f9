import polars as pl
import pytest

from tokumei import History, publish
from tokumei.anonymizers import ShiftDates
from tokumei.attacks import ExactRow, Random
from tokumei.errors import SchemaError
from tokumei.judges import HitRate
from tokumei.tables import frame
from tokumei.threats import FullKnowledge


def test_an_unchanged_release_gives_everybody_away(fruit: History) -> None:
    challenge, answer = FullKnowledge()(fruit, publish(fruit, fruit, secret=b"1"), seed=1)
    assert HitRate()(ExactRow()(challenge, seed=1), answer).value == 1


def test_a_row_that_fits_two_customers_is_half_a_vote_for_each() -> None:
    """Ann and Ben both bought tea alike; only Ann bought rice. The release has Ann's two rows."""
    names = ["person", "item", "price"]
    rows = pl.DataFrame(
        [("Ann", "tea", 1.0), ("Ann", "rice", 2.0), ("Ben", "tea", 1.0)], schema=names, orient="row"
    )
    from tokumei import read

    history = read(rows)
    anns = history.with_purchases(history.frame().filter(person="Ann"))
    challenge, _ = FullKnowledge()(history, publish(history, anns, secret=b"1"), seed=1)
    guess = frame(ExactRow()(challenge, seed=1).pairs)
    votes = dict(guess.select("value", "weight").iter_rows())
    assert votes == {"Ann": 1.5, "Ben": 0.5}
    only_best = frame(ExactRow(top=1)(challenge, seed=1).pairs)
    assert only_best["value"].to_list() == ["Ann"]


def test_where_no_row_fits_nothing_is_said(fruit: History) -> None:
    later = fruit.with_purchases(fruit.frame().with_columns(price=pl.col("price") + 100))
    challenge, _ = FullKnowledge()(fruit, publish(fruit, later, secret=b"1"), seed=1)
    assert frame(ExactRow()(challenge, seed=1).pairs).is_empty()


def test_baskets_link_nothing_because_publishing_renames_them(fruit: History) -> None:
    only = fruit.with_purchases(fruit.frame().select("row", "person", "basket"))
    challenge, _ = FullKnowledge()(only, publish(only, only, secret=b"1"), seed=1)
    with pytest.raises(SchemaError, match="must share an exact column"):
        ExactRow()(challenge, seed=1)


def test_shifted_dates_hide_most_customers(shop: History) -> None:
    shifted = ShiftDates(days=30)(shop, seed=1)
    challenge, answer = FullKnowledge()(shop, publish(shop, shifted, secret=b"1"), seed=1)
    assert HitRate()(ExactRow()(challenge, seed=1), answer).value < 0.3


def test_random_names_so_many_customers_at_most(shop: History) -> None:
    challenge, answer = FullKnowledge()(shop, publish(shop, shop, secret=b"1"), seed=1)
    one = frame(Random()(challenge, seed=1).pairs)
    assert len(one) == 60
    assert one["target"].n_unique() == 60
    everyone = Random(names=60)(challenge, seed=1)
    assert len(frame(everyone.pairs)) == 3600
    assert HitRate()(everyone, answer).value == pytest.approx(1 / 60)
