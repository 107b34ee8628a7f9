"""A made-up table of the shape of the US Census 1990, for those without the file.

The shares are our own round numbers: they follow what is generally known of the United States of
1990 (the baby boom, fewer degrees among the old, more women at high ages), but no statistic of
the census was fitted.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl

from tokumei.data.census import AGES, ALLOWED, EDUCATIONS, SEXES
from tokumei.draws import derive
from tokumei.errors import ParameterError

RECORDS = 2_002_755
"""The records that Saito 2014 keeps, all of them valid."""

# People by band of age, per thousand of the whole population: those with a pair of age and
# education that is not valid are already left out.
PEOPLE = (69, 58, 54, 50, 61, 77, 82, 75, 66, 50, 39, 34, 32, 28, 20, 14, 8, 5, 3)

# The weights of the allowed educations, in their order, at the ages of school and training.
YOUNG = {
    "0-4": (60.0, 22.0, 18.0),
    "5-9": (35.0, 65.0),
    "10-14": (1.0,),
    "15-19": (27.0, 27.0, 24.0, 22.0),
    "20-24": (40.0, 38.0, 6.0, 5.0, 11.0),
    "25-29": (4.5, 3.5, 34.0, 25.0, 5.5, 5.0, 19.0, 3.5),
}
# The same from grade 11 on at 30-34 and at 90+; the cohorts between change at an even rate.
AT_30 = np.array([4.0, 3.0, 31.0, 23.0, 5.5, 4.5, 18.0, 7.0, 2.5, 0.8])
AT_90 = np.array([13.0, 9.0, 46.0, 15.0, 2.0, 2.0, 9.0, 2.5, 1.2, 0.6])

WOMEN_YOUNG, WOMEN_OLD = 0.49, 0.75  # their share in the first and in the last band
# How many times more often men have an education than their share says, as odds.
MEN = {"bachelor": 1.2, "master": 1.1, "professional": 2.5, "doctorate": 2.5}

Floats = npt.NDArray[np.float64]


def generate_census(records: int = RECORDS, *, seed: int) -> pl.DataFrame:
    """Generate a table of age, education and sex in which every pair of the first two is valid."""
    if records < 1:
        raise ParameterError(f"records must be at least 1, not {records}.")
    if seed < 0:
        raise ParameterError(f"seed must be at least 0, not {seed}.")
    rng = np.random.default_rng(derive(seed, "census"))
    cells = cell_shares()
    counts = rng.multinomial(records, cells["share"].to_numpy())
    rows = np.repeat(np.arange(len(cells), dtype=np.uint16), counts)
    rng.shuffle(rows)
    return cells.drop("share").select(pl.all().gather(pl.Series(rows)))


def cell_shares() -> pl.DataFrame:
    """Return the 306 valid cells of age, education and sex, each with its probability."""
    cells = []
    for band, (age, people) in enumerate(zip(AGES, PEOPLE, strict=True)):
        women = WOMEN_YOUNG + (WOMEN_OLD - WOMEN_YOUNG) * (band / (len(AGES) - 1)) ** 4
        weights = _education_weights(band)
        for education, share in zip(ALLOWED[age], weights / weights.sum(), strict=True):
            men_per_woman = (1 - women) / women * MEN.get(education, 1.0)
            men = men_per_woman / (1 + men_per_woman)
            in_pair = people / sum(PEOPLE) * share
            cells += [
                (age, education, "male", in_pair * men),
                (age, education, "female", in_pair * (1 - men)),
            ]
    schema: dict[str, pl.DataType | type[pl.DataType]] = {
        "age": pl.Enum(AGES),
        "education": pl.Enum(EDUCATIONS),
        "sex": pl.Enum(SEXES),
        "share": pl.Float64,
    }
    return pl.DataFrame(cells, schema, orient="row")


def _education_weights(band: int) -> Floats:
    if band < len(YOUNG):
        return np.array(YOUNG[AGES[band]])
    older = (band - len(YOUNG)) / (len(AGES) - 1 - len(YOUNG))
    weights: Floats = AT_30 ** (1 - older) * AT_90**older
    return weights
