"""Small files of the census of 1990 and what is in them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from tokumei.data.microdata import Microdata

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


def write_discretized(path: Path, rows: Sequence[tuple[int, int, int]]) -> Path:
    lines = ["caseid,dAge,iSex,iYearsch,dYrsserv"]
    lines += [f"{10_000 + row},{age},{sex},{e},0" for row, (age, e, sex) in enumerate(rows)]
    path.write_text("".join(f"{line}\r\n" for line in lines), newline="")
    return path
