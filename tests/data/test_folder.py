"""A release as a folder: written, read back, and refused when it was tampered with."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import polars as pl
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tokumei import History, Release, publish, read, read_release, write_release
from tokumei.cells import intervals, widened
from tokumei.data.folder import read_public
from tokumei.data.matching import check_pair
from tokumei.draws import repeatable_secret
from tokumei.errors import ReadError, SchemaError, TokumeiError, WriteError
from tokumei.tables import frame, table

FileKind = Literal["csv", "parquet"]
KINDS: tuple[FileKind, ...] = ("csv", "parquet")
SEED = 987_654_321


def generalized(history: History) -> History:
    """Widen all of a history's cells and suppress some."""
    rows = history.frame()
    days = rows["time"]
    first = pl.int_range(pl.len()) == 0
    return history.with_purchases(
        rows.with_columns(
            intervals(days, days + timedelta(days=3)),
            intervals(rows["price"] - 0.1, rows["price"] + 0.05),
            intervals(rows["quantity"], rows["quantity"]),
            widened(rows["item"], "set").list.concat(pl.Series([["apple", "grape"]])).list.unique(),
        ).with_columns(
            pl.when(~first).then(pl.col("time", "item", "price")), basket=pl.lit(None, pl.String)
        )
    )


def same(found: pl.DataFrame, expected: pl.DataFrame) -> bool:
    """Compare tables; the order inside a set says nothing."""
    sets = pl.col(pl.List(pl.String)).list.sort()
    return found.with_columns(sets).equals(expected.with_columns(sets).select(found.columns))


def written(folder: Path, history: History, file_kind: FileKind = "csv") -> Release:
    release = publish(history, history, secret=repeatable_secret(SEED))
    write_release(release, folder, method={"method": "x", "seed": SEED}, file_kind=file_kind)
    return release


@pytest.mark.parametrize("file_kind", KINDS)
def test_a_release_is_read_back_equal(tmp_path: Path, fruit: History, file_kind: FileKind) -> None:
    release = written(tmp_path / "out", fruit, file_kind)
    back = read_release(tmp_path / "out")
    assert same(back.public.frame(), release.public.frame().sort("row"))
    assert back.public.source.names == release.public.source.names
    assert frame(back.key.rows).equals(frame(release.key.rows))
    assert frame(back.key.pseudonyms).equals(frame(release.key.pseudonyms))
    check_pair(fruit, back)


@pytest.mark.parametrize("file_kind", KINDS)
def test_a_generalized_release_is_read_back_equal(
    tmp_path: Path, fruit: History, file_kind: FileKind
) -> None:
    wide = generalized(fruit)
    release = written(tmp_path / "out", wide, file_kind)
    back = read_public(tmp_path / "out").frame()
    assert same(back, release.public.frame().sort("row"))
    assert back.schema["price"].is_nested()
    assert back["time"].null_count() == 1
    assert back["basket"].null_count() == len(back)


def test_generalized_cells_are_written_as_the_contest_writes_them(
    tmp_path: Path, fruit: History
) -> None:
    rows = fruit.frame().filter(pl.col("person") == "Alice")
    written(tmp_path / "out", generalized(fruit.with_purchases(rows)))
    header, line = (tmp_path / "out/public/purchases.csv").read_text().splitlines()
    assert header == "customer,item,date,price,quantity,invoice"
    assert line == "P1,*,*,*,2,*"
    rows = fruit.frame().filter(pl.col("person") == "Bob")
    written(tmp_path / "two", generalized(fruit.with_purchases(rows)))
    lines = (tmp_path / "two/public/purchases.csv").read_text().splitlines()
    assert "P1,{apple;grape},[2018-09-10;2018-09-13],[3.9;4.05],1,*" in lines


@pytest.mark.parametrize("file_kind", KINDS)
def test_customers_are_written_under_their_pseudonyms(tmp_path: Path, file_kind: FileKind) -> None:
    rows = pl.DataFrame({"customer": ["Ann", "Bob"], "item": ["pear", "fig"]})
    people = pl.DataFrame({"customer": ["Ann", "Bob", "Zoe"], "sex": ["f", "m", None]})
    release = written(tmp_path / "out", read(rows, people), file_kind)
    back = read_public(tmp_path / "out")
    assert back.customers is not None
    assert release.public.customers is not None
    assert frame(back.customers).equals(frame(release.public.customers))


