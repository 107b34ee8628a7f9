"""The files of the PWSCUP contests, in and out."""

from __future__ import annotations

import gzip
from datetime import date, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tokumei import Cleaning, History, read
from tokumei.cells import intervals, widened
from tokumei.data.pwscup import contest_text, customers_text
from tokumei.errors import SchemaError, TokumeiError

T2016 = (
    "12583,536370,2010/12/1,8:45,22728,3.75,24\n"
    "12583,536370,2010/12/1,8:45,22727,3.75,24\n"
    "14688,536371,2011/12/9,12:05,85099C,10,1\n"
)
T2017 = "A1,0,2010/12/1,9:09,21258,10.95,32\nDEL,,,,,,\nB2,0,2011/11/30,10:03,22941,8.5,6\n"
T2018 = (
    "13047,2010/12/1,84879,1.69,32\n"
    "*,*,*,*,*\n"
    "100907,[2010/12/1;2010/12/3],{21288;22745;85161},2.1,[5;7]\n"
    "100109,*,{17107D;22626},[1.83;2.96],6\n"
    "100110,2011/11/30,*,*,*\n"
)


def file(folder: Path, content: str, name: str = "T.csv") -> Path:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return path


def refusal(folder: Path, content: str, year: Any, **options: Any) -> str:
    with pytest.raises(TokumeiError) as caught:
        read(file(folder, content), format=year, **options)
    return str(caught.value)


def test_a_row_of_2016_is_read(tmp_path: Path) -> None:
    history = read(file(tmp_path, T2016), format="pwscup2016")
    assert history.frame().rows(named=True)[2] == {
        "person": "14688",
        "basket": "536371",
        "time": datetime(2011, 12, 9, 12, 5),
        "item": "85099C",
        "price": 10.0,
        "quantity": 1,
        "row": 2,
    }


def test_a_deleted_row_leaves_a_gap_in_the_row_ids(tmp_path: Path) -> None:
    history = read(file(tmp_path, T2017), format="pwscup2017")
    assert history.frame()["row"].to_list() == [0, 2]
    assert read(file(tmp_path, T2018), format="pwscup2018").frame()["row"].to_list() == [0, 2, 3, 4]


def test_generalized_cells_of_2018_get_their_types(tmp_path: Path) -> None:
    rows = read(file(tmp_path, T2018), format="pwscup2018").frame()
    days = [(date(2010, 12, 1), date(2010, 12, 1)), (date(2010, 12, 1), date(2010, 12, 3))]
    assert [cell and tuple(cell.values()) for cell in rows["time"].to_list()] == [
        *days,
        None,
        (date(2011, 11, 30), date(2011, 11, 30)),
    ]
    items = [["84879"], ["21288", "22745", "85161"], ["17107D", "22626"], None]
    assert rows["item"].to_list() == items
    assert rows["price"].to_list()[1:] == [{"lo": 2.1, "hi": 2.1}, {"lo": 1.83, "hi": 2.96}, None]
    assert rows["quantity"].to_list()[1:] == [{"lo": 5, "hi": 7}, {"lo": 6, "hi": 6}, None]


def test_a_suppressed_item_is_null_also_among_exact_ones(tmp_path: Path) -> None:
    content = "A,2010/12/1,84879,1.69,32\nB,2010/12/1,*,1.69,32\n"
    rows = read(file(tmp_path, content), format="pwscup2018").frame()
    assert rows["item"].to_list() == ["84879", None]


def test_the_header_of_the_second_round_of_2018_is_no_row(tmp_path: Path) -> None:
    path = file(tmp_path, "X1,X2,X3,X4,X5\n12583,2010/12/1,22728,3.75,24\n")
    assert read(path, format="pwscup2018").frame()["row"].to_list() == [0]
    content = path.read_text() + "12583,2010/12/1,22728,-1,24\n"
    assert "(row 3, column price)" in refusal(tmp_path, content, "pwscup2018")


