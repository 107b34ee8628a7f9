"""`generate`: histories made up by rule, for those without data and for tests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, get_args

import polars as pl

from tokumei.data.reading import read
from tokumei.data.shop import BLOCK, shop_blocks
from tokumei.data.transit import transit_blocks
from tokumei.errors import ParameterError
from tokumei.history import History
from tokumei.progress import track

World = Literal["shop", "transit"]
WORLDS: tuple[World, ...] = get_args(World)


def blocks(of: World, customers: int, seed: int) -> Iterator[pl.DataFrame]:
    """Yield the rows of a generated history, some thousand customers at a time."""
    if of not in WORLDS:
        raise ParameterError(f"A world must be {' or '.join(WORLDS)}, not '{of}'.")
    if customers < 1:
        raise ParameterError(f"customers must be at least 1, not {customers}.")
    if seed < 0:
        raise ParameterError(f"seed must be at least 0, not {seed}.")
    make = shop_blocks if of == "shop" else transit_blocks
    return track(make(customers, seed=seed), -(-customers // BLOCK), f"generating {of}")


def generate(of: World = "shop", *, customers: int = 400, seed: int) -> History:
    """Generate a history: a gift shop's year, or three months of transit cards."""
    rows = pl.concat(blocks(of, customers, seed))
    if of == "transit":
        return read(rows, person="card", item="exit", time="time", price="fare", keep=["entry"])
    return read(
        rows,
        person="customer",
        item="item",
        time="time",
        price="price",
        quantity="quantity",
        basket="basket",
    )
