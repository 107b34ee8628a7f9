"""Age, education and sex from public tables of people, each with what is known to be impossible.

Besides the census there are two: Adult (UCI) and the American Community Survey of 2018. Their
correlation says from which age on a degree is plausible; it is public knowledge about schools and
universities and was not taken from the tables, so using it discloses nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import polars as pl

from tokumei.data.census import (
    AGES,
    DISCRETIZED,
    RAW,
    SEXES,
    Scanned,
    allowed_pairs,
    census_form,
    census_table,
    from_codes,
    read_cells,
    scan,
)
from tokumei.data.columns import fail
from tokumei.errors import SchemaError

Name = Literal["census", "census-discretized", "adult", "acs2018"]


@dataclass(frozen=True)
class Microdata:
    """A table of people with age, education and sex, and the pairs of the first two that exist."""

    name: Name
    table: pl.DataFrame
    allowed: pl.DataFrame


@dataclass(frozen=True)
class Survey:
    """How a survey writes age, education and sex, and from which age on a degree is plausible."""

    name: Name
    education: str
    """Its column of education; those of age and sex are called so."""
    marks: tuple[str, ...]
    """The columns that tell the survey from others."""
    educations: tuple[str, ...]
    """In rising order."""
    years: range
    least_ages: Mapping[str, str]
    """The youngest band that has an education; one that is not named is had at any age."""

    @property
    def ages(self) -> tuple[str, ...]:
        """The bands in which the years lie."""
        return AGES[self.years.start // 5 : (self.years.stop - 1) // 5 + 1]


ADULT = Survey(
    name="adult",
    education="education",
    marks=("age", "education", "education-num", "sex"),
    educations=(
        "Preschool",
        "1st-4th",
        "5th-6th",
        "7th-8th",
        "9th",
        "10th",
        "11th",
        "12th",
        "HS-grad",
        "Some-college",
        "Assoc-voc",
        "Assoc-acdm",
        "Bachelors",
        "Masters",
        "Prof-school",
        "Doctorate",
    ),
    years=range(15, 91),  # 90 means 90 or more
    least_ages={
        "Assoc-voc": "20-24",
        "Assoc-acdm": "20-24",
        "Bachelors": "20-24",
        "Masters": "20-24",
        "Prof-school": "25-29",
        "Doctorate": "25-29",
    },
)
ACS2018 = Survey(
    name="acs2018",
    education="education_level",
    marks=("age", "education_level", "sex"),
    # The codes of SCHL in the survey's public use files: 1 is no schooling, 16 a high school
    # diploma, 20 an associate's degree, then bachelor, master, professional and doctorate.
    educations=tuple(str(code) for code in range(1, 25)),
    years=range(15, 65),  # people of working age
    least_ages={"20": "20-24", "21": "20-24", "22": "20-24", "23": "25-29", "24": "25-29"},
)


def read_microdata(path: str | Path) -> Microdata:
    """Read one of the known tables, recognized by its columns, with its correlation.

    Of the census this is UCI's raw or discretized file, also as .gz or Parquet; the discretized one
    knows eight bands of age only. Parquet has the raw codes, in AGE, YEARSCH and SEX or in age,
    education and sex.
    """
    scanned = scan(Path(path))
    for survey in (ADULT, ACS2018):
        if set(survey.marks) <= set(scanned.columns):
            return Microdata(survey.name, _survey_table(scanned, survey), plausible_pairs(survey))
    form = census_form(scanned)
    if form is None:
        known = (ADULT.marks, ACS2018.marks, RAW.columns, DISCRETIZED.columns)
        raise SchemaError(
            f"A table of people must have the columns {' or '.join(map(', '.join, known))}; "
            f"{scanned.name} has {_described(scanned)}."
        )
    name: Name = "census-discretized" if form is DISCRETIZED else "census"
    return Microdata(name, census_table(scanned, form), allowed_pairs(form.ages))


def plausible_pairs(survey: Survey) -> pl.DataFrame:
    """Return the pairs of age and education that a survey can have."""
    pairs = [
        (age, education)
        for age in survey.ages
        for education in survey.educations
        if AGES.index(age) >= AGES.index(survey.least_ages.get(education, AGES[0]))
    ]
    return pl.DataFrame(pairs, {"age": pl.String, "education": pl.String}, orient="row")


def _survey_table(scanned: Scanned, survey: Survey) -> pl.DataFrame:
    rows = read_cells(scanned, ("age", survey.education, "sex"))
    bands = [AGES[year // 5] for year in survey.years]
    rows = rows.with_columns(pl.col("sex").str.to_lowercase())
    return pl.DataFrame(
        {
            "age": from_codes(rows, "age", bands, survey.ages, first=survey.years.start),
            "education": _from_words(rows, survey.education, survey.educations),
            "sex": _from_words(rows, "sex", SEXES),
        }
    )


def _from_words(rows: pl.DataFrame, column: str, words: Sequence[str]) -> pl.Series:
    bad = ~rows[column].is_in(words).fill_null(value=False)
    fail(rows, bad, column, column, f"{column} must be one of {', '.join(words)}")
    return rows[column].cast(pl.Enum(words))


def _described(scanned: Scanned) -> str:
    if scanned.header:
        return ", ".join(scanned.columns)
    return f"{len(scanned.columns)} fields and no header"
