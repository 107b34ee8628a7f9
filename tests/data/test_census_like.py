"""A made-up census has the shape of the real one."""

from __future__ import annotations

import polars as pl
import pytest
from census_files import forbidden

from tokumei.data.census import AGES, EDUCATIONS, SEXES, allowed_pairs
from tokumei.data.census_like import RECORDS, cell_shares, generate_census
from tokumei.data.microdata import Microdata
from tokumei.errors import ParameterError


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
