import polars as pl
import pytest

from tokumei import History
from tokumei.errors import SchemaError
from tokumei.history import ROW, months
from tokumei.tables import table


def test_role_columns_have_one_name_whatever_the_user_calls_them(fruit: History) -> None:
    assert fruit.visible == ("person", "item", "time", "price", "quantity", "basket")
    assert fruit.source.names["person"] == "customer"
    assert fruit.to_native().columns[:2] == ["customer", "item"]


def test_row_ids_count_the_rows_as_read(fruit: History) -> None:
    assert fruit.frame()[ROW].to_list() == list(range(8))


def test_a_frame_is_the_callers_own(fruit: History) -> None:
    rows = fruit.frame()
    rows.columns = [name.upper() for name in rows.columns]
    assert fruit.frame().columns == [*fruit.visible, ROW]


def test_invented_rows_get_negative_ids_that_never_repeat(fruit: History) -> None:
    rows = fruit.frame().drop(ROW)
    twice = fruit.add_rows(rows.head(2)).add_rows(rows.head(3))
    assert sorted(twice.frame()[ROW].to_list())[:5] == [-5, -4, -3, -2, -1]
    assert twice.rows == 13


def test_persons_are_those_of_both_tables(fruit: History) -> None:
    people = table(pl.DataFrame({"person": ["Alice", "Eve"]}))
    both = History(fruit.purchases, people, fruit.source)
    assert both.persons() == ["Alice", "Bob", "Carol", "Dan", "Eve"]


def test_a_missing_column_is_named(fruit: History) -> None:
    bare = fruit.with_purchases(fruit.frame().drop("price"))
    with pytest.raises(SchemaError, match="To sell, the history needs a column for price; it has"):
        bare.require("price", to="sell")


def test_a_generalized_column_is_not_exact(fruit: History) -> None:
    lists = fruit.with_purchases(fruit.frame().with_columns(pl.concat_list("item")))
    with pytest.raises(SchemaError, match="every item must be exact"):
        lists.require("item", to="count")


@pytest.mark.parametrize("column", [ROW, "person"])
def test_a_history_without_ids_or_persons_is_refused(fruit: History, column: str) -> None:
    with pytest.raises(SchemaError, match=f"need a column '{column}'"):
        History(table(fruit.frame().drop(column)))


def test_customers_without_a_person_column_are_refused(fruit: History) -> None:
    with pytest.raises(SchemaError, match="customers of a history need"):
        History(fruit.purchases, table(pl.DataFrame({"name": ["Alice"]})))


def test_repr_tells_the_size(fruit: History) -> None:
    assert repr(fruit).startswith("History(8 purchases; person, item")


@pytest.mark.parametrize("kind", [pl.Date, pl.Datetime, pl.String])
def test_no_dates_have_months_of_the_same_type_as_any(kind: type[pl.DataType]) -> None:
    found = months(pl.Series("time", [], dtype=kind))
    assert (found.name, found.dtype, len(found)) == ("time", pl.String, 0)
