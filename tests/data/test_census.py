"""Which ages and educations of the census of 1990 go together."""

from __future__ import annotations

import polars as pl
import pytest

from tokumei.data.census import AGES, ALLOWED, DISCRETIZED_AGES, EDUCATIONS, SEXES, allowed_pairs
from tokumei.data.census_like import cell_shares
from tokumei.errors import ParameterError


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