@pytest.mark.parametrize("file_kind", KINDS)
def test_kept_columns_and_their_gaps_survive(tmp_path: Path, file_kind: FileKind) -> None:
    rows = pl.DataFrame(
        {"customer": ["Ann", "Bob"], "person": ["x", None], "row": ["a", "b"], "item": ["1", "2"]}
    )
    release = written(
        tmp_path / "out", read(rows, person="customer", keep=["person", "row"]), file_kind
    )
    back = read_public(tmp_path / "out")
    assert same(back.frame(), release.public.frame().sort("row"))
    assert sorted(back.to_native().columns) == ["customer", "item", "person", "row"]


@pytest.mark.parametrize("file_kind", KINDS)
def test_items_that_were_numbers_still_belong_to_the_original(
    tmp_path: Path, file_kind: FileKind
) -> None:
    history = read(pl.DataFrame({"customer": [1, 2], "item": [22728, 71053]}))
    written(tmp_path / "out", history, file_kind)
    back = read_release(tmp_path / "out")
    assert back.public.frame().schema["item"] == pl.String
    check_pair(history, back)


@pytest.mark.parametrize("item", ["{a;b}", "[1;2]", "1.0", "a;b", 'a"b', "a,b", " a", "日本"])
@pytest.mark.parametrize("file_kind", KINDS)
def test_items_that_look_like_something_else_survive(
    tmp_path: Path, file_kind: FileKind, item: str
) -> None:
    history = read(pl.DataFrame({"customer": ["A", "B"], "item": [item, "x"]}))
    only_one = history.with_purchases(history.frame().head(1))
    write_release(
        publish(history, only_one, secret=repeatable_secret(SEED)),
        tmp_path / "out",
        file_kind=file_kind,
    )
    assert read_public(tmp_path / "out").frame()["item"].to_list() == [item]


moments = st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1))
names = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1).filter(
    lambda name: name.strip() and name != "*"
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)
@given(
    rows=st.lists(
        st.tuples(names, names, moments, st.floats(1e-6, 1e12), st.integers(1, 2**53)), min_size=1
    )
)
@pytest.mark.parametrize("file_kind", KINDS)
def test_any_release_survives_writing_and_reading(
    tmp_path: Path, rows: Any, file_kind: FileKind
) -> None:
    columns = ["customer", "item", "time", "price", "quantity"]
    history = read(pl.DataFrame(rows, schema=columns, orient="row"))
    with TemporaryDirectory(dir=tmp_path) as folder:
        release = written(Path(folder) / "out", history, file_kind)
        back = read_release(Path(folder) / "out")
    assert same(back.public.frame(), release.public.frame().sort("row"))
    check_pair(history, back)


# Secrets


@pytest.mark.parametrize("file_kind", KINDS)
def test_the_secret_part_is_for_the_owner_only(
    tmp_path: Path, fruit: History, file_kind: FileKind
) -> None:
    written(tmp_path / "out", fruit, file_kind)
    hidden = tmp_path / "out/secret"
    assert hidden.stat().st_mode & 0o777 == 0o700
    files = {file.name: file.stat().st_mode & 0o777 for file in hidden.iterdir()}
    assert files == {"pseudonyms.csv": 0o600, "rows.csv": 0o600, "method.json": 0o600}


@pytest.mark.parametrize("file_kind", KINDS)
def test_nothing_secret_is_public(tmp_path: Path, fruit: History, file_kind: FileKind) -> None:
    written(tmp_path / "out", fruit, file_kind)
    for file in (tmp_path / "out/public").iterdir():
        content = file.read_bytes()
        for secret in ("Alice", "Bob", "Carol", "Dan", str(SEED), "a1", "origin"):
            assert secret.encode() not in content
    public = read_public(tmp_path / "out").frame()
    assert not set(public["basket"]) & set(fruit.frame()["basket"])