def test_customers_of_a_contest_are_read(tmp_path: Path) -> None:
    table = file(tmp_path, "12583,f,1951/8/14,France\n14688,m,1983/7/11,EIRE\n", "M.csv")
    history = read(file(tmp_path, T2016), table, format="pwscup2016")
    assert history.customers is not None
    assert history.customers.collect("polars").to_native().row(0) == (
        "12583",
        "f",
        date(1951, 8, 14),
        "France",
    )


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            "1,1,2012/1/1,8:45,1,3.75,24",
            "A time must lie in the period 2010-12-01 to 2011-12-09, not '2012-01-01 08:45:00' "
            "(row 4, column time).",
        ),
        ("1,1,2011/2/30,8:45,1,3,2", "A date must look like 2011/2/28, not '2011/2/30' (row 4, "),
        ("1,1,2011/2/3,25:45,1,3,2", "A time must look like 9:05, not '25:45' (row 4, "),
        (",1,2011/2/3,5:45,1,3,2", "Every purchase needs a customer, not empty (row 4, "),
        ("1,,2011/2/3,5:45,1,3,2", "Every purchase needs a basket, not empty (row 4, "),
        ("1,1,2011/2/3,5:45,,3,2", "Every purchase needs an item, not empty (row 4, "),
        ("1,1,2011/2/3,5:45,*,3,2", "Every purchase needs an item, not empty (row 4, "),
        ("1,1,2011/2/3,5:45,1,[1;2],2", "A price must be a number, not '[1;2]' (row 4, "),
        ("1,1,2011/2/3,5:45,1,-3,2", "A price must be above zero"),
        ("1,1,2011/2/3,5:45,1,3,1.5", "A quantity must be a whole number, not '1.5' (row 4, "),
        ("1,1,[2011/2/3;2011/2/4],5:45,1,3,1", "A date must look like 2011/2/28, not '[2011"),
    ],
)
def test_a_bad_row_of_2016_is_named(tmp_path: Path, line: str, said: str) -> None:
    assert refusal(tmp_path, T2016 + line + "\n", "pwscup2016").startswith(said)


def test_another_period_can_be_given(tmp_path: Path) -> None:
    path = file(tmp_path, "1,1,2012/1/1,8:45,1,3.75,24\n")
    period = (date(2012, 1, 1), date(2012, 12, 31))
    assert read(path, format="pwscup2016", period=period).rows == 1


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("a,[2010/12/3;2010/12/1],1,2,5", "A date must look like 2011/2/28, not '[2010/12/3;"),
        ("a,2010/12/3,1,{2;3},5", "A price must be a number, not '{2;3}' (row 6, column price)."),
        ("a,2010/12/3,1,[3],5", "A price must be a number, not '[3]'"),
        ("a,2010/12/3,1,[3;4;5],5", "A price must be a number, not '[3;4;5]'"),
        ("a,2010/12/3,1,[3;inf],5", "A price must be a finite number, not [3.0;inf] (row 6, "),
        ("a,2010/12/3,1,[-3;4],5", "A price must be above zero"),
        ("a,2010/12/3,{},3,5", "Every purchase needs an item, not '{}'"),
        ("a,2010/12/3,{1;},3,5", "Every purchase needs an item, not '{1;}'"),
        ("a,2010/12/3,1,,5", "A price must be a number, not empty"),
        ("a,2010/12/3,1,1,[1.5;2]", "A quantity must be a whole number, not '[1.5;2]'"),
        ("a,[2010/11/30;2010/12/3],1,1,1", "A time must lie in the period 2010-12-01 to 2011-11-3"),
        (",2010/12/3,1,1,1", "Every purchase needs a customer, not empty"),
    ],
)
def test_a_bad_row_of_2018_is_named(tmp_path: Path, line: str, said: str) -> None:
    assert refusal(tmp_path, T2018 + line + "\n", "pwscup2018").startswith(said)


def test_the_number_of_columns_is_checked(tmp_path: Path) -> None:
    assert refusal(tmp_path, "1,2\n", "pwscup2018") == (
        "T.csv must have 5 columns (person, date, item, price, quantity); it has 2."
    )


def test_a_data_frame_is_no_contest_file() -> None:
    with pytest.raises(SchemaError, match="read from a file, not from DataFrame"):
        read(pl.DataFrame({"a": [1]}), format="pwscup2016")


def test_a_bad_birth_date_is_named(tmp_path: Path) -> None:
    table = file(tmp_path, "12583,f,1951/8/14,France\n14688,m,1983/7/32,EIRE\n", "M.csv")
    sentence = refusal(tmp_path, T2016, "pwscup2016", customers=table)
    assert sentence.endswith("not '1983/7/32' (row 2, column birth date).")


def test_a_set_on_the_first_line_does_not_make_semicolons_the_separator(tmp_path: Path) -> None:
    path = file(tmp_path, "A,2010/12/1,{a;b;c;d;e;f},1.5,[1;2]\n")
    assert read(path, format="pwscup2018").frame()["item"].to_list() == [list("abcdef")]


