"""Age, education and sex from UCI's US Census 1990, and which ages have which educations.

Saito 2014 perturbs these three attributes under a correlation of age and education. The paper
does not print its table of valid pairs: it says that small children have no high education, that
from the late twenties on nobody has stopped at grade 10 or before, and that 306 of the 684 cells
remain. The table here is ours, built to these statements and to this count.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from tokumei.data.columns import LINE, fail
from tokumei.data.loading import BROKEN_PARQUET, check_parquet
from tokumei.data.text import LONGEST_LINE, content
from tokumei.errors import ParameterError, ReadError, SchemaError

AGES = (*(f"{first}-{first + 4}" for first in range(0, 90, 5)), "90+")
DISCRETIZED_AGES = ("0", "1-12", "13-19", "20-29", "30-39", "40-49", "50-64", "65+")
"""The eight levels of dAge, as the script that UCI offers with the data makes them from AGE."""
EDUCATIONS = (
    "under 3",
    "none",
    "nursery",
    "kindergarten",
    "grades 1-4",
    "grades 5-8",
    "grade 9",
    "grade 10",
    "grade 11",
    "grade 12",
    "high school",
    "some college",
    "associate occupational",
    "associate academic",
    "bachelor",
    "master",
    "professional",
    "doctorate",
)
"""The codes 0 to 17 of YEARSCH; a grade is the highest that was reached, without a diploma."""
SEXES = ("male", "female")

ALLOWED: Mapping[str, tuple[str, ...]] = {
    "0-4": ("under 3", "none", "nursery"),
    "5-9": ("kindergarten", "grades 1-4"),
    "10-14": ("grades 5-8",),
    "15-19": ("grade 9", "grade 10", "grade 11", "high school"),
    "20-24": EDUCATIONS[10:15],
    "25-29": EDUCATIONS[8:16],
    **dict.fromkeys(AGES[6:], EDUCATIONS[8:]),
}
"""The educations that a person of an age can have: 153 pairs, so 306 cells with both sexes."""

# Where a line has the three values when there is no header: UCI's raw file has 125 fields; a copy
# that keeps only the variables of the discretized file, in the same order of names, has 68.
FIELDS: Mapping[int, Mapping[int, str]] = {
    125: {13: "AGE", 113: "SEX", 123: "YEARSCH"},
    68: {1: "AGE", 56: "SEX", 66: "YEARSCH"},
}
SEPARATORS = ("\t", ",", " ")
_BAND = re.compile(r"(\d+)(?:-(\d+)|(\+))?")
_AGES_BY_YEAR = tuple(AGES[year // 5] for year in range(91))


@dataclass(frozen=True)
class Scanned:
    """A file whose columns are known and whose rows are not read yet."""

    name: str
    columns: tuple[str, ...]
    rows: pl.LazyFrame
    """The columns, and the number of every row."""
    header: bool


@dataclass(frozen=True)
class CensusForm:
    """One form of the census file: its columns, and the age band that each code of age means."""

    age: str
    education: str
    sex: str
    bands: tuple[str, ...]
    ages: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, str, str]:
        """The columns in the order in which a table has them."""
        return self.age, self.education, self.sex


RAW = CensusForm("AGE", "YEARSCH", "SEX", _AGES_BY_YEAR, AGES)
RENAMED = CensusForm("age", "education", "sex", _AGES_BY_YEAR, AGES)
DISCRETIZED = CensusForm("dAge", "iYearsch", "iSex", DISCRETIZED_AGES, DISCRETIZED_AGES)


def allowed_pairs(ages: Sequence[str] = AGES) -> pl.DataFrame:
    """Return the valid pairs of age and education, in the order of the bands and the codes.

    A band that is not one of the five-year bands allows whatever any of those it overlaps allows.
    """
    pairs = []
    for age in ages:
        first, last = _years(age)
        possible = {
            education
            for band, educations in ALLOWED.items()
            if _years(band)[0] <= last and first <= _years(band)[1]
            for education in educations
        }
        pairs += [(age, education) for education in EDUCATIONS if education in possible]
    return pl.DataFrame(pairs, {"age": pl.String, "education": pl.String}, orient="row")


def _years(band: str) -> tuple[float, float]:
    match = _BAND.fullmatch(band)
    if match is None:
        raise ParameterError(f"A band of ages must be written as 0, 5-9 or 90+, not '{band}'.")
    first, last, onward = match.groups()
    return int(first), float("inf") if onward else int(last or first)


def census_form(scanned: Scanned) -> CensusForm | None:
    """Return which form of the census file this is, if it is one."""
    forms = (RAW, DISCRETIZED, RENAMED)
    return next((form for form in forms if set(form.columns) <= set(scanned.columns)), None)


def census_table(scanned: Scanned, form: CensusForm) -> pl.DataFrame:
    """Read the rows of a census file, of which the form is known."""
    rows = read_cells(scanned, form.columns)
    return pl.DataFrame(
        {
            "age": from_codes(rows, form.age, form.bands, form.ages),
            "education": from_codes(rows, form.education, EDUCATIONS, EDUCATIONS),
            "sex": from_codes(rows, form.sex, SEXES, SEXES),
        }
    )


def from_codes(
    rows: pl.DataFrame, column: str, meanings: Sequence[str], kinds: Sequence[str], first: int = 0
) -> pl.Series:
    """Replace whole numbers by what they mean, one of `kinds`; `first` means the first meaning."""
    codes = rows[column].cast(pl.Int64, strict=False) - first
    last = first + len(meanings) - 1
    bad = codes.is_null() | ~codes.is_between(0, last - first)
    fail(rows, bad, column, column, f"{column} must be a whole number from {first} to {last}")
    return pl.Series(meanings, dtype=pl.Enum(kinds)).gather(codes)


def scan(path: Path) -> Scanned:
    """Find the columns of a Parquet or text file, the latter also packed and without a header."""
    try:
        with path.open("rb") as file:
            head = file.read(LONGEST_LINE)
    except OSError as error:
        raise ReadError(f"{path} cannot be read ({error.strerror}).") from error
    if head.startswith(b"PAR1"):
        return _scan_parquet(path)
    source: Path | bytes = path
    if head.startswith(b"\x1f\x8b"):
        source = content(path, zero_allowed=False)
        head = source[:LONGEST_LINE]
    if b"\0" in head:
        raise ReadError(f"{path.name} is neither text nor Parquet: it has a zero byte.")
    return _scan_text(source, head.partition(b"\n")[0], path.name)


def _scan_text(source: Path | bytes, first_line: bytes, name: str) -> Scanned:
    line = first_line.decode("utf-8-sig", errors="replace").strip()
    if not line:
        raise ReadError(f"The first line of {name} is empty; it must be a header or a record.")
    separator = next((mark for mark in SEPARATORS if mark in line), ",")
    columns = [cell.strip(' "') for cell in line.split(separator)]
    header = not columns[0].isdecimal()
    if not header:
        fields = FIELDS.get(len(columns), {})
        columns = [fields.get(number, str(number)) for number in range(1, len(columns) + 1)]
    if len(set(columns)) < len(columns):
        raise SchemaError(f"Every column of {name} needs a name of its own (row 1).")
    rows = pl.scan_csv(
        source,
        has_header=False,
        skip_rows=int(header),
        separator=separator,
        schema=dict.fromkeys(columns, pl.String),
        row_index_name=LINE,
        row_index_offset=1 + header,
        missing_columns="insert",  # a first record that is too short is found like any other
        glob=False,
    )
    return Scanned(name, tuple(columns), rows, header)


def _scan_parquet(path: Path) -> Scanned:
    check_parquet(path)
    try:
        rows = pl.scan_parquet(path, row_index_name=LINE, row_index_offset=1, glob=False)
        columns = [name for name in rows.collect_schema().names() if name != LINE]
    except BROKEN_PARQUET as error:
        raise ReadError(f"{path.name} is a broken or truncated Parquet file.") from error
    return Scanned(path.name, tuple(columns), rows, header=True)


def read_cells(scanned: Scanned, columns: Sequence[str]) -> pl.DataFrame:
    """Read some columns as text, with the number of every row."""
    # Blanks surround cells in some copies; the raw file may end in the end mark of DOS.
    cells = pl.col(columns).cast(pl.String).str.strip_chars(" \t\r\x1a")
    try:
        rows = scanned.rows.select(LINE, pl.when(cells != "").then(cells)).collect()
    except BROKEN_PARQUET as error:
        raise ReadError(
            f"{scanned.name} cannot be read as a table: its rows must be UTF-8 text and may not "
            f"have more than the {len(scanned.columns)} cells of the first."
        ) from error
    filled = rows.select(pl.any_horizontal(pl.col(columns).is_not_null()).arg_true().max()).item()
    if filled is None:
        raise ReadError(f"{scanned.name} has no rows; a table of people needs at least one.")
    return rows.head(filled + 1)  # empty lines at the end are no people
