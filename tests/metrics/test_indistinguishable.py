"""Customers are one kind only if the release stays the same when they are exchanged."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import datetime, time, timedelta
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokumei import History, publish, read
from tokumei.contracts import Key, Release
from tokumei.data.folder import read_public, read_release, write_release
from tokumei.draws import repeatable_secret
from tokumei.errors import SchemaError
from tokumei.history import ROW
from tokumei.metrics import IdenticalGroups, Indistinguishable
from tokumei.metrics.identical_groups import group_sizes
from tokumei.metrics.indistinguishable import kinds_of_customers
from tokumei.metrics.question import Case
from tokumei.tables import table

NAMES = ["person", "basket", "item"]
Rows = list[tuple[str, str | None, str]]


def released(rows: list[Any], names: list[str], people: pl.DataFrame | None = None) -> History:
    purchases = pl.DataFrame(rows, schema=names, orient="row")
    ids = pl.int_range(len(purchases), dtype=pl.Int64, eager=True).alias(ROW)
    return History(table(purchases.with_columns(ids)), None if people is None else table(people))


def groups(public: History, by: str = "rows") -> list[int]:
    counted = kinds_of_customers(public, by=by)["kind"].value_counts()["count"]
    return sorted(counted.to_list())


# Baskets


def test_a_basket_number_of_two_customers_tells_them_apart() -> None:
    """Numbers 1 and 2 are those of real baskets; copies have numbers of their own."""
    ann = [("Ann", "1", "tea"), ("Ann", "2", "rice"), ("Ann", "7", "salt"), ("Ann", "8", "milk")]
    ben = [("Ben", "1", "salt"), ("Ben", "2", "milk"), ("Ben", "5", "tea"), ("Ben", "6", "rice")]
    assert groups(released(ann + ben, NAMES)) == [1, 1]
    own = [(person, f"{person}{basket}", item) for person, basket, item in ann + ben]
    assert groups(released(own, NAMES)) == [2]


def test_customers_with_the_same_rows_in_a_common_basket_are_alike() -> None:
    """Exchanged, they leave the release as it is; a third who is not in the basket is another."""
    rows = [("Ann", "1", "tea"), ("Ben", "1", "tea"), ("Cem", "2", "tea")]
    assert groups(released(rows, NAMES)) == [1, 2]


def test_no_basket_is_not_the_same_as_a_basket() -> None:
    rows = [("Ann", None, "tea"), ("Ben", "1", "tea"), ("Cem", None, "tea"), ("Dan", "2", "tea")]
    assert groups(released(rows, NAMES)) == [2, 2]
    assert groups(released(rows[:2], NAMES)) == [1, 1]


@pytest.mark.parametrize("receipts", [["1", "2"], ["1", None], [1, 2], [1.0, 2.0]])
def test_a_number_for_each_row_tells_everybody_apart(receipts: list[Any]) -> None:
    rows = [(person, "tea", number) for person, number in zip("ab", receipts, strict=True)]
    assert groups(released(rows, ["person", "item", "receipt"])) == [1, 1]


def test_a_card_that_two_customers_use_links_them_by_its_number() -> None:
    rows = [("a", "tea", "x"), ("b", "tea", "x"), ("c", "tea", "y"), ("d", "tea", "y")]
    assert groups(released(rows, ["person", "item", "card"])) == [2, 2]


@st.composite
def releases(draw: st.DrawFn) -> tuple[Rows, dict[str, str]]:
    """A few rows of four customers, and attributes of some."""
    person, basket = st.sampled_from("abcd"), st.sampled_from(["1", "2", "3", None])
    rows = draw(st.lists(st.tuples(person, basket, st.sampled_from("xy")), min_size=1, max_size=7))
    return rows, draw(st.dictionaries(person, st.sampled_from("fm"), max_size=4))


def exchangeable(one: str, other: str, rows: Rows, attributes: dict[str, str]) -> bool:
    """By trying every renaming of the baskets."""
    swapped = {one: other, other: one}
    if attributes.get(one) != attributes.get(other):
        return False
    baskets = sorted({basket for _, basket, _ in rows if basket is not None})
    for renamed in permutations(baskets):
        name = dict(zip(baskets, renamed, strict=True))
        moved = Counter(
            (swapped.get(person, person), None if basket is None else name[basket], item)
            for person, basket, item in rows
        )
        if moved == Counter(rows):
            return True
    return False


@given(releases())
def test_customers_of_one_kind_can_be_exchanged(given_release: tuple[Rows, dict[str, str]]) -> None:
    """A kind may be finer than it need be where baskets are shared, and is exact elsewhere."""
    rows, attributes = given_release
    schema = {"person": pl.String, "sex": pl.String}
    people = pl.DataFrame(list(attributes.items()), schema=schema, orient="row")
    kinds = dict(kinds_of_customers(released(rows, NAMES, people), by="rows").iter_rows())
    assert kinds.keys() == {person for person, _, _ in rows} | attributes.keys()
    owners = {(basket, person) for person, basket, _ in rows if basket is not None}
    shared = len(owners) > len({basket for basket, _ in owners})
    for one, other in combinations(sorted(kinds), 2):
        equal, same = kinds[one] == kinds[other], exchangeable(one, other, rows, attributes)
        assert same >= equal
        assert shared or same == equal


def with_copies(real: pl.DataFrame) -> History:
    """Pairs of customers get each other's rows, in baskets that nobody else has: twins by eye.

    Basket numbers begin again with each customer, as in shops that count visits.
    """
    persons = real["person"].unique().sort().to_list()
    partner = dict(zip(persons[::2], persons[1::2], strict=True))
    partner |= {other: one for one, other in partner.items()}
    copies = real.with_columns(
        pl.col("person").replace(partner), basket="copy " + pl.col("person") + pl.col("basket")
    )
    return released(pl.concat([real, copies]).rows(), NAMES)


def opponent(public: History, known: pl.DataFrame) -> int:
    """Count customers named by one who takes baskets with numbers of several customers as real."""
    rows = public.frame().filter(pl.col("person").n_unique().over("basket") > 1)
    bought = {key: set(part["item"]) for (key,), part in known.group_by("person")}
    found = 0
    for (pseudonym,), part in rows.group_by("person"):
        seen = set(part["item"])
        best = max(bought, key=lambda name: len(seen & bought[name]) / len(seen | bought[name]))
        found += best == pseudonym
    return found


def check_that_shared_numbers_count(real: pl.DataFrame) -> None:
    people = real["person"].n_unique()
    public = with_copies(real)
    assert opponent(public, real) > 0.9 * people
    assert group_sizes(public).tolist() == [1] * people
    own = pl.col("person") + "/" + pl.col("basket")
    renumbered = public.with_purchases(public.frame().with_columns(basket=own))
    assert opponent(renumbered, real) == 0
    assert group_sizes(renumbered).min() == 2


def test_baskets_numbered_by_customer_are_not_called_safe(shop: History) -> None:
    visit = pl.col("basket").rank("dense").over("person").cast(pl.String)
    check_that_shared_numbers_count(shop.frame().select("person", visit.alias("basket"), "item"))


@pytest.mark.realdata
def test_baskets_of_ta_feng_are_not_called_safe(real_data: Path) -> None:
    rows = pl.read_parquet(real_data / "data/other/tafeng_dnntsp.parquet")
    few = rows["customer"].unique().sort()[:60]
    real = rows.filter(pl.col("customer").is_in(few.implode()))
    columns = {"customer": "person", "basket_seq": "basket"}
    check_that_shared_numbers_count(real.rename(columns).select(NAMES).cast(pl.String))


# Everybody who is published counts


def test_published_customers_without_purchases_count() -> None:
    people = pl.DataFrame({"person": list("abcd"), "born": ["1980", "1980", "1990", "1990"]})
    public = released([("a", "tea"), ("b", "tea")], ["person", "item"], people)
    assert groups(public) == [2, 2]
    assert groups(public, by="items") == [2, 2]
    unique = people.with_columns(born=pl.col("person"))
    shown = replace(public, customers=table(unique))
    release = Release(shown, Key.unknown())
    assert IdenticalGroups()(shown, release, seed=1).value == 1
    score = Indistinguishable(by="rows")(shown, release, seed=1)
    assert (score.value, score.n) == (1, 4)


def shadowed(*, cut: bool) -> tuple[History, Release]:
    """Ann and Ben bought; Sid, Tom and Uwe are in the customers table alone.

    Ann's history is shown under her pseudonym 1 and as that of Sid (3) and Tom (4); where it is
    cut, nobody but Ben (2) shows purchases. Uwe (5) shows none, which is true.
    """
    people = pl.DataFrame({"person": ["Ann", "Ben", "Sid", "Tom", "Uwe"]})
    original = released([("Ann", "tea"), ("Ben", "rice")], ["person", "item"], people)
    shown = [("2", "rice"), *([] if cut else [("1", "tea"), ("3", "tea"), ("4", "tea")])]
    names = pl.DataFrame({"person": list("12345")})
    key = pl.DataFrame({"pseudonym": list("12345"), "person": ["Ann", "Ben", "Sid", "Tom", "Uwe"]})
    public = released(shown, ["person", "item"], names)
    return original, Release(public, Key(table(key), Key.unknown().rows))


def test_who_bought_nothing_hides_nobody_who_bought() -> None:
    """By looks the groups are 3, 1, 1; who knows the original sees that two are invented."""
    original, release = shadowed(cut=False)
    assert groups(release.public) == [1, 1, 3]
    case = Case(original, release)
    worth = {name: (alike, chance) for name, alike, chance in case.customers.iter_rows()}
    assert worth == {
        "Ann": (1, 1.0),
        "Ben": (1, 1.0),
        "Sid": (2, 0.5),
        "Tom": (2, 0.5),
        "Uwe": (1, 1.0),
    }
    assert IdenticalGroups()(original, release, seed=0).value == 1
    # Four kinds of five customers.
    assert Indistinguishable(by="rows")(original, release, seed=0).value == pytest.approx(4 / 5)


def test_customers_without_purchases_are_alike_whether_they_bought_or_not() -> None:
    """Purchases may have been deleted: 1, 3, 4 and 5 show none, and anybody may be behind them."""
    original, release = shadowed(cut=True)
    worth = Case(original, release).customers
    assert dict(worth.select("person", "alike").iter_rows()) == {
        "Ann": 4,
        "Ben": 1,
        "Sid": 4,
        "Tom": 4,
        "Uwe": 4,
    }


def test_a_customer_who_is_listed_twice_is_refused(tmp_path: Path, fruit: History) -> None:
    people = pl.DataFrame({"person": fruit.persons() * 3})
    with pytest.raises(SchemaError) as caught:
        replace(fruit, customers=table(people))
    assert str(caught.value) == (
        "A customer may have one row in the customers table; 'Alice' has 3."
    )
    named = replace(fruit, customers=table(people[:4]))
    write_release(publish(named, named, secret=b"1"), tmp_path / "out")
    file = tmp_path / "out/public/customers.csv"
    lines = file.read_text().splitlines()
    file.write_text("\n".join([*lines, lines[2]]) + "\n")
    with pytest.raises(SchemaError) as caught:
        read_public(tmp_path / "out")
    assert str(caught.value) == (
        "A customer may have one row in the customers table; 'P2' has rows 3 and 6."
    )
    file.write_text("\n".join([lines[0], '""', *lines[1:]]) + "\n")
    with pytest.raises(SchemaError, match=r"Every customer needs a name, not empty \(row 2"):
        read_public(tmp_path / "out")


def test_a_published_customer_who_is_not_in_the_key_is_refused(
    tmp_path: Path, fruit: History
) -> None:
    named = replace(fruit, customers=table(pl.DataFrame({"person": fruit.persons()})))
    write_release(publish(named, named, secret=b"1"), tmp_path / "out")
    with (tmp_path / "out/public/customers.csv").open("a") as file:
        file.write("P9\n")
    with pytest.raises(SchemaError, match="lacks the pseudonym 'P9'"):
        read_release(tmp_path / "out")


# What a reader can tell apart

LO_HI = pl.Struct({"lo": pl.Float64, "hi": pl.Float64})
NAN = float("nan")


@pytest.mark.parametrize(
    ("cells", "dtype"),
    [
        (["*", None], pl.String),
        (["-", None], pl.String),
        (["", None], pl.String),
        (["a", "a "], pl.String),
        ([["a", "b"], ["b", "a"]], pl.List(pl.String)),
        ([["a", None], ["a"]], pl.List(pl.String)),
        ([[None], []], pl.List(pl.String)),
        ([[], None], pl.List(pl.String)),
        ([["a", "a"], ["a"]], pl.List(pl.String)),
        ([["a;b"], ["a", "b"]], pl.List(pl.String)),
        ([["ab", "c"], ["a", "bc"]], pl.Array(pl.String, 2)),
        ([{"lo": 1.0, "hi": NAN}, {"lo": 1.0, "hi": 2.0}], LO_HI),
        ([{"lo": 1.0, "hi": NAN}, {"lo": NAN, "hi": 1.0}], LO_HI),
        ([{"lo": 1.0, "hi": None}, {"lo": 2.0, "hi": None}], LO_HI),
        ([{"lo": None, "hi": None}, None], LO_HI),
        ([{"lo": -0.0, "hi": 0.0}, {"lo": -0.0, "hi": -0.0}], LO_HI),
        ([0.0, -0.0], pl.Float64),
        ([NAN, None], pl.Float64),
        ([0.1 + 0.2, 0.3], pl.Float64),
        ([1e22, 1e22 + 2**21], pl.Float64),
        ([2**53, 2**53 + 1], pl.Int64),
        ([datetime(2011, 2, 28), datetime(2011, 2, 28, 0, 0, 0, 1)], pl.Datetime("us")),
        ([time(13, 5), time(13, 5, 0, 1)], pl.Time),
        ([timedelta(seconds=1), timedelta(seconds=1, microseconds=1)], pl.Duration("us")),
        ([b"\xff", b"\xfe"], pl.Binary),
        (["a", "b"], pl.Categorical),
    ],
)
def test_cells_that_differ_in_the_file_tell_customers_apart(cells: list[Any], dtype: Any) -> None:
    values = pl.Series("cell", cells, dtype=dtype)
    for chosen, kinds in (([0, 1], [1, 1]), ([0, 0], [2]), ([1, 1], [2])):
        rows = pl.DataFrame({"person": ["a", "b"], "cell": values[chosen]})
        assert groups(History(table(rows.with_columns(pl.Series(ROW, [0, 1]))))) == kinds
        people = table(rows)
        bare = released([("a", "tea"), ("b", "tea")], ["person", "item"])
        assert groups(replace(bare, customers=people)) == kinds


def test_a_suppressed_item_is_seen_in_an_item_set() -> None:
    rows = [("a", "tea"), ("a", None), ("b", "tea")]
    assert groups(released(rows, ["person", "item"]), by="items") == [1, 1]


@given(
    st.lists(st.lists(st.text("\x1b\x1d\x1f1:-+", max_size=3), max_size=3), min_size=2, max_size=2)
)
def test_texts_of_any_signs_are_not_run_together(bought: list[list[str]]) -> None:
    rows = [(person, item) for person, items in zip("ab", bought, strict=True) for item in items]
    people = pl.DataFrame({"person": ["a", "b"]})
    shown = released(rows, ["person", "item"], people).with_purchases(
        pl.DataFrame(
            {ROW: range(len(rows)), "person": [p for p, _ in rows], "item": [i for _, i in rows]},
            schema={ROW: pl.Int64, "person": pl.String, "item": pl.String},
        )
    )
    assert (groups(shown) == [2]) == (sorted(bought[0]) == sorted(bought[1]))
    assert (groups(shown, by="items") == [2]) == (set(bought[0]) == set(bought[1]))


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_release_keeps_its_groups_in_a_file(tmp_path: Path, kind: Any) -> None:
    """In Parquet the order of a set is seen; in CSV it is not written."""
    rows = [("a", ["x", "y"]), ("b", ["y", "x"])]
    history = read(pl.DataFrame({"customer": ["a", "b"], "item": ["x", "y"]}))
    shown = history.with_purchases(
        pl.DataFrame(rows, schema=["person", "item"], orient="row").with_columns(
            pl.Series(ROW, [0, 1])
        )
    )
    release = publish(history, shown, secret=repeatable_secret(1))
    write_release(release, tmp_path / "out", file_kind=kind)
    assert groups(release.public) == [1, 1]
    assert groups(read_public(tmp_path / "out")) == ([2] if kind == "csv" else [1, 1])


@pytest.mark.parametrize(
    ("column", "written", "other"),
    [("price", "1.2", "1.20"), ("quantity", "1", "01"), ("date", "2018-09-02", "2018-9-02")],
)
def test_a_value_that_a_file_writes_in_two_ways_is_refused(
    tmp_path: Path, fruit: History, column: str, written: str, other: str
) -> None:
    """The values are equal, and whoever reads the file can tell the customers apart."""
    write_release(publish(fruit, fruit, secret=repeatable_secret(1)), tmp_path / "out")
    file = tmp_path / "out/public/purchases.csv"
    rows = pl.read_csv(file, infer_schema=False)
    first = rows[column].index_of(written)
    assert first is not None
    cells = rows[column].to_list()
    cells[first] = other
    rows.with_columns(pl.Series(column, cells)).write_csv(file)
    with pytest.raises(SchemaError, match=f"write a value in one way; column {column} has"):
        read_public(tmp_path / "out")