# Out


@pytest.mark.parametrize(("year", "text"), [("pwscup2016", T2016), ("pwscup2017", T2017)])
def test_a_file_is_written_as_it_was_read(tmp_path: Path, year: Any, text: str) -> None:
    history = read(file(tmp_path, text), format=year)
    assert contest_text(history, year, lines=3 if year == "pwscup2017" else None) == text


def test_a_generalized_file_is_written_as_it_was_read(tmp_path: Path) -> None:
    history = read(file(tmp_path, T2018), format="pwscup2018")
    assert contest_text(history, "pwscup2018", lines=5) == T2018


def test_customers_are_written_as_they_were_read(tmp_path: Path) -> None:
    text = "12583,f,1951/8/14,France\n14688,m,1983/7/11,EIRE\n"
    history = read(file(tmp_path, T2016), file(tmp_path, text, "M.csv"), format="pwscup2016")
    assert customers_text(history) == text


def test_2016_has_no_form_for_deleted_rows(tmp_path: Path) -> None:
    history = read(file(tmp_path, T2016), format="pwscup2016")
    with pytest.raises(SchemaError, match="A pwscup2016 file has no form for deleted rows"):
        contest_text(history, "pwscup2016", lines=5)


def test_a_history_without_baskets_or_hours_can_be_written_for_2017(fruit: History) -> None:
    plain = fruit.with_purchases(fruit.frame().drop("basket"))
    first, *_ = contest_text(plain, "pwscup2017").splitlines()
    assert first == "Alice,0,2018/9/7,0:00,pear,1.2,2"


def test_generalized_cells_cannot_be_written_for_2017(fruit: History) -> None:
    rows = fruit.frame()
    wide = rows.with_columns(intervals(rows["price"], rows["price"] + 1))
    with pytest.raises(SchemaError, match="every price must be exact; some are generalized"):
        contest_text(fruit.with_purchases(wide), "pwscup2017")
    hidden = rows.with_columns(item=pl.lit(None, pl.String))
    with pytest.raises(SchemaError, match="every item must be exact; some are suppressed"):
        contest_text(fruit.with_purchases(hidden), "pwscup2017")


def test_a_missing_role_cannot_be_written(fruit: History) -> None:
    plain = fruit.with_purchases(fruit.frame().drop("price"))
    for year in ("pwscup2017", "pwscup2018"):
        with pytest.raises(SchemaError, match=f"To write a {year} file, .* a column for price"):
            contest_text(plain, year)
    with pytest.raises(SchemaError, match="no customers table to write as M"):
        customers_text(plain)


def test_an_item_with_a_semicolon_cannot_stand_in_a_set(fruit: History) -> None:
    rows = fruit.frame().with_columns(item=pl.lit(["a;b", "c"]))
    with pytest.raises(SchemaError, match=r"may not hold any of ; \{ \}; 'a;b' in item does"):
        contest_text(fruit.with_purchases(rows), "pwscup2018")


days = st.dates(date(2010, 12, 1), date(2011, 11, 30))
amounts = st.floats(0.01, 1e6, allow_nan=False)
counts = st.integers(1, 10**6)


def span(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | st.tuples(values, values).map(
        lambda pair: {"lo": min(pair), "hi": max(pair)}
    )


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(
            span(days),
            st.none() | st.lists(st.sampled_from("abcdef"), min_size=1, unique=True).map(sorted),
            span(amounts),
            span(counts),
        ),
        min_size=1,
    )
)
def test_generalized_histories_survive_writing_and_reading(tmp_path: Path, cells: Any) -> None:
    schema = {
        "time": pl.Struct({"lo": pl.Date, "hi": pl.Date}),
        "item": pl.List(pl.String),
        "price": pl.Struct({"lo": pl.Float64, "hi": pl.Float64}),
        "quantity": pl.Struct({"lo": pl.Int64, "hi": pl.Int64}),
    }
    rows = pl.DataFrame(cells, schema=schema, orient="row")
    rows = rows.with_row_index("row").with_columns(pl.col("row").cast(pl.Int64), person=pl.lit("P"))
    history = History(purchases=read(pl.DataFrame({"customer": ["P"]})).purchases)
    text = contest_text(history.with_purchases(rows), "pwscup2018")
    back = read(file(tmp_path, text), format="pwscup2018").frame()
    for column in schema:
        kind = "set" if column == "item" else "interval"
        assert widened(back[column], kind).to_list() == rows[column].to_list()


