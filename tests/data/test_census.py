"""The census of 1990 in all its forms, a made-up one, and the two other tables of people."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from pathlib import Path

import polars as pl
import pytest

from tokumei.data.census import (
    AGES,
    ALLOWED,
    DISCRETIZED_AGES,
    EDUCATIONS,
    SEXES,
    allowed_pairs,
    read_census,
)
from tokumei.data.census_like import RECORDS, cell_shares, generate_census
from tokumei.data.microdata import (
    ACS2018,
    ADULT,
    Microdata,
    plausible_pairs,
    read_acs,
    read_adult,
    read_microdata,
)
from tokumei.errors import ParameterError, ReadError, SchemaError

Person = tuple[str, str, str]  # AGE, YEARSCH and SEX as the raw file writes them

PEOPLE: list[Person] = [
    ("00", "00", "0"),
    ("04", "02", "1"),
    ("05", "03", "0"),
    ("34", "17", "1"),
    ("89", "10", "0"),
    ("90", "08", "1"),
]
DECODED = [
    ("0-4", "under 3", "male"),
    ("0-4", "nursery", "female"),
    ("5-9", "kindergarten", "male"),
    ("30-34", "doctorate", "female"),
    ("85-89", "high school", "male"),
    ("90+", "grade 11", "female"),
]


def raw_line(person: Person, separator: str = "\t", fields: int = 125) -> str:
    """A line of the raw file, with the three values where the code book has them."""
    cells = ["0"] * fields
    if fields == 125:
        cells[97] = "P"  # the type of the record
    places = (13, 123, 113) if fields == 125 else (1, 66, 56)
    for place, value in zip(places, person, strict=True):
        cells[place - 1] = value
    return separator.join(cells)


def write_raw(path: Path, people: Sequence[Person] = PEOPLE, separator: str = "\t") -> Path:
    path.write_text("".join(f"{raw_line(person, separator)}\r\n" for person in people), newline="")
    return path


def text(table: pl.DataFrame) -> list[tuple[str, ...]]:
    return table.select(pl.all().cast(pl.String)).rows()


def forbidden(data: Microdata) -> int:
    pairs = data.table.with_columns(pl.col("age", "education").cast(pl.String))
    return len(pairs.join(data.allowed, on=["age", "education"], how="anti"))


# What is allowed


def test_the_attributes_have_the_ranges_of_the_paper() -> None:
    assert (len(AGES), len(EDUCATIONS), len(SEXES)) == (19, 18, 2)
    assert AGES[:2] + AGES[-2:] == ("0-4", "5-9", "85-89", "90+")


def test_153_pairs_and_306_cells_are_allowed() -> None:
    pairs = allowed_pairs()
    assert pairs.schema == {"age": pl.String, "education": pl.String}
    assert len(pairs) == pairs.n_unique() == 153
    assert len(pairs) * len(SEXES) == len(cell_shares()) == 306


def test_the_pairs_keep_what_the_paper_says() -> None:
    assert tuple(ALLOWED) == AGES
    assert not set(ALLOWED["0-4"]) & set(EDUCATIONS[10:])
    too_low = set(EDUCATIONS[:8])  # up to grade 10
    assert not any(set(ALLOWED[age]) & too_low for age in AGES[5:])


def test_pairs_come_in_the_order_of_bands_and_codes() -> None:
    order = [(AGES.index(age), EDUCATIONS.index(level)) for age, level in allowed_pairs().rows()]
    assert order == sorted(order)


def test_a_wider_band_allows_what_any_band_in_it_allows() -> None:
    pairs = allowed_pairs(DISCRETIZED_AGES)
    by_age = dict(pairs.group_by("age", maintain_order=True).agg("education").rows())
    assert by_age["0"] == list(ALLOWED["0-4"])
    assert by_age["1-12"] == list(EDUCATIONS[:6])
    assert by_age["13-19"] == [*EDUCATIONS[5:9], "high school"]
    assert by_age["20-29"] == list(EDUCATIONS[8:16])
    assert by_age["65+"] == list(EDUCATIONS[8:])
    assert len(pairs) == 3 + 6 + 5 + 8 + 4 * 10


def test_a_band_must_be_written_as_a_band() -> None:
    with pytest.raises(ParameterError, match="written as 0, 5-9 or 90\\+, not 'old'"):
        allowed_pairs(["old"])


# The raw file


def test_raw_codes_become_bands_and_words(tmp_path: Path) -> None:
    table = read_census(write_raw(tmp_path / "raw.data.txt"))
    assert text(table) == DECODED
    assert table.schema == {
        "age": pl.Enum(AGES),
        "education": pl.Enum(EDUCATIONS),
        "sex": pl.Enum(SEXES),
    }


@pytest.mark.parametrize("separator", [",", "\t", " "])
def test_any_common_separator_will_do(tmp_path: Path, separator: str) -> None:
    assert text(read_census(write_raw(tmp_path / "raw.txt", separator=separator))) == DECODED


def test_a_copy_with_68_fields_is_read_by_its_own_places(tmp_path: Path) -> None:
    path = tmp_path / "short.txt"
    path.write_text("\n".join(raw_line(person, ",", fields=68) for person in PEOPLE))
    assert text(read_census(path)) == DECODED


def test_a_packed_file_is_unpacked(tmp_path: Path) -> None:
    plain = write_raw(tmp_path / "raw.txt")
    packed = tmp_path / "raw.txt.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert text(read_census(packed)) == DECODED


def test_a_header_gives_the_places(tmp_path: Path) -> None:
    path = tmp_path / "named.csv"
    lines = ['"SEX","OTHER","AGE","YEARSCH"', *(f"{sex},x,{a},{e}" for a, e, sex in PEOPLE)]
    path.write_text("\n".join(lines))
    assert text(read_census(path)) == DECODED


@pytest.mark.parametrize("names", [("AGE", "YEARSCH", "SEX"), ("age", "education", "sex")])
def test_parquet_has_the_raw_codes(tmp_path: Path, names: tuple[str, ...]) -> None:
    path = tmp_path / "census.parquet"
    rows = [tuple(int(code) for code in person) for person in PEOPLE]
    pl.DataFrame(rows, schema=names, orient="row").write_parquet(path)
    assert text(read_census(path)) == DECODED
    assert read_microdata(path).name == "census"


@pytest.mark.parametrize("end", ["\x1a", "\r\n\r\n"])
def test_what_follows_the_last_record_is_no_person(tmp_path: Path, end: str) -> None:
    path = write_raw(tmp_path / "raw.txt")
    path.write_bytes(path.read_bytes() + end.encode())
    assert text(read_census(path)) == DECODED


@pytest.mark.parametrize(
    ("person", "complaint"),
    [
        (
            ("91", "10", "0"),
            "AGE must be a whole number from 0 to 90, not '91' (row 7, column",
        ),
        (("20", "18", "0"), "YEARSCH must be a whole number from 0 to 17, not '18' (row 7, column"),
        (("20", "10", "2"), "SEX must be a whole number from 0 to 1, not '2' (row 7, column SEX)"),
        (("-1", "10", "0"), "not '-1' (row 7, column AGE)"),
        (("x", "10", "0"), "not 'x' (row 7, column AGE)"),
        (("20", "", "0"), "not empty (row 7, column YEARSCH)"),
    ],
)
def test_a_code_out_of_range_is_said_by_row_and_column(
    tmp_path: Path, person: Person, complaint: str
) -> None:
    path = write_raw(tmp_path / "raw.txt", [*PEOPLE, person, PEOPLE[0]])
    with pytest.raises(SchemaError) as caught:
        read_census(path)
    assert complaint in str(caught.value)


def test_an_empty_line_among_the_records_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "raw.txt"
    path.write_text(f"{raw_line(PEOPLE[0])}\n\n{raw_line(PEOPLE[1])}\n")
    with pytest.raises(SchemaError, match=r"AGE .* not empty \(row 2, column AGE\)"):
        read_census(path)


def test_the_number_of_fields_must_fit(tmp_path: Path) -> None:
    path = tmp_path / "raw.txt"
    path.write_text("1\t2\t3\n")
    with pytest.raises(SchemaError, match=r"125 or 68 fields a line, not 3 \(raw.txt, row 1\)"):
        read_census(path)


def test_the_columns_of_another_table_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "shop.csv"
    path.write_text("customer,item\nA,1\n")
    with pytest.raises(SchemaError, match=r"must have the columns AGE, .*has customer, item\."):
        read_census(path)


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (b"", "first line of bad.txt is empty"),
        (b"AGE,YEARSCH,SEX\n", "bad.txt has no rows"),
        (b"AGE,YEARSCH,SEX\n\n", "bad.txt has no rows"),
        (b"AGE,YEARSCH,SEX\n1,1\n", "SEX .* not empty .row 2, column SEX"),
        (b"AGE,YEARSCH,SEX\n1,1,1,1\n", "more than the 3 cells"),
        (b"PK\x03\x04\0\0", "zero byte"),
        (b"PAR1 and no more", "truncated Parquet"),
        (b"\x1f\x8bno gzip", "gzip"),
        (b"AGE,AGE,YEARSCH,SEX\n1,1,1,1\n", "a name of its own"),
        (b"AGE,YEARSCH,SEX\n\xff,1,1\n", "cannot be read as a table"),
    ],
)
def test_a_broken_file_is_refused(tmp_path: Path, data: bytes, complaint: str) -> None:
    path = tmp_path / "bad.txt"
    path.write_bytes(data)
    with pytest.raises((ReadError, SchemaError), match=complaint):
        read_census(path)


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match=r"absent\.txt cannot be read"):
        read_census(tmp_path / "absent.txt")


# The discretized file


def write_discretized(path: Path, rows: Sequence[tuple[int, int, int]]) -> Path:
    lines = ["caseid,dAge,iSex,iYearsch,dYrsserv"]
    lines += [f"{10_000 + row},{age},{sex},{e},0" for row, (age, e, sex) in enumerate(rows)]
    path.write_text("".join(f"{line}\r\n" for line in lines), newline="")
    return path


def test_the_discretized_file_has_eight_bands(tmp_path: Path) -> None:
    rows = [(band, 10, band % 2) for band in range(8)]
    table = read_census(write_discretized(tmp_path / "census.txt", rows))
    assert table["age"].to_list() == list(DISCRETIZED_AGES)
    assert table["age"].dtype == pl.Enum(DISCRETIZED_AGES)
    assert table["sex"].to_list() == ["male", "female"] * 4


def test_a_discretized_code_out_of_range_is_said(tmp_path: Path) -> None:
    path = write_discretized(tmp_path / "census.txt", [(7, 10, 0), (8, 10, 0)])
    with pytest.raises(SchemaError, match=r"dAge .* 0 to 7, not '8' \(row 3, column dAge\)"):
        read_census(path)


# The made-up census


def test_a_seed_gives_one_census() -> None:
    table = generate_census(5_000, seed=1)
    assert table.equals(generate_census(5_000, seed=1))
    assert not table.equals(generate_census(5_000, seed=2))
    assert table.shape == (5_000, 3)
    assert table.schema == {
        "age": pl.Enum(AGES),
        "education": pl.Enum(EDUCATIONS),
        "sex": pl.Enum(SEXES),
    }


def test_the_full_census_has_every_valid_cell_and_no_other() -> None:
    table = generate_census(seed=3)
    assert len(table) == RECORDS == 2_002_755
    assert table.n_unique() == 306
    assert forbidden(Microdata("census", table, allowed_pairs())) == 0


def test_the_rows_are_in_no_order() -> None:
    table = generate_census(10_000, seed=4)
    men = table.with_row_index().group_by(pl.col("index") // 5_000).agg(pl.col("sex") == "male")
    shares = men["sex"].list.mean().to_list()
    assert shares[0] == pytest.approx(shares[1], abs=0.05)


def test_cells_are_as_uneven_as_in_a_census() -> None:
    shares = cell_shares()["share"]
    assert shares.sum() == pytest.approx(1)
    assert 1e-6 < shares.min() < 1e-4  # type: ignore[operator]
    assert 0.02 < shares.max() < 0.05  # type: ignore[operator]


def test_the_old_are_women_and_have_fewer_degrees() -> None:
    cells = cell_shares()

    def share(age: str, condition: pl.Expr) -> float:
        people = cells.filter(pl.col("age") == age)
        return float(people.filter(condition)["share"].sum()) / float(people["share"].sum())

    women = [share(age, pl.col("sex") == "female") for age in AGES[6:]]
    degrees = [share(age, pl.col("education").is_in(EDUCATIONS[14:])) for age in AGES[6:]]
    assert women == sorted(women)
    assert degrees == sorted(degrees, reverse=True)
    assert women[-1] > 0.7


@pytest.mark.parametrize(("records", "seed"), [(0, 1), (10, -1)])
def test_records_and_seed_must_be_sensible(records: int, seed: int) -> None:
    with pytest.raises(ParameterError, match="must be at least"):
        generate_census(records, seed=seed)


# Adult and the American Community Survey

ADULT_CSV = """age,workclass,education,education-num,sex
17,Private,11th,7, Male
39,State-gov,Bachelors,13, Female
90,?,Preschool,1, Male
"""
ACS_CSV = """sex,age,race,education_level
male,64,black,24
female,19,white,1
"""


def test_adult_is_read_in_bands(tmp_path: Path) -> None:
    path = tmp_path / "adult.csv"
    path.write_text(ADULT_CSV)
    table = read_adult(path)
    assert text(table) == [
        ("15-19", "11th", "male"),
        ("35-39", "Bachelors", "female"),
        ("90+", "Preschool", "male"),
    ]
    assert table["age"].dtype == pl.Enum(AGES[3:])
    assert table["education"].dtype == pl.Enum(ADULT.educations)


def test_the_community_survey_keeps_its_codes(tmp_path: Path) -> None:
    path = tmp_path / "acs.csv"
    path.write_text(ACS_CSV)
    table = read_acs(path)
    assert text(table) == [("60-64", "24", "male"), ("15-19", "1", "female")]
    assert table["age"].dtype == pl.Enum(AGES[3:13])
    assert table["education"].dtype == pl.Enum([str(code) for code in range(1, 25)])


def test_a_degree_needs_its_age() -> None:
    adult = set(plausible_pairs(ADULT).rows())
    assert len(adult) == 16 * 16 - 4 - 2 * 2
    assert ("15-19", "Bachelors") not in adult
    assert ("20-24", "Masters") in adult
    assert ("20-24", "Doctorate") not in adult
    assert ("90+", "Preschool") in adult
    assert len(plausible_pairs(ACS2018)) == 10 * 24 - 3 - 2 * 2


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("17,", "14,", "age must be a whole number from 15 to 90, not '14' (row 2, column age)"),
        ("Bachelors", "Magister", "not 'Magister' (row 3, column education)"),
        ("Female", "", "sex must be one of male, female, not empty (row 3, column sex)"),
    ],
)
def test_a_survey_value_out_of_range_is_said(
    tmp_path: Path, old: str, new: str, complaint: str
) -> None:
    path = tmp_path / "adult.csv"
    path.write_text(ADULT_CSV.replace(old, new))
    with pytest.raises(SchemaError) as caught:
        read_microdata(path)
    assert complaint in str(caught.value)


def test_a_survey_is_not_taken_for_another(tmp_path: Path) -> None:
    path = tmp_path / "acs.csv"
    path.write_text(ACS_CSV)
    with pytest.raises(SchemaError, match=r"table of adult .*has sex, age, race, education_level"):
        read_adult(path)


# Any of them


def test_every_table_is_recognized_by_its_columns(tmp_path: Path) -> None:
    files = {
        "census": write_raw(tmp_path / "raw.txt"),
        "census-discretized": write_discretized(tmp_path / "discretized.txt", [(3, 10, 0)]),
        "adult": tmp_path / "adult.csv",
        "acs2018": tmp_path / "acs.csv",
    }
    files["adult"].write_text(ADULT_CSV)
    files["acs2018"].write_text(ACS_CSV)
    read = {name: read_microdata(path) for name, path in files.items()}
    assert {name: data.name for name, data in read.items()} == {name: name for name in files}
    assert {name: len(data.allowed) for name, data in read.items()} == {
        "census": 153,
        "census-discretized": 62,
        "adult": 248,
        "acs2018": 233,
    }
    assert all(data.table.columns == ["age", "education", "sex"] for data in read.values())


@pytest.mark.parametrize(
    ("content", "found"), [("a,b\n1,2\n", "has a, b."), ("1,2\n", "has 2 fields and no header.")]
)
def test_an_unknown_table_is_refused(tmp_path: Path, content: str, found: str) -> None:
    path = tmp_path / "other.csv"
    path.write_text(content)
    with pytest.raises(SchemaError) as caught:
        read_microdata(path)
    assert str(caught.value).startswith("A table of people must have the columns age, education, ")
    assert str(caught.value).endswith(found)


# The papers' data


@pytest.mark.realdata
@pytest.mark.parametrize(
    ("file", "name", "rows", "dropped"),
    [
        ("adult_uci.parquet", "adult", 48_842, 11),
        ("gov_census_acs2018.parquet", "acs2018", 204_309, 80),
    ],
)
def test_surveys_hardly_break_public_knowledge(
    shared: Path, file: str, name: str, rows: int, dropped: int
) -> None:
    data = read_microdata(shared / "data/other" / file)
    assert (data.name, len(data.table)) == (name, rows)
    assert forbidden(data) == dropped < rows / 2_000


@pytest.mark.realdata
def test_a_sample_of_the_census_is_read(shared: Path) -> None:
    data = read_microdata(shared / "data/other/us_census_1990_sample_matkosoric.csv")
    assert (data.name, len(data.table)) == ("census-discretized", 199)
    assert data.table["sex"].value_counts().sort("sex")["count"].to_list() == [97, 102]
    assert forbidden(data) == 29  # 15 %; the paper drops 19 % of the whole file


@pytest.mark.realdata
def test_the_code_book_has_the_places_of_the_short_form(shared: Path) -> None:
    book = (shared / "data/other/USCensus1990raw.attributes.txt").read_text(errors="replace")
    blocks = book.split("_" * 82 + "\n")[1:]
    names = [block.split()[0] for block in blocks]
    assert len(names) == 68
    assert [names.index(name) + 1 for name in ("AGE", "YEARSCH", "SEX")] == [1, 66, 56]