def test_seed_and_secret_are_kept_with_the_key(tmp_path: Path, fruit: History) -> None:
    release = written(tmp_path / "out", fruit)
    content = json.loads((tmp_path / "out/secret/method.json").read_text())
    assert release.key.secret == repeatable_secret(SEED)
    assert content == {"method": "x", "seed": SEED, "secret": release.key.secret.hex()}


def test_a_release_that_is_read_has_its_secret(tmp_path: Path, fruit: History) -> None:
    release = written(tmp_path / "out", fruit)
    assert read_release(tmp_path / "out").key.secret == release.key.secret


@pytest.mark.parametrize("secret", ["no digits", 7, None])
def test_a_secret_that_is_none_is_refused_and_not_shown(
    tmp_path: Path, fruit: History, secret: object
) -> None:
    written(tmp_path / "out", fruit)
    (tmp_path / "out/secret/method.json").write_text(json.dumps({"secret": secret}))
    with pytest.raises(ReadError, match="its secret in hexadecimal digits") as refused:
        read_release(tmp_path / "out")
    assert "no digits" not in str(refused.value)


def test_a_release_whose_secret_is_not_known_is_written_without(
    tmp_path: Path, fruit: History
) -> None:
    release = written(tmp_path / "out", fruit)
    (tmp_path / "out/secret/method.json").unlink()
    write_release(read_release(tmp_path / "out"), tmp_path / "again")
    assert json.loads((tmp_path / "again/secret/method.json").read_text()) == {}
    assert same(read_public(tmp_path / "again").frame(), release.public.frame().sort("row"))


# Values of rows that are not in the release


TOWNS = pl.Enum(["Atlantis", "Nara", "Ys"])


def with_towns(history: History, cells: Callable[[pl.Series], pl.Series]) -> History:
    """Give every row a town, the first Ys and the others Nara, and every customer likewise."""
    rows = history.frame()
    towns = pl.Series("town", ["Ys"] + ["Nara"] * (len(rows) - 1), dtype=TOWNS)
    homes = pl.Series("home", ["Ys"] + ["Nara"] * (len(history.persons()) - 1), dtype=TOWNS)
    people = pl.DataFrame([pl.Series("person", history.persons()), cells(homes)])
    return replace(history.with_purchases(rows.with_columns(cells(towns))), customers=table(people))


@pytest.mark.parametrize(
    "cells",
    [
        lambda towns: towns,
        lambda towns: towns.cast(pl.String).cast(pl.Categorical),
        lambda towns: towns.reshape((-1, 1)).arr.to_list(),
        lambda towns: towns.reshape((-1, 1)),
        lambda towns: towns.to_frame().to_struct(towns.name),
    ],
    ids=["enum", "categorical", "list", "array", "struct"],
)
def test_parquet_has_no_value_of_a_row_that_was_deleted(
    tmp_path: Path, fruit: History, cells: Callable[[pl.Series], pl.Series]
) -> None:
    history = with_towns(fruit, cells)
    kept = history.frame().filter(pl.col("person") != "Alice")  # the only one in Ys
    people = frame(history.customers).filter(pl.col("person") != "Alice")  # type: ignore[arg-type]
    fewer = replace(history.with_purchases(kept), customers=table(people))
    write_release(publish(history, fewer), tmp_path / "out", file_kind="parquet")
    for name, column in (("purchases", "town"), ("customers", "home")):
        path = tmp_path / f"out/public/{name}.parquet"
        content = path.read_bytes()
        # The Arrow schema is stored as text of its bytes.
        arrow = b64decode(pq.read_metadata(path).metadata.get(b"ARROW:schema", b""))
        for place in (content, arrow, repr(pq.read_table(path)[column].combine_chunks()).encode()):
            assert b"Ys" not in place
            assert b"Atlantis" not in place
        assert b"Nara" in content


def test_an_existing_folder_is_not_overwritten(tmp_path: Path, fruit: History) -> None:
    with pytest.raises(WriteError, match=" exists already; give another name or remove it"):
        written(tmp_path, fruit)
    assert not list(tmp_path.iterdir())


# What is no release, or another one