# The papers' data


def numbers_for_prices(text: str) -> list[list[str]]:
    """Split a contest file; prices as numbers: 3.80 is 3.8."""
    lines = [line.split(",") for line in text.splitlines()]
    for line in lines:
        line[-2] = ";".join(
            part.rstrip("0").rstrip(".") if "." in part else part
            for part in line[-2].replace("]", "").split(";")
        )
    return lines


CONTEST_FILES = [
    *(("pwscup2016", f"data/pwscup2016/{name}.csv") for name in ("T",)),
    *(
        ("pwscup2017", f"data/pwscup2017/{name}.csv")
        for name in ("T", "T25", "T50", "T75", "T100", "T_Final", "AT_sample")
    ),
    *(
        ("pwscup2017", f"golden/pwscup2017/{name}.csv.gz")
        for name in ("AT_mixed", "AT_price", "S_mixed", "S_price", "S_sample")
    ),
    ("pwscup2018", "data/pwscup2018/T.csv"),
    *(
        ("pwscup2018", f"golden/pwscup2018/{name}.csv.gz")
        for name in ("A_random", "A_random_published", "A_wide", "A_wide_published")
    ),
]


@pytest.mark.realdata
@pytest.mark.parametrize(("year", "name"), CONTEST_FILES, ids=[name for _, name in CONTEST_FILES])
def test_every_file_of_the_contests_is_written_as_it_was_read(
    real_data: Path, year: Any, name: str
) -> None:
    path = real_data / name
    content = path.read_bytes()
    text = (gzip.decompress(content) if name.endswith(".gz") else content).decode()
    history = read(path, format=year)
    deleted = "DEL," in text or "\n*,*,*,*,*\n" in text
    written = contest_text(history, year, lines=text.count("\n") if deleted else None)
    assert numbers_for_prices(written) == numbers_for_prices(text)


@pytest.mark.realdata
def test_the_second_round_of_2018_is_read(real_data: Path) -> None:
    history = read(real_data / "data/pwscup2018/T_round2.csv", format="pwscup2018")
    assert history.rows == 89_278


@pytest.mark.realdata
@pytest.mark.parametrize(
    ("year", "purchases", "people"),
    [
        ("pwscup2016", "T", "M"),
        ("pwscup2017", "T", "M"),
        ("pwscup2017", "T_Final", "M_Final"),
    ],
)
def test_the_customers_of_the_contests_are_written_as_they_were_read(
    real_data: Path, year: Any, purchases: str, people: str
) -> None:
    folder = real_data / "data" / year
    table = folder / f"{people}.csv"
    history = read(folder / f"{purchases}.csv", table, format=year)
    assert customers_text(history) == table.read_text()


@pytest.mark.realdata
def test_the_facts_about_the_contest_of_2016_hold(real_data: Path) -> None:
    rows = read(real_data / "data/pwscup2016/T.csv", format="pwscup2016").frame()
    counts = rows.select(pl.len(), pl.col("person", "basket", "item").n_unique()).row(0)
    assert counts == (38_087, 400, 1_763, 2_781)
    assert rows["price"].min() == 0.04
    assert rows["price"].max() == 4161.06
    assert rows["quantity"].max() == 74_215


@pytest.mark.realdata
def test_the_example_of_2017_is_read_without_its_rows_of_no_quantity(real_data: Path) -> None:
    path = real_data / "data/pwscup2017/example/S_aa_20171223175348529920.txt"
    with pytest.raises(
        SchemaError, match=r"the rule 'returns' drops such rows\), not 0 \(row 48 and 915 more rows"
    ):
        read(path, format="pwscup2017")
    history = read(path, format="pwscup2017", cleaning=Cleaning(drop=("returns",)))
    lines = [line for line in path.read_text().splitlines() if not line.endswith(",0")]
    written = contest_text(history, "pwscup2017")
    assert numbers_for_prices(written) == numbers_for_prices("\n".join(lines))


@pytest.mark.realdata
def test_a_guess_of_2017_is_no_purchase_history(real_data: Path) -> None:
    with pytest.raises(SchemaError, match=r"must have 7 columns .* it has 13"):
        read(real_data / "data/pwscup2017/F_sample.csv", format="pwscup2017", cleaning=Cleaning())
