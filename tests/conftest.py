"""What all tests share: the papers' data where it is, and small histories made by hand."""

from __future__ import annotations

import os

# The products of matrices here are small: threads would spend more on waiting than on numbers,
# the more so beside the other processes of pytest-xdist. numpy reads this when it is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

from dataclasses import replace
from datetime import date
from pathlib import Path

import polars as pl
import pytest
from hypothesis import settings

from tokumei import History, generate, read
from tokumei.tables import table

settings.register_profile("tokumei", deadline=None, derandomize=True, max_examples=50)
settings.load_profile("tokumei")

REAL_DATA = Path(os.environ.get("TOKUMEI_DATA", Path(__file__).parents[2] / "shared"))


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder with the papers' data and the contests' own scores, `data/` and `golden/`."""
    if not (REAL_DATA / "data").is_dir():
        pytest.skip("the papers' data is not here; set TOKUMEI_DATA to the folder that has it")
    return REAL_DATA


@pytest.fixture
def fruit() -> History:
    """Alice, Bob, Carol and Dan buy fruit: the worked example of Hamada 2018, with amounts."""
    rows = [
        ("Alice", "2018-09-07", "pear", 1.20, 2, "a1"),
        ("Bob", "2018-09-02", "pear", 1.20, 1, "b1"),
        ("Bob", "2018-09-10", "grape", 4.00, 1, "b2"),
        ("Carol", "2018-09-02", "peach", 2.50, 3, "c1"),
        ("Carol", "2018-09-12", "grape", 4.00, 1, "c2"),
        ("Dan", "2018-09-02", "grape", 4.00, 1, "d1"),
        ("Dan", "2018-09-05", "pear", 1.10, 5, "d2"),
        ("Dan", "2018-10-12", "grape", 4.00, 2, "d3"),
    ]
    names = ["customer", "date", "item", "price", "quantity", "invoice"]
    return read(pl.DataFrame(rows, schema=names, orient="row"))


@pytest.fixture(scope="session")
def shop() -> History:
    return generate("shop", customers=60, seed=7)


@pytest.fixture(scope="session")
def shop_with_customers() -> History:
    """The shop, with attributes of its customers; not by its fixture, which tests may replace."""
    shop = generate("shop", customers=60, seed=7)
    persons = shop.persons()
    people = pl.DataFrame(
        {
            "person": persons,
            "sex": ["f" if number % 3 else "m" for number in range(len(persons))],
            "birth": [date(1950 + number % 40, 1, 1) for number in range(len(persons))],
            "country": ["Japan" if number % 2 else "France" for number in range(len(persons))],
        }
    )
    return replace(shop, customers=table(people))