def refusal(action: Callable[[], object]) -> str:
    with pytest.raises(TokumeiError) as caught:
        action()
    assert str(SEED) not in str(caught.value)
    return str(caught.value)


@pytest.fixture
def out(tmp_path: Path, fruit: History) -> Path:
    written(tmp_path / "out", fruit)
    return tmp_path / "out"


def test_another_folder_is_no_release(tmp_path: Path, out: Path) -> None:
    for folder in (tmp_path, tmp_path / "nowhere", out / "public"):
        sentence = f"{folder} is not a release: it has no public/about.json."
        assert refusal(lambda folder=folder: read_release(folder)) == sentence


def test_a_release_without_purchases_is_refused(out: Path) -> None:
    (out / "public/purchases.csv").unlink()
    sentence = f"{out} is not a release: it has no public/purchases.csv or .parquet."
    assert refusal(lambda: read_release(out)) == sentence


def tamper(out: Path, change: Callable[[dict[str, Any]], object]) -> str:
    path = out / "public/about.json"
    about = json.loads(path.read_text())
    change(about)
    path.write_text(json.dumps(about))
    return refusal(lambda: read_release(out))


@pytest.mark.parametrize("content", ["{", "", "\udcff", "[1]", "3", '{"columns": []}', "[" * 9999])
def test_an_unreadable_about_json_is_refused(out: Path, content: str) -> None:
    path = out / "public/about.json"
    path.write_bytes(content.encode(errors="surrogateescape"))
    sentence = refusal(lambda: read_release(out))
    assert sentence.startswith(str(path))
    assert "is not valid JSON" in sentence or "must say the columns of the release" in sentence


def test_columns_that_are_not_there_are_named(out: Path) -> None:
    sentence = tamper(out, lambda about: about["columns"].update(item="colour"))
    assert sentence == "purchases.csv has no column 'colour', which about.json promises."


@pytest.mark.parametrize("columns", [{"item": "date"}, {"item": 5}, {"item": ["x"]}, {"row": "x"}])
def test_columns_must_have_names_of_their_own(out: Path, columns: dict[str, Any]) -> None:
    sentence = tamper(out, lambda about: about["columns"].update(columns))
    assert sentence.endswith("must give every column of the release a name of its own.")


def test_a_release_needs_pseudonyms(out: Path) -> None:
    sentence = tamper(out, lambda about: about["columns"].pop("person"))
    assert sentence == "The purchases of a history need a column 'person'."


@pytest.mark.parametrize("kind", ["fog", None, 7, ["set"]])
def test_an_unknown_kind_of_cells_is_refused(out: Path, kind: Any) -> None:
    sentence = tamper(out, lambda about: about["cells"].update(price=kind))
    assert f"'price' that they are exact, interval or set, not {kind!r}." in sentence


def test_a_wrong_kind_of_cells_is_refused(tmp_path: Path, fruit: History) -> None:
    written(tmp_path / "out", generalized(fruit), "parquet")
    sentence = tamper(tmp_path / "out", lambda about: about["cells"].update(price="exact"))
    assert sentence == (
        "about.json says that the cells of column price are of kind exact; "
        "they are of kind interval."
    )


def test_a_changed_cell_is_named(out: Path) -> None:
    path = out / "public/purchases.csv"
    path.write_text(path.read_text().replace("2.5,", "cheap,"))
    sentence = refusal(lambda: read_release(out))
    assert sentence.startswith("A price must be a number, not 'cheap' (row ")


def test_a_missing_secret_part_is_said(out: Path) -> None:
    for file in (out / "secret").iterdir():
        file.unlink()
    assert refusal(lambda: read_release(out)).startswith("There is no file ")
    (out / "secret").rmdir()
    sentence = f"{out} has no secret part; the key is needed to mark a guess."
    assert refusal(lambda: read_release(out)) == sentence
    assert read_public(out).rows == 8


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("rows", "row,origin\n0,0\n", "is for 1 rows, but 8 are public."),
        ("rows", "row\n0\n", "must have a column 'origin'."),
        ("rows", "row,origin\n" + "0,1\n" * 8, "must have every row of the release once."),
        ("rows", "row,origin\n" + "x,1\n" * 8, "must have every row of the release once."),
        ("rows", "row,origin\n" + "0,x\n" * 8, "or empty where the row is invented, not 'x'."),
        ("pseudonyms", "alias,person\nP1,Ann\n", "must have a column 'pseudonym'."),
        ("pseudonyms", "pseudonym,person\nP1,Ann\nP1,Ben\n", "once; it has 'P1' twice."),
        ("pseudonyms", "", "is empty; a history needs at least one row."),
    ],
)
def test_a_tampered_key_is_refused(out: Path, name: str, content: str, said: str) -> None:
    (out / f"secret/{name}.csv").write_text(content)
    assert refusal(lambda: read_release(out)).endswith(said)


