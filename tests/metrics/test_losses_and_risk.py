import polars as pl
import pytest

from tokumei import History, Risk, publish
from tokumei.anonymizers import DeleteRows, ShiftDates
from tokumei.attacks import ExactRow
from tokumei.cells import intervals
from tokumei.history import ROW
from tokumei.metrics import CellsChanged, ItemCountError, RowsAdded, RowsDeleted
from tokumei.threats import PartialRows


def test_two_of_eight_rows_deleted_is_a_quarter(fruit: History) -> None:
    release = publish(fruit, fruit.with_purchases(fruit.frame().head(6)), secret=b"1")
    assert RowsDeleted()(fruit, release, seed=1).value == 0.25
    assert RowsAdded()(fruit, release, seed=1).value == 0


def test_four_invented_rows_are_a_half(fruit: History) -> None:
    release = publish(fruit, fruit.add_rows(fruit.frame().drop(ROW).head(4)), secret=b"1")
    assert RowsAdded()(fruit, release, seed=1).value == 0.5
    assert RowsDeleted()(fruit, release, seed=1).value == 0
    assert CellsChanged()(fruit, release, seed=1).value == 0


def test_every_price_changed_is_a_quarter_of_the_cells(fruit: History) -> None:
    dearer = fruit.with_purchases(fruit.frame().with_columns(price=pl.col("price") + 1))
    score = CellsChanged()(fruit, publish(fruit, dearer, secret=b"1"), seed=1)
    assert (score.value, score.n) == (0.25, 32)


def test_a_generalized_cell_is_changed_unless_it_says_the_value(fruit: History) -> None:
    rows = fruit.frame()
    wide = intervals(rows["price"], rows["price"] + pl.Series([0.0, 0, 0, 0, 1, 1, 1, 1]))
    release = publish(fruit, fruit.with_purchases(rows.with_columns(wide)), secret=b"1")
    assert CellsChanged()(fruit, release, seed=1).value == 4 / 32


def test_item_counts_of_a_pear_turned_into_a_peach(fruit: History) -> None:
    """pear 3, grape 4, peach 1 becomes pear 2, grape 4, peach 2: two off, of eight."""
    item = pl.when(pl.col(ROW) == 0).then(pl.lit("peach")).otherwise("item")
    changed = fruit.with_purchases(fruit.frame().with_columns(item=item))
    assert ItemCountError()(fruit, publish(fruit, changed, secret=b"1"), seed=1).value == 0.25


def test_a_set_of_items_counts_a_part_for_each(fruit: History) -> None:
    """Row 0 says {peach, pear}: pear 2.5 for 3, peach 1.5 for 1."""
    rows = fruit.frame().with_columns(
        item=pl.when(pl.col(ROW) == 0)
        .then(pl.lit(["peach", "pear"]))
        .otherwise(pl.concat_list("item"))
    )
    release = publish(fruit, fruit.with_purchases(rows), secret=b"1")
    assert ItemCountError()(fruit, release, seed=1).value == 1 / 8


def test_a_release_without_items_has_lost_them_all(fruit: History) -> None:
    bare = fruit.with_purchases(fruit.frame().drop("item"))
    assert ItemCountError()(fruit, publish(fruit, bare, secret=b"1"), seed=1).value == 1


def test_risk_names_attacker_assumption_and_baseline(shop: History) -> None:
    release = publish(shop, shop, secret=b"1")
    score = Risk(threat=PartialRows(share=0.5), attack=ExactRow())(shop, release, seed=1)
    assert score.name == "exact-row @ partial-rows 50%"
    assert score.value == 1
    assert score.baseline == pytest.approx(1 / 60)
    assert "50%" in score.assumes
    assert score.interval is not None
    assert 0.88 < score.interval[0] < score.interval[1] == 1


def test_an_attacker_who_knows_less_finds_no_more(shop: History) -> None:
    moved = ShiftDates(days=5, together="row", keep_times=True)
    hidden = moved(DeleteRows(share=0.3)(shop, seed=1), seed=1)
    release = publish(shop, hidden, secret=b"1")
    little, much = (
        Risk(threat=PartialRows(share=share))(shop, release, seed=1).value for share in (0.05, 1.0)
    )
    assert little < much
