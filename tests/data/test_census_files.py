"""The census of 1990 in all its forms, raw and discretized, and broken files."""

from __future__ import annotations

import gzip
from pathlib import Path

import polars as pl
import pytest
from census_files import DECODED, PEOPLE, Person, raw_line, text, write_discretized, write_raw

from tokumei.data.census import AGES, DISCRETIZED_AGES, EDUCATIONS, SEXES
from tokumei.data.microdata import read_microdata
from tokumei.errors import ReadError, SchemaError


def test_raw_codes_become_bands_and_words(tmp_path: Path) -> None:
    table = read_microdata(write_raw(tmp_path / "raw.data.txt")).table
    assert text(table) == DECODED
    assert table.schema == {
        "age": pl.Enum(AGES),
        "education": pl.Enum(EDUCATIONS),
        "sex": pl.Enum(SEXES),
    }


@pytest.mark.parametrize("separator", [",", "\t", " "])
def test_any_common_separator_will_do(tmp_path: Path, separator: str) -> None:
    assert (
        text(read_microdata(write_raw(tmp_path / "raw.txt", separator=separator)).table) == DECODED
    )


def test_a_copy_with_68_fields_is_read_by_its_own_places(tmp_path: Path) -> None:
    path = tmp_path / "short.txt"
    path.write_text("\n".join(raw_line(person, ",", fields=68) for person in PEOPLE))
    assert text(read_microdata(path).table) == DECODED


def test_a_packed_file_is_unpacked(tmp_path: Path) -> None:
    plain = write_raw(tmp_path / "raw.txt")
    packed = tmp_path / "raw.txt.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert text(read_microdata(packed).table) == DECODED


def test_a_header_gives_the_places(tmp_path: Path) -> None:
    path = tmp_path / "named.csv"
    lines = ['"SEX","OTHER","AGE","YEARSCH"', *(f"{sex},x,{a},{e}" for a, e, sex in PEOPLE)]
    path.write_text("\n".join(lines))
    assert text(read_microdata(path).table) == DECODED


@pytest.mark.parametrize("names", [("AGE", "YEARSCH", "SEX"), ("age", "education", "sex")])
def test_parquet_has_the_raw_codes(tmp_path: Path, names: tuple[str, ...]) -> None:
    path = tmp_path / "census.parquet"
    rows = [tuple(int(code) for code in person) for person in PEOPLE]
    pl.DataFrame(rows, schema=names, orient="row").write_parquet(path)
    assert text(read_microdata(path).table) == DECODED
    assert read_microdata(path).name == "census"


@pytest.mark.parametrize("end", ["\x1a", "\r\n\r\n"])
def test_what_follows_the_last_record_is_no_person(tmp_path: Path, end: str) -> None:
    path = write_raw(tmp_path / "raw.txt")
    path.write_bytes(path.read_bytes() + end.encode())
    assert text(read_microdata(path).table) == DECODED


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
        read_microdata(path)
    assert complaint in str(caught.value)


def test_an_empty_line_among_the_records_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "raw.txt"
    path.write_text(f"{raw_line(PEOPLE[0])}\n\n{raw_line(PEOPLE[1])}\n")
    with pytest.raises(SchemaError, match=r"AGE .* not empty \(row 2, column AGE\)"):
        read_microdata(path)


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
        read_microdata(path)


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match=r"absent\.txt cannot be read"):
        read_microdata(tmp_path / "absent.txt")


def test_the_discretized_file_has_eight_bands(tmp_path: Path) -> None:
    rows = [(band, 10, band % 2) for band in range(8)]
    table = read_microdata(write_discretized(tmp_path / "census.txt", rows)).table
    assert table["age"].to_list() == list(DISCRETIZED_AGES)
    assert table["age"].dtype == pl.Enum(DISCRETIZED_AGES)
    assert table["sex"].to_list() == ["male", "female"] * 4


def test_a_discretized_code_out_of_range_is_said(tmp_path: Path) -> None:
    path = write_discretized(tmp_path / "census.txt", [(7, 10, 0), (8, 10, 0)])
    with pytest.raises(SchemaError, match=r"dAge .* 0 to 7, not '8' \(row 3, column dAge\)"):
        read_microdata(path)