def test_a_release_of_a_longer_history_is_of_other_data(out: Path, fruit: History) -> None:
    short = fruit.with_purchases(fruit.frame().head(5))
    assert refusal(lambda: check_pair(short, read_release(out))) == (
        "The release has a row from row 6 of its original, but this original has 5 rows: "
        "they do not belong together."
    )


def test_a_release_of_other_people_is_of_other_data(out: Path, fruit: History) -> None:
    rows = fruit.frame().with_columns(pl.col("person").replace("Bob", "Ben"))
    assert refusal(lambda: check_pair(fruit.with_purchases(rows), read_release(out))) == (
        "Customer 'Bob' of the key does not occur in the original: "
        "release and original do not belong together."
    )


@pytest.mark.parametrize("wide", [False, True])
def test_an_item_that_the_original_does_not_have_is_named(
    tmp_path: Path, fruit: History, wide: bool
) -> None:
    rows = fruit.frame().with_columns(pl.col("item").replace("peach", "brick"))
    if wide:
        rows = rows.with_columns(pl.concat_list("item"))
    write_release(
        publish(fruit, fruit.with_purchases(rows), secret=repeatable_secret(SEED)), tmp_path / "out"
    )
    release = read_release(tmp_path / "out")
    number = (tmp_path / "out/public/purchases.csv").read_text().split("\n")
    (line,) = [line for line, text in enumerate(number, start=1) if "brick" in text]
    with pytest.raises(SchemaError) as caught:
        check_pair(fruit, release)
    assert str(caught.value) == (
        "Every item of a release must occur in the original; 'brick' does not "
        f"(row {line}, column item)."
    )


def test_a_key_without_a_released_pseudonym_is_refused(tmp_path: Path, fruit: History) -> None:
    write_release(publish(fruit, fruit, secret=repeatable_secret(SEED)), tmp_path / "out")
    key = tmp_path / "out/secret/pseudonyms.csv"
    key.write_text("".join(key.read_text().splitlines(keepends=True)[:-1]))
    with pytest.raises(SchemaError, match="lacks the pseudonym 'P4'"):
        read_release(str(tmp_path / "out"))


def test_customers_are_written_under_the_users_name_for_them(
    tmp_path: Path, fruit: History
) -> None:
    people = pl.DataFrame({"person": fruit.persons(), "age": [1, 2, 3, 4]})
    history = replace(fruit, customers=table(people))
    write_release(publish(history, history, secret=repeatable_secret(SEED)), str(tmp_path / "out"))
    assert (tmp_path / "out/public/customers.csv").read_text().startswith("customer,age\n")
    customers = read_public(tmp_path / "out").customers
    assert customers is not None
    assert frame(customers).columns == ["person", "age"]
    (tmp_path / "out/public/customers.csv").write_text("name,age\nP1,3\n")
    with pytest.raises(SchemaError, match=r"customers\.csv has no column 'customer'"):
        read_public(tmp_path / "out")


def test_dates_and_times_stay_apart(tmp_path: Path) -> None:
    rows = pl.DataFrame({"customer": ["A"], "time": [date(2011, 1, 5)]})
    written(tmp_path / "days", read(rows))
    assert read_public(tmp_path / "days").frame().schema["time"] == pl.Date
    midnight = rows.cast({"time": pl.Datetime})
    written(tmp_path / "hours", read(midnight))
    assert read_public(tmp_path / "hours").frame().schema["time"] == pl.Datetime("us")
